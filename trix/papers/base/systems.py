"""Systems of the Relevant in Context task: runs of other systems of a year, and three of Trix."""

from __future__ import annotations

from typing import Any

from trix.eval.convert import by_article, to_offsets, whole_documents
from trix.eval.data.runs import Rankings
from trix.eval.inputs import to_run
from trix.papers.base.collection import PaperCollection

ENOUGH = 5
"""Number of runs of other systems from which on Trix adds none."""

TRIX: dict[str, dict[str, Any]] = {"trix": {"b": 0.1}, "trix vertical": {"b": 0.1, "context": "vertical"}}
"""Name of a run of Trix -> its options."""


def in_context_runs(collection: PaperCollection, year: int) -> dict[str, Rankings]:
    """Return runs by name, as passages grouped by article.

    Runs of single elements are regrouped: articles by their first result. Where there are few runs, Trix adds two of
    elements and one of whole documents.
    """
    resolver = collection.resolver(year)
    found: dict[str, Rankings] = {}
    for file, run in collection.other_runs(year).items():
        name = run.name if run.name and run.name not in found else file
        found[name] = by_article(to_offsets(run, resolver))
    if len(found) < ENOUGH:
        for name, options in TRIX.items():
            run = to_run(collection.run(year, "", name, strategy="relevant-in-context", **options))
            found[name] = by_article(to_offsets(run, resolver))
        run = to_run(collection.run(year, "", "documents", strategy="relevant-in-context", model="bm25"))
        found["bm25 documents"] = whole_documents(run, collection.qrels(year), resolver)
    return found


def is_focused(run: Rankings, twin: Rankings) -> bool:
    """Whether a run of passages returns less than `twin`, its twin of whole documents."""
    for topic, ranking in run.rankings.items():
        whole = twin.rankings[topic]
        if len(ranking) != len(whole):
            return True
        if ranking.starts is None or ranking.ends is None or whole.ends is None:
            continue
        if bool((ranking.starts > 0).any() or (ranking.ends < whole.ends).any()):
            return True
    return False
