"""Topic files in the formats of INEX 2002 to 2010, written from needs.

Topics alternate between content-only (CO) and content-and-structure (CAS). Relevance does not depend on the structure:
assessors read CAS topics vaguely. Up to 2004 a topic has one query; from 2005 it has both a title and a castitle.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from trix.datasets.markup import InexSchema
from trix.datasets.model import Need

FIRST_IDS = {
    2002: 1, 2003: 61, 2004: 127, 2005: 202, 2006: 289, 2007: 414, 2008: 544, 2009: 2009001, 2010: 2010001,
}  # fmt: skip
"""Year -> its first topic id."""

MOST = 60
"""Largest number of topics: that of 2002, whose ids end there."""

_ONE_FILE = 2008  # first year with all topics in one file

_DTD = """<!DOCTYPE inex-topic-file [
<!ELEMENT inex-topic-file (topic+)>
<!ENTITY lt "&#38;#60;">
<!ENTITY gt "&#62;">
<!ENTITY amp "&#38;#38;">
]>
"""


def topic_id(need: Need, year: int) -> str:
    """Return the id of a need in a year.

    >>> topic_id(Need(4, ()), 2002), topic_id(Need(4, ()), 2009)
    ('05', '2009005')
    """
    return f"{FIRST_IDS[year] + need.number:02}"


def is_structured(need: Need) -> bool:
    """Return whether a need is a CAS topic."""
    return need.number % 2 == 1


def title(need: Need) -> str:
    """Return the content-only query.

    >>> title(Need(0, tuple("abcdef"))), title(Need(1, tuple("abcdef"))), title(Need(2, tuple("abcdef")))
    ('a b c', '"a b" c', '+a b c d')
    """
    a, b, c, d = need.words[:4]
    return (f"{a} {b} {c}", f'"{a} {b}" {c}', f"+{a} {b} {c} {d}")[need.number % 3]


def castitle(need: Need, schema: InexSchema) -> str:
    """Return the structured query, in NEXI."""
    a, b, c, d = need.words[:4]
    return (
        f"//article[about(., {a} {b})]//{schema.section}[about(., {a} {c})]",
        f"//{schema.section}[about(., {title(need)})]",
        f"//article[about(.//{schema.heading}, {a}) or about(., {b})]//{schema.paragraph}[about(., {a} {c} {d})]",
    )[need.number % 3]


def topic_files(needs: list[Need], year: int, schema: InexSchema) -> dict[str, str]:
    """Return the topic files of a year: name -> text."""
    if year >= _ONE_FILE:
        topics = "".join(_topic(need, year, schema) for need in needs)
        return {
            "topics.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n{_DTD}<inex-topic-file>\n{topics}'
            "</inex-topic-file>\n"
        }
    make = _topic_2002 if year == 2002 else _inex_topic
    return {f"{topic_id(need, year)}.xml": make(need, year, schema) for need in needs}


def _element(name: str, text: str) -> str:
    return f"  <{name}>{escape(text)}</{name}>\n"


def _description(need: Need) -> str:
    return f"Find text about {need.words[0]} and {need.words[1]}, and about {need.words[2]} in their context."


def _narrative(need: Need) -> str:
    return (
        f"A paragraph is relevant if it explains {', '.join(need.words[:-1])} or {need.words[-1]}. "
        "Text that only names them is not relevant."
    )


def _topic_2002(need: Need, year: int, schema: InexSchema) -> str:
    a, b, c = need.words[:3]
    parts = f"<cw>{a} {b}, {c}</cw>"
    if is_structured(need):
        parts = f"<te>{schema.section}</te><cw>{a}</cw><ce>article</ce><cw>{b}, {c}</cw><ce>{schema.section}</ce>"
    kind = "CAS" if is_structured(need) else "CO"
    return (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE INEX-Topic SYSTEM "inex-topics.dtd">\n'
        f'<INEX-Topic topic-id="{topic_id(need, year)}" query-type="{kind}" ct-no="{need.number + 1:03}">\n'
        f"  <Title>{parts}</Title>\n{_element('Description', _description(need))}"
        f"{_element('Narrative', _narrative(need))}{_element('Keywords', ', '.join(need.words))}</INEX-Topic>\n"
    )


def _inex_topic(need: Need, year: int, schema: InexSchema) -> str:
    structured = is_structured(need)
    attributes = f'topic_id="{topic_id(need, year)}" ct_no="{need.number + 1}"'
    kind = "CAS" if structured else "CO" if year < 2005 else "CO+S"
    attributes += f' query_type="{kind}"' if year < 2006 else ""
    if year < 2005:
        fields = _element("title", castitle(need, schema) if structured else title(need))
    else:
        fields = _element("InitialTopicStatement", _description(need)) if year == 2005 else ""
        fields += _element("title", title(need)) + _element("castitle", castitle(need, schema))
    keywords = "ontopic_keywords" if year >= 2006 else "keywords"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<inex_topic {attributes}>\n{fields}'
        f"{_element('description', _description(need))}{_element('narrative', _narrative(need))}"
        f"{_element(keywords, ', '.join(need.words))}</inex_topic>\n"
    )


def _topic(need: Need, year: int, schema: InexSchema) -> str:
    phrases = _element("phrasetitle", f'"{need.words[0]} {need.words[1]}"') if year > _ONE_FILE else ""
    return (
        f'<topic id="{topic_id(need, year)}" ct_no="{need.number + 1}">\n{_element("title", title(need))}'
        f"{_element('castitle', castitle(need, schema))}{phrases}{_element('description', _description(need))}"
        f"{_element('narrative', _narrative(need))}</topic>\n"
    )
