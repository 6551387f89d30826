"""A topic: an information need in several wordings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trix.errors import FormatError, did_you_mean

FIELDS = ("title", "castitle", "phrasetitle", "description", "narrative", "keywords")
"""Fields with an attribute of `Topic`; all others are in `Topic.fields`."""

_FIRST_IDS = ((61, 2003), (127, 2004), (202, 2005), (289, 2006), (414, 2007), (544, 2008), (679, 0))


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic.

    Parameters
    ----------
    id
        As written, with leading zeros.
    title
        The content-only query; a structured one (NEXI, beginning with ``/``) in the CAS topics of 2002 to 2004.
    castitle
        The structured query; also set if the title has it.
    phrasetitle, description, narrative, keywords
        The other wordings; None if missing.
    query_type
        As written: ``CO``, ``CAS``, ``CO+S``; None if missing.
    year_hint
        Year of the INEX campaign, if form and id determine it. Up to 2003, ``/`` in a structured query means ``//``.
    fields
        All further fields, names in lower case with ``_``.
    path, line
        File and line of the topic.
    """

    id: str
    title: str
    castitle: str | None = None
    phrasetitle: str | None = None
    description: str | None = None
    narrative: str | None = None
    keywords: str | None = None
    query_type: str | None = None
    year_hint: int | None = None
    fields: dict[str, str] = field(default_factory=dict, hash=False)
    path: str = ""
    line: int | None = None

    def is_of(self, query_type: str) -> bool:
        """Return whether the topic is of a type.

        Parameters
        ----------
        query_type
            ``CO``, which includes ``CO+S``, or ``CAS``; empty for any type.

        Examples
        --------
        >>> Topic("202", "xml", query_type="CO+S").is_of("CO"), Topic("1", "xml").is_of("CO")
        (True, False)
        """
        own = (self.query_type or "").upper()
        return not query_type or query_type.upper() in (own, own.partition("+")[0])

    @property
    def slash_descends(self) -> bool:
        """Whether ``/`` in a structured query means ``//``, as in topics up to 2003."""
        return self.year_hint is not None and self.year_hint <= 2003

    def query(self, field: str = "title") -> str:
        """Return the text of the field named `field`.

        Raises
        ------
        FormatError
            The topic has no such field, or it is empty. The message lists the fields.

        Examples
        --------
        >>> Topic("1", "xml trees").query()
        'xml trees'
        >>> Topic("1", "xml trees", keywords="xml").query("keyword")
        Traceback (most recent call last):
        trix.errors.FormatError: topics: topic 1 has no keyword (did you mean keywords?); it has title, keywords
        """
        name = normal_name(field)
        text = getattr(self, name) if name in FIELDS else self.fields.get(name)
        if text:
            return str(text)
        known = [known for known in FIELDS if getattr(self, known)] + list(self.fields)
        raise FormatError(
            f"topic {self.id} has no {field}{did_you_mean(name, known)}; it has {', '.join(known) or 'no text at all'}",
            self.path or "topics",
            self.line,
        )


def normal_name(name: str) -> str:
    """Return a field or element name in lower case with ``_``.

    >>> normal_name("Topic-ID")
    'topic_id'
    """
    return name.lower().replace("-", "_")


def collapse(text: str) -> str:
    """Replace each run of white space by one blank, and strip the text.

    >>> collapse(" a\\n  b ")
    'a b'
    """
    return " ".join(text.split())


def make_topic(
    id: str,
    values: dict[str, str],
    *,
    query_type: str | None = None,
    year_hint: int | None = None,
    path: str = "",
    line: int | None = None,
) -> Topic:
    """Create a topic from its texts by field name; a structured query in the title becomes the castitle too.

    >>> topic = make_topic("130", {"title": "//article[about(., xml)]", "ct_no": "7"})
    >>> topic.castitle, topic.fields
    ('//article[about(., xml)]', {'ct_no': '7'})
    """
    title = values.get("title", "")
    return Topic(
        id,
        title,
        castitle=values.get("castitle") or (title if title.startswith("/") else None),
        phrasetitle=values.get("phrasetitle"),
        description=values.get("description"),
        narrative=values.get("narrative"),
        keywords=values.get("keywords"),
        query_type=query_type,
        year_hint=year_hint,
        fields={name: value for name, value in values.items() if name not in FIELDS},
        path=path,
        line=line,
    )


def year_of(id: str) -> int | None:
    """Return the INEX campaign of a topic id; None if unknown.

    >>> year_of("31"), year_of("177"), year_of("2009005"), year_of("2009-Eff-001"), year_of("700"), year_of("x")
    (2002, 2004, 2009, 2009, None, None)
    """
    dated = re.match(r"(20[01][0-9])(?:[0-9]{3}$|-)", id)
    if dated:
        return int(dated[1])
    if not id.isdecimal() or len(id) > 9:
        return None
    year = 2002
    for first, of in _FIRST_IDS:
        if int(id) >= first:
            year = of
    return year or None


def natural(id: str) -> list[int | str]:
    """Return a sort key that orders numbers within ids by value.

    >>> sorted(["10", "2", "2009-Eff-10", "2009-Eff-9"], key=natural)
    ['2', '10', '2009-Eff-9', '2009-Eff-10']
    """
    parts = re.split(r"(\d+)", id)
    return [int(part[:999]) if at % 2 else part for at, part in enumerate(parts)]  # more digits Python refuses
