"""What a stretch of HTML is made with: passages of the chain, which are elements or runs of text, marks and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trix.web.reading.chain import Link
from trix.web.reading.marks import Marks
from trix.web.reading.opened import Opened, Part


class PlacedPassage(NamedTuple):
    """A passage in one part of its document.

    Attributes
    ----------
    place, strength
        Its place in the chain, from 1, and its strength, from 1 to 9.
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
        """The attributes of its tag that lead to it, where it begins."""
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


def passages_of(opened: Opened, links: Sequence[Link], part: Part) -> PartPassages:
    """Return the passages that begin, go on or end in a part."""
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
    """Where the indexed children of an element stand among the pieces of its HTML."""

    def __init__(self) -> None:
        self._children: list[tuple[int, int, int]] = []

    def child(self, number: int, begin: int, end: int) -> None:
        """Note the pieces ``[begin, end)`` of a child; `number` is that of an element in it, or its own."""
        self._children.append((number, begin, end))

    def run(self, first: int, last: int, pieces: int) -> tuple[int, int]:
        """Return the pieces of a run of text, or of several with what stands between them.

        >>> borders = Borders()
        >>> borders.child(7, 1, 2)
        >>> borders.run(6, 6, 3), borders.run(8, 8, 3), borders.run(6, 8, 3)
        ((0, 1), (2, 3), (0, 3))
        """
        begin = max((end for number, _, end in self._children if number < first), default=0)
        end = min((begin for number, begin, _ in self._children if number > last), default=pieces)
        return min(begin, pieces), max(begin, min(end, pieces))


@dataclass(frozen=True)
class Dress:
    """What a stretch of HTML is made with, beside the document itself.

    Attributes
    ----------
    marks
        Where words of the query stand.
    place
        What is of the place that was asked for, in the same form.
    names
        Path -> (element, label) of the indexed elements of the stretch.
    passages
        Those of the chain that this part shows.
    holding
        Elements that hold passages, and passages.
    arrows
        Gives the arrows at the end of a passage, by its place in the chain.
    image
        Gives the address of an image by what the document calls it; empty if it is not there.
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
