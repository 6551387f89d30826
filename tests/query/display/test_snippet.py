"""Snippets: the quick search for a window against the literal one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.characters import inside_words
from trix.indexer.words.located import locate_words
from trix.query.display.snippet import FURTHER, Occurrences, _passages, _richest, candidates, marked_words, snippet

PLAIN = Analyzer(stem="none", stop="none")


def literal(text: str, keys: set[str], width: int) -> tuple[int, int]:
    """Return the first start of a window with most distinct keys, and how many they are, by trying every one."""
    hits = [(match.start(), match.end(), match.group()) for match in re.finditer(r"\w+", text) if match.group() in keys]
    best = begin = 0
    for start, _, _ in hits:
        seen = {key for other, end, key in hits if other >= start and end - start <= width}
        if len(seen) > best:
            best, begin = len(seen), start
    return begin, best


@given(st.lists(st.sampled_from(["a", "bb", "c", "xxx", "dd"]), max_size=25), st.integers(4, 20))
def test_the_first_window_with_most_distinct_keys_is_found(words: list[str], width: int) -> None:
    text, keys = " ".join(words), {"a", "bb", "c"}
    window = _richest(Occurrences(text, keys, PLAIN), keys, width)
    held = set(re.findall(r"\w+", text[window.begin : window.end])) & keys
    assert (window.begin, len(held)) == literal(text, keys, width)
    assert window.settled == (held == keys)


@given(st.lists(st.sampled_from(["a", "bb", "c", "xxx.", "Dd", "dd"]), max_size=90), st.integers(40, 60))
def test_words_that_the_best_passage_does_not_hold_follow_in_shorter_ones(words: list[str], width: int) -> None:
    text, keys = " ".join(words), {"a", "bb", "c"}
    passages = _passages(text, keys, PLAIN, width)
    shown = [set(re.findall(r"\w+", text[low:high])) & keys for low, high in passages]
    assert len(passages) <= 1 + FURTHER
    assert sum(high - low for low, high in passages) == len({at for low, high in passages for at in range(low, high)})
    assert len(shown[0]) >= literal(text, keys, width - 20)[1]
    assert all(later - set().union(*shown[:at]) for at, later in enumerate(shown) if at)
    assert set().union(*shown) == set(words) & keys


@given(st.text(max_size=400), st.integers(30, 100))
def test_a_snippet_is_one_line_within_its_width(text: str, width: int) -> None:
    shown = snippet(text, {"a"}, PLAIN, width)
    assert len(shown) <= width
    assert shown == " ".join(shown.split())


WORDS = [
    "Tree", "trees", "étude", "Etude", "ﬁne", "_tree", "2nd", "of", "Über", "uber", "able", "ability", "die", "dying",
    "mémbrane", "MEMBRANES", "me\u0301mbrane", "happy", "Happily", "sky", "skies", "שָׁלוֹם", "dy\u00ading",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(WORDS)),
    st.sampled_from(["none", "porter", "english", "german"]),
)
def test_words_that_are_passed_over_have_none_of_the_keys(words: list[str], stem: str) -> None:
    analyzer, text = Analyzer(stem=stem, stop="none"), " ".join(words)
    for wanted in ("tree", "etude", "fine", "uber", "2nd", "ability", "dying", "membranes", "happiness", "שָׁלוֹם"):
        keys = frozenset(analyzer.keys(wanted))
        having = {word for word in words if keys & set(analyzer.keys(word))}
        assert having <= set(candidates(keys, stem, inside_words(text)).findall(text))


@pytest.mark.parametrize("stem", ["none", "porter", "english"])
def test_words_of_the_handbook_are_found_by_how_they_begin(stem: str) -> None:
    articles = (Path(trix.__file__).parent / "handbook" / "articles").glob("*.xml")
    words = {word for path in articles for word in re.findall(r"[^\W_]+", path.read_text(encoding="utf-8"))}
    analyzer = Analyzer(stem=stem, stop="none")
    for word in sorted(words):
        for key in analyzer.keys(word):
            assert word in candidates(frozenset({key}), stem, r"\w").findall(word), (word, key)
            marked = marked_words(word, {key}, analyzer)
            slow = [(low, high) for each, low, high in locate_words(word) if analyzer.key(each) == key]
            assert marked == slow


def test_an_element_read_alone_has_the_snippet_that_the_whole_document_gives(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<a><b>one <i>t</i>wo</b><s>three<p>four <c>five</c> six</p>\n<q><e/>seven</q> eight</s><b>nine two</b></a>"
    )
    (tmp_path / "p.toml").write_text('inline = ["i"]\nblank = ["c"]\ncontainer = ["s"]\n')
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=tmp_path / "p.toml", stem="none", stop="none", jobs=1)
    query = "one two three four six seven eight nine"
    with trix.open(tmp_path / "i") as index:
        alone = {result.path: result.snippet for result in index.search(query, strategy="thorough", top=None)}
    with trix.open(tmp_path / "i") as index:
        assert index.show("a").startswith("one two")  # reads the whole document first
        whole = {result.path: result.snippet for result in index.search(query, strategy="thorough", top=None)}
    assert alone == whole
    assert "four six" in alone["/a[1]/s[1]"]
    assert len(alone) > 5
