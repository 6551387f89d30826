"""Passages of a topic on one axis of positions, so that one interval operation serves all documents.

The *axis* concatenates the documents of a topic. A position is the base of the document plus an offset. The rows of a
ranking and the relevant passages become intervals of the axis.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from trix.errors import UsageError
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement
from trix.eval.data.runs import Ranking
from trix.eval.measures.core.view import TopicView
from trix.support.arrays import Int64s, Mask
from trix.support.element_path import parent

OFFICIAL_UNKNOWN_SIZE = 18
"""Size of a passage without offsets in the official tool [INEX 5.8, 4]."""
OFFICIAL_UNKNOWN_START = -10000
"""Start of a passage without offsets in the official tool, far from every entry point."""


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """Rows of a ranking as passages.

    Attributes
    ----------
    docs
        Distinct documents in the order of their first row.
    judged
        Judgements of the documents, None if not judged.
    doc
        (n,) number of each row's document in `docs`.
    starts, ends
        (n,) offsets in characters; 0, 0 for a passage without offsets.
    sizes
        (n,) characters charged for the row.
    placed
        (n,) whether the row has offsets.
    rows
        (n,) row of the ranking.
    bases
        (documents,) base of each document on the axis.
    relevant
        Relevant characters on the axis, disjoint.
    repeated
        Relevant characters that assessments state more than once; the official tool counts them each time.
    """

    docs: list[str]
    judged: list[DocumentJudgement | None]
    doc: Int64s
    starts: Int64s
    ends: Int64s
    sizes: Int64s
    placed: Mask
    rows: Int64s
    bases: Int64s
    relevant: iv.Intervals
    repeated: iv.Intervals

    @property
    def spans(self) -> iv.Intervals:
        """Return the rows as intervals of the axis."""
        base = self.bases[self.doc]
        return np.column_stack((self.starts + base, self.ends + base))

    def keep(self, rows: Mask) -> RankedPassages:
        """Return the passages of the rows selected by the mask `rows`."""
        by_row = ("doc", "starts", "ends", "sizes", "placed", "rows")
        return replace(self, **{name: getattr(self, name)[rows] for name in by_row})

    def found(self, spans: iv.Intervals) -> Int64s:
        """Return the number of relevant characters in spans of the axis."""
        found = iv.covered(self.relevant, spans)
        return found + iv.total_overlap(self.repeated, spans) if len(self.repeated) else found

    @property
    def entries(self) -> Int64s:
        """Return the entry point of each document: the start of its first row with offsets; -1 if there is none."""
        entries = np.full(len(self.docs), -1, np.int64)
        # Assigned in reverse, so that the first row of each document is written last.
        entries[self.doc[self.placed][::-1]] = self.starts[self.placed][::-1]
        return entries


def passages(view: TopicView) -> RankedPassages:
    """Return the ranking of a topic as passages; cached.

    The resolver returns the offsets of elements and XPointers. A whole document is one passage. Passages are clipped at
    the end of their document, except for the official tool.

    Raises
    ------
    UsageError
        A row has no offsets, and the resolver does not know them.
    """
    return view.memo("passages", lambda: _passages(view))


def _passages(view: TopicView) -> RankedPassages:
    ranking, official = view.ranking, view.settings.official
    _need_characters(view)
    doc, docs = ranking.numbers(), list(dict.fromkeys(ranking.docs))
    judged = [view.judged.documents.get(d) for d in docs]
    starts, ends = _places(view, ranking)
    unknown = starts < 0
    if bool(unknown.any()):
        starts, ends = np.where(unknown, 0, starts), np.where(unknown, 0, ends)
        # `_places` has already reported missing elements.
        if not official and any(not ranking.paths or not ranking.paths[i] for i in np.flatnonzero(unknown).tolist()):
            view.notices.add("a passage without a place (X or -1) retrieves its document but no text")
    lengths = np.array([_length(view, j, d) for j, d in zip(judged, docs, strict=True)], np.int64)
    # Text beyond the end does not exist. The official tool charges for it all the same.
    if not official and len(doc):
        limit = np.where(lengths < 0, np.iinfo(np.int64).max, lengths)[doc]
        if bool((ends > limit).any()):
            view.notices.add("a passage goes on after the end of its document, cut (are lengths ends? `passage_end`)")
            starts, ends = np.minimum(starts, limit), np.minimum(ends, limit)
    sizes = ends - starts
    if official:  # the tool charges a constant for unknown passages
        sizes = np.where(unknown, OFFICIAL_UNKNOWN_SIZE, sizes)
    # Room of each document on the axis: its length, or more if passages or assessments go beyond it.
    room = np.maximum(lengths, 0)
    if len(doc):
        np.maximum.at(room, doc, ends)
    relevant_of = [_relevant(j, official) for j in judged]
    for number, (spans, _) in enumerate(relevant_of):
        if len(spans):
            room[number] = max(room[number], int(spans[-1, 1]))
    # One free position between documents keeps intervals of neighbours from touching.
    bases = np.concatenate(([0], np.cumsum(room + 1)[:-1])) if len(room) else np.empty(0, np.int64)
    parts = [spans + b for (spans, _), b in zip(relevant_of, bases.tolist(), strict=True) if len(spans)]
    relevant = np.concatenate(parts) if parts else iv.EMPTY
    parts = [more + b for (_, more), b in zip(relevant_of, bases.tolist(), strict=True) if len(more)]
    more = np.concatenate(parts) if parts else iv.EMPTY
    return RankedPassages(docs, judged, doc, starts, ends, sizes, ~unknown, np.arange(len(doc)), bases, relevant, more)


def _relevant(judgement: DocumentJudgement | None, official: bool) -> tuple[iv.Intervals, iv.Intervals]:
    """Return the disjoint relevant characters of a document, and those that the official tool counts again.

    The tool ignores a document if the first line states no relevant text.
    """
    if judgement is None or (official and judgement.stated[0] <= 0):
        return iv.EMPTY, iv.EMPTY
    if not (official and judgement.lines):
        return judgement.intervals, iv.EMPTY
    # The tool adds up the lines of a document, so text in two of them is found twice.
    spans = np.concatenate([line.spans for line in judgement.lines])
    return iv.merge(spans), iv.repeated(spans)


def relevant_documents(view: TopicView, p: RankedPassages) -> Mask:
    """Return a mask of the relevant documents.

    For the official tool they are those whose first line states relevant characters.
    """
    official = view.settings.official
    return np.array([j is not None and (j.stated[0] > 0 if official else j.relevant) for j in p.judged], np.bool_)


def _need_characters(view: TopicView) -> None:
    """Raise UsageError if the assessments have relevant units without relevant characters."""
    if view.judged.grades:
        raise UsageError("this measure needs relevant characters; plain grades have none")
    for document in view.judged.documents.values():
        if (document.elements or document.pointers) and not len(document.intervals) and document.relevant:
            raise UsageError(
                "this measure needs relevant characters; turn the assessments into offsets first: "
                "trix convert QRELS `to` offset-qrels `index` INDEX"
            )


def _length(view: TopicView, judgement: DocumentJudgement | None, doc: str) -> int:
    """Return the length of a document, -1 if unknown."""
    if judgement is not None and judgement.length is not None:
        return judgement.length
    known = view.settings.resolver.length(doc) if view.settings.resolver is not None else None
    return -1 if known is None else known


def _places(view: TopicView, ranking: Ranking) -> tuple[Int64s, Int64s]:
    """Return start and end of every row; both -1 for passages without offsets."""
    n = len(ranking)
    if ranking.starts is not None and ranking.ends is not None:
        if ranking.paths is None:
            return ranking.starts, ranking.ends
        starts, ends = ranking.starts.copy(), ranking.ends.copy()
        todo = [i for i in np.flatnonzero(starts < 0).tolist() if ranking.paths[i]]
    else:
        starts, ends = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        todo = list(range(n))
    for row in todo:
        doc, path = ranking.docs[row], ranking.paths[row] if ranking.paths is not None else ""
        # Without a resolver the root of a document is still known: it is the whole document.
        if not path or (view.settings.resolver is None and parent(path) == ""):
            length = _length(view, view.judged.documents.get(doc), doc)
            if length < 0 and doc in view.judged.documents and view.judged.documents[doc].relevant:
                raise UsageError(f"topic {view.topic}: the length of {doc} is not known; give an index")
            if length < 0:
                view.notices.add("a whole document that is not judged has no known length and counts 0 characters")
            starts[row], ends[row] = 0, max(length, 0)
            continue
        if view.settings.resolver is None:
            raise UsageError(
                f"topic {view.topic}: {doc}{path} is an element without offsets; this measure needs passages, "
                "give an index or convert the run"
            )
        last = ranking.lasts[row] if ranking.lasts is not None and ranking.lasts[row] else path
        first_span, last_span = (view.settings.resolver.span(doc, p) for p in (path, last))
        if first_span is None or last_span is None:
            view.notices.add("an element that the index does not have retrieves its document but no text")
            continue
        starts[row], ends[row] = first_span[0], max(last_span[1], first_span[0])
    return starts, ends


def without_overlap(view: TopicView, p: RankedPassages) -> RankedPassages:
    """Return the passages without those that overlap an earlier one, each of which is a fault.

    The official tool checks each block of lines of a topic separately [INEX 5.8, 2].
    """
    blocks = view.ranking.blocks if view.settings.official else None
    if blocks is not None:
        parts = [p.keep(blocks[p.rows] == b) for b in np.unique(blocks)]
        kept = np.concatenate([_refuse(view, part).rows for part in parts])
        return p.keep(np.isin(p.rows, kept))
    return _refuse(view, p)


def _refuse(view: TopicView, p: RankedPassages) -> RankedPassages:
    spans = p.spans
    if not iv.any_overlap(spans[:, 0], spans[:, 1]):  # the usual case, without a Python loop
        return p
    keep = np.ones(len(p.doc), np.bool_)
    starts: list[int] = []
    ends: list[int] = []
    for row, (start, end) in enumerate(spans.tolist()):
        if start == end:  # empty passages and entry points overlap nothing
            continue
        # Accepted passages are disjoint and sorted: only the last one that begins before `end` can overlap.
        place = bisect_left(starts, end)
        if place and ends[place - 1] > start:
            passage = f"{p.starts[row]}+{p.ends[row] - p.starts[row]} of {p.docs[p.doc[row]]}"
            view.faults(
                f"topic {view.topic}: the passage {passage} overlaps one that was returned before",
                view.ranking.line(int(p.rows[row])),
            )
            keep[row] = False
        else:
            starts.insert(place, start)
            ends.insert(place, end)
    return p.keep(keep)


def first_shown(p: RankedPassages) -> tuple[Int64s, Int64s]:
    """Return (characters, relevant characters) that each row shows for the first time.

    The axis is cut at the begin and end of every row and relevant interval. Rows are painted over the pieces from last
    to first, so that each piece belongs to the first row that covers it.
    """
    spans = p.spans
    cuts = np.unique(np.concatenate((spans.ravel(), p.relevant.ravel())))
    if len(cuts) < 2:
        return np.zeros(len(p.doc), np.int64), np.zeros(len(p.doc), np.int64)
    # Pieces that no row covers belong to an extra row at the end, which is dropped.
    owner = np.full(len(cuts) - 1, len(p.doc), np.int64)
    left, right = np.searchsorted(cuts, spans[:, 0]).tolist(), np.searchsorted(cuts, spans[:, 1]).tolist()
    for row in range(len(left) - 1, -1, -1):
        owner[left[row] : right[row]] = row
    pieces = np.diff(cuts)
    relevant = p.found(np.column_stack((cuts[:-1], cuts[1:])))
    shown, found = np.zeros(len(p.doc) + 1, np.int64), np.zeros(len(p.doc) + 1, np.int64)
    np.add.at(shown, owner, pieces)
    np.add.at(found, owner, relevant)
    return shown[:-1], found[:-1]


def new_text(view: TopicView, p: RankedPassages) -> tuple[Int64s, Int64s]:
    """Return (size, relevant size) of the new text of each row, for relevant articles [INEX 5.7].

    In other articles the full size counts each time, including passages without offsets.
    """
    # The official tool tracks seen text only in relevant articles.
    shown, found = first_shown(p)
    return np.where(relevant_documents(view, p)[p.doc], shown, p.sizes), found
