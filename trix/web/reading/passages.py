"""Input of the renderer: passages of a part (elements or runs of text), marks and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trix.web.reading.chain import Link
from trix.web.reading.document import OpenDocument, TextPart
from trix.web.reading.marks import Marks


class PlacedPassage(NamedTuple):
    """A passage in one part of its document.

    Attributes
    ----------
    place, strength
        Its position in the chain, from 1, and its strength, from 1 to 9.
    last
        The last element of the passage in the index.
    label
        Its address in the document.
    begins, ends
        Whether it begins and ends in this part.
    """

    place: int
    strength: int
    last: int
    label: str
    begins: bool = True
    ends: bool = True

    @property
    def number(self) -> str:
        """HTML attributes with its number, in the part where it begins."""
        return f' data-n="{self.place}" tabindex="-1"' if self.begins else ""


@dataclass(frozen=True)
class PartPassages:
    """The passages of one part.

    Attributes
    ----------
    placed
        First element of a passage -> the passage.
    runs
        Element -> the first elements of those passages that are runs of its own text, in order.
    """

    placed: Mapping[int, PlacedPassage] = field(default_factory=dict)
    runs: Mapping[int, Sequence[int]] = field(default_factory=dict)


def passages_of(opened: OpenDocument, links: Sequence[Link], part: TextPart) -> PartPassages:
    """Return the passages that overlap a part."""
    placed: dict[int, PlacedPassage] = {}
    runs: dict[int, list[int]] = defaultdict(list)
    for place, link in enumerate(links, 1):
        after = opened.after(link.last)
        if link.element >= part.end or after <= part.first:
            continue
        begins, ends = link.element >= part.first, after <= part.end
        placed[link.element] = PlacedPassage(place, link.strength, link.last, link.label, begins, ends)
        if (own := opened.own(link.element)) != link.element:
            runs[own].append(link.element)
    return PartPassages(placed, runs)


class Borders:
    """Positions of the indexed children of an element among the pieces of its HTML."""

    def __init__(self) -> None:
        self._children: list[tuple[int, int, int]] = []

    def child(self, number: int, begin: int, end: int) -> None:
        """Record the pieces ``[begin, end)`` of a child; `number` is its own, or that of an element in it."""
        self._children.append((number, begin, end))

    def run(self, first: int, last: int, pieces: int) -> tuple[int, int]:
        """Return the pieces of a run of text, or of several runs with the elements between them.

        >>> borders = Borders()
        >>> borders.child(7, 1, 2)
        >>> borders.run(6, 6, 3), borders.run(8, 8, 3), borders.run(6, 8, 3)
        ((0, 1), (2, 3), (0, 3))
        """
        begin = max((end for number, _, end in self._children if number < first), default=0)
        end = min((begin for number, begin, _ in self._children if number > last), default=pieces)
        return min(begin, pieces), max(begin, min(end, pieces))


@dataclass(frozen=True)
class Rendering:
    """Input of the renderer beside the document itself.

    Attributes
    ----------
    marks
        Ranges of words of the query.
    place
        Ranges of the requested place.
    names
        Path -> (element, label) of the indexed elements of the stretch.
    passages
        Passages of this part.
    holding
        Elements that are or contain passages.
    arrows
        Returns the arrows at the end of a passage, by its position in the chain.
    image
        Returns the URL of an image by its name in the document; empty if it is missing.
    words
        Words of the page.
    """

    marks: Marks = field(default_factory=dict)
    place: Marks = field(default_factory=dict)
    names: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    passages: PartPassages = field(default_factory=PartPassages)
    holding: frozenset[int] | set[int] = frozenset()
    arrows: Callable[[int], str] = lambda _: ""
    image: Callable[[str], str] = lambda _: ""
    words: Mapping[str, str] = field(default_factory=dict)
    around: str = ""
