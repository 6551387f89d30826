"""Runs of imagined systems, drawn from the assessments with noise.

A system ranks the elements of all documents that it sees for a topic: relevant ones, mentions and strays. The score of
an element is a weighted mean of its *gain* and of noise. The gain is high for long elements with little other text:
``s * r / (r + 300)``, with r relevant characters and their share s. Most of the noise is the same for all elements of a
document. The weight of the gain is what makes a system good. Results do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trix.datasets.vocabulary import Draws
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement
from trix.eval.formats.runs.rows import RunRow
from trix.support.element_path import tag

SYSTEMS = {"good": 0.5, "middle": 0.25, "poor": 0.05}
"""Name of a system -> weight of the gain in its scores."""

MOST_RESULTS = 150
"""Results of a topic."""

ANSWERS = frozenset(["article", "bdy", "body", "sec", "section", "ss1", "p", "ip1", "abs"])
"""Elements that systems return."""

_SMALLEST = 20  # characters
_DOCUMENT = 0.7  # share of the noise that the elements of a document have in common
_HALF = 300  # relevant characters at which the gain is half of its maximum

Place = tuple[str, tuple[int, int]]


def answers(places: Iterable[Place]) -> list[Place]:
    """Return the elements that systems return."""
    return [(path, (start, end)) for path, (start, end) in places if end - start >= _SMALLEST and tag(path) in ANSWERS]


def draw_results(
    system: str, documents: Mapping[str, tuple[Sequence[Place], DocumentJudgement | None]], draws: Draws
) -> list[RunRow]:
    """Return the results of a system for a topic, best first, without the topic's id.

    Parameters
    ----------
    system
        A name of `SYSTEMS`.
    documents
        Document id -> the elements that can be results, and the document's judgement if it has one.
    draws
        Source of the noise.
    """
    weight = SYSTEMS[system]
    scored = []
    for doc, (places, judged) in documents.items():
        common = _DOCUMENT * draws.share()
        for (path, span), gain in zip(places, gains(places, judged), strict=True):
            noise = common + (1 - _DOCUMENT) * draws.share()
            scored.append((-round(weight * gain + (1 - weight) * noise, 6), doc, span, path))
    scored.sort()
    found, taken = list[RunRow](), dict[str, list[tuple[int, int]]]()
    for score, doc, (start, end), path in scored:
        others = taken.setdefault(doc, [])
        if all(end <= first or last <= start for first, last in others):
            others.append((start, end))
            found.append(RunRow("", doc, path, len(found) + 1, -score, system, start, end - start))
        if len(found) == MOST_RESULTS:
            break
    return found


def gains(places: Iterable[Place], judged: DocumentJudgement | None) -> list[float]:
    """Return the gain of each element."""
    spans = [span for _, span in places]
    if judged is None or not len(judged.intervals):
        return [0.0] * len(spans)
    found = iv.covered(judged.intervals, iv.as_intervals(spans)).tolist()
    return [
        relevant / (end - start) * relevant / (relevant + _HALF)
        for (start, end), relevant in zip(spans, found, strict=True)
    ]
