"""An index that answers from a table and remembers what it was asked: for tests of the faces alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from trix.errors import IndexError_, QueryError
from trix.indexer.profile.profile import load_profile
from trix.support.arrays import Floats


@dataclass(frozen=True)
class FakeResult:
    rank: int
    score: float
    doc: str
    label: str
    path: str
    tag: str
    offset: int
    length: int
    snippet: str = ""
    text: str = "the text"
    matches: Sequence[tuple[int, int]] = ()
    snippet_matches: Sequence[tuple[int, int]] = ()
    title: str = "A title"
    breadcrumb: Sequence[str] = ()
    copies: Sequence[Any] = ()
    known: str = ""
    places: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self, matches: bool) -> dict[str, Any]:
        fields = asdict(self) | {"breadcrumb": list(self.breadcrumb), "marks": list(self.snippet_matches)}
        del fields["copies"], fields["known"], fields["places"]  # told where there are any
        return fields if matches else {name: value for name, value in fields.items() if name != "matches"}


class FakeResults(list[FakeResult]):
    notices: Sequence[str] = ()
    view: Any = None
    matched = 1234
    next: Any = None
    seconds = 0.0021
    copies: Sequence[Any] = ()

    @property
    def scores(self) -> list[float]:
        return [result.score for result in self]

    @property
    def run_scores(self) -> Floats:
        return np.array(self.scores)


@dataclass(frozen=True)
class FakeExplanation:
    value: float

    def __str__(self) -> str:
        return f"{self.value!r} = sum of\n  everything"

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value}


class FakeTopics(list[str]):
    notices: Sequence[str] = ()


class FakeRun(dict[str, FakeResults]):
    run_id = "trix"
    notices: Sequence[str] = ()
    skipped: Mapping[str, str] = {}


ALL = [
    FakeResult(1, 1 / 3, "co/2001/r7022", "5.2.1", "/article[1]/bdy[1]/sec[2]", "sec", 1180, 734, 'a <b> & "c", d'),
    FakeResult(2, 0.25, "co/2001/r7022", "5.1", "/article[1]/fm[1]", "fm", 0, 90, "é\u2028x"),
    FakeResult(3, 1e-7, "co/2001/x", "6", "/article[1]", "article", 0, 12, ""),
]


@dataclass
class FakeIndex:
    """Returns the first of three results, as many as `top` wants."""

    asked: list[tuple[str, Any, dict[str, Any]]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def __enter__(self) -> FakeIndex:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def search(self, query: str, **options: Any) -> FakeResults:
        self.asked.append(("search", query, options))
        if '"' in query and query.count('"') % 2:
            raise QueryError("the quote is never closed", query, query.index('"') + 1)
        results = FakeResults([] if query == "nothing" else ALL[: options.get("top", 10)])
        if "the" in query.split():
            results.notices = ["left out, on the stop list: the"]
        return results

    def run(
        self, topics: Any, *, field: str = "title", run_id: str = "trix", jobs: int | None = None, **options: Any
    ) -> FakeRun:
        self.asked.append(("run", topics, options))
        run = FakeRun({topic: FakeResults(ALL) for topic in topics})
        if "bad" in run:
            run["bad"] = FakeResults([replace(ALL[0], score=math.inf)])
        run.notices = ["topic 1: the quote is\nnever closed; dropped"]
        return run

    def check_options(self, **options: Any) -> tuple[str, ...]:
        from trix.query.options import Options

        Options.of(**options)
        return ()

    def explain(self, query: str, element: FakeResult, **options: Any) -> FakeExplanation:
        self.asked.append(("explain", (query, element.rank), options))
        return FakeExplanation(element.score)

    @property
    def files(self) -> SimpleNamespace:
        return SimpleNamespace(profile=load_profile("generic"), totals={})

    def show(self, unit: str, xml: bool = False, raw: bool = False, labels: object = None) -> str:
        if unit == "gone":
            raise IndexError_("gone: no such document (did you mean gone2?)")
        return f"<x>{unit}</x>" if xml else f"text of {unit}"

    def info(self, level: str | None = None) -> dict[str, Any]:
        tags = {"sec": 3, "p": 1400}
        return {"documents": 12000, "segments": [], "stem": "porter", "positions": False, "tags": tags}
