"""What a stretch of HTML is made with, beside the document: marks, names, passages, images, words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from trix.web.reading.marks import Marks
from trix.web.reading.passages import PartPassages


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
