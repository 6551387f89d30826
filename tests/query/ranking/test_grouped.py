"""Strategies that keep documents together, as a reader meets them: headings, and what did not fit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import trix
from tests.cli.test_online import talk
from tests.conftest import Cli
from trix.cli.table import table
from trix.query.display.breadcrumb import on_one_line

__all__ = ["talk"]

TITLE = "Oaks of many kinds, and how they are edited, cut, grown and compared by people of many trades"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of documents with 3, 12, 2 and 1 results for `tree`, in this order with ``fetch=best``."""
    folder = tmp_path_factory.mktemp("grouped")
    (folder / "xml").mkdir()
    for name, count in (("a", 3), ("b", 12), ("c", 2), ("d", 1)):
        # The first paragraph is about nothing else, the less the later the document.
        paragraphs = ["tree " * (5 - "abcd".index(name))] + ["tree and much else beside it"] * (count - 1)
        text = "".join(f"<p>{each}</p>" for each in paragraphs)
        (folder / "xml" / f"{name}.xml").write_text(f"<doc><h>{TITLE}</h>{text}<p>stone</p></doc>")
    (folder / "my.toml").write_text('name = "mine"\nextends = "generic"\ntitle = "//h"\n')
    trix.build(folder / "xml", folder / "my.index", profile=folder / "my.toml", jobs=1)
    return folder / "my.index"


ASKED: dict[str, Any] = {"level": "content", "fetch": "best"}
LINE = ("tree", "--level", "content", "--fetch", "best")


@pytest.mark.parametrize("strategy", ["fetch-browse", "relevant-in-context"])
def test_a_notice_names_the_document_that_did_not_fit(index: Path, run_cli: Cli, strategy: str) -> None:
    line = ("search", index, *LINE, "--strategy", strategy)
    code, out, err = run_cli(*line, "-n", "10")
    assert (code, out.count("\n")) == (0, 3), "the contract: what does not fit ends the list"
    assert err == "trix: document b comes next; its 12 results do not fit: -n 15 shows them\n"
    code, out, err = run_cli(*line, "-n", "15")
    assert (code, out.count("\n"), err) == (0, 15, "")
    code, out, err = run_cli(*line, "-n", "2")
    assert (code, out.count("\n")) == (0, 2)
    assert err == "trix: document a has 3 results, the best 2 of them are shown: -n 3 shows all\n"
    assert run_cli(*line, "-n", "3")[2] == "", "a full list leaves nobody wondering"


def test_runs_are_cut_without_a_word(index: Path) -> None:
    with trix.open(index) as opened:
        run = opened.run({"1": "tree"}, strategy="fetch-browse", top=10, **ASKED)
    assert (len(run["1"]), run.notices) == (3, [])


def test_the_library_says_what_comes_next(index: Path) -> None:
    with trix.open(index) as opened:
        assert opened.search("tree", strategy="fetch-browse", **ASKED).next == ("b", 12, 15, 0)
        assert opened.search("tree", strategy="fetch-browse", top=1, **ASKED).next == ("a", 3, 3, 1)
        assert opened.search("tree", strategy="thorough", top=1, **ASKED).next is None


def test_a_document_has_one_heading(index: Path, run_cli: Cli) -> None:
    line = ("search", index, *LINE, "--strategy", "fetch-browse", "--format", "table", "-n")
    _, out, _ = run_cli(*line, "17")
    heads = [text for text in out.splitlines()[:-1] if not text.startswith(" ")]
    assert heads == [f"{TITLE}  a  (3 results)", f"{TITLE}  b  (12 results)", f"{TITLE}  c  (2 results)"]
    elements = [text for text in out.splitlines() if "/doc[1]" in text]
    assert len(elements) == 17
    assert elements[0].split() == ["/doc[1]/p[1]"]
    assert all(text.startswith("  ") for text in elements)
    assert f"{TITLE}  a  (2 of 3 results)" in run_cli(*line, "2")[1]
    assert "(1 result)" in run_cli(*line, "18")[1]


def test_other_strategies_have_no_headings(index: Path, run_cli: Cli) -> None:
    _, out, _ = run_cli("search", index, *LINE, "--format", "table", "-n", "2")
    assert [text.split()[0] for text in out.splitlines() if "/doc[1]" in text] == ["a/doc[1]/p[1]", "b/doc[1]/p[1]"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("strategy", ["fetch-browse", "focused"])
def test_no_line_is_wider_than_the_terminal(
    index: Path, width: int, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    console = Console(width=width, force_terminal=True, highlight=False)
    with trix.open(index) as opened:
        results = opened.search("tree", strategy=strategy, top=15, **ASKED)
        texts = [text.plain for text in table(console, results, grouped=strategy == "fetch-browse")]
    lines = [line for text in texts for line in text.split("\n")]
    assert max(map(len, lines)) <= width
    if strategy == "fetch-browse":
        assert " ".join(texts[0].split()) == f"{TITLE} a (3 results)"
        assert sum("(12 results)" in line for line in lines) == 1


@pytest.mark.parametrize(("width", "margin"), [(60, 3), (99, 3), (100, 11)])
def test_on_a_narrow_terminal_only_the_first_line_stands_behind_the_score(
    index: Path, width: int, margin: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with trix.open(index) as opened:
        results = opened.search("tree", strategy="focused", top=3, **ASKED)
        first, *others = next(
            iter(table(Console(width=width, force_terminal=True, highlight=False), results))
        ).plain.split("\n")
    assert first.startswith("1  ") and first[11:] and TITLE.startswith(first[11:])
    assert others and all(len(line) - len(line.lstrip()) == margin for line in others)


@given(
    st.lists(st.text("ab ", min_size=1, max_size=120).map(str.strip).filter(bool), max_size=5),
    st.integers(24, 110),
)
def test_a_breadcrumb_fits_and_keeps_its_last_title_longest(titles: list[str], longest: int) -> None:
    line = on_one_line(tuple(titles), longest)
    assert len(line) <= longest
    if titles and len(titles[-1]) <= longest // 2:
        assert line.endswith(titles[-1])


def test_more_goes_on_to_the_document_that_did_not_fit(index: Path, talk) -> None:  # type: ignore[no-untyped-def]
    with trix.open(index) as opened:
        _, out, err = talk("tree", ":more", ":more", ":more", index=opened, strategy="fetch-browse", top=3, **ASKED)
    heads = re.findall(rf"^{TITLE}  ([a-d]) ", out, re.MULTILINE)
    assert heads == ["a", "b", "c", "d"]
    assert out.endswith("no more results\n")
    assert "-n" not in err


def test_more_of_a_document_that_was_cut_shows_it_in_its_order(index: Path, talk) -> None:  # type: ignore[no-untyped-def]
    with trix.open(index) as opened:
        _, out, err = talk("tree", ":more", index=opened, strategy="fetch-browse", top=2, **ASKED)
    assert "(2 of 3 results)" in out
    assert "(1 more result)" in out
    assert ": :more shows all\n" in err
