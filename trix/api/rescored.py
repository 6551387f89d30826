"""A run of somebody else with the scores that its elements have in their context."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trix.api.answers import Answers
from trix.api.batch import Run
from trix.eval.inputs import to_run
from trix.query.display.results import Results
from trix.query.options import Options
from trix.query.rescore import RunReader, rescore


def rescored(now: Answers, run: Any, asked: Options, run_id: str, run_format: str | None, lenient: bool) -> Run:
    """Return a run anew, see `trix.api.index.Index.rescore`."""
    notices = now.searcher.notices(asked)
    asked = replace(asked, context=now.searcher.bound(asked.context))
    given = to_run(run, format=run_format, lenient=lenient)
    reader = RunReader(now.files, given)
    made = Run(run_id or given.name)
    for topic, scores in reader.topics():
        found = rescore(now.files, scores, asked, now.searcher.restriction)
        made[topic] = Results()
        if found is not None:
            made[topic] = now.named(found.candidates.element[found.places], found.scores[found.places], found.returned)
    made.notices = [*given.notices, *notices, *reader.notices]
    made.dropped = reader.dropped
    return made
