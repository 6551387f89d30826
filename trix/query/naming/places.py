"""Places by name: ``page=214`` or ``verse=John 3:16`` to characters of a document and the element that holds them."""

from __future__ import annotations

import re

import numpy as np

from trix.errors import UsageError, did_you_mean
from trix.indexer.places.numbers import Number, PlaceNumbers
from trix.indexer.profile.milestones import chain_of
from trix.indexer.store.files import IndexFiles

BETWEEN = ".."
"""Separator of the first and the last number of a range."""

_REFERENCE = re.compile(r"(?=.*[^\W\d_]).{1,60}[\s.:,]\d[\w.:–-]*")
"""Matches words with a number at the end."""

_SHORTEST = 3
"""Length of the shortest prefix that identifies a name."""


def named_place(files: IndexFiles, document: int, wanted: str) -> tuple[int, int]:
    """Return the range of characters of a place in a document's text.

    Parameters
    ----------
    files, document
        The index, and the number of the document.
    wanted
        A name and one number or a range: ``page=214``, ``line=4..9``.

    Raises
    ------
    UsageError
        The profile has no such places, or the document none with the number.
    """
    name, _, number = (part.strip() for part in wanted.partition("="))
    rules, doc = files.profile.milestones, files.ids[document]
    if name not in rules:
        known = f"; places are {', '.join(rules)}" if rules else "; a profile names places under [milestones]"
        raise UsageError(f"{doc}#{wanted}: there are no places called {name}{did_you_mean(name, rules)}{known}")
    # A single number is the range from itself to itself.
    low, between, high = number.partition(BETWEEN)
    places = files.places(document)
    if (found := places.stretch(name, low, high if between else low)) is not None:
        return found
    numbers = [number[-1] for number in places.spans(name).numbers]
    extent = f"; there are {len(numbers):,}, the first {numbers[0]}, the last {numbers[-1]}" if numbers else ""
    raise UsageError(f"{doc}: there is no {name} {number}{extent}")


def holding_element(files: IndexFiles, document: int, begin: int, end: int) -> int:
    """Return the smallest indexed element that holds a range of characters; -1 if there is none."""
    low, high = files.document_range(document)
    if low == high:
        return -1
    elements, table = np.arange(low, high), files.elements
    table.printed_of(elements)
    starts, lengths = table.start[low:high], table.length[low:high]
    is_text = np.array([not tag.startswith("@") for tag in files.step_tags], bool)[table.step[low:high]]
    # Attributes are no text. Where nothing holds the range, the root stands for it.
    holds = np.flatnonzero(is_text & (starts <= begin) & (starts + lengths >= end))
    if not holds.size:
        return low
    # Of equal lengths the last in document order, which is the innermost.
    smallest = holds[lengths[holds] == lengths[holds].min()]
    return low + int(smallest[-1])


class References:
    """Resolver of references such as ``John 3:16`` or ``1 Cor 13`` in all documents of an index.

    They are numbers of nested milestones that the profile writes as one: those whose rules have `join`.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index, self._rules = index, index.profile.milestones
        written = [name for name, rule in self._rules.items() if rule.within and rule.join]
        # The longest chain first: a verse before its chapter.
        self._names = sorted(written, key=lambda name: -len(chain_of(self._rules, name)))
        self._outermost: dict[str, dict[str, list[tuple[int, str]]]] = {}

    def elements(self, text: str) -> list[int]:
        """Return the smallest element of each document that holds the referenced text."""
        found: dict[int, int] = {}
        for name in self._names if _REFERENCE.fullmatch(text) else ():
            numbers = PlaceNumbers(self._rules, name)
            number = numbers.parsed(text)
            if len(number) != len(numbers.chain) or not all(part[0].isdigit() for part in number[1:]):
                continue
            for document, outer in self._holding(numbers.chain[0], number[0]):
                stretch = self._stretch(document, name, (outer, *number[1:]))
                if stretch and document not in found:
                    found[document] = holding_element(self._index, document, *stretch)
            if found:
                break
        return [element for element in found.values() if element >= 0]

    def _stretch(self, document: int, name: str, number: Number) -> tuple[int, int] | None:
        places = self._index.places(document)
        wanted = PlaceNumbers(self._rules, name).keys(number)
        stretch = places.stretch_of(name, *wanted)
        if stretch is None and len(places.spans(chain_of(self._rules, name)[0]).with_text()) == 1:
            stretch = places.stretch_of(name, *(key[1:] for key in wanted))  # the book has another name, too
        return stretch

    def _holding(self, name: str, outer_name: str) -> list[tuple[int, str]]:
        """Return the documents with an outermost place of this name, each with its number."""
        known, wanted = self._known(name), plain_name(outer_name)
        if wanted in known:
            return known[wanted]
        begun = [called for called in known if called.startswith(wanted)] if len(wanted) >= _SHORTEST else []
        # Several names of the same places are no ambiguity; different places are.
        of = {tuple(known[called]) for called in begun}
        return [*of.pop()] if len(of) == 1 else []

    def _known(self, name: str) -> dict[str, list[tuple[int, str]]]:
        if name not in self._outermost:
            known: dict[str, dict[tuple[int, str], None]] = {}
            names = self._rules[name].names
            for document in range(len(self._index)):
                for number, *_ in self._index.places(document).spans(name).numbers:
                    for called in (number, names.get(number, number)):
                        known.setdefault(plain_name(called), {})[document, number] = None
            self._outermost[name] = {called: [*places] for called, places in known.items()}
        return self._outermost[name]


def plain_name(text: str) -> str:
    """Normalise a name for comparison.

    >>> plain_name("1 John") == plain_name("1john"), plain_name("Gen.")
    (True, 'gen')
    """
    return "".join(text.split()).strip(".").casefold()
