"""Built-in fields: metadata that every index has, for any schema [QUERY, section 1].

They are computed from columns of each segment and from the states of its sources. They need no section of their own, so
older indexes have them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from trix.indexer.commit.remote import bring_states
from trix.indexer.commit.states import State, read_states
from trix.indexer.fields.columns import ValueColumn
from trix.indexer.languages.index_languages import KIND
from trix.indexer.profile.fields import FieldRule
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints

BUILTIN: dict[str, FieldRule] = {
    "id": FieldRule(()),
    "folder": FieldRule((), many=True),
    "root": FieldRule(()),
    "language": FieldRule(()),
    "size": FieldRule((), "integer"),
    "modified": FieldRule((), "date"),
}
"""Built-in fields; a field of the profile with the same name replaces one."""

TOP = "."
"""Folder of a file without a parent folder."""

StatesOf = Callable[[Segment], Sequence[State]]
"""Function that returns the states of a segment's sources."""


def states_beside(segment: Segment) -> Sequence[State]:
    """Read the states from the file beside a segment; unknown ones are empty."""
    path = Path(segment.sections.path)
    bring_states(path)
    return read_states(path, segment.n_sources)[0]


def builtin_column(segment: Segment, name: str, states: StatesOf = states_beside) -> ValueColumn:
    """Compute one of `BUILTIN` for all documents of a segment.

    Cost: O(documents); for ``language`` O(elements in named languages).
    """
    if name == "id":
        return _column((raw.decode("utf-8", "surrogateescape"),) for raw in segment.ids.all())
    if name == "size":
        return _column((str(length),) for length in segment.documents[:, 2].tolist())
    if name == "root":
        return _roots(segment)
    if name == "language":
        return _languages(segment)
    if name == "folder":
        of_sources = [folders(segment.source_path(number)) for number in range(segment.n_sources)]
    else:
        of_sources = [_day(modified) for modified, _ in states(segment)]
    return _column(of_sources[number] for number in segment.documents[:, 3].tolist())


def folders(path: str) -> tuple[str, ...]:
    """Return the folders of a file, outermost first.

    >>> folders("plays/tragedies/hamlet.xml"), folders("hamlet.xml")
    (('plays', 'plays/tragedies'), ('.',))
    """
    parts = path.split("/")[:-1]
    return tuple("/".join(parts[: depth + 1]) for depth in range(len(parts))) or (TOP,)


def _day(modified: int) -> tuple[str, ...]:
    """Convert a time in nanoseconds to a day in UTC; empty for an unknown time.

    >>> _day(1_425_859_200_000_000_000), _day(0)
    (('2015-03-09',), ())
    """
    return (str(np.datetime64(modified, "ns").astype("datetime64[D]")),) if modified > 0 else ()


def _column(documents: Iterable[tuple[str, ...]]) -> ValueColumn:
    """Build a column from the values of each document."""
    known: dict[str, int] = {}
    counts, numbers = list[int](), list[int]()
    for values in documents:
        counts.append(len(values))
        numbers += [known.setdefault(value, len(known)) for value in values]
    return ValueColumn([*known], np.array(counts, np.int64), np.array(numbers, np.int64))


def _has_elements(segment: Segment) -> Ints:
    """Return the documents with elements; the first element is the root."""
    return np.flatnonzero(segment.ends(0) > segment.first_elements)


def _named(segment: Segment, names: Sequence[str], documents: Ints, numbers: Ints) -> ValueColumn:
    """Build a column in which some documents, ascending, have one value, given by number."""
    counts = np.zeros(len(segment), np.int64)
    counts[documents] = 1
    known: dict[str, int] = {}
    places = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
    return ValueColumn([*known], counts, places[numbers])


def _roots(segment: Segment) -> ValueColumn:
    """Return the local names of root elements."""
    documents = _has_elements(segment)
    steps = np.zeros(len(segment), np.int64)
    for low in range(len(segment.blocks) - 1):  # by block, since the table of a whole segment may be large
        block, following = segment.blocks[low], segment.blocks[low + 1]
        own = documents[slice(*documents.searchsorted([block.document, following.document]))]
        steps[own] = segment.step_numbers(low)[segment.first_elements[own] - block.element]
    return _named(segment, [tag.rpartition(":")[2] for tag in segment.step_tags], documents, steps[documents])


def _languages(segment: Segment) -> ValueColumn:
    """Return the language of each root, or else the language of most elements in the document."""
    names = sorted(segment.facts.get(KIND, {}))
    best, chosen = np.zeros(len(segment), np.int64), np.full(len(segment), -1, np.int64)
    roots = _has_elements(segment)
    for number, name in enumerate(names):
        found = segment.read_set(KIND, name)
        elements = np.array(found.to_array(), np.int64)
        counts = np.bincount(segment.first_elements.searchsorted(elements, "right") - 1, minlength=len(segment))
        is_root = np.isin(segment.first_elements[roots], elements, assume_unique=True)
        # The root's own language beats any count.
        counts[roots[is_root]] = segment.totals["elements"] + 1
        better = counts > best
        best[better], chosen[better] = counts[better], number
    documents = np.flatnonzero(chosen >= 0)
    return _named(segment, names, documents, chosen[documents])
