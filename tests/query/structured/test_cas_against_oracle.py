"""Structured queries: the engine against the literal oracle, on random collections and queries from the grammar.

Set ``TRIX_ORACLE_EXAMPLES`` for more collections than a test run of everything can afford.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.cas import Structure, read_as, required, weighed
from tests.oracle.contexts import contextualised
from tests.oracle.generate import Case, cases, options
from tests.oracle.generate_cas import StructuredQuery, structured_queries
from tests.oracle.organising import organised
from tests.oracle.reading import Label
from tests.oracle.scoring import scorer_of
from tests.oracle.words import Asked
from tests.query.test_engine_against_oracle import SEARCHES, build, compare, relaxed

ALIAS = {"sec": ["div", "note"], "p": ["item"]}
EXAMPLES = int(os.environ.get("TRIX_ORACLE_EXAMPLES", "15"))
MODES = ("SSCAS", "SVCAS", "VSCAS", "VVCAS", "VVCAS-PATH")


def expected(case: Case, query: StructuredQuery, options: dict[str, Any]) -> tuple[list[Label], dict[Label, float]]:
    """Return what the oracle finds: labels in order, and scores."""
    scorer = scorer_of(case.collection, options, [(head, *members) for head, members in ALIAS.items()])
    structure = Structure(scorer, ALIAS, case.profile.get("namespaces", {}))  # type: ignore[arg-type]
    mode = options["cas"]
    terms = weighed(query.steps, mode)
    steps = read_as(query.steps, mode)
    if terms is None:
        if mode == "VVCAS":
            return [], {}
        basic: dict[Label, float] = {}
        scores = {x: 0.0 for x in case.collection.nodes if structure.answers(steps, x)}
    else:
        groups = required(query.steps, mode)
        basic = scorer.scores(terms, options["combine"], groups) if terms else {}
        own = Asked(scorer, terms, options["combine"], groups)
        scores = contextualised(case.collection, basic, options["context"], own=own)
        if mode != "VVCAS":
            scores = {x: score for x, score in scores.items() if structure.answers(steps, x)}
    strategy = options["strategy"] or "thorough"
    return organised(basic, scores, strategy, options["overlap"], options["fetch"], options["top"]), {**basic, **scores}


@settings(relaxed, max_examples=EXAMPLES)
@given(cases(), st.data())
def test_engine_and_oracle_agree_on_structured_queries(case: Case, data: st.DataObject) -> None:
    declared = data.draw(st.sampled_from([{}, {"x": "urn:x"}, {"y": "urn:x", "x": "urn:absent"}]))
    case = replace(case, profile={**case.profile, "alias": ALIAS, "namespaces": declared})
    if not case.collection.nodes:
        return
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        assert trix.check(Path(folder) / "case.index") == []
        for _ in range(SEARCHES):
            asked = data.draw(options(case.positions)) | {"cas": data.draw(st.sampled_from(MODES))}
            if data.draw(st.booleans()):
                asked |= {"strategy": None, "overlap": None}
            query = data.draw(structured_queries(case.collection, asked["open_phrases"]))
            results = compare(index, case, query.text, asked, *expected(case, query, asked))
            if results:
                assert index.explain(query.text, results[-1], **asked).value == results[-1].score
