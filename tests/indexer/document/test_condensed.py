"""What answers need of a document, kept in little memory: the same as its tree says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.query.display.test_shown import ANNOTATED, BOOK
from trix.indexer.document.record import document_text, text_places
from trix.indexer.read import compressed_text, texts
from trix.indexer.read.compressed_text import CompressedText
from trix.indexer.read.shown import show, shown_line

ARTICLES = Path(trix.__file__).parent / "handbook" / "articles"
PLAY = """<PLAY><TITLE>The Wood</TITLE><ACT><TITLE>ACT I</TITLE><SCENE><TITLE>SCENE I. An oak.</TITLE>
<SPEECH><SPEAKER>OWL</SPEAKER><LINE>Who goes <STAGEDIR>Aside</STAGEDIR> there?</LINE></SPEECH></SCENE></ACT></PLAY>"""


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[trix.Index]]:
    """Return indexes of the handbook, of a book with gaps and joined words, and of a play."""
    folder = tmp_path_factory.mktemp("condensed")
    (folder / "book.xml").write_text(BOOK.replace("wrote</p>", 'wr<gap reason="illegible"/>te</p>'), encoding="utf-8")
    (folder / "play.xml").write_text(PLAY)
    opened = []
    for name, source in (("handbook", ARTICLES), ("book", folder / "book.xml"), ("play", folder / "play.xml")):
        trix.build(source, folder / name, jobs=1)
        opened.append(trix.open(folder / name))
    yield opened
    for each in opened:
        each.close()


def test_it_says_what_the_tree_says(indexes: list[trix.Index], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed_text, "_TOGETHER", 500)
    titled = 0
    for index in indexes:
        viewer, files = index.now.viewer, index.files
        for number in range(0, len(index), 5):
            document = viewer.texts.document(number)
            made = viewer.texts._condense(number)
            low, high = files.document_range(number)
            elements = np.arange(low, high, dtype=np.int32)
            names = index.now.namer.all_names(elements)
            for element, path, tag, offset, length in zip(
                elements, names.paths, names.tags, names.offsets, names.lengths, strict=True
            ):
                if tag.startswith("@"):
                    continue
                shown = document.shown(offset, offset + length)
                again = made.shown(offset, offset + length)
                assert (again.text, again.place(0, length)) == (shown.text, shown.place(0, length))
                assert made.shown_line(offset, offset + length) == " ".join(shown.text.split())
                first = document.shown(offset, offset + 40).text
                assert made.shown_line(offset, offset + 40) == " ".join(first.split())
                content = int(viewer.contents(int(element))[0]) - int(files.first_contents[number])
                assert made.stretch(content) == document.stretch(content)
                if not tag.startswith("#"):
                    above = viewer.texts.headings.above(viewer.source_node(number, path), document.root)
                    assert made.titles_above(path) == above
                    titled += len(above)
    assert titled > 100


def test_whoever_asks_again_and_again_gets_the_same_lines(indexes: list[trix.Index]) -> None:
    for index, query in zip(indexes, ("index of elements", "robert wrote", "who goes there"), strict=True):
        index.now.viewer.forget()
        rounds = []
        for _ in range(texts._WORTH):
            found = index.search(query, strategy="thorough", top=20)
            rounds.append([(e.breadcrumb, e.snippet, e.snippet_matches, e.matches, e.text) for e in found])
            forget_trees(index)
        assert index.now.viewer.texts._condensed.known(found[0].document) is not None
        assert rounds[0] and all(each == rounds[0] for each in rounds)


def forget_trees(index: trix.Index) -> None:
    """Do what it does to the tree of a document that many others are read after this one."""
    trees = index.now.viewer.texts.document
    trees._values.clear()
    trees._sum = 0


def test_it_answers_without_the_source_once_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<a><s><title>Trees</title><p>An old oak stood there.</p></s></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as index:
        for _ in range(texts._WORTH):
            assert index.search("oak")[0].snippet
            forget_trees(index)
        (tmp_path / "d.xml").unlink()
        assert index.search("oak")[0].snippet == "An old oak stood there." and not index.notices


def test_memory_is_bounded(indexes: list[trix.Index], monkeypatch: pytest.MonkeyPatch) -> None:
    index = indexes[0]
    monkeypatch.setattr(texts, "_CONDENSED", 300_000)
    index.now.viewer.forget()
    kept = index.now.viewer.texts._condensed
    for number in range(len(index)):
        kept(number)
        held = [each.memory for each in kept._values.values()]
        assert sum(held) == kept._sum <= 300_000
    assert 1 < len(held) < len(index)
    index.now.viewer.forget()


def test_fewer_trees_are_kept_of_large_documents(indexes: list[trix.Index], monkeypatch: pytest.MonkeyPatch) -> None:
    index = indexes[0]
    sizes = [index.files.document_length(number) for number in range(len(index))]
    monkeypatch.setattr(texts, "_LARGE", max(sizes) // 4)
    index.now.viewer.forget()
    kept = index.now.viewer.texts.document
    most = 0
    for number in range(len(index)):
        assert kept(number).size == sizes[number]
        weights = [max(each.size, texts._LARGE) for each in kept._values.values()]
        assert sum(weights) <= texts._KEPT * texts._LARGE
        most = max(most, len(weights))
    assert 4 <= most <= texts._KEPT
    index.now.viewer.forget()


@settings(max_examples=500, deadline=None)
@given(ANNOTATED, st.sampled_from(["", "|"]), st.integers(0, 40), st.integers(0, 40))
def test_the_text_of_a_range_is_that_which_is_shown(annotated: str, join: str, begin: int, size: int) -> None:
    places = text_places(annotated)[begin : begin + size]
    wanted = show(annotated[places[0] : places[-1] + 1] if places.size else "", join).text
    assert shown_line(annotated, begin, begin + size, join) == " ".join(wanted.split())


@settings(max_examples=200, deadline=None)
@given(ANNOTATED, st.integers(1, 30), st.integers(0, 2**31))
def test_a_text_in_pieces_is_the_whole_text(annotated: str, together: int, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compressed_text, "_TOGETHER", together)
        made = CompressedText(annotated, "", np.zeros(0, np.int64), {})
    size = len(document_text(annotated))
    begin = random.Random(seed).randint(0, size)
    places = text_places(annotated)[begin:size]
    assert made.shown(begin, size).text == show(annotated[places[0] : places[-1] + 1] if places.size else "").text
