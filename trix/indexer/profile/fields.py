"""Rules of metadata fields, for documents and elements [QUERY, section 1].

::

    [fields]
    title = "/book/info/title"
    year = {path = ["/book/info/pubdate", "/book/info/copyright/year"], type = "integer"}
    author = {path = "/book/info//author", many = true}

A path is an XPath from the document element, see `trix.indexer.profile.xpath`; of several the first that gives a value
counts. A value is kept as text in one canonical form for its type, so that equal values are equal texts.

What parts of documents say of themselves, ``[element_fields]`` declares::

    [element_fields]
    speaker = ["sp/speaker", "sp/@who"]
    scene = "div[@type='scene']/head"
    hand = "@hand"

Here a path is a selector, see `trix.indexer.profile.selector`. The element that it selects gives its text to its
parent; one that ends in ``/@attribute`` gives the attribute to the element itself. What an element says holds for all
that is in it, up to the next element that says something in the same field.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from trix.errors import ProfileError, did_you_mean
from trix.indexer.profile.selector import Selector, resolve_name

TYPES = ("string", "integer", "number", "date", "year")
"""Types of values; the first is the default. A year is that of a date."""

RESERVED = ("and", "or", "not", "in", "exists", "score")
"""Words of filters and sort orders, which cannot name fields."""

_NAME = re.compile(r"[^\W\dA-Z_]\w*")
_KEYS = ("path", "type", "many")
_INTEGER = re.compile(r"(?:(?<!\w)-)?(?<![0-9])[0-9]{1,15}(?![0-9])")
_NUMBER = re.compile(r"(?:(?<!\w)-)?(?<![0-9])[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(
    r"(?<![0-9])(?:([0-9]{4})-([0-9]{1,2})(?:-([0-9]{1,2}))?(?![0-9])|([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])"
    r"|([0-9]{4})(?![0-9])|([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})(?![0-9]))"
)
_MORE = re.compile(r"[^\W\d_]{3}|\d")
"""A word or a number beside a date."""


@dataclass(frozen=True)
class FieldRule:
    """Rule of one field.

    Attributes
    ----------
    paths
        XPaths from the root element; the first with a value wins.
    type
        One of `TYPES`.
    many
        Whether a document keeps all values, or only the first.
    """

    paths: tuple[str, ...]
    type: str = TYPES[0]
    many: bool = False

    def canonical(self, text: str) -> str | None:
        """Extract the value from a text in canonical form; None if there is none.

        >>> FieldRule((), "integer").canonical("[c1752], reprinted 1760"), FieldRule((), "string").canonical(" a  b ")
        ('1752', 'a b')
        >>> FieldRule((), "number").canonical("about 1.50 kg"), FieldRule((), "number").canonical("none")
        ('1.5', None)
        >>> [FieldRule((), "date").canonical(text) for text in ("2015-8-25", "20150825", "5.8.2015", "May 2015")]
        ['2015-08-25', '2015-08-25', '2015-08-05', '2015']
        >>> [FieldRule((), "year").canonical(text) for text in ("25.8.2015", "August 25, 2015", "03/11/2016", "in May")]
        ['2015', '2015', '2016', None]
        """
        if self.type == "integer":
            found = _INTEGER.search(text)
            return str(int(found[0])) if found else None
        if self.type == "number":
            found = _NUMBER.search(text)
            value = float(found[0]) if found else math.inf
            return f"{value:.15g}" if math.isfinite(value) else None
        if self.type in ("date", "year"):
            date = _date(text)
            return date[:4] if date and self.type == "year" else date
        return " ".join(text.split()) or None

    def is_cut(self, text: str) -> bool:
        """Whether a text has more of a date than its value: a month in letters, or other numbers.

        >>> [FieldRule((), "date").is_cut(text) for text in ("September 2002", "12/5/2002", "2015-13", "On 2015-05-01")]
        [True, True, True, False]
        >>> [FieldRule((), "date").is_cut(text) for text in ("c. [1752]", "2015-3", "none")]
        [False, False, False]
        """
        found = _DATE.search(text) if self.type == "date" else None
        value = _date(text)
        if found is None or value is None or len(value) == len("2015-03-09"):
            return False
        rest = text[: found.start()] + " " + text[found.end() :]
        digits = sum(map(str.isdigit, found[0]))
        return digits > len(value.replace("-", "")) or _MORE.search(rest) is not None

    def order(self, value: str) -> Any:
        """Return the sort key of a value; dates sort as texts.

        >>> sorted(["b", "A", "a"], key=FieldRule(()).order), sorted(["10", "9"], key=FieldRule((), "integer").order)
        (['A', 'a', 'b'], ['9', '10'])
        """
        if self.type in ("integer", "number", "year"):
            return float(value) if self.type == "number" else int(value)
        return value if self.type == "date" else (value.casefold(), value)

    def plain(self, value: str) -> str | int | float:
        """Convert a value to a Python number or string."""
        if self.type in ("integer", "year"):
            return int(value)
        return float(value) if self.type == "number" else value

    def to_dict(self) -> dict[str, Any]:
        """Convert to the form of the TOML file."""
        path = self.paths[0] if len(self.paths) == 1 else list(self.paths)
        return {"path": path, "type": self.type, "many": self.many}


def _date(text: str) -> str | None:
    """Return the first date in a text, as far as it is valid: year, month, day."""
    found = _DATE.search(text)
    if found is None:
        return None
    year = found[1] or found[4] or found[7] or found[10]
    month, day = found[2] or found[5] or found[9], found[3] or found[6] or found[8]
    if not month or not 1 <= int(month) <= 12:
        return year
    return f"{year}-{int(month):02}" + (f"-{int(day):02}" if day and 1 <= int(day) <= 31 else "")


def field_rules(
    value: object,
    where: str,
    key: str = "fields",
    sample: str = 'year = {path = "/book/info/year", type = "integer"}',
) -> dict[str, FieldRule]:
    """Read the fields of a profile from a table; paths are not checked yet.

    Raises
    ------
    ProfileError
        A name, a key or a value is invalid.
    """
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: {key} = {value!r:.60}: expected a table such as [{key}] with {sample}")
    rules = {}
    for name, entry in value.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name != name.lower():
            raise ProfileError(f"{where}: {key}.{name}: expected a name of small letters, digits and _, as pub_date")
        if name in RESERVED:
            raise ProfileError(f"{where}: {key}.{name}: the word has a meaning in filters; choose another name")
        rules[name] = _rule(entry if isinstance(entry, Mapping) else {"path": entry}, f"{where}: {key}.{name}", sample)
    return rules


def refuse_unknown(table: Iterable[str], known: tuple[str, ...], where: str) -> None:
    """Raise `ProfileError` for an unknown key of a table."""
    for key in table:
        if key not in known:
            raise ProfileError(f"{where}: unknown key '{key}'{did_you_mean(key, known)}; keys are {', '.join(known)}")


def _rule(entry: Mapping[str, Any], where: str, sample: str) -> FieldRule:
    refuse_unknown(entry, _KEYS, where)
    path = entry.get("path")
    paths = [path] if isinstance(path, str) else path
    if not isinstance(paths, list | tuple) or not paths or not all(isinstance(p, str) and p.strip() for p in paths):
        raise ProfileError(f"{where}: path = {path!r:.60}: expected an XPath or a list of them, as {sample}")
    kind, many = entry.get("type", TYPES[0]), entry.get("many", False)
    if kind not in TYPES:
        hint = did_you_mean(str(kind), TYPES)
        raise ProfileError(f"{where}: type = {kind!r:.60}: expected {', '.join(TYPES)}{hint}")
    if not isinstance(many, bool):
        raise ProfileError(f"{where}: many = {many!r:.60}: expected true or false")
    return FieldRule(tuple(p.strip() for p in paths), kind, many)


class Way(NamedTuple):
    """Path of an element field.

    Attributes
    ----------
    field
        Index of the field in the profile.
    selector
        Elements with a value.
    attribute
        Attribute, in the notation of lxml, whose value belongs to the element itself; None if the text belongs to its
        parent.
    """

    field: int
    selector: Selector
    attribute: str | None


def ways_of(rules: Mapping[str, FieldRule], namespaces: Mapping[str, str]) -> tuple[Way, ...]:
    """Return the paths of all element fields, in order.

    >>> [*map(str, ways_of({"hand": FieldRule(("@hand", "note/hand"))}, {}))][1]
    "Way(field=0, selector=Selector(tag='hand', namespace=None, attribute=None, value=None, parent=Selector(tag='note',\
 namespace=None, attribute=None, value=None, parent=None)), attribute=None)"
    """
    return tuple(
        _way(number, path, namespaces) for number, rule in enumerate(rules.values()) for path in rule.paths
    )  # fmt: skip


def _way(field: int, path: str, namespaces: Mapping[str, str]) -> Way:
    head, at, name = path.rpartition("/@") if "/@" in path else ("", path[:1], path[1:])
    if at not in ("/@", "@") or "]" in name:
        return Way(field, Selector.parse(path, namespaces), None)
    uri, local = resolve_name(name.strip(), namespaces)
    if local == "*":
        raise ValueError("expected an attribute's name, not *")
    return Way(field, Selector.parse(head or "*", namespaces), f"{{{uri}}}{local}" if uri else local)


def without_namesakes(merged: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Remove inherited fields whose name the profile uses for a field of the other kind.

    >>> without_namesakes({"fields": {"type": "/a/@b"}, "element_fields": {"type": "@type"}}, {"fields": {"type": ""}})
    {'fields': {'type': '/a/@b'}, 'element_fields': {}}
    """
    for key, other in (("fields", "element_fields"), ("element_fields", "fields")):
        tables = [table.get(each, {}) for table in (own, merged) for each in (key, other)]
        if all(isinstance(table, dict) for table in tables):
            mine, mine_there, _, there = tables
            merged[other] = {name: at for name, at in there.items() if name not in mine or name in mine_there}
    return merged


def element_rules(
    value: object, fields: Mapping[str, FieldRule], namespaces: Mapping[str, str], where: str
) -> dict[str, FieldRule]:
    """Read the element fields of a profile from a table.

    Parameters
    ----------
    value
        Table of the profile.
    fields, namespaces
        Document fields, whose names are taken; declared prefixes.
    where
        File, for messages.

    Raises
    ------
    ProfileError
        A name, a key or a value is invalid.
    """
    rules = field_rules(value, where, "element_fields", 'speaker = "sp/speaker"')
    for name, rule in rules.items():
        if name in fields:
            raise ProfileError(f"{where}: element_fields.{name}: documents have a field of this name; choose another")
        try:
            ways_of({name: rule}, namespaces)
        except ValueError as error:
            paths = " or ".join(f"'{path}'" for path in rule.paths)
            raise ProfileError(f"{where}: element_fields.{name}: {paths}: {error}; or sp/@who, @hand") from None
    return rules
