"""Unknown words: which are replaced by the nearest spelling, by which, and that all that is asked of a query agrees."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trix
from tests.conftest import FEW
from trix.api.index import Index
from trix.indexer.store.words import Spellings
from trix.indexer.words.edits import edits_between
from trix.query.matching.vocabulary import LONG, SHORTEST

pytestmark = pytest.mark.reading

Cli = Callable[..., tuple[int, str, str]]

TEXTS = {
    "a": ["slavery and the trade of the islands", "a database index of user centred design"],
    "b": ["slavery was paid by a slaver", "they receive the parcel", "tree form"],
    "c": ["the islands of the trade winds", "tr33 for figures of 1999"],
}


def write(folder: Path, texts: dict[str, list[str]]) -> Path:
    folder.mkdir(parents=True)
    for name, paragraphs in texts.items():
        body = "".join(f"<sec><p>{each}</p></sec>" for each in paragraphs)
        (folder / f"{name}.xml").write_text(f"<doc><title>Of {name}</title>{body}</doc>", encoding="utf-8")
    return folder


def build(folder: Path, texts: dict[str, list[str]], **options: Any) -> Path:
    trix.build(write(folder, texts), folder.with_suffix(".index"), **{"jobs": 1, "profile": "generic", **options})
    return folder.with_suffix(".index")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("corrections") / "texts", TEXTS)


@pytest.fixture(scope="module")
def index(path: Path) -> Iterator[Index]:
    with trix.open(path) as opened:
        yield opened


def said(typed: str, other: str, documents: int) -> str:
    return f'no document has {typed}: showing results for {other} ({documents}); "{typed}" in quotes is kept'


# -- which words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "corrected", "canonical"),
    [
        ("slavrey trade", "slavery trade", "slaveri trade"),
        ("Slavrey, TRDAE!", "slavery, trade!", "slaveri trade"),
        ("+slavrey^2 trade", "+slavery^2 trade", "+slaveri^2 trade"),
        ("slavrey islnads slavrey", "slavery islands slavery", "slaveri island slaveri"),
        ("user-centrde", "user-centred", '"user centr"'),
        ("+(slavrey | recieve)", "+(slavery | receive)", "+(slaveri | receiv)"),
        ('(slavrey | "slavrey")', '(slavery | "slavrey")', "(slaveri | slavrei)"),
        ("trdae AND (slavrey OR recieve)", "trade AND (slavery OR receive)", "trade AND (slaveri OR receiv)"),
        ("slavrey NOT (NOT trdae)", "slavery NOT (NOT trade)", "slaveri OR NOT (NOT trade)"),
        ("//sec[about(., slavrey)]//p[about(., trade)]", "//sec[about(., slavery)]//p[about(., trade)]", None),
        ("//sec[about(., a) or .//p = 'slavrey' and about(., -trdae +recieve)]",
         "//sec[about(., a) or .//p = \"slavrey\" and about(., -trdae +receive)]", None),
    ],
)  # fmt: skip
def test_an_unknown_word_is_replaced_where_it_stands(
    index: Index, query: str, corrected: str, canonical: str | None
) -> None:
    results = index.search(query)
    assert results.corrected == corrected and results.typed == query
    assert results.query == (canonical or corrected)
    assert [notice for notice in results.notices if ": showing results for " in notice]
    again = index.search(corrected)
    assert again.query == results.query and list(again.scores) == list(results.scores)


@pytest.mark.parametrize(
    "query",
    [
        '"slavrey" trade',
        "“slavrey” trade",
        '"slavrey trdae"~5',
        "-slavrey trade",
        "trade NOT slavrey",
        "slavrey* trade",
        "slavr?y trade",
        "slavrey~ trade",
        "slavrey-1807 trade",  # a name with a number
        "slavrey1 trade",
        "frmm trade",  # of four letters, and neither are two swapped nor is one missing
        "teh trade",  # of three
        "thier trade",  # as near to a word of the stop list
        "fomr trade",
        "slavrrr trade",  # two edits, of less than eight letters
        "背景画面 trade",
        "//sec[about(., -slavrey trade)]",
    ],
)
def test_a_word_is_searched_as_it_is_typed(index: Index, query: str) -> None:
    results, kept = index.search(query), index.search(query, spelling="keep")
    assert results.corrected == "" and results.query == kept.query and results.notices == kept.notices


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("rtee", "tree"),
        ("tade", "trade"),  # four letters, and one is missing
        ("dlavery", "slavery"),  # the first letter
        ("databbsse", "database"),  # two edits
        ("islnads", "islands"),
        ("treee", "tree"),  # not tr33, which is no word
    ],
)
def test_the_nearest_spelling_is_taken(index: Index, word: str, other: str) -> None:
    assert index.search(word).corrected == other


def test_of_equal_edits_most_documents_decide_then_the_letters(tmp_path: Path) -> None:
    texts = {"a": ["beach reach"], "b": ["beach reach peach"], "c": ["teach peach"]}
    with trix.open(build(tmp_path / "t", texts, stem="none", stop="none")) as index:
        assert index.search("veach").corrected == "beach"  # peach and reach have two documents, too
    del texts["a"]
    with trix.open(build(tmp_path / "u", texts, stem="none", stop="none")) as index:
        assert index.search("veach").notices == (said("veach", "peach", 2),)


@pytest.mark.slow
@settings(max_examples=FEW or 60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.lists(st.text("abcd", min_size=3, max_size=10), min_size=1, max_size=8), min_size=1, max_size=4),
    st.text("abcd", min_size=3, max_size=11),
)
def test_the_word_that_is_taken_is_that_of_the_definition(
    tmp_path_factory: pytest.TempPathFactory, documents: list[list[str]], word: str
) -> None:
    texts = {str(number): [" ".join(words)] for number, words in enumerate(documents)}
    with trix.open(build(tmp_path_factory.mktemp("any") / "t", texts, stem="none", stop="none")) as index:
        held = {each: sum(each in words for words in documents) for words in documents for each in words}
        held |= {"of": len(documents)}
        away = {each: edits_between(word, each) for each in held}
        most = 2 if len(word) >= LONG else 1
        best = min(away.values())
        nearest = [each for each in held if away[each] == best]
        if len(word) == SHORTEST:
            swapped = [each for each in nearest if sorted(each) == sorted(word)]
            nearest = swapped or [each for each in nearest if len(each) > len(word)]
        wanted = min(nearest, key=lambda each: (-held[each], each), default="")
        replaced = word not in held and len(word) >= SHORTEST and best <= most
        assert index.search(word).corrected == (wanted if replaced else "")


def test_accents_and_inflections_do_not_make_a_word_unknown(tmp_path: Path) -> None:
    texts = {"a": ["la vie privée", "walked to the café"]}
    with trix.open(build(tmp_path / "t", texts)) as index:
        for query in ("privee", "privée", "walking", "cafe"):
            assert (index.search(query).corrected, index.search(query).notices) == ("", ())
        assert index.search("prviee").corrected == "privée"
        assert index.search("prviee")[0].snippet_matches


# -- when --------------------------------------------------------------------------------------------------------------


def test_only_answers_made_to_be_read_replace_words(index: Index) -> None:
    kept = ("no document has slavrey; did you mean slavery (2)?",)
    assert index.search("slavrey").notices == (said("slavrey", "slavery", 2),)
    for options in ({"preset": "study"}, {"spelling": "keep"}, {"preset": "reading", "spelling": "keep"}):
        results = index.search("slavrey", **options)  # type: ignore[arg-type]
        assert (results.notices, results.corrected, len(results)) == (kept, "", 0)
    asked = index.search("slavrey", preset="study", spelling="correct")
    assert list(asked.elements) == list(index.search("slavery", preset="study").elements) and len(asked)
    run = index.run({"1": "slavrey"})
    assert not len(run["1"]) and run.notices == [f"topic 1: {kept[0]}"]
    assert len(index.run({"1": "slavrey"}, spelling="correct")["1"])


def test_known_words_are_compared_with_no_others(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = list[str]()
    near = Spellings.near

    def watched(self: Spellings, word: str, edits: int, first_letter: bool) -> Any:
        compared.append(word)
        return near(self, word, edits, first_letter)

    monkeypatch.setattr(Spellings, "near", watched)
    with trix.open(path) as index:
        for query in ("slavery trade", "+slavery -trade", '"slavery" the', "//sec[about(., slavery)]", "slav* trade"):
            index.search(query)
        assert not compared
        index.search("slavrey trade")
        assert set(compared) == {"slavrey"}
        compared.clear()
        index.search("slavrey trade", top=3)
        assert not compared


def test_of_many_unknown_words_the_first_are_replaced(index: Index) -> None:
    words = [f"slaver{letter}{other}" for letter in "bcdef" for other in "y"] + [f"islan{a}{b}" for a in "xq" for b in
                                                                              "bcdefghijklm"]  # fmt: skip
    notices = index.search(" ".join(words)).notices
    assert len(notices) == len(words) and sum("showing results" in each for each in notices) == 5
    assert not any("did you mean" in each for each in notices[20:])


# -- consistent --------------------------------------------------------------------------------------------------------


def test_all_that_is_asked_of_a_query_replaces_the_same_words(index: Index) -> None:
    typed, meant = "slavrey trade", "slavery trade"
    first, wanted = index.search(typed), index.search(meant)
    assert [each.path for each in first] == [each.path for each in wanted] and first.matched == wanted.matched
    assert first[0].snippet_matches == wanted[0].snippet_matches != []
    following = index.search(typed, top=1, from_=2)
    assert following.corrected == meant and following[0].path == wanted[1].path
    assert str(index.explain(typed, first[0])) == str(index.explain(meant, wanted[0]))
    passages = index.passages(typed)
    assert passages.text == index.passages(meant).text and passages.corrected == meant
    assert passages.notices[0] == first.notices[0]
    lines = index.concordance(typed)
    assert (lines.corrected, lines.notices) == (meant, first.notices)
    assert list(lines) == list(index.concordance(meant)) and next(index.concordance(typed)).hit == "slavery"
    assert index.show("a", highlight=typed) == index.show("a", highlight=meant)
    assert index.like("a").corrected == ""
    assert index.search(typed, group="document").corrected == meant


def answers(path: Any, query: str) -> tuple[str, str, tuple[str, ...], list[tuple[str, str, float]]]:
    with trix.open(path) as index:
        found = index.search(query)
        rows = sorted((each.doc, each.path, each.score) for each in found)
        return found.query, found.corrected, found.notices, rows


def test_answers_do_not_hang_on_how_a_collection_is_parted(path: Path, tmp_path: Path) -> None:
    parts = [build(tmp_path / name, {name: TEXTS[name]}) for name in TEXTS]
    grown = build(tmp_path / "grown" / "first", {"a": TEXTS["a"], "x": ["slavrey slaverx trdae"]})
    with trix.write(grown) as writer:
        for name in ("b", "c"):
            writer.add(write(tmp_path / "more" / name, {name: TEXTS[name]}))
        writer.delete("x")  # its words are known no more
    for query in ("slavrey trdae", "islnads recieve", "//sec[about(., slaverx)]", "islanbs"):
        one = answers(path, query)
        assert one[1] and answers(parts, query) == one and answers(grown, query) == one
    assert answers(parts[2], "slavrey") == ("slavrei", "", ("no document has slavrey",), [])


def test_a_word_that_only_deleted_documents_have_is_unknown(tmp_path: Path) -> None:
    grown = build(tmp_path / "t", {"a": ["slavery"], "b": ["slavrey of slavery"]})
    with trix.open(grown) as index:
        assert index.search("slavrey").corrected == ""
    with trix.write(grown) as writer:
        writer.delete("b")
    with trix.open(grown) as index:
        assert index.search("slavrey").notices == (said("slavrey", "slavery", 1),)
        assert index.search("salvery").notices == (said("salvery", "slavery", 1),)


# -- on the command line -----------------------------------------------------------------------------------------------


def test_the_command_line_says_what_was_replaced(path: Path, run_cli: Cli) -> None:
    notice = said("slavrey", "slavery", 2)
    code, out, err = run_cli("search", path, "slavrey", "trade")
    assert (code, err) == (0, f"trix: {notice}\n") and json.loads(out.splitlines()[0])["doc"] in TEXTS
    for command in (("search", "--kwic"), ("passages",)):
        assert notice in run_cli(command[0], path, "slavrey", *command[1:])[2]
    for kept in (("--spelling", "keep"), ("--preset", "study")):
        code, out, err = run_cli("search", path, "slavrey", *kept)
        assert (code, out) == (0, "") and "did you mean slavery (2)?" in err
    assert "--spelling" in run_cli("search", "--help-all")[1]
    code, _, err = run_cli("search", path, "slavrey", "--spelling", "corect")
    assert code == 2 and "did you mean correct?" in err
