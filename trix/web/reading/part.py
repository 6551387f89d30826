"""One part of a document, rendered for its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from trix.query.display.highlight import Highlighter
from trix.web.reading.chain import Link, outermost
from trix.web.reading.document import OpenDocument
from trix.web.reading.html import Html
from trix.web.reading.marks import marks, stretch_marks
from trix.web.reading.passages import Rendering, passages_of


def part_html(
    opened: OpenDocument,
    number: int,
    links: Sequence[Link] = (),
    highlighter: Highlighter | None = None,
    *,
    arrows: Callable[[int], str] = lambda _: "",
    image: Callable[[str], str] = lambda _: "",
    words: Mapping[str, str] | None = None,
    around: str = "?",
    place: tuple[int, int] | None = None,
) -> str:
    """Render a part.

    Parameters
    ----------
    opened
        The document.
    number
        Of the part, from 0.
    links, highlighter
        The chain through the document, and what finds the words.
    arrows, image, words
        See `Rendering`.
    around
        Begin of the addresses inside the document: ends in ``?`` or ``&``.
    place
        Characters of the document's text that are marked as the place that was asked for.

    Raises
    ------
    SourceError
        The document's source has moved or changed.
    """
    if opened.is_empty:
        return Html(opened, Rendering(image=image, words=words or {}, around=around)).stretch(
            [opened.document.root], []
        )
    parts = opened.parts
    part = parts[number]
    elements = list(range(part.first, part.end))
    above, element = [], opened.parent(part.first)
    while element >= 0:
        above.append(element)
        element = opened.parent(element)
    elements += above
    labels, paths = opened.names(elements)
    names = {path: (each, label) for path, each, label in zip(paths, elements, labels, strict=True)}
    for each in above:
        path = paths[elements.index(each)]
        names[path] = each, ""  # its address is where it begins, in a part before this one
    document = opened.document  # one look-up: nodes of two trees have nothing to do with each other
    start = opened.chain(paths[0], document.root)
    following = opened.names([parts[number + 1].first])[1] if number + 1 < len(parts) else []
    end = opened.chain(following[0], document.root) if following else []
    dress = Rendering(
        marks=marks(opened, document, highlighter, part.first, part.end) if highlighter is not None else {},
        place=stretch_marks(opened, document, place, part) if place else {},
        names=names,
        passages=passages_of(opened, links, part),
        holding=outermost(list(links), opened),
        arrows=arrows,
        image=image,
        words=words or {},
        around=around,
    )
    return Html(opened, dress).stretch(start, end)
