"""The support of structured queries as context, composed literally from searches for its parts."""

from __future__ import annotations

from typing import Any

import pytest

import trix
from trix.query.context.chain import parse_context

ARTICLE = """<article><abs><p>plum tree</p></abs><bdy><sec><st>tree {word}</st><p>apple pear</p><p>plum apple</p></sec>
<sec><p>apple</p><sec><st>tree</st><p>pear tree</p></sec></sec><p>plum</p></bdy></article>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    """Return an index of four articles, of which the last has nothing to support anything."""
    folder = tmp_path_factory.mktemp("nexi")
    (folder / "docs").mkdir()
    for number, word in enumerate(("plum", "fig", "apple tree")):
        (folder / "docs" / f"d{number}.xml").write_text(ARTICLE.format(word=word))
    (folder / "docs" / "z.xml").write_text("<article><bdy><sec><p>apple</p><p>pear apple</p></sec></bdy></article>")
    trix.build(folder / "docs", folder / "i", profile="generic", stop="none", jobs=1)
    return trix.open(folder / "i")


def scores_of(index: trix.Index, query: str, **options: Any) -> dict[str, float]:
    found = index.search(query, strategy="thorough", top=None, **options)
    return dict(zip(found.labels, found.scores.tolist(), strict=True))


def below(x: str, y: str) -> bool:
    """Tell whether y is x or lies below it."""
    return y == x or y.startswith(f"{x}.")


@pytest.mark.parametrize(
    ("target", "steps"),
    [
        ("//p[about(., apple)]", [("//sec[about(./st, tree)]", "tree")]),
        ("//p[about(., apple pear)]", [("//article[about(.//abs, plum)]", "plum"), ("//sec[about(., tree)]", "tree")]),
        ("//sec[about(., apple)]", [("//article[about(., tree -fig)]", "tree -fig"), ("/bdy", "")]),
        ("//*[about(., plum) and about(., tree)]", [("//sec[about(., apple)]", "apple")]),
        ("/p[about(., plum)]", [("//sec[about(., tree) or about(.//p, zebra)]", "tree zebra")]),
        ("//p[about(., apple)]", [("//sec[about(., zebra)]", "zebra")]),
    ],
)
@pytest.mark.parametrize("f", [1.0, 0.25])
def test_targets_are_raised_by_the_mean_of_the_support_around_them(
    index: trix.Index, target: str, steps: list[tuple[str, str]], f: float
) -> None:
    own: dict[str, float] = {}
    for place, (_, words) in enumerate(steps):
        if words:
            satisfied = scores_of(index, "".join(step for step, _ in steps[: place + 1]))
            weighed = scores_of(index, words)
            for y in satisfied:
                own.setdefault(y, weighed.get(y, 0.0))
    query = "".join(step for step, _ in steps) + target
    found = scores_of(index, query, context=f"nexi:f={f}")
    plain = scores_of(index, target if target.startswith("//") else "/" + target)
    assert set(found) == set(plain)  # the support discards nothing
    for x, s in plain.items():
        around = [own[y] for y in own if y.split(".")[0] == x.split(".")[0] and not below(x, y)]
        expected = s + f * sum(around) / len(around) if around else s
        assert found[x] == pytest.approx(expected, abs=1e-13)
        explained = index.explain(query, x, context=f"nexi:f={f}")
        assert explained.value == found[x]
        assert explained.parts[0].value == found[x]


def test_without_support_scores_stay(index: trix.Index) -> None:
    for query in ("apple pear", "//p[about(., apple)]", "//article//p[about(., apple)]"):
        assert scores_of(index, query, context="nexi") == scores_of(index, query)


def test_the_mode_says_what_support_is(index: trix.Index) -> None:
    query = "//chapter[about(., tree)]//p[about(., apple)]"
    strict = scores_of(index, query, context="nexi")
    vague = scores_of(index, query, context="nexi", cas="SVCAS")
    assert strict == scores_of(index, "//p[about(., apple)]")
    assert vague == scores_of(index, "//*[about(., tree)]//p[about(., apple)]", context="nexi") != strict
    both = "nexi:f=2>root"
    assert scores_of(index, query, context=both, cas="VVCAS") == scores_of(index, query, context="root", cas="VVCAS")


def test_the_form_has_a_canonical_text() -> None:
    assert str(parse_context("nexi:f=1.0")) == "nexi"
    assert str(parse_context("tower>nexi:f=.5")) == "tower>nexi:f=0.5"
