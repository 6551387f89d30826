"""Text nodes of a tree by ranges of characters, and back.

lxml stores text in two slots of an element: ``text`` up to its first child, and ``tail`` after its end. The document's
text consists of the slots that the profile neither blanks nor drops, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from lxml import etree

from trix.indexer.document.kinds import ElementKinds
from trix.indexer.document.outline import outline
from trix.indexer.profile.profile import Profile

Range = tuple[int, int]


class TextNode(NamedTuple):
    """Slot of an element, and its characters ``[begin, end)`` in the document's text."""

    element: Any
    slot: Literal["text", "tail"]
    begin: int
    end: int


def text_nodes(root: Any, profile: Profile) -> Iterator[TextNode]:
    """Yield the text nodes of a document in order; joined they are its text.

    Parameters
    ----------
    root
        Root element (lxml); its tail is not part of the document.
    profile
        Profile that blanks and drops elements.
    """
    walked = outline(root, ElementKinds(profile))
    at = 0
    for kind, text, node in zip(walked.kinds, walked.texts, walked.nodes, strict=True):
        if text:
            yield TextNode(node, "tail" if kind < 0 else "text", at, at + len(text))
            at += len(text)


def gap_places(root: Any, profile: Profile) -> list[int]:
    """Return the offsets in the document's text at which the profile marks a gap.

    >>> from lxml import etree
    >>> from trix.indexer.profile.profile import Profile
    >>> profile = Profile.from_dict({"drop": ["x"], "inline": ["gap"], "shown": {"gap": ["gap"]}})
    >>> gap_places(etree.fromstring("<a><x>no</x>vi<gap/>tue <b>a<gap/></b></a>"), profile)
    [2, 7]
    """
    if not profile.gaps:
        return []
    walked = outline(root, ElementKinds(profile))
    found: list[int] = []
    at = 0
    for kind, text, node in zip(walked.kinds, walked.texts, walked.nodes, strict=True):
        if kind >= 0 and any(selector.fits(node, root) for selector in profile.gaps):
            found.append(at)
        at += len(text)
    return found


def mark_ranges(nodes: Sequence[TextNode], ranges: Sequence[Range]) -> None:
    """Wrap ranges of the document's text into ``<mark>`` elements, in place.

    Tags stay intact: a range across tags gets an element in each text node, without white space at its ends. The new
    elements are in the default namespace at that place.

    Parameters
    ----------
    nodes
        Text nodes of the tree to change.
    ranges
        Ascending, disjoint ranges.
    """
    first = 0
    for node in nodes:
        # Both lists ascend: skip ranges that end before this node.
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
