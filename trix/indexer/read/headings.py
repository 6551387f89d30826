"""Section titles: the title rules of a profile, applied to elements of a tree."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from lxml import etree

from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.profile.titles import ANY, FIRST, TitleRule

LONGEST = 90
"""Characters of a shown title; longer ones are cut."""

TOO_LONG = 400
"""Characters above which a text is not a title, but body text in a tag that others use for titles."""

_AFTER_DASH = re.compile(r"(?<=\S—) ")
"""Blank after a number that ends in a dash, such as ``TITLE I—``."""

_LETTERS = re.compile(r"[^\W\d_]{2}")
_END = " .,:;—–-"
NOTES = ("note", "fn", "footnote", "footnoteref", "indexterm")
"""Lower-case local names of elements inside a heading that do not belong to it."""


class Headings:
    """Titles of elements under one profile.

    Parameters
    ----------
    profile
        Profile with the title rules.
    text_of
        Function that returns the shown text of an element (lxml).
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        self._profile, self._text_of = profile, text_of
        self._titles = title_rules_of(profile)
        self._rules: dict[str, tuple[_Fitting, ...]] = {}
        self._looked: dict[str, tuple[bool, bool]] = {}

    @cached_property
    def are_everywhere(self) -> bool:
        """Whether any element may have a title, so that `below` must visit all of them."""
        return any(each.is_alone for each in map(_Fitting.of, self._titles) if each.rule.selector.tag == "*")

    def above(self, element: Any, outermost: Any) -> list[str]:
        """Return the titles of the sections around an element, outermost first, its own last.

        A title that repeats the end of the one before is dropped, such as the caption in a figure.

        Parameters
        ----------
        element
            Element (lxml).
        outermost
            Root element, which is not a section.
        """
        found: list[str] = []
        while element is not None and element is not outermost:
            found = [*self.of(element), *found]
            element = element.getparent()
        return distinct_titles(found)

    def below(self, element: Any) -> Iterator[tuple[Any, list[str]]]:
        """Yield the descendants of an element that have titles, with these titles.

        Most elements have no title and no source of one. Only elements that rules name are visited, and parents of
        elements that titles come from.
        """
        seen = {element}
        for each in element.iterdescendants("*"):
            here, above = self._looked.get(each.tag) or self._look(each.tag)
            for one in ((each,) if here else ()) + ((each.getparent(),) if above else ()):
                if one not in seen and one is not None:
                    seen.add(one)
                    if titles := self.of(one):
                        yield one, titles

    @cached_property
    def _children(self) -> frozenset[str]:
        """Tags that titles come from, in the notation of lxml."""
        return frozenset(name for rule in self._titles for name in _Fitting.of(rule).children)

    def _look(self, tag: str) -> tuple[bool, bool]:
        """Return whether elements with a tag can have titles without children, and whether titles come from them."""
        local = split_qname(tag)[1]
        here = any(each.is_alone for each in map(_Fitting.of, self.fitting(tag)))
        self._looked[tag] = looked = here, f"{{*}}{local}" in self._children
        return looked

    def of(self, element: Any) -> list[str]:
        """Return the title of an element, preceded by a heading before it; empty if there is none.

        Examples
        --------
        >>> from lxml import etree
        >>> section = etree.fromstring("<sec><label>2.</label><title>Main  results</title><p>word</p></sec>")
        >>> Headings(Profile(name="none"), lambda each: each.text).of(section)
        ['2. Main results']
        """
        rules = self._rules.get(element.tag)
        if rules is None:
            rules = self._rules[element.tag] = tuple(map(_Fitting.of, self.fitting(element.tag)))
        fitting = next((each for each in rules if each.is_for_all or each.rule.selector.holds(element)), None)
        if fitting is None:
            return []
        rule = fitting.rule
        titles = [self._before(element, rule.before)] if rule.before else []
        titles.append(next(filter(None, (self._form(element, form) for form in fitting.forms(element))), ""))
        return [title for title in titles if title]

    def fitting(self, tag: Any) -> tuple[TitleRule, ...]:
        """Return the rules for a tag: those with its name, else those of its aliases, else the general ones.

        The first rule whose condition holds applies.
        """
        if not isinstance(tag, str):
            return ()
        namespace, local = split_qname(tag)
        rules = self._titles
        for name in self._profile.aliases(local):
            fitting = [each for each in rules if each.selector.tag != "*" and each.selector.names(namespace, name)]
            if fitting:
                return tuple(fitting)
        return tuple(each for each in rules if each.selector.names(namespace, local))

    def _form(self, element: Any, form: Sequence[str]) -> str:
        """Fill in a form; empty if a part is missing. A number alone gets the name of its tag as a prefix."""
        texts = []
        for part in form:
            texts.append(self._part(element, part))
            if not texts[-1]:
                return ""
        return title_of(" ".join(texts), split_qname(element.tag)[1])

    def _part(self, element: Any, part: str) -> str:
        if part.startswith("'"):
            return part[1:-1]
        here, (*down, last) = [element], _steps(part)
        for name in down:
            here = [child for each in here for child in each.iterchildren(name)]
        if last.endswith(FIRST):
            begun = (next(each.iterchildren("*"), None) for each in here)
            tag = last.removesuffix(FIRST).removeprefix("{*}")
            return next((self._text(child) for child in begun if child is not None and _local(child) == tag), "")
        if last.startswith("@"):
            return next((value.strip() for each in here for value in [_attribute(each, last[1:])] if value), "")
        texts = (self._text(child) for each in here for child in each.iterchildren(last))
        return next(filter(None, texts), "")

    def _text(self, element: Any) -> str:
        """Return the text of a heading on one line, without notes."""
        if len(element) and any(_local(each).lower() in NOTES for each in element.iterdescendants()):
            element = _without_notes(element)
        text = self._text_of(element) if len(element) else element.text or ""
        return " ".join(text.split())

    def _before(self, element: Any, tag: str) -> str:
        found = next((each for each in element.itersiblings(preceding=True) if _local(each) == tag), None)
        if found is None:
            return ""
        title = self._text(found).rstrip(_END)
        return shortened(title, LONGEST) if len(title) <= TOO_LONG else ""


class _Fitting(NamedTuple):
    """Rule for a tag, with the requirements of each form: local names of children, and attributes with ``@``.

    Most elements have no title, so ruling them out must be cheap.
    """

    rule: TitleRule
    needs: tuple[frozenset[str], ...]
    children: tuple[str, ...]
    """All required children, in the notation of lxml."""
    attributes: bool
    is_for_all: bool
    """Whether the rule has no condition."""
    known: dict[frozenset[str], tuple[tuple[str, ...], ...]]
    """Cache: possible forms by set of available children and attributes."""

    @classmethod
    def of(cls, rule: TitleRule) -> _Fitting:
        """Compute the requirements of a rule."""
        needs = tuple(frozenset(_first(part) for part in form if not part.startswith("'")) for form in rule.forms)
        every = frozenset[str]().union(*needs)
        children = tuple(f"{{*}}{name}" for name in sorted(every) if not name.startswith("@"))
        is_for_all = not rule.selector.is_conditional
        return cls(rule, needs, children, any(name.startswith("@") for name in every), is_for_all, {})

    @property
    def is_alone(self) -> bool:
        """Whether an element may have a title without any children."""
        return bool(self.rule.before) or any(all(need.startswith("@") for need in needs) for needs in self.needs)

    def forms(self, element: Any) -> tuple[tuple[str, ...], ...]:
        """Return the forms whose requirements an element meets."""
        children = element.iterchildren(*self.children) if self.children else ()
        there = frozenset([child.tag.rpartition("}")[2] for child in children])
        if self.attributes:
            there |= {f"@{name.rpartition('}')[2]}" for name in element.attrib}
        if there not in self.known:
            fitting = zip(self.rule.forms, self.needs, strict=True)
            self.known[there] = tuple(form for form, needs in fitting if needs <= there)
        return self.known[there]


def _first(part: str) -> str:
    """Return the requirement of a part of a form: a child, or an attribute.

    >>> _first("caption/title"), _first("@xml:id"), _first("name[1]")
    ('caption', '@id', 'name')
    """
    first = part.partition("/")[0].removesuffix(FIRST)
    return f"@{first[1:].rpartition(':')[2]}" if first.startswith("@") else first


def title_of(text: str, name: str) -> str:
    """Make a title from a text in an element with a local name; empty if the text is too long.

    >>> title_of("TITLE I— General provisions.", "title"), title_of("2.", "sec")
    ('TITLE I—General provisions', 'sec 2')
    """
    title = (_AFTER_DASH.sub("", text) if "—" in text else text).rstrip(_END)
    if len(title) > TOO_LONG:
        return ""
    return shortened(title if _LETTERS.search(title) else f"{name} {title}", LONGEST)


def distinct_titles(titles: Sequence[str]) -> list[str]:
    """Drop titles that repeat the end of the one before; titles are in order from the outermost.

    >>> distinct_titles(["Results", "Figure 1. Cells", "Cells"])
    ['Results', 'Figure 1. Cells']
    """
    return [title for at, title in enumerate(titles) if not at or not titles[at - 1].endswith(title)]


def title_rules_of(profile: Profile) -> tuple[TitleRule, ...]:
    """Return the title rules of a profile, or the default ones."""
    return profile.titles or (ANY,)


@cache
def _steps(part: str) -> tuple[str, ...]:
    """Split a part of a form into steps, with tags in the notation of lxml for any namespace.

    >>> _steps("caption/title"), _steps("head/@n")
    (('{*}caption', '{*}title'), ('{*}head', '@n'))
    """
    return tuple(step if step.startswith("@") else f"{{*}}{step}" for step in part.split("/"))


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _attribute(element: Any, name: str) -> str:
    local = name.rpartition(":")[2]
    return str(element.get(name) or next((v for k, v in element.attrib.items() if k.rpartition("}")[2] == local), ""))


def _without_notes(element: Any) -> Any:
    copied = copy.deepcopy(element)
    copied.tail = None
    for note in [each for each in copied.iterdescendants() if _local(each).lower() in NOTES]:
        parent, before = note.getparent(), note.getprevious()
        if parent is None:
            continue  # inside another note
        if before is None:
            parent.text = (parent.text or "") + (note.tail or "")
        else:
            before.tail = (before.tail or "") + (note.tail or "")
        parent.remove(note)
    top = copied
    for above in element.iterancestors():  # rules may depend on ancestors
        parent = etree.Element(above.tag, dict(above.attrib))
        parent.append(top)
        top = parent
    return copied


def shortened(text: str, longest: int) -> str:
    """Cut a long text between words.

    >>> shortened("The history of the Robinhood Society", 20), shortened("Results", 20)
    ('The history of the …', 'Results')
    """
    if len(text) <= longest:
        return text
    space = text.rfind(" ", longest // 2, longest - 1)
    return f"{text[: space if space > 0 else longest - 1].rstrip(' ,;:')}{' ' if space > 0 else ''}…"
