"""The default stop list keeps the promises of docs/stop-list.md."""

from __future__ import annotations

import re
from pathlib import Path

from tests.paths import ROOT
from trix.indexer import words
from trix.indexer.words.analyzer import split_words

LIST = Path(words.__file__).parent / "stop" / "default.txt"
PAGE = ROOT / "docs" / "stop-list.md"
LINES = LIST.read_text(encoding="utf-8").splitlines()
WORDS = [line for line in LINES if line and not line.startswith("#")]


def test_every_line_is_one_folded_word_and_none_comes_twice() -> None:
    assert [word for word in WORDS if split_words(word) != [word]] == []
    assert len(set(WORDS)) == len(WORDS)


def test_the_page_says_how_many_words_there_are() -> None:
    found = re.search(r"drops (\d+) English words", PAGE.read_text(encoding="utf-8"))
    assert found is not None
    assert int(found[1]) == len(WORDS)


def test_the_only_single_letters_are_the_article_the_pronoun_and_the_possessive() -> None:
    assert sorted(word for word in WORDS if len(word) == 1) == ["a", "i", "s"]


def test_words_that_name_things_are_kept() -> None:
    kept = "us mine well like need use used won down round past till plus minus save given following two first half new"
    assert set(kept.split()) & set(WORDS) == set()


def test_no_number_is_stopped() -> None:
    assert [word for word in WORDS if any(character.isdigit() for character in word)] == []
