"""What the sections of a document are called, found while it is read, and the tables of titles of a segment.

A section has the title that breadcrumbs show, as far as it stands in the text of the document: no words of the profile,
no attributes, no bare numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from lxml import etree

from trix.indexer.commit.sections import SectionWriter
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.profile.titles import TitleRule
from trix.indexer.read.headings import Headings, title_rules_of
from trix.indexer.store.strings import encode_numbers, encode_packed, encode_widths
from trix.indexer.store.titles import ordered_titles, words_of_titles
from trix.indexer.write.inverted.writer import Parts, Ranking, write_lists

NAME = "name"
"""A title in some schemas, in others that of a person or a thing, which is in parts: those are no titles."""

_LETTERS = re.compile(r"[^\W\d_]{2}")


class TitleReader:
    """Finds the titles of sections in documents.

    Parameters
    ----------
    profile
        Says what elements are called.
    text_of
        Gives the text of an element (lxml) as it is shown.
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        rules = tuple(map(_written, title_rules_of(profile)))
        self._headings = Headings(replace(profile, titles=rules), text_of)
        self._above: dict[str, set[tuple[str, ...]]] = {}
        # A form gives a title only where all of its parts are; the last is rarer than numbers and labels before it.
        for path in {form[-1] for rule in rules for form in rule.forms if form}:
            leaf, *above = reversed(path.split("/"))
            self._above.setdefault(leaf, set()).add(tuple(above))
        self._heads = {rule.before for rule in rules if rule.before}
        self._leaves = [f"{{*}}{leaf}" for leaf in {*self._above, *self._heads}]

    def read(
        self, root: Any, places: Callable[[Sequence[Any]], Sequence[int]], names: bool = True
    ) -> list[tuple[str, int]]:
        """Return the titles of a document's sections with the places of these among its elements, which ascend.

        Parameters
        ----------
        root
            The document's element.
        places
            Gives the places of elements, see `trix.indexer.document.reader.Reader.places`.
        names
            Whether any element called `NAME` is not in parts.
        """
        found = []
        leaves = self._leaves if names else [leaf for leaf in self._leaves if leaf != f"{{*}}{NAME}"]
        for element in self._candidates(root, leaves) if leaves else ():
            titles = [title for title in self._headings.of(element) if not _is_number(title, element)]
            if titles:
                found.append((element, titles))
        rows = zip(places([element for element, _ in found]), found, strict=True) if found else ()
        return [
            (title, place)
            for place, (_, titles) in sorted(rows, key=itemgetter(0))
            for title in dict.fromkeys(titles)
            if place >= 0
        ]

    def _candidates(self, root: Any, leaves: Sequence[str]) -> Iterator[Any]:
        """Yield each element once that may have a title, for what is in it or before it; not the document's."""
        seen = {root}
        names: dict[str, str] = {}
        for leaf in root.iter(*leaves):
            tag = leaf.tag
            name = names.get(tag) or names.setdefault(tag, split_qname(tag)[1])
            if (name == NAME and len(leaf)) or leaf is root:
                continue
            parent = leaf.getparent()
            titled = [_titled(parent, above) for above in self._above.get(name, ())]
            for each in [*titled, *(_behind(leaf) if name in self._heads else ())]:
                if each is not None and each not in seen:
                    seen.add(each)
                    yield each


def _titled(element: Any, above: Sequence[str]) -> Any:
    """Return what a leaf in an element is the title of, where tags stand between them, the inner one first; or None."""
    for tag in above:
        if element is None or not element.tag.endswith(tag) or split_qname(element.tag)[1] != tag:
            return None
        element = element.getparent()
    return element


def _behind(head: Any) -> Iterator[Any]:
    """Yield what a heading stands before, up to the next one of its tag."""
    for each in head.itersiblings(etree.Element):
        if each.tag == head.tag:
            return
        yield each


def _written(rule: TitleRule) -> TitleRule:
    """Return a rule with those of its forms that stand in the text; an element with another form before has none."""
    forms = tuple(form for form in rule.forms if not any(part.startswith("'") or "@" in part for part in form))
    return replace(rule, forms=forms)


def _is_number(title: str, element: Any) -> bool:
    """Tell whether a title is the name of a tag and a number, or the like."""
    return not _LETTERS.search(title.removeprefix(f"{split_qname(element.tag)[1]} "))


def write_titles(sections: SectionWriter, documents: Sequence[str], parts: Parts | None, jobs: int) -> None:
    """Write the titles of a segment, of documents and of sections.

    Parameters
    ----------
    sections
        Of the segment.
    documents
        The title of each document; empty where it has none.
    parts
        Titles of sections as in `write_lists`; None where they are not known.
    jobs
        Threads that code.
    """
    order = ordered_titles(documents)
    sections.array("titles.documents", order)
    _write_words(sections, "documents", [documents[number] for number in order.tolist() if number >= 0])
    if parts is not None:
        titles, _ = write_lists(sections, parts, ("titles.sections.of",), jobs, Ranking())
        _write_strings(sections, "titles.sections", titles)
        _write_words(sections, "sections", titles)


def _write_strings(sections: SectionWriter, name: str, strings: Sequence[str]) -> None:
    data, ends = encode_packed(strings)
    sections.file(name).write(data)
    sections.array(f"{name}.ends", ends)


def _write_words(sections: SectionWriter, kind: str, titles: Sequence[str]) -> None:
    words = dict(sorted(words_of_titles(titles).items()))
    name = f"titles.{kind}.words"
    _write_strings(sections, name, [*words])
    coded, sizes = encode_numbers(words.values())
    sections.file(f"{name}.of").write(coded)
    sections.file(f"{name}.of.widths").write(encode_widths(sizes))
