"""Going on from results: pages, groups by document, more like one of them, and suggestions while typing."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.errors import UsageError
from trix.indexer.words.analyzer import Analyzer
from trix.query.feedback import offer_weight

TEXTS = {
    "a": ("Of oaks", ["oak oak acorn bark", "oak leaf"]),
    "b": ("Of oaks and beeches", ["oak acorn beech", "beech nut"]),
    "c": ("Ships", ["ship of oak", "ship mast sail"]),
    "d": ("Of oaks", ["acorn bark tannin", "sail cloth oakum"]),
    "e": ("Nothing", ["stone"]),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading")
    (folder / "xml").mkdir()
    for name, (title, paragraphs) in TEXTS.items():
        text = "".join(f"<p>{each}</p>" for each in paragraphs)
        (folder / "xml" / f"{name}.xml").write_text(f"<doc><title>{title}</title>{text}</doc>")
    trix.build(folder / "xml", folder / "i", profile="generic", stem="none", jobs=1)
    return folder / "i"


@pytest.mark.parametrize("strategy", ["thorough", "focused", "relevant-in-context"])
@pytest.mark.parametrize("query", ["oak", "//doc", "acorn bark sail"])
def test_pages_put_together_are_the_whole_list(index: Path, query: str, strategy: str) -> None:
    with trix.open(index) as opened:
        whole = opened.search(query, strategy=strategy, top=None)
        found: list[tuple[int, str, str, float]] = []
        for first in range(1, len(whole) + 4, 3):
            page = opened.search(query, strategy=strategy, top=3, from_=first)
            found += [(each.rank, each.doc, each.path, each.score) for each in page]
            same = whole[first - 1 : first - 1 + len(page)]
            assert [each.snippet for each in page] == [each.snippet for each in same]
            assert page.to_frame()["rank"].tolist() == [each.rank for each in page]
            if page.next is not None:
                break  # a document that does not fit begins the next page
        expected = [(each.rank, each.doc, each.path, each.score) for each in whole]
        assert found == expected[: len(found)] and (len(found) == len(expected) or strategy == "relevant-in-context")


def test_a_page_has_the_ranks_of_the_whole_list(index: Path, run_cli: Cli) -> None:
    _, out, _ = run_cli("search", index, "oak", "--strategy", "thorough", "--from", "3", "-n", "2", "--format", "table")
    assert [line.split()[0] for line in out.splitlines() if line[:1] in "123456"][:2] == ["3", "4"]
    code, _, err = run_cli("search", index, "oak", "--from", "0")
    assert code == 2 and "--from 0: expected a whole number of 1 or more" in err


def test_groups_have_a_document_each_and_are_the_results_in_order(index: Path, run_cli: Cli) -> None:
    with trix.open(index) as opened:
        results = opened.search("oak", group="document", top=None)
        groups = list(results.groups())
        assert results.grouped and len({group.doc for group in groups}) == len(groups) > 2
        assert [each.rank for group in groups for each in group.results] == list(range(1, len(results) + 1))
        assert all(group.title == TEXTS[group.doc][0] for group in groups)
        same = opened.search("oak", strategy="fetch-browse", top=None)
        assert [(each.doc, each.path) for each in same] == [(each.doc, each.path) for each in results]
        with pytest.raises(UsageError, match="keeps documents together"):
            opened.search("oak", group="document", strategy="focused")
    _, out, _ = run_cli("search", index, "oak", "--group", "document", "--format", "table", "-n", "all")
    heads = [line.split("  ")[0] for line in out.splitlines()[:-1] if line[:1] != " "]
    assert heads == [group.title for group in groups]


def literal(unit: str) -> list[str]:
    """Return the keys of a paragraph or a document by weight, counted in the texts themselves."""
    analyzer = Analyzer(stem="none")
    contents = {
        f"{name}{path}": Counter(analyzer.keys(text))
        for name, (title, paragraphs) in TEXTS.items()
        for path, text in [("/t", title), *((f"/doc[1]/p[{at}]", each) for at, each in enumerate(paragraphs, 1))]
    }
    own = [counts for name, counts in contents.items() if name.startswith(unit)]
    weights = {}
    for key in set().union(*own):
        r, n = sum(key in counts for counts in own), sum(key in counts for counts in contents.values())
        weight = offer_weight(r, n, len(own), len(contents)) * sum(counts[key] for counts in own) / r
        if n > r and weight > 0:
            weights[key] = weight
    return sorted(weights, key=lambda key: (-weights[key], key))


@pytest.mark.parametrize("unit", ["a", "b/doc[1]/p[1]", "d/doc[1]/p[1]", "c"])
def test_what_is_like_an_element_holds_the_words_that_tell_it_apart(index: Path, unit: str) -> None:
    with trix.open(index) as opened:
        found = opened.like(unit, strategy="thorough", top=None)
        assert found.notices[0] == f"more like {unit}: {', '.join(literal(unit))}"
        doc, _, path = unit.partition("/")
        assert len(found) and not any(
            each.doc == doc and (f"/{path}".startswith(each.path) or not path) for each in found
        ), "neither it nor what holds it is found again"
        same = opened.search(" ".join(literal(unit)), strategy="thorough", top=None)
        scores = {(each.doc, each.path): each.score for each in same}
        assert all(math.isclose(scores[each.doc, each.path], each.score) for each in found)
        assert opened.explain("", found[0], like=unit).value == found[0].score
        with pytest.raises(UsageError, match="takes the place of a query"):
            opened.search("oak", like=unit)
        assert len(opened.like("e")) == 0


def test_more_like_one_on_the_command_line(index: Path, run_cli: Cli) -> None:
    code, out, err = run_cli("search", index, "--like", "a/doc[1]/p[1]", "-n", "1")
    assert code == 0 and out.count("\n") == 1 and err.startswith("trix: more like a/doc[1]/p[1]: ")
    code, _, err = run_cli("search", index, "--like", "nothing/here")
    assert code == 2 and "no such document" in err
    assert run_cli("search", index)[0] == 2


def test_suggestions_are_the_most_frequent_words_and_titles(index: Path) -> None:
    with trix.open(index) as opened:
        found = opened.suggest("OA")
        assert [(each.text, each.kind, each.frequency) for each in found] == [
            ("oak", "word", 3), ("oaks", "word", 3), ("oakum", "word", 1),
            ("Of oaks", "title", 2), ("Of oaks and beeches", "title", 1),
        ]  # fmt: skip
        assert [each.text for each in opened.suggest("ship sa")] == ["ship sail"]
        assert [each.text for each in opened.suggest("oaks and ")] == ["Of oaks and beeches"]
        assert opened.suggest("") == [] and opened.suggest("zz") == [] and len(opened.suggest("o", top=2)) == 2


@pytest.mark.parametrize("most", [1, 2, 3, 50])
def test_the_most_frequent_words_of_many_segments_are_those_of_a_literal_count(tmp_path: Path, most: int) -> None:
    (tmp_path / "first.xml").write_text("<a>ash ashen aspen</a>")
    trix.build(tmp_path / "first.xml", tmp_path / "i", profile="generic", jobs=1)
    texts = ["as ask asp", "ask asp aspen", "aspen asleep", "asp ask asylum", "astir ask"]
    for at, text in enumerate(texts):
        with trix.write(tmp_path / "i") as writer:
            (tmp_path / f"d{at}.xml").write_text(f"<a>{text}</a>")
            writer.add(tmp_path / f"d{at}.xml")
    with trix.write(tmp_path / "i") as writer:
        writer.delete("d1")
    living = ["ash ashen aspen", *(text for at, text in enumerate(texts) if at != 1)]
    counts = Counter(word for text in living for word in set(text.split()) if word not in ("as",))
    expected = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:most]
    with trix.open(tmp_path / "i") as opened:
        assert list(opened.files.words.beginning("as", most).items()) == expected
