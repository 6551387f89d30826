"""Section titles: extraction while a document is read, and the title tables of a segment.

A title is that of breadcrumbs, restricted to the text of the document: no words from the profile, no attributes, no
bare numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np
from lxml import etree

from trix.core import markup
from trix.indexer.commit.sections import SectionWriter
from trix.indexer.document.kinds import CONTAINER, INLINE, UNWRAP, ElementKind
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import white_space
from trix.indexer.document.tree import LazyTree
from trix.indexer.markup.reader import MarkupReader, Scan
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.profile.titles import FIRST, TitleRule
from trix.indexer.read.headings import LONGEST, NOTES, Headings, title_of, title_rules_of
from trix.indexer.store.strings import write_listed, write_packed
from trix.indexer.store.titles import ordered_titles, words_of_titles
from trix.indexer.words.interner import text_string
from trix.indexer.write.inverted.writer import KeyRanking, Parts, write_lists

NAME = "name"
"""A title in some schemas; in others the name of a person or thing, in parts, which is not a title."""

_LETTERS = re.compile(r"[^\W\d_]{2}")

Titles = list[tuple[str, int]]
"""Section titles, each with the index of its element in the document, ascending."""


class TitleReader:
    """Extracts section titles.

    Parameters
    ----------
    profile
        Profile with the title rules.
    text_of
        Function that returns the shown text of an element (lxml).
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        rules = tuple(map(_written, title_rules_of(profile)))
        self._headings = Headings(replace(profile, titles=rules), text_of)
        self._above: dict[str, set[tuple[str, ...]]] = {}
        for path in _last_parts(rules):
            leaf, *above = reversed(path.split("/"))
            self._above.setdefault(leaf, set()).add(tuple(above))
        self._heads = {rule.before for rule in rules if rule.before}
        self._leaves = [f"{{*}}{leaf}" for leaf in {*self._above, *self._heads}]
        simple = not self._heads and not profile.join_characters and _TitlesInMarkup.can_read(rules)
        self._in_markup = _TitlesInMarkup(self._headings, rules) if simple else None

    def read(self, tree: LazyTree, reader: DocumentReader) -> Titles:
        """Extract the section titles of a document.

        Parameters
        ----------
        tree
            Tree of the document.
        reader
            Reader that has just read it.
        """
        if isinstance(reader, MarkupReader) and reader.scan and self._in_markup:
            found, rest = self._in_markup.read(reader, reader.scan)
            if rest:
                elements = reader.elements(tree, [event for event, _ in rest])
                found += self._of(elements, [place for _, place in rest])
            return sorted(found, key=itemgetter(1))
        root = tree.element
        candidates = list(self._candidates(root)) if self._leaves else []
        return sorted(self._of(candidates, reader.places(root, candidates)), key=itemgetter(1))

    def _of(self, elements: Iterable[Any], places: Iterable[int]) -> Iterator[tuple[str, int]]:
        """Yield the titles of some elements; those without an index (-1) are skipped."""
        for element, place in zip(elements, places, strict=True):
            if place >= 0:
                name = split_qname(element.tag)[1]
                titles = [title for title in self._headings.of(element) if not _is_number(title, name)]
                yield from ((title, place) for title in dict.fromkeys(titles))

    def _candidates(self, root: Any) -> Iterator[Any]:
        """Yield the elements that may have a title, by their content or by a heading before them, except the root."""
        seen = {root}
        names: dict[str, str] = {}
        for leaf in root.iter(*self._leaves):
            tag = leaf.tag
            name = names.get(tag) or names.setdefault(tag, split_qname(tag)[1])
            if (name == NAME and len(leaf)) or leaf is root:
                continue
            parent = leaf.getparent()
            titled = [_titled(parent, above) for above in self._above.get(name, ())]
            for each in [*titled, *(_after(leaf) if name in self._heads else ())]:
                if each is not None and each not in seen:
                    seen.add(each)
                    yield each


def _titled(element: Any, above: Sequence[str]) -> Any:
    """Climb from a leaf's parent through the tags `above`, innermost first; None if they do not match."""
    for tag in above:
        if element is None or not element.tag.endswith(tag) or split_qname(element.tag)[1] != tag:
            return None
        element = element.getparent()
    return element


def _after(head: Any) -> Iterator[Any]:
    """Yield the siblings after a heading, up to the next one with the same tag."""
    for each in head.itersiblings(etree.Element):
        if each.tag == head.tag:
            return
        yield each


class _TitlesInMarkup:
    """Extracts simple titles from the events of a document, ten times faster than from a tree.

    A title is simple if it comes from the first possible form, and its headings have no notes and no tags that separate
    words (see `can_read`).
    """

    def __init__(self, headings: Headings, rules: Sequence[TitleRule]) -> None:
        self._headings = headings
        self._bits = {path: 1 << number for number, path in enumerate(_parts(rules))}
        steps = [path.split("/")[::-1] for path in self._bits]
        self._numbers: dict[str, int] = {}
        self._paths = np.full((len(steps), max(map(len, steps))), -1, np.int32)
        for row, names in zip(self._paths, steps, strict=True):
            row[: len(names)] = [self._numbers.setdefault(name, len(self._numbers)) for name in names]
        self._leads = np.uint64(sum(self._bits[path] for path in _last_parts(rules)))
        self._leaf = self._numbers.get(NAME, -1)
        forms = [*dict.fromkeys(form for rule in rules for form in rule.forms)]
        self._rows = {form: number for number, form in enumerate(forms, _IN_TREE + 1)}
        self._parts = np.full((_IN_TREE + 1 + len(forms), max(map(len, forms))), -1, np.int32)
        for form, number in self._rows.items():
            self._parts[number, : len(form)] = [self._bits[_path(part)].bit_length() - 1 for part in form]
        self._choices: dict[tuple[str, int], int] = {}
        self._steps = np.full(markup.ENTITY_TAG + 1, -1, np.int32)
        self._kinds = np.zeros(0, np.uint8)
        self._kinds_of: Sequence[ElementKind] = ()

    @staticmethod
    def can_read(rules: Sequence[TitleRule]) -> bool:
        """Whether titles depend on local names only, and have at most 64 parts."""
        return 0 < len(_parts(rules)) <= 64 and all(rule.selector.namespace is None for rule in rules)

    def read(self, reader: MarkupReader, scan: Scan) -> tuple[Titles, list[tuple[int, int]]]:
        """Return the titles, and (event, index) of the elements whose titles need the tree."""
        tags, found = scan.tags, scan.found
        self._steps[: len(found)] = [self._numbers.get(each.name, -1) for each in found]
        all_kinds = reader.kinds.all
        if self._kinds_of is not all_kinds or self._kinds.size < len(all_kinds):
            self._kinds_of = all_kinds
            self._kinds = np.array([*map(self._kind, all_kinds)], np.uint8)
        ends, events = np.empty((2, tags.size), np.int32)
        bits = np.empty(tags.size, np.uint64)
        # Step 1: elements that contain a possible title; `bits` has a bit per path found in each.
        count = markup.find_titled(
            tags, self._steps, self._paths, self._leads, self._leaf, scan.levels, ends, events, bits
        )
        places = reader.places_of(events[:count])
        indexed = np.flatnonzero(places >= 0)
        events, places = events[indexed], places[indexed]
        names = [found[tag].name for tag in tags[events].tolist()]
        # Step 2: the form of each, by name and bits; cached, since documents repeat them.
        known = self._choices
        choices = [
            known[each] if each in known else self._choose(*each)
            for each in zip(names, bits[indexed].tolist(), strict=True)
        ]
        # Step 3: write the texts of the forms, a line per element; an empty line needs the tree.
        texts = np.empty(int(scan.places[-1]) + events.size, np.uint32)
        document = tags, scan.kinds, scan.places, scan.codes
        size = markup.write_titles(
            document, ends, self._steps, self._kinds, self._paths, white_space(), events, self._parts[choices], texts
        )
        titles, rest = list[tuple[str, int]](), list[tuple[int, int]]()
        rows = zip(
            choices, text_string(texts[:size]).split("\n")[:-1], names, events.tolist(), places.tolist(), strict=True
        )
        for choice, text, name, event, place in rows:
            if text and len(text) <= LONGEST and not _LETTERS.search(text):
                continue  # a bare number
            title = title_of(text, name) if text else ""
            if title:
                if not _is_number(title, name):
                    titles.append((title, place))
            elif choice != _NONE:
                rest.append((event, place))
        return titles, rest

    def _choose(self, name: str, bits: int) -> int:
        """Return the row of `_parts` for elements with a name that contain some paths."""
        forms = set[tuple[str, ...] | None]()
        for rule in self._headings.fitting(name):
            forms.add(next((form for form in rule.forms if all(self._bits[_path(part)] & bits for part in form)), None))
            if not rule.selector.is_conditional:
                break
        else:
            forms.add(None)  # if no condition holds
        form = next(iter(forms))
        in_tree = len(forms) > 1 or any(part.endswith(FIRST) for part in form or ())
        made = _IN_TREE if in_tree else _NONE if form is None else self._rows[form]
        self._choices[name, bits] = made
        return made

    def _kind(self, kind: ElementKind) -> int:
        """Return the bits of a kind for `trix.core.markup`."""
        inside = kind.actions & INLINE and not kind.actions & ~(INLINE | UNWRAP) and kind.name.lower() not in NOTES
        bits = (markup.INSIDE, inside), (markup.WITH_CHILDREN, not kind.actions & CONTAINER)
        return sum(bit for bit, holds in bits if holds)


_NONE, _IN_TREE = 0, 1
"""Special rows of `_TitlesInMarkup._asked` without paths: no title, or a title that needs the tree."""


def _written(rule: TitleRule) -> TitleRule:
    """Restrict a rule to forms within the text. A form with other parts never matches, nor do later ones."""
    forms = tuple(form for form in rule.forms if not any(part.startswith("'") or "@" in part for part in form))
    return replace(rule, forms=forms)


def _is_number(title: str, name: str) -> bool:
    """Whether a title has only the local name of a tag and a number."""
    return not _LETTERS.search(title.removeprefix(f"{name} "))


def _parts(rules: Sequence[TitleRule]) -> list[str]:
    return [*dict.fromkeys(_path(part) for rule in rules for form in rule.forms for part in form)]


def _path(part: str) -> str:
    """Drop the position from a part of a form."""
    return part.removesuffix(FIRST)


def _last_parts(rules: Sequence[TitleRule]) -> set[str]:
    """Return the parts that every title needs; the last part of a form is rarer than numbers and labels before it."""
    return {_path(form[-1]) for rule in rules for form in rule.forms if form}


def write_titles(sections: SectionWriter, documents: Sequence[str], parts: Parts, jobs: int) -> None:
    """Write the title tables of a segment, for documents and sections.

    Parameters
    ----------
    sections
        Writer of the segment.
    documents
        Title of each document; empty for none.
    parts
        Section titles, as for `write_lists`.
    jobs
        Threads that encode.
    """
    order = ordered_titles(documents)
    sections.array("titles.documents", order)
    _write_words(sections, "documents", [documents[number] for number in order.tolist() if number >= 0])
    titles, _ = write_lists(sections, parts, ("titles.sections.of",), jobs, KeyRanking())
    write_packed(sections, "titles.sections", titles)
    _write_words(sections, "sections", titles)


def _write_words(sections: SectionWriter, kind: str, titles: Sequence[str]) -> None:
    write_listed(sections, f"titles.{kind}.words", dict(sorted(words_of_titles(titles).items())))
