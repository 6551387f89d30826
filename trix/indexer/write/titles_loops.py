"""Compiled loops that find sections with titles in the tags of a document, and write their titles.

Their twin is the way over trees in `trix.indexer.write.titles`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel

INSIDE, WITH_CHILDREN = 1, 2
"""Bits of a kind of elements: it may stand in a heading, and be a heading with elements in it, whose text is then the
characters between its tags."""

_NEW_LINE, _BLANK = 10, 32


@kernel
def find_titled(
    tags: Any, steps: Any, paths: Any, leads: Any, leaf: int, levels: int, ends: Any, events: Any, held: Any
) -> int:
    """Find the elements that may have a title, without the document's; return how many there are.

    Parameters
    ----------
    tags
        Of each event: the number of a tag, -1 where an element ends.
    steps
        Of each tag: its number as a step of paths; -1 for none.
    paths
        A row for each path: its steps from the last to the first, then -1.
    leads
        The paths that may lead to titles, as bits.
    leaf
        The step that leads to a title only where no elements are in it; -1 for none.
    levels
        How deep elements are nested.
    ends
        To fill: at which event the element ends that begins at each.
    events, held
        To fill, in order of their ends: where the elements begin, and the paths that lead to something in them, as
        bits.
    """
    opened = np.zeros(levels + 2, np.int32)
    bits = np.zeros(levels + 2, np.uint64)
    led = np.zeros(levels + 2, np.uint64)
    depth = -1
    count = 0
    for at in range(tags.size):
        tag = tags[at]
        if tag < 0:
            ends[opened[depth]] = at
            if led[depth]:
                events[count] = opened[depth]
                held[count] = bits[depth]
                count += 1
            depth -= 1
            continue
        depth += 1
        opened[depth] = at
        bits[depth] = led[depth] = 0
        step = steps[tag]
        if step < 0:
            continue
        for path in range(paths.shape[0]):
            if paths[path, 0] != step:
                continue
            level = depth - 1
            above = 1
            while (
                above < paths.shape[1]
                and paths[path, above] >= 0
                and level > 0
                and steps[tags[opened[level]]] == paths[path, above]
            ):
                level -= 1
                above += 1
            if level > 0 and (above == paths.shape[1] or paths[path, above] < 0):
                bit = np.uint64(1) << np.uint64(path)
                bits[level] |= bit
                if step != leaf or tags[at + 1] < 0:
                    led[level] |= bit & leads
    return count


@kernel
def write_titles(
    document: Any, ends: Any, steps: Any, kinds: Any, paths: Any, space: Any, events: Any, asked: Any, titles: Any
) -> int:
    """Write the titles of elements, each with a line end behind it; return how many characters there are.

    A title that is empty has a part that is empty or not so simple, or there is no room for it.

    Parameters
    ----------
    document
        The columns of its events: tag, kind, characters before it; and its characters.
    ends, steps, paths
        As in `find_titled`.
    kinds
        Of each kind of elements, bits; see above.
    space
        Of each character up to the last that is white space, whether it is.
    events
        Where the elements begin.
    asked
        A row for each element: the paths to the parts of its title, then -1.
    titles
        To fill.
    """
    tags, kind_of, places, codes = document
    written = 0
    for number in range(events.size):
        begin = written
        for part in range(asked.shape[1]):
            if asked[number, part] < 0:
                break
            before = written
            path = paths[asked[number, part]]
            last = 0
            while last + 1 < path.size and path[last + 1] >= 0:
                last += 1
            level = last  # of the step that is looked for; that of the heading is 0
            at = events[number] + 1
            while level <= last:
                if tags[at] < 0:
                    level += 1
                    at += 1
                elif steps[tags[at]] != path[level]:
                    at = ends[at] + 1
                elif level:
                    level -= 1
                    at += 1
                else:
                    simple = ends[at] == at + 1 or kinds[kind_of[at]] & WITH_CHILDREN
                    for inside in range(at + 1, ends[at]):
                        if tags[inside] >= 0 and not kinds[kind_of[inside]] & INSIDE:
                            simple = False
                    first, behind = places[at], places[ends[at]]
                    if not simple or written + behind - first + 1 + events.size - number > titles.size:
                        written = before
                        break
                    blank = written > begin
                    for place in range(first, behind):
                        code = codes[place]
                        if code < space.size and space[code]:
                            blank = written > begin
                            continue
                        if blank:
                            titles[written] = _BLANK
                            written += 1
                        blank = False
                        titles[written] = code
                        written += 1
                    if written > before:
                        break  # a part is the first heading with text
                    at = ends[at] + 1
            if written == before:
                written = begin
                break
        titles[written] = _NEW_LINE
        written += 1
    return written
