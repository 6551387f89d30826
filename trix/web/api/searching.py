"""Endpoints that take a query: results, scores explained, facets, occurrences, passages; and what can be typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trix.errors import UsageError
from trix.indexer.fields.facets import Facet
from trix.query.display.results import Results
from trix.web.api.answer import JSON, LINES, Answer
from trix.web.api.asked import Asked


def search(asked: Asked) -> Answer:
    """Return ranked elements."""
    results = asked.index.search(asked.get("query", ""), **asked.settings)
    found = [{**each.to_dict(), "own": float(own)} for each, own in zip(results, results.own, strict=True)]
    if asked.wants(JSON, LINES) == LINES:
        return Answer(found, LINES)
    said = {**_summary(results), "results": found, "facets": _facets(results.facets)}
    if results.plan is not None:
        said["plan"] = results.plan.to_json()
    if results.next is not None:
        said["next"] = results.next._asdict()
    return Answer(said)


def _summary(results: Results) -> dict[str, Any]:
    return {
        "query": results.query,
        "typed": results.typed,
        "matched": results.matched,
        "from": results.begin + 1,
        "seconds": round(results.seconds, 6),
        "notices": list(results.notices),
    }


def _facets(facets: Mapping[str, Facet]) -> dict[str, list[dict[str, Any]]]:
    return {name: [count._asdict() for count in counts[:MOST_VALUES]] for name, counts in facets.items()}


MOST_VALUES = 1_000
"""Values of a facet that are told, the most frequent ones."""


def facets(asked: Asked) -> Answer:
    """Return what the matching documents say in some fields, with counts, without the results themselves."""
    if "facet" not in asked.given:
        raise UsageError("missing; expected names of fields, as journal,year", field="facet")
    results = asked.index.search(asked.get("query", ""), **{**asked.settings, "top": 1})
    return Answer({"query": results.query, "matched": results.matched, "facets": _facets(results.facets)})


def explain(asked: Asked) -> Answer:
    """Return every number behind an element's score, as a tree."""
    explanation = asked.index.explain(asked.get("query", ""), asked.given["element"], **asked.settings)
    return Answer(explanation.to_json())


def passages(asked: Asked) -> Answer:
    """Return the best passages that fit into so much text, in reading order, for programs that read."""
    own = {name: asked.given[name] for name in ("characters", "around", "sentences") if name in asked.given}
    found = asked.index.passages(asked.get("query", ""), **own, **asked.settings)
    lines = [each.to_dict() for each in found]
    if asked.wants(JSON, LINES) == LINES:
        return Answer(lines, LINES)
    characters = sum(len(each.text) for each in found)
    summary = {"query": found.query, "matched": found.matched, "characters": characters}
    return Answer({**summary, "notices": list(found.notices), "passages": lines})


def concordance(asked: Asked) -> Answer:
    """Return every occurrence of a query's words, a line each, with the words around it."""
    sort = asked.get("kwic_sort", "document")
    lines = [
        each._asdict()
        for each in asked.index.concordance(asked.get("query", ""), kwic_sort=sort, **{"top": 10, **asked.settings})
    ]
    if asked.wants(JSON, LINES) == LINES:
        return Answer(lines, LINES)
    return Answer({"lines": lines})


def suggest(asked: Asked) -> Answer:
    """Return what a text that is being typed can become: words of the index, and titles of documents."""
    found = asked.index.suggest(asked.given["text"], asked.get("top", 10))
    return Answer({"suggestions": [each.as_dict() for each in found]})
