"""The compiled twin of the reader, for profiles that only make tags inline, unwrapped, blank, dropped or units.

Walking a tree from Python costs a handful of calls for every element. Writing the tree out again as markup and reading
that in compiled loops takes a quarter of the time. What the loops do not know, above all unresolved entity references
and elements in unwrapped ones that are indexed, is left to `reader.Reader`; so is every document under any
other profile. Tags that are unwrapped must be inline besides: they are taken away before the reading begins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.document.reader import Reader
from trix.indexer.document.record import DocumentRecord, Steps

from trix.indexer.profile.actions import Action
from trix.indexer.profile.profile import Profile
from trix.support.backend import use_numba

_UNWRAP = int(Action.UNWRAP)
_KNOWN = int(Action.INLINE | Action.UNWRAP | Action.BLANK | Action.DROP | Action.UNIT)


def reader_for(profile: Profile, steps: Steps) -> Reader:
    """Return the quickest reader for a profile in this process."""
    return MarkupReader(profile, steps) if use_numba() and is_plain(profile) else Reader(profile, steps)


def is_plain(profile: Profile) -> bool:
    """Tell whether the rules of a profile follow from local names alone, and are such as the loops know."""
    return False
    rules = list(profile.rules())
    inline = {selector for action, selector in rules if action == Action.INLINE}
    return (
        profile.own_text == "any"
        and not profile.attributes
        and not profile.values
        and not profile.namespaces
        and all(
            not action & ~_KNOWN
            and selector.namespace is None
            and selector.attribute is None
            and (action != Action.UNWRAP or selector in inline)
            for action, selector in rules
        )
    )


class MarkupReader(Reader):
    """Reads documents as `Reader` does, into records of arrays.

    Of two marks that separate words, with nothing but white space between them, one may be left out or be added.

    Parameters
    ----------
    profile
        A plain one, see `is_plain`.
    steps
        Where path steps get their numbers.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None) -> None:
        from trix.indexer.document import markup_loops

        super().__init__(profile, steps)
        self._loops: Any = markup_loops
        self._space = np.array([chr(code).isspace() for code in range(0x10000)])
        self._names = np.empty((markup_loops.NAMES, 2), np.int32)
        self._grow(1 << 16)
        self.read_document(etree.fromstring("<a/>"))  # load the loops here, before worker processes are forked

    def _grow(self, size: int) -> None:
        """Make room for documents of `size` bytes; kept, since fresh memory costs more than the loops."""
        self._size = size
        self._tags, self._places = np.empty(size // 2, np.int32), np.empty(size // 2, np.int32)
        self._codes, self._annotated = np.empty(size, np.uint32), np.empty(size, np.uint32)
        self._rows, self._content = np.empty((size // 4, 6), np.int32), np.empty(size // 4, np.int32)
        self._blanks, self._hidden = np.empty(size // 2, np.int32), np.empty(size // 4, np.int32)

    def read_document(self, root: Any) -> DocumentRecord:
        """Read one document element and return its record; see `Reader.read_document`."""
        data = np.frombuffer(etree.tostring(root, encoding="utf-8", with_tail=False), np.uint8)
        if data.size >= self._size:
            self._grow(data.size + data.size // 4 + 8)
        tags, places, codes = self._tags, self._places, self._codes
        count, written, names = self._loops.scan_markup(data, tags, places, codes, self._names)
        if not count:
            return super().read_document(root)
        places[count] = written
        rules = [self._rules[data[begin:end].tobytes().decode()] for begin, end in self._names[:names].tolist()]
        actions = np.array([rule[1] for rule in rules], np.int32)
        if (actions & _UNWRAP).any():
            count, lifted = self._loops.unwrap_tags(tags[:count], places[: count + 1], actions)
        else:
            lifted = np.zeros(count, bool)
        record = self._record(tags[:count], places[: count + 1], codes[:written], actions, lifted, rules)
        return super().read_document(root) if record is None else record

    def _record(
        self,
        tags: NDArray[Any],
        places: NDArray[Any],
        codes: NDArray[Any],
        actions: NDArray[Any],
        lifted: NDArray[Any],
        rules: list[Any],
    ) -> DocumentRecord | None:
        steps = np.array([rule[0] for rule in rules], np.int32)
        own, filled = self._loops.own_texts(tags, places, codes, actions, self._space)
        made = (self._rows, self._content, self._annotated, self._blanks, self._hidden)
        count, contents, written, blanks, hidden, length = self._loops.index_elements(
            tags, places, codes, actions, own, filled, lifted, self._space, *made
        )
        if not count and filled[0]:
            return None
        self._count(self._hidden[:hidden], [rule[4] for rule in rules])
        depth, tag, position, same, start, end = self._rows[:count].T.copy()
        content: Any = self._content[:contents].copy()
        return DocumentRecord(
            depth,
            steps[tag],
            position,
            same,
            start,
            end,
            content,
            self._annotated[:written].tobytes().decode("utf-32-le"),
            length=length,
            blanks=self._blanks[:blanks].astype(np.int64),
        )

    def _count(self, hidden: NDArray[Any], names: list[str]) -> None:
        """Count the elements below content elements, see `trix.indexer.document.markup_loops.index_elements`."""
        counts = np.bincount(hidden)
        for pair in np.flatnonzero(counts).tolist():
            holder, tag = divmod(pair, len(names))
            self.below.counts[names[holder]][names[tag]] += int(counts[pair])
