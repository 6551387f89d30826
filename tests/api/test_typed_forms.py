"""Typed forms first: a few results that are about as good, in the order of what their texts say literally."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from trix.api.typed_forms import MARGIN, ordered, typed_first
from trix.indexer.words.analyzer import split_words
from trix.query.matching.forms import REORDERED

FORMS = ["medication", "medications", "medical", "medicate", "vessel", "vessels", "walks", "walking"]
OTHERS = ["oak", "ship", "sail", "mast", "leaf"]
ASKED: dict[str, Any] = {
    "preset": "reading",
    "size": ":",
    "level": "//p",
    "known_items": False,
    "per_document": "all",
    "copies": "keep",
}


def written(folder: Path, many: int, seed: int) -> list[Path]:
    """Write documents of paragraphs of equal lengths, so that many are about as good."""
    chance, found = random.Random(seed), []
    for number in range(many):
        texts = [" ".join([*chance.choices(FORMS, k=3), *chance.choices(OTHERS, k=5), f"n{number}"]) for _ in range(3)]
        found.append(folder / f"d{number:02}.xml")
        found[-1].write_text("<doc>" + "".join(f"<p>{text}.</p>" for text in texts) + "</doc>")
    return found


def literally(results: trix.Results, query: str) -> list[tuple[str, str]]:
    """Return the addresses of results in the order in which each rises over those before it, one step at a time."""
    words = split_words(query)
    shares = [sum(word in split_words(each.text) for word in words) / len(words) for each in results]
    order = list(range(len(results)))
    raised = [score * (1 + MARGIN * share) for score, share in zip(results.scores.tolist(), shares, strict=True)]
    for _ in order:  # bubbles: equal ones never change places
        for at in range(min(REORDERED, len(order)) - 1):
            if raised[order[at + 1]] > raised[order[at]]:
                order[at], order[at + 1] = order[at + 1], order[at]
    return [(results[at].doc, results[at].path) for at in order]


def test_medications_come_before_medical_equipment(tmp_path: Path) -> None:
    """Both sections have one occurrence of the stem, and as many words."""
    (tmp_path / "a.xml").write_text(
        "<ClinicalDocument><title>Summary</title>"
        "<section><title>MEDICAL EQUIPMENT</title><text>walker wheels</text></section>"
        "<section><title>Medications taken</title><text>pill water</text></section>"
        "</ClinicalDocument>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as opened:

        def first(query: str, **options: Any) -> str:
            results = opened.search(query, **{"preset": "reading", "level": "//section", "size": ":"} | options)
            assert len(results) == 2 and results.scores[0] == results.scores[1]
            return results[0].text.split("\n")[0]

        assert first("medications") == "Medications taken"
        assert first("medical") == first("medication") == first("medic*") == "MEDICAL EQUIPMENT", "in document order"
        assert first("medications", forms="alike") == "MEDICAL EQUIPMENT"
        assert first("medications", preset="standard") == first("medications", preset="study") == "MEDICAL EQUIPMENT"
        assert first("medications walker pill") == "Medications taken"


@pytest.mark.parametrize("query", ["medications", "medication vessels", "walking medical oak", '"vessel" walks'])
def test_results_are_in_the_order_that_their_texts_say(tmp_path: Path, query: str) -> None:
    paths = written(tmp_path, 8, seed=len(query))
    trix.build(paths, tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        plain = opened.search(query, forms="alike", top="all", **ASKED)
        found = opened.search(query, top="all", **ASKED)
        asked = " ".join(word for word in split_words(query) if word in FORMS)
        expected = literally(plain, asked)
        assert [(each.doc, each.path) for each in found] == expected
        assert expected != [(each.doc, each.path) for each in plain], "a draw in which something moves"
        assert sorted(found.scores) == sorted(plain.scores) and found.matched == plain.matched
        assert all(one >= other for one, other in pairwise(found.run_scores.tolist()))
        for size in (1, 4, 7):
            pages = [opened.search(query, top=size, from_=at, **ASKED) for at in range(1, len(found) + 1, size)]
            assert [(each.doc, each.path) for page in pages for each in page] == expected, "pages are cut from one list"


def test_copies_fold_under_the_first_of_them_and_known_items_stay_first(tmp_path: Path) -> None:
    texts = ["vessel of oak and a mast", "vessels of oak and a mast", "vessels of oak, and a mast"]
    (tmp_path / "a.xml").write_text("<doc>" + "".join(f"<p>{text}</p>" for text in texts) + "</doc>")
    (tmp_path / "b.xml").write_text(
        "<doc><sec><title>Vessels</title><p>A vessel</p></sec><sec><title>More</title><p>vessels</p></sec></doc>"
    )
    trix.build([tmp_path / "a.xml", tmp_path / "b.xml"], tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        found = opened.search("vessels oak", **ASKED | {"copies": "fold"})
        assert [each.text for each in found][:2] == texts[1::-1] and len(found[0].copies) == 1
        known = opened.search("vessels", **ASKED | {"level": "//sec", "known_items": True})
        assert known[0].known == "section"


def test_nothing_is_read_where_no_word_has_other_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = written(tmp_path, 3, seed=1)
    trix.build(paths, tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        plain = opened.search("oak ship", preset="reading", forms="alike")
        monkeypatch.setattr("trix.query.display.viewer.Viewer.shown_line", lambda *_: pytest.fail("a text was read"))
        for query in ("oak ship", "vess*", "-vessels oak", "(vessels | ship)"):
            opened.search(query, preset="reading")
        assert opened.search("oak ship", preset="reading").elements.tolist() == plain.elements.tolist()


def test_results_keep_their_order_where_sources_are_gone(tmp_path: Path) -> None:
    paths = written(tmp_path, 4, seed=2)
    trix.build(paths, tmp_path / "i", profile="generic", jobs=1)
    for path in paths:
        path.unlink()
    with trix.open(tmp_path / "i") as opened:
        found = opened.search("vessels", **ASKED)
        assert found.elements.tolist() == opened.search("vessels", forms="alike", **ASKED).elements.tolist()


def test_ties_stay_and_results_that_were_put_off_do_not_rise() -> None:
    assert ordered(np.array([5.0, 5.0, 5.0]), np.array([0.5, 1.0, 0.5])).tolist() == [1, 0, 2]
    assert ordered(np.array([5.0, 4.7]), np.array([0.0, 1.0])).tolist() == [0, 1], "beyond the margin"
    assert typed_first(trix.Results(), frozenset({"a"}), None, "fold", 10) is not None  # type: ignore[arg-type]
