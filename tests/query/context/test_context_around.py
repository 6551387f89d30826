"""Siblings, the axes, paths from the element and sets as context: hand-computed, and equal where contexts are."""

from __future__ import annotations

import pytest

import trix

# Given to elements by a run, so that the numbers are round: s by path; all others have none.
DOCUMENT = """<article><title>one</title><sec><title>two</title><p>three</p><p>four</p></sec>
<sec><title>five</title><p>six</p><sec><p>seven</p></sec></sec><p>eight</p></article>"""
RUN = {
    "/article[1]": 0.5,
    "/article[1]/title[1]": 0.25,
    "/article[1]/sec[1]": 1.0,
    "/article[1]/sec[1]/title[1]": 0.75,
    "/article[1]/sec[1]/p[2]": 2.0,
    "/article[1]/sec[2]": 4.0,
    "/article[1]/sec[2]/p[1]": 8.0,
    "/article[1]/sec[2]/sec[1]/p[1]": 16.0,
    "/article[1]/p[1]": 32.0,
}
P2, S1, S2, DEEP, ROOT = (
    "/article[1]/sec[1]/p[2]",
    "/article[1]/sec[1]",
    "/article[1]/sec[2]",
    "/article[1]/sec[2]/sec[1]/p[1]",
    "/article[1]",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder = tmp_path_factory.mktemp("around")
    (folder / "docs").mkdir()
    for name in "ab":
        (folder / "docs" / f"{name}.xml").write_text(DOCUMENT)
    trix.build(folder / "docs", folder / "i", profile="generic", stop="none", jobs=1)
    return trix.open(folder / "i")


def rescored(index: trix.Index, form: str) -> dict[str, float]:
    run = {"1": {f"a{path}": score for path, score in RUN.items()}}
    results = index.rescore(run, context=form)["1"]
    return {result.path: result.score for result in results}


@pytest.mark.parametrize(
    ("form", "path", "score"),
    [
        # Three siblings of sec[1]: title .25, sec[2] 4, p 32.
        ("siblings", S1, 1 + (0.25 + 4 + 32) / 3),
        ("siblings:f=.5", S1, 1 + 0.5 * (0.25 + 4 + 32) / 3),
        # Of the siblings of p[2] the first p does not match; it counts.
        ("siblings", P2, 2 + (0.75 + 0) / 2),
        ("siblings:preceding=1,following=0", S2, 4 + 1 / 1),
        ("siblings:preceding=1,following=1", S2, 4 + (1 + 32) / 2),
        ("siblings:preceding=0", S1, 1 + (4 + 32) / 2),
        ("siblings", ROOT, 0.5),
        ("siblings", DEEP, 16),  # has none
        # Content elements before sec[2]: title .25, title .75, p 0, p 2.
        ("preceding", S2, 4 + (0.25 + 0.75 + 0 + 2) / 4),
        ("preceding:2", S2, 4 + (0 + 2) / 2),
        ("preceding:1,f=3", DEEP, 16 + 3 * 8),
        ("following:1", S2, 4 + 32),
        ("following:2", P2, 2 + (0 + 8) / 2),  # the title of sec[2] does not match
        ("following", ROOT, 0.5),
        ("preceding:1,level=major:sec", DEEP, 16 + 1),  # sec[2] holds it and does not precede it
        ("preceding:2,level=major:sec", "/article[1]/p[1]", 32 + (4 + 1) / 2),
        # Paths from the element.
        ("adhoc:./title", S1, 1 + 0.75),  # what a path asks for by leading down is context
        ("adhoc:.//p", S2, 4 + (8 + 16) / 2),
        ("adhoc:../sec", S1, 1 + 4),
        ("adhoc:../title", P2, 2 + 0.75),
        ("adhoc:../../title", DEEP, 16 + 0),
        ("adhoc:../../title=2,/article/title=1,f=.5", DEEP, 16 + 0.5 * (2 * 0 + 0.25) / 3),
        ("adhoc:..//p", S1, 1 + (8 + 16 + 32) / 3),  # without its own
        ("adhoc:preceding-sibling::*", S2, 4 + (0.25 + 1) / 2),
        ("adhoc:preceding::p", DEEP, 16 + (8 + 2 + 0) / 3),
        ("adhoc:following::p | preceding-sibling::title", S1, 1 + (8 + 16 + 32 + 0.25) / 4),
        ("adhoc:ancestor::sec/title", DEEP, 16 + 0),
        ("adhoc:ancestor::*=1,../*=3", P2, 2 + (0.5 + 1 + 3 * 0.75 + 0) / (1 + 1 + 3 + 3)),
        ("adhoc:./title", ROOT, 0.5 + 0.25),
        ("adhoc:..", DEEP, 16 + 0),
        # Sets.
        ("cscore:parent+siblings", P2, 2 + (1 + 0.75 + 0) / 3),
        ("cscore:parent+root,w=1.5", P2, 2 + 1.5 * (1 + 0.5) / 2),
        ("cscore:parent+root", S1, 1 + 0.5),  # one and the same
        ("cscore:/article/title+../title,w=2", P2, 2 + 2 * (0.25 + 0.75) / 2),
        ("cscore:level=major:sec", P2, 2 + (0.25 + 4 + 32 + 1) / 4),
        ("cscore:root,w=.5,level=major:sec", S1, 1 + 0.5 * (0.5 + 0.25 + 4 + 32) / 4),
    ],
)
def test_a_context_is_the_mean_of_what_it_names(index: trix.Index, form: str, path: str, score: float) -> None:
    found = rescored(index, form)
    assert found[path] == pytest.approx(score, abs=1e-14)
    assert set(found) == set(RUN)


def test_explanations_name_every_member(index: trix.Index) -> None:
    for form in ("siblings:f=2", "preceding:2", "adhoc:../*=2,./title,f=0.5", "cscore:parent+siblings,w=0.5"):
        for result in index.search("four six", context=form, strategy="thorough"):
            explanation = index.explain("four six", result, context=form)
            assert explanation.value == explanation.parts[0].value == result.score
            context = explanation.parts[0]
            assert form in context.what
            if context.numbers.get("Σ g"):
                assert sum(part.numbers["g"] for part in context.parts[1:]) == context.numbers["Σ g"]


def test_forms_chain_and_score_everything_where_asked(index: trix.Index) -> None:
    found = index.search("four", context="siblings:all=1>cscore:root,w=.25", strategy="thorough", top=None)
    assert len(found) == 24
    plain = index.search("four", strategy="thorough", top=None)
    s = dict(zip(plain.paths, plain.scores.tolist(), strict=True))  # the same in both documents
    title = "/article[1]/sec[1]/title[1]"
    assert dict(zip(found.paths, found.scores.tolist(), strict=True))[title] == pytest.approx(
        s[P2] / 2 + 0.25 * s["/article[1]"]
    )


@pytest.mark.parametrize("form", ["siblings", "adhoc:../p", "adhoc:..//p,/nothing", "cscore:siblings+level=//p"])
def test_equal_elements_with_equal_contexts_stay_equal(form: str, tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    counts = [1, 3, 7, 2, 9, 4, 1, 6, 2, 8, 1, 3] * 30
    text = "".join(f"<p>{'apple ' * count}{'pear ' * (10 - count)}</p>" for count in counts)
    (folder / "a.xml").write_text(f"<article>{text}</article>")
    trix.build(folder / "a.xml", folder / "i", profile="generic", stop="none", jobs=1)
    with trix.open(folder / "i") as index:
        context = form.replace("+level", ",level")
        found = index.search("apple", context=context, strategy="thorough", b=0.9, top=None)
    by_count: dict[int, set[float]] = {}
    for result in found:
        if result.path != "/article[1]":
            number = int(result.path.rpartition("[")[2].rstrip("]"))
            by_count.setdefault(counts[number - 1], set()).add(result.score)
    assert sorted(by_count) == sorted(set(counts))
    assert all(len(scores) == 1 for scores in by_count.values())


def test_levels_of_the_axes_are_checked(index: trix.Index) -> None:
    for form in ("preceding:2,level=//sec", "cscore:root,level=//sec"):
        outermost = index.search("four", context=f"{form}[not(ancestor::sec)]")
        found = index.search("four", context=form)
        assert found.scores.tolist() == outermost.scores.tolist()
        assert any("lie inside others; the outermost count" in notice for notice in found.notices)
    for form in ("preceding:2,level=minor:table", "cscore:root,level=minor:table"):
        assert any("no element has the tag table" in notice for notice in index.search("four", context=form).notices)
