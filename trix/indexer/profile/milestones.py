"""Rules of milestones: pages, verses, lines and columns, from the profile's ``[milestones]``.

::

    [milestones]
    page = "pb/@n"
    line = {at = ["lb/@n", "l/@n"], end = ["l", "div"]}
    chapter = {at = "c/@id", within = "book", join = " "}

A milestone has a number: an attribute of an element, or its text. Its place begins where the element begins. The place
ends before the next milestone of the same name, before the next one that it is `within`, or at an element of `end`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from trix.errors import ProfileError
from trix.indexer.profile.fields import RESERVED, refuse_unknown
from trix.indexer.profile.selector import Selector, resolve_name

LABELS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "page": ("p.", "pp."), "line": ("l.", "ll."), "column": ("col.", "cols."), "folio": ("f.", "ff."),
        "verse": ("v.", "vv."), "chapter": ("ch.", "chs."),
    }
)  # fmt: skip
"""Default labels before one number, and before several."""

_KEYS = ("at", "within", "label", "join", "names", "end")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_AT = re.compile(r"(?P<selector>.+?)(?:/@(?P<attribute>(?:\{[^{}]*\})?[^@/\[\]'\"]+))?")
_SAMPLE = 'page = "pb/@n", or a table such as {at = ["lb/@n", "l/@n"], within = "page", label = ["l.", "ll."]}'


@dataclass(frozen=True)
class NumberedAt:
    """Source of milestone numbers.

    Attributes
    ----------
    selector
        Elements that are milestones.
    attribute
        Attribute with the number, in the notation of lxml; empty for the text of the element.
    is_sure
        Whether all elements under consideration are known to match.
    """

    selector: Selector
    attribute: str = ""
    is_sure: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"{self.selector}/@{self.attribute}" if self.attribute else str(self.selector)


@dataclass(frozen=True)
class MilestoneRule:
    """Rule of the milestones with one name.

    Attributes
    ----------
    at
        Sources of numbers; the first one that an element has wins.
    within
        Name of the milestones that restart the numbering, such as chapters for verses; empty for none.
    label
        Label before one number, and before several.
    join
        Separator between the number of `within` and the own number, in place of comma and label.
    names
        Display names of numbers, such as ``Genesis`` for ``Gen``.
    end
        Elements that end a place: those that begin after the milestone, and those around it.
    always_ends
        Whether all elements under consideration are known to end places.
    """

    at: tuple[NumberedAt, ...]
    within: str = ""
    label: tuple[str, str] = ("", "")
    join: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    end: tuple[Selector, ...] = ()
    always_ends: bool = field(default=False, compare=False)

    def of_tag(self, namespace: str, local: str) -> MilestoneRule:
        """Specialise the rule for elements of one tag, which is faster to test."""
        at = [each for each in self.at if each.selector.names(namespace, local)]
        end = tuple(selector for selector in self.end if selector.names(namespace, local))
        return replace(
            self,
            at=tuple(replace(each, is_sure=not each.selector.is_conditional) for each in at),
            end=end,
            always_ends=not all(selector.is_conditional for selector in end),
        )

    def number(self, element: Any, outermost: Any) -> str | None:
        """Return the number of an element (lxml): empty for a milestone without one, None for other elements.

        >>> from lxml import etree
        >>> rule = milestone_rules({"line": ["lb/@n", "lb/@id"]}, {}, "here")["line"]
        >>> [rule.number(each, None) for each in etree.fromstring("<a><lb n=' 4'/><lb id='x'/><lb/><pb n='1'/></a>")]
        ['4', 'x', '', None]
        """
        found: str | None = None
        for each in self.at:
            if not found and (each.is_sure or each.selector.fits(element, outermost)):
                text = element.get(each.attribute) if each.attribute else "".join(element.itertext())
                found = " ".join((text or "").split())
        return found

    def ends(self, element: Any, outermost: Any) -> bool:
        """Whether an element ends a place."""
        return self.always_ends or any(selector.fits(element, outermost) for selector in self.end)

    def to_dict(self, name: str) -> dict[str, Any]:
        """Convert to the form of the profile's file."""
        made: dict[str, Any] = {"at": [*map(str, self.at)]}
        made.update({key: value for key in ("within", "join") if (value := getattr(self, key))})
        if self.label != _label(name):
            made["label"] = list(self.label)
        if self.names:
            made["names"] = dict(self.names)
        if self.end:
            made["end"] = [*map(str, self.end)]
        return made


def milestone_rules(value: object, namespaces: Mapping[str, str], where: str) -> dict[str, MilestoneRule]:
    """Read the rules of a profile from a table, in its order.

    Raises
    ------
    ProfileError
        A key or a value is invalid.
    """
    if not isinstance(value, Mapping):
        raise ProfileError(f"{where}: milestones = {value!r:.60}: expected a table such as [milestones] with {_SAMPLE}")
    rules: dict[str, MilestoneRule] = {}
    for name, given in value.items():
        if given == []:  # an empty list removes an inherited rule
            continue
        here = f"{where}: milestones.{name}"
        if not _NAME.fullmatch(name) or name in RESERVED:
            raise ProfileError(f"{here}: expected a name of small letters, digits and _, such as page")
        rules[name] = _rule(name, given if isinstance(given, Mapping) else {"at": given}, namespaces, here)
    for name, rule in rules.items():
        chain_of(rules, name, where)
        if rule.within and rule.within not in rules:
            raise ProfileError(f"{where}: milestones.{name}: within = '{rule.within}': there are no such milestones")
    return rules


def chain_of(rules: Mapping[str, MilestoneRule], name: str, where: str = "profile") -> tuple[str, ...]:
    """Return the names around milestones, outermost first, their own last.

    >>> rules = milestone_rules({"book": "b/@n", "verse": {"at": "v/@n", "within": "book"}}, {}, "here")
    >>> chain_of(rules, "verse")
    ('book', 'verse')
    """
    chain = [name]
    while (above := rules[chain[0]].within) in rules:
        if above in chain:
            raise ProfileError(
                f"{where}: milestones.{name}: within = '{above}': they are within each other in a circle"
            )
        chain.insert(0, above)
    return tuple(chain)


def _rule(name: str, given: Mapping[str, Any], namespaces: Mapping[str, str], where: str) -> MilestoneRule:
    refuse_unknown(given, _KEYS, where)
    label, names = given.get("label", _label(name)), given.get("names", {})
    labels = (label, label) if isinstance(label, str) else label
    if not isinstance(labels, list | tuple) or len(labels) != 2 or not all(isinstance(each, str) for each in labels):
        raise ProfileError(f'{where}: label = {label!r:.60}: expected a text, or two such as ["p.", "pp."]')
    if not isinstance(names, Mapping) or not all(isinstance(each, str) for each in names.values()):
        raise ProfileError(f'{where}: names = {names!r:.60}: expected a table of NUMBER = "NAME"')
    within, join = given.get("within", ""), given.get("join", "")
    if not isinstance(within, str) or not isinstance(join, str):
        raise ProfileError(f"{where}: within and join: expected texts")
    at = tuple(_numbered_at(each, namespaces, where) for each in _texts(given.get("at"), "at", where))
    if not at:
        raise ProfileError(f"{where}: at is missing: expected {_SAMPLE}")
    end = tuple(_selector(each, namespaces, where) for each in _texts(given.get("end", []), "end", where))
    return MilestoneRule(at, within, (labels[0], labels[1]), join, dict(names), end)


def _label(name: str) -> tuple[str, str]:
    return LABELS.get(name, (name.replace("_", " "), f"{name.replace('_', ' ')}s"))


def _texts(given: object, key: str, where: str) -> Iterable[str]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list | tuple) or not all(isinstance(each, str) and each.strip() for each in texts):
        raise ProfileError(f"{where}: {key} = {given!r:.60}: expected a text or a list of texts; for example {_SAMPLE}")
    return texts


def _numbered_at(text: str, namespaces: Mapping[str, str], where: str) -> NumberedAt:
    found = _AT.fullmatch(text.strip())
    assert found is not None  # matches any non-empty text
    selector, attribute = _selector(found["selector"], namespaces, where), found["attribute"] or ""
    if attribute:
        try:
            uri, local = resolve_name(attribute.strip(), namespaces)
        except ValueError as error:
            raise ProfileError(f"{where}: '{text}': {error}") from None
        attribute = f"{{{uri}}}{local}" if uri else local
    return NumberedAt(selector, attribute)


def _selector(text: str, namespaces: Mapping[str, str], where: str) -> Selector:
    try:
        return Selector.parse(text, namespaces)
    except ValueError as error:
        raise ProfileError(f"{where}: '{text}': {error}") from None
