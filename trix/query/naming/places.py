"""Places by name: ``page=214`` or ``verse=John 3:16`` as characters of a document, and the element that holds them."""

from __future__ import annotations

import numpy as np

from trix.errors import UsageError, did_you_mean
from trix.indexer.store.files import IndexFiles

BETWEEN = ".."
"""Between the first and the last number of a range."""


def named_place(files: IndexFiles, document: int, wanted: str) -> tuple[int, int]:
    """Return the characters of a document's text that a place is.

    Parameters
    ----------
    files, document
        The index, and the number of the document.
    wanted
        A name and a number, or two: ``page=214``, ``line=4..9``.

    Raises
    ------
    UsageError
        The profile names no such places, or the document has none with the number.
    """
    name, _, number = (part.strip() for part in wanted.partition("="))
    rules, doc = files.profile.milestones, files.ids[document]
    if name not in rules:
        known = f"; places are {', '.join(rules)}" if rules else "; a profile names places under [milestones]"
        raise UsageError(f"{doc}#{wanted}: there are no places called {name}{did_you_mean(name, rules)}{known}")
    low, between, high = number.partition(BETWEEN)
    places = files.places(document)
    if (found := places.stretch(name, low, high if between else low)) is not None:
        begin, end = found
        return begin, min(end, files.document_length(document))
    numbers = [number[-1] for number in places.spans(name).numbers]
    said = f"; there are {len(numbers):,}, the first {numbers[0]}, the last {numbers[-1]}" if numbers else ""
    raise UsageError(f"{doc}: there is no {name} {number}{said}")


def holding_element(files: IndexFiles, document: int, begin: int, end: int) -> int:
    """Return the smallest indexed element of a document that holds some characters of its text; -1 without any."""
    low, high = files.document_range(document)
    if low == high:
        return -1
    elements, table = np.arange(low, high), files.elements
    table.printed_of(elements)
    starts, lengths = table.start[low:high], table.length[low:high]
    is_text = np.array([not tag.startswith("@") for tag in files.step_tags], bool)[table.step[low:high]]
    holds = np.flatnonzero(is_text & (starts <= begin) & (starts + lengths >= end))
    if not holds.size:
        return low
    smallest = holds[lengths[holds] == lengths[holds].min()]
    return low + int(smallest[-1])
