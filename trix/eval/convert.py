"""Conversions of runs and assessments between element paths, character offsets and whole documents.

The caller passes in a `DocumentResolver` resolver, which knows the offsets of elements.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, TopicJudgements
from trix.eval.data.runs import UNKNOWN, Ranking, Rankings
from trix.eval.measures.core.view import DocumentResolver
from trix.support.element_path import have_descendants


class ElementFinder(DocumentResolver, Protocol):
    """Resolver that also finds elements by their offsets."""

    def element_at(self, doc: str, start: int, end: int) -> str | None:
        """Return the path of the smallest element that contains the characters; None if there is none."""


def to_offsets(run: Rankings, resolver: DocumentResolver) -> Rankings:
    """Return the run with every element, range of elements and XPointer as a passage of characters.

    A result that is missing from the documents becomes a passage without offsets. A notice gives their number.
    """
    found = replace(_without_rankings(run), file_order=dict(run.file_order))
    lost = 0
    for topic, ranking in run.rankings.items():
        if ranking.starts is not None and bool((ranking.starts >= 0).all()):
            found.rankings[topic] = ranking
            continue
        n = len(ranking)
        paths, lasts = ranking.paths and [*ranking.paths], ranking.lasts and [*ranking.lasts]
        starts = np.full(n, UNKNOWN, np.int64) if ranking.starts is None else ranking.starts.copy()
        ends = np.full(n, UNKNOWN, np.int64) if ranking.ends is None else ranking.ends.copy()
        for row in np.flatnonzero(starts < 0).tolist():
            if ranking.starts is not None and not (paths and paths[row]):
                continue  # already marked X: not a whole document
            span = _span(ranking, row, resolver)
            if span is None:
                lost += 1
                for column in filter(None, (paths, lasts)):  # becomes X, so that no path remains among offsets
                    column[row] = ""
            else:
                starts[row], ends[row] = span
        found.rankings[topic] = replace(ranking, starts=starts, ends=ends, paths=paths, lasts=lasts)
    if lost:
        found.notices.append(f"{run.source or run.name}: {lost} result{'s' * (lost > 1)} not found in the documents")
    return found


def _without_rankings(run: Rankings) -> Rankings:
    return Rankings(name=run.name, source=run.source, notices=list(run.notices))


def _span(ranking: Ranking, row: int, resolver: DocumentResolver) -> tuple[int, int] | None:
    doc, path = ranking.docs[row], ranking.paths[row] if ranking.paths is not None else ""
    if not path:
        length = resolver.length(doc)
        return None if length is None else (0, length)
    last = (ranking.lasts[row] if ranking.lasts is not None else "") or path
    first_span, last_span = resolver.span(doc, path), resolver.span(doc, last)
    return None if first_span is None or last_span is None else (first_span[0], max(first_span[0], last_span[1]))


def to_paths(run: Rankings, resolver: ElementFinder) -> Rankings:
    """Return the run with each passage replaced by the smallest element that contains it.

    Passages are offsets, XPointers, ranges of elements, and text nodes (``PATH/text()[i]``). Repeated elements are left
    out.

    Passages are offsets, XPointers, ranges of elements, and text nodes (``PATH/text()[i]``).
    """
    found = _without_rankings(run)
    lost = again = 0
    for topic, ranking in run.rankings.items():
        rows = passage_rows(ranking)
        if not rows.any():
            found.rankings[topic] = replace(ranking, starts=None, ends=None) if ranking.paths is not None else ranking
            continue
        kept, paths = [], []
        seen: dict[tuple[str, str], bool] = {}
        for row, (doc, is_passage) in enumerate(zip(ranking.docs, rows.tolist(), strict=True)):
            path: str | None = ranking.paths[row] if ranking.paths is not None else ""
            if is_passage:
                span = _passage_span(ranking, row, resolver)
                path = None if span is None else resolver.element_at(doc, *span)
            if path is None:
                lost += 1
            elif (is_passage and (doc, path) in seen) or seen.get((doc, path), False):
                again += 1  # repeated elements of the run itself are reported by the measures
            else:
                seen[doc, path] = is_passage
                kept.append(row)
                paths.append(path)
        found.rankings[topic] = replace(ranking.take(kept), paths=paths, starts=None, ends=None, lasts=None)
    source = run.source or run.name
    if lost:
        found.notices.append(f"{source}: {lost} passage{'s' * (lost > 1)} not found in the documents, left out")
    if again:
        passages = f"{again} passage{'s' * (again > 1)}"
        found.notices.append(f"{source}: {passages} in an element that is there already, left out")
    return found


def passage_rows(ranking: Ranking, texts: bool = True) -> NDArray[np.bool_]:
    """Return a mask of the rows that are passages rather than whole elements or documents.

    Text nodes (``PATH/text()[i]``) count as passages by default. With ``texts=False`` they count as elements, since an
    index may have them as units.
    """
    n = len(ranking)
    paths, lasts = ranking.paths or [""] * n, ranking.lasts or [""] * n
    named = [
        bool(last) or ("text()" in path and (texts or path[-1] != "]")) for path, last in zip(paths, lasts, strict=True)
    ]
    rows = np.array(named, np.bool_)
    return rows if ranking.starts is None else rows | np.array([not path for path in paths], np.bool_)


def _passage_span(ranking: Ranking, row: int, resolver: DocumentResolver) -> tuple[int, int] | None:
    """Return the offsets of a passage, from its columns or from its XPointers or elements; None if unknown."""
    if ranking.starts is not None and ranking.ends is not None:
        if ranking.starts[row] >= 0:
            return int(ranking.starts[row]), int(ranking.ends[row])
        if not (ranking.paths and ranking.paths[row]):
            return None  # marked X: not a whole document
    return _span(ranking, row, resolver)


def cut(run: Rankings, characters: int, *, article: bool = False) -> Rankings:
    """Truncate a run to a number of characters per topic, or per article of each topic.

    The tasks of 2010 had such limits: 1000 characters a topic (Restricted Focused), 500 an article (Restricted Relevant
    in Context). Official tools do not truncate [INEX 5.7]. The result that crosses the limit is shortened to a passage,
    and later results are left out. Repeated text counts again.

    Raises
    ------
    UsageError
        The number is below 1, or a topic has results that are not passages.
    """
    if characters < 1:
        raise UsageError(f"a run is cut after a number of characters, 1 or more, not {characters}")
    found = _without_rankings(run)
    lost = 0
    for topic, ranking in run.rankings.items():
        if len(ranking) and (ranking.starts is None or ranking.ends is None):
            raise UsageError(
                f"topic {topic}: only passages can be cut; turn the paths into offsets: `offsets` `index` INDEX"
            )
        left: dict[str, int] = {}
        kept, ends = [], []
        spans = [] if ranking.starts is None or ranking.ends is None else zip(ranking.starts, ranking.ends, strict=True)
        for row, (start, end) in enumerate(spans):
            doc = ranking.docs[row] if article else ""
            room = left.setdefault(doc, characters)
            if start < 0:
                lost += 1
            elif room > 0:
                kept.append(row)
                ends.append(min(int(end), int(start) + room))
                left[doc] = room - (ends[-1] - int(start))
        part = ranking.take(kept)
        if part.ends is not None:
            whole = (part.ends == np.array(ends, np.int64)).tolist()
            for name in ("paths", "lasts"):
                column = getattr(part, name)
                if column is not None:
                    setattr(part, name, [path if same else "" for path, same in zip(column, whole, strict=True)])
            part.ends = np.array(ends, np.int64)
        found.rankings[topic] = part
    if lost:
        found.notices.append(f"{run.source or run.name}: {lost} passage{'s' * (lost > 1)} without a place left out")
    return found


def whole_documents(run: Rankings, qrels: Qrels | None = None, resolver: DocumentResolver | None = None) -> Rankings:
    """Return the whole-document twin of a run: each document once, at its first rank, as one passage [VI].

    Lengths come from the resolver, else from the assessments. A document of unknown length becomes an empty passage and
    is counted in a notice. Such a document is not relevant, so its length does not affect in-context measures.
    """
    twin = replace(_without_rankings(run), name=f"{run.name}-whole")
    unknown = 0
    for topic, ranking in run.rankings.items():
        first: dict[str, int] = {}
        for row, doc in enumerate(ranking.docs):
            first.setdefault(doc, row)
        judged = qrels.topics[topic].documents if qrels is not None and topic in qrels.topics else {}
        lengths = []
        for doc in first:
            known = resolver.length(doc) if resolver is not None else None
            if known is None and doc in judged:
                known = judged[doc].length
            unknown += known is None
            lengths.append(known or 0)
        n = len(first)
        twin.rankings[topic] = Ranking(
            list(first),
            starts=np.zeros(n, np.int64),
            ends=np.array(lengths, np.int64),
            scores=None if ranking.scores is None else ranking.scores[list(first.values())],
            ranks=np.arange(1, n + 1, dtype=np.int64),
        )
    if unknown:
        documents = f"{unknown} document{'s' * (unknown > 1)}"
        twin.notices.append(
            f"{run.source or run.name}: {documents} of unknown length, written as 0 characters; give "
            "an index (`index`) that has them"
        )
    return twin


def by_article(run: Rankings) -> Rankings:
    """Return the run in fetch-and-browse order: articles by their first result, the results of each by offset [VI].

    Passages without offsets follow those with offsets in the run's order. Scores no longer descend, and are dropped.
    """
    found = _without_rankings(run)
    for topic, ranking in run.rankings.items():
        starts = np.full(len(ranking), UNKNOWN, np.int64) if ranking.starts is None else ranking.starts
        place = np.where(starts < 0, np.iinfo(np.int64).max, starts)
        grouped = ranking.take(np.lexsort((place, ranking.numbers())))
        found.rankings[topic] = replace(grouped, scores=None, ranks=None, lines=None, blocks=None)
    return found


def documents_only(run: Rankings) -> Rankings:
    """Return the run reduced to documents: each once, at its first rank."""
    twin = whole_documents(run)
    for ranking in twin.rankings.values():
        ranking.starts = ranking.ends = None
    twin.name, twin.notices = run.name, list(run.notices)
    return twin


def resolve_qrels(qrels: Qrels, resolver: DocumentResolver) -> Qrels:
    """Convert the assessments of 2005 to 2007 to relevant characters.

    Passages are resolved by their XPointers. Without passages the relevant characters are those of the fully relevant
    elements (rsize = size), or, where there are none, of the relevant leaves.
    """
    found = Qrels(name=qrels.name, notices=list(qrels.notices))
    lost = 0
    for topic, judged in qrels.topics.items():
        documents = {}
        for doc, document in judged.documents.items():
            spans, missing = relevant_spans(document, resolver)
            lost += missing
            disjoint = iv.merge(iv.as_intervals(spans))
            length = resolver.length(doc)
            entry = resolver.span(doc, document.bep_pointer) if document.bep_pointer else None
            bep = entry[0] if entry is not None else int(disjoint[0, 0]) if len(disjoint) else None
            documents[doc] = DocumentJudgement(
                doc, length if length is not None else document.length, iv.length(disjoint), disjoint, bep
            )
        found.topics[topic] = TopicJudgements(documents=documents)
    if lost:
        found.notices.append(f"{qrels.name}: {lost} place{'s' * (lost > 1)} not found in the documents")
    return found


def relevant_spans(document: DocumentJudgement, resolver: DocumentResolver) -> tuple[list[tuple[int, int]], int]:
    """Return the relevant passages of a document, and the number of its places that the resolver does not know."""
    if len(document.intervals):
        return [(int(s), int(e)) for s, e in document.intervals], 0
    if document.pointers:
        ends = [(first, last) for first, last, _ in document.pointers]
    else:
        relevant = [e for e in document.elements.values() if e.relevant]
        whole = [e.path for e in relevant if e.size is not None and e.rsize == e.size]
        if not whole:
            inner = have_descendants(e.path for e in relevant)
            whole = [e.path for e in relevant if e.path not in inner]
        ends = [(path, path) for path in whole]
    span = cache(lambda path: resolver.span(document.doc, path))
    places = [(span(first), span(last)) for first, last in ends]
    spans = [(first[0], last[1]) for first, last in places if first is not None and last is not None]
    return spans, len(places) - len(spans)


def length_differences(qrels: Qrels, resolver: DocumentResolver) -> list[str]:
    """Return a notice about documents whose length in the index differs from the assessed length.

    A difference means that the two count text differently.
    """
    judged = {d.doc: d.length for t in qrels.topics.values() for d in t.documents.values() if d.length is not None}
    if qrels.form != "offsets":
        return []
    differing = [doc for doc, length in judged.items() if resolver.length(doc) not in (None, length)]
    if not differing:
        return []
    shown = ", ".join(differing[:5]) + (", .." if len(differing) > 5 else "")
    return [
        f"{qrels.name}: {len(differing)} of {len(judged)} documents have another length there ({shown}); "
        "is the counting of text right (`text` inex, inex-bytes)?"
    ]


def write_offset_qrels(qrels: Qrels) -> str:
    """Format assessments as offset qrels [INEX 4.4].

    Raises
    ------
    UsageError
        A document has no known length.
    """
    lines = []
    for topic, judged in qrels.topics.items():
        for doc, document in judged.documents.items():
            if document.length is None:
                raise UsageError(f"topic {topic}: the length of {doc} is not known; give an index")
            line = f"{topic} Q0 {doc} {document.relevant_length} {document.length}"
            if len(document.intervals):
                bep = document.bep if document.bep is not None else int(document.intervals[0, 0])
                line += f" {bep} " + " ".join(f"{s}:{e - s}" for s, e in document.intervals.tolist())
            lines.append(line)
    return "\n".join(lines) + "\n" if lines else ""
