"""Where the document's text stands in the tree: from ranges of characters to text nodes and back.

lxml keeps text in two slots of an element, ``text`` (up to its first child) and ``tail`` (behind its end). Of these,
those that a profile does not blank or drop make up the document's text, in document order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from lxml import etree

from trix.indexer.document.kinds import Kinds
from trix.indexer.document.outline import outline
from trix.indexer.profile.profile import Profile

Range = tuple[int, int]


class TextNode(NamedTuple):
    """A slot of an element, and the characters ``[begin, end)`` of the document's text that stand in it."""

    element: Any
    slot: Literal["text", "tail"]
    begin: int
    end: int


def text_nodes(root: Any, profile: Profile) -> Iterator[TextNode]:
    """Yield the text nodes of a document in order; put together they are the document's text.

    Parameters
    ----------
    root
        The document's lxml element; its tail is not part of it.
    profile
        What is blanked and dropped.
    """
    walked = outline(root, Kinds(profile))
    at = 0
    for kind, text, node in zip(walked.kinds, walked.texts, walked.nodes, strict=True):
        if text:
            yield TextNode(node, "tail" if kind < 0 else "text", at, at + len(text))
            at += len(text)


def gap_places(root: Any, profile: Profile) -> list[int]:
    """Return before which characters of the document's text something is missing that the profile calls a gap.

    >>> from lxml import etree
    >>> from trix.indexer.profile.profile import Profile
    >>> profile = Profile.from_dict({"drop": ["x"], "inline": ["gap"], "shown": {"gap": ["gap"]}})
    >>> gap_places(etree.fromstring("<a><x>no</x>vi<gap/>tue <b>a<gap/></b></a>"), profile)
    [2, 7]
    """
    if not profile.gaps:
        return []
    walked = outline(root, Kinds(profile))
    found: list[int] = []
    at = 0
    for kind, text, node in zip(walked.kinds, walked.texts, walked.nodes, strict=True):
        if kind >= 0 and any(selector.fits(node, root) for selector in profile.gaps):
            found.append(at)
        at += len(text)
    return found


def mark_ranges(nodes: Sequence[TextNode], ranges: Sequence[Range]) -> None:
    """Wrap ranges of the document's text into elements, in place.

    No tag is broken: a range that crosses tags gets an element in each text node that it reaches, without the white
    space at its borders there. The new elements are in the default namespace where they stand, so that they are
    written as ``<mark>``.

    Parameters
    ----------
    nodes
        Of the tree that is changed.
    ranges
        Ascending, not overlapping.
    """
    first = 0
    for node in nodes:
        while first < len(ranges) and ranges[first][1] <= node.begin:
            first += 1
        inside = first
        pieces: list[Range] = []
        text = getattr(node.element, node.slot)
        while inside < len(ranges) and ranges[inside][0] < node.end:
            low = max(ranges[inside][0], node.begin) - node.begin
            high = min(ranges[inside][1], node.end) - node.begin
            stripped = text[low:high].strip()
            if stripped:
                low += text[low:high].index(stripped)
                pieces.append((low, low + len(stripped)))
            inside += 1
        if pieces:
            _wrap(node, text, pieces)


def _wrap(node: TextNode, text: str, pieces: Sequence[Range]) -> None:
    element, slot = node.element, node.slot
    parent = element if slot == "text" else element.getparent()
    place = 0 if slot == "text" else parent.index(element) + 1
    setattr(element, slot, text[: pieces[0][0]] or None)
    namespace = parent.nsmap.get(None)
    for (low, high), following in zip(pieces, [*pieces[1:], (len(text), 0)], strict=True):
        mark = etree.Element(f"{{{namespace}}}mark" if namespace else "mark", nsmap=parent.nsmap)
        mark.text = text[low:high]
        mark.tail = text[high : following[0]] or None
        parent.insert(place, mark)
        place += 1
