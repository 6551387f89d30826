"""What the sections of a document are called: a profile's title rules, asked of the elements of a tree."""

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
"""Characters of a title as it is shown, at the most; what goes on is cut."""

TOO_LONG = 400
"""Characters above which a text is no title, but the text itself in a tag that others use for titles."""

_AFTER_DASH = re.compile(r"(?<=\S—) ")
"""What stands behind a number that ends in a dash, as ``TITLE I—``."""

_LETTERS = re.compile(r"[^\W\d_]{2}")
_END = " .,:;—–-"
NOTES = ("note", "fn", "footnote", "footnoteref", "indexterm")
"""Local names, in small letters, of what is in a heading and no part of it."""


class Headings:
    """Gives the titles of elements under one profile.

    Parameters
    ----------
    profile
        Says what elements are called.
    text_of
        Gives the text of an element (lxml) as it is shown.
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        self._profile, self._text_of = profile, text_of
        self._titles = title_rules_of(profile)
        self._rules: dict[str, tuple[_Fitting, ...]] = {}
        self._looked: dict[str, tuple[bool, bool]] = {}

    @cached_property
    def are_everywhere(self) -> bool:
        """Whether any element at all may have a title, which makes `below` look at each of them."""
        return any(each.is_alone for each in map(_Fitting.of, self._titles) if each.rule.selector.tag == "*")

    def above(self, element: Any, outermost: Any) -> list[str]:
        """Return the titles of the sections that an element is in, the outermost first, its own title as the last.

        What ends the title before says nothing new, as that of a caption in a figure.

        Parameters
        ----------
        element
            An lxml element.
        outermost
            The document's element, which is no section.
        """
        found: list[str] = []
        while element is not None and element is not outermost:
            found = [*self.of(element), *found]
            element = element.getparent()
        return distinct_titles(found)

    def below(self, element: Any) -> Iterator[tuple[Any, list[str]]]:
        """Yield the elements below one that have titles, with their titles.

        Most elements of a document have none, nor anything that titles are made of. So what is looked at is what rules
        name, and what holds something that they take a title from.
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
        """Of what titles are made, as lxml asks for it."""
        return frozenset(name for rule in self._titles for name in _Fitting.of(rule).children)

    def _look(self, tag: str) -> tuple[bool, bool]:
        """Return whether elements of a tag can have a title without children, and whether titles are made of them."""
        local = split_qname(tag)[1]
        here = any(each.is_alone for each in map(_Fitting.of, self.fitting(tag)))
        self._looked[tag] = looked = here, f"{{*}}{local}" in self._children
        return looked

    def of(self, element: Any) -> list[str]:
        """Return the title of an element, behind that of a heading that stands before it; nothing where it has none.

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
        """Return the rules for a tag: those that name it, else those for what it is an alias of, else those for all.

        Of them the first counts whose condition an element fulfils.
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
        """Return what a form gives; nothing where a part is missing. A number alone goes behind the name of its tag."""
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
        """Return the text of a heading on one line, without its notes."""
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
    """A rule for a tag, with what each of its forms needs of an element: children by local name, and attributes by @.

    Most elements of a document have no title, which shall cost nothing to speak of.
    """

    rule: TitleRule
    needs: tuple[frozenset[str], ...]
    children: tuple[str, ...]
    """All children that are needed, as lxml asks for them."""
    attributes: bool
    is_for_all: bool
    """Whether the rule is for all elements of its tag."""
    known: dict[frozenset[str], tuple[tuple[str, ...], ...]]
    """The forms of elements that have these children and attributes, as far as such elements were seen."""

    @classmethod
    def of(cls, rule: TitleRule) -> _Fitting:
        """Return a rule with what its forms need."""
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
        """Return the forms that an element has everything for."""
        children = element.iterchildren(*self.children) if self.children else ()
        there = frozenset([child.tag.rpartition("}")[2] for child in children])
        if self.attributes:
            there |= {f"@{name.rpartition('}')[2]}" for name in element.attrib}
        if there not in self.known:
            fitting = zip(self.rule.forms, self.needs, strict=True)
            self.known[there] = tuple(form for form, needs in fitting if needs <= there)
        return self.known[there]


def _first(part: str) -> str:
    """Return what a part of a form needs in an element itself.

    >>> _first("caption/title"), _first("@xml:id"), _first("name[1]")
    ('caption', '@id', 'name')
    """
    first = part.partition("/")[0].removesuffix(FIRST)
    return f"@{first[1:].rpartition(':')[2]}" if first.startswith("@") else first


def title_of(text: str, name: str) -> str:
    """Return the title that a text makes of an element of a local name; nothing where it is too long.

    >>> title_of("TITLE I— General provisions.", "title"), title_of("2.", "sec")
    ('TITLE I—General provisions', 'sec 2')
    """
    title = (_AFTER_DASH.sub("", text) if "—" in text else text).rstrip(_END)
    if len(title) > TOO_LONG:
        return ""
    return shortened(title if _LETTERS.search(title) else f"{name} {title}", LONGEST)


def distinct_titles(titles: Sequence[str]) -> list[str]:
    """Return titles, the outermost first, without those that say no more than the end of the one before.

    >>> distinct_titles(["Results", "Figure 1. Cells", "Cells"])
    ['Results', 'Figure 1. Cells']
    """
    return [title for at, title in enumerate(titles) if not at or not titles[at - 1].endswith(title)]


def title_rules_of(profile: Profile) -> tuple[TitleRule, ...]:
    """Return the title rules of a profile, or those that count where it has none."""
    return profile.titles or (ANY,)


@cache
def _steps(part: str) -> tuple[str, ...]:
    """Return the steps of a part of a form, tags as lxml asks for them in any namespace.

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
            continue  # in another note
        if before is None:
            parent.text = (parent.text or "") + (note.tail or "")
        else:
            before.tail = (before.tail or "") + (note.tail or "")
        parent.remove(note)
    top = copied
    for above in element.iterancestors():  # what its tags mean may depend on them
        parent = etree.Element(above.tag, dict(above.attrib))
        parent.append(top)
        top = parent
    return copied


def shortened(text: str, longest: int) -> str:
    """Return a text, cut between words where it is too long.

    >>> shortened("The history of the Robinhood Society", 20), shortened("Results", 20)
    ('The history of the …', 'Results')
    """
    if len(text) <= longest:
        return text
    space = text.rfind(" ", longest // 2, longest - 1)
    return f"{text[: space if space > 0 else longest - 1].rstrip(' ,;:')}{' ' if space > 0 else ''}…"
