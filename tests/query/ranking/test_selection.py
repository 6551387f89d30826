"""The order of the units that passages are made of, against a literal version; adjoining units; no fixed number."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import trix
from trix.query.ranking import selection
from trix.query.ranking.selection import Ranked, order_of_units


@some.composite
def rankings(draw: some.DrawFn) -> list[Ranked]:
    """Return elements of some documents, which nest, with scores, in order of rank."""
    found: list[Ranked] = []

    def element(document: int, begin: int, end: int, depth: int) -> None:
        wanted: bool = draw(some.booleans())
        if wanted:
            found.append(Ranked(document, len(found), begin, end, float(draw(some.integers(0, 9)))))
        cuts: list[int] = draw(some.lists(some.integers(begin, end), max_size=3)) if depth < 3 else []
        edges = sorted({begin, *cuts, end})
        for low, high in pairwise(edges):
            if depth < 3:
                element(document, low, high, depth + 1)

    for document in range(draw(some.integers(1, 3))):
        element(document, 0, draw(some.sampled_from([60, 5000])), 0)
    return sorted(found, key=lambda each: (-each.score, each.element))


def literally(results: list[Ranked]) -> list[int]:
    """Return the units by looking at all pairs of results: the oracle of `order_of_units`."""

    def inside(one: Ranked, other: Ranked) -> bool:
        return (
            one.document == other.document
            and other.element < one.element
            and other.begin <= one.begin < one.end <= other.end
        )

    worth: dict[int, float] = {}
    for place, each in enumerate(results):
        if any(inside(other, each) for other in results):
            continue
        above = [other.score for other in results if inside(each, other) and other.end - other.begin <= 4000]
        worth[place] = 0.25 * each.score + 0.75 * max([each.score, *above])
    return sorted(worth, key=lambda place: (-worth[place], place))


@given(rankings())
def test_units_are_the_smallest_results_by_their_scores_and_the_best_around_them(results: list[Ranked]) -> None:
    found = order_of_units(results)
    assert found.units == literally(results)
    for document, places in found.around.items():
        lengths = [results[place].end - results[place].begin for place in places]
        assert lengths == sorted(lengths) and max(lengths) <= selection.LARGEST
        assert not {*places} & {*found.units} and {results[place].document for place in places} == {document}


def test_units_keep_the_order_of_results_that_are_not_ordered_by_scores() -> None:
    results = [Ranked(1, 5, 0, 200, 1.0), Ranked(0, 1, 0, 300, 9.0), Ranked(0, 2, 0, 300, 3.0)]
    assert order_of_units(results, by_rank=True).units == [0, 2]
    assert order_of_units(results).units == [2, 0]


@pytest.fixture
def sections(tmp_path: Path) -> Path:
    """Return an index of an article that answers, and one that says a word of it."""
    filler = "It was measured with care, and written down by two of the keepers, who agreed in nearly all of the cases."
    answer = "".join(f"<p>The bark of the oak grew in plot {n}. {filler} So much for {n}.</p>" for n in range(5))
    (tmp_path / "a.xml").write_text(
        f"<doc><title>Oak bark</title><sec><title>Growth</title>{answer}</sec>"
        f"<sec><title>Thanks</title><p>Nothing else. {filler} {filler}</p></sec></doc>"
    )
    (tmp_path / "b.xml").write_text(f"<doc><title>Ships</title><sec><p>An oak was felled. {filler}</p></sec></doc>")
    trix.build([tmp_path / "a.xml", tmp_path / "b.xml"], tmp_path / "i", profile="generic", jobs=1)
    return tmp_path / "i"


@pytest.mark.reading
def test_one_document_gives_as_many_passages_as_its_scores_are_worth(sections: Path) -> None:
    with trix.open(sections) as opened:
        found = opened.passages("bark of the oak", 900)
        assert sum(each.text.count("The bark of the oak grew in plot") for each in found if each.doc == "a") >= 4
        assert {each.doc for each in opened.passages("bark of the oak", 900, per_document=1)} == {"a", "b"}


@pytest.mark.reading
def test_units_that_adjoin_are_one_passage_with_the_headings_between_them(sections: Path) -> None:
    with trix.open(sections) as opened:
        first = opened.passages("bark of the oak", 3000)[0]
        assert (first.path, first.cut) == ("/doc[1]/sec[1]", False)
        assert first.text.startswith("Growth\nThe bark of the oak grew in plot 0.") and first.text.count("plot") == 5
        some_of = opened.passages("bark of the oak", 500)[0]
        assert some_of.path == "/doc[1]/sec[1]" and some_of.cut and some_of.text.count("plot") in (2, 3)
        alone = opened.passages("bark of the oak", 220)[0]
        assert alone.path.startswith("/doc[1]/sec[1]/p[") and alone.text.count("plot") == 1
