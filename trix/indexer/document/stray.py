"""Stray text: the little text that stands in a document's element itself, beside the parts that hold all else.

An element with text of its own is a content element, and nothing in it is indexed by itself. So a few words that were
pasted between the parts of a large document make one element of all of it. A profile's ``stray_text`` bounds the share
of the text that is taken for such words; a document's element with less is a container.
"""

from __future__ import annotations

from typing import Any

_UNWRAP, _GONE, _ENTITY = 2, 4 | 8, 1 << 20  # as in `Action` and in trix.indexer.document.kinds


def text_of_root(kinds: Any, sizes: Any, actions: Any, levels: int) -> Any:
    """Count the text that is a document's element's own, and all of its text.

    This is a loop over columns of integers that runs as it stands on lists, and compiled on arrays.

    Parameters
    ----------
    kinds
        Of each event: the kind of the element that begins, -1 where one ends.
    sizes
        Of the text of each event: its characters but white space.
    actions
        Of each kind.
    levels
        How deep the elements are nested at most.

    Returns
    -------
    tuple
        Characters of the element's own text, that in unwrapped children included, and of all of its text.
    """
    owned = [False] * levels  # whether the text of each level is the root's own
    depth = -1
    own = total = 0
    at = 0
    size = len(kinds)
    while at < size:
        kind = kinds[at]
        if kind < 0:
            depth -= 1
            if depth < 0:
                break
        elif depth >= 0 and actions[kind] & (_GONE | _ENTITY):
            level = 1
            while level:
                at += 1
                level += 1 if kinds[at] >= 0 else -1
        else:
            depth += 1
            owned[depth] = depth == 0 or (owned[depth - 1] and actions[kind] & _UNWRAP > 0)
        total += sizes[at]
        if owned[depth]:
            own += sizes[at]
        at += 1
    return own, total
