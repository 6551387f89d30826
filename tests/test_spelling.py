"""Accents, ligatures and variants: which words are one, and which of them come first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from trix.errors import UsageError
from trix.indexer.store.strings import StringTable, encode_strings
from trix.indexer.store.words import SegmentWords
from trix.indexer.words.analyzer import split_words
from trix.indexer.words.edits import edits_between
from trix.indexer.words.joint import each, exact, joined, parts
from trix.indexer.words.spelling import plain_spelling
from trix.indexer.words.variants import read_variants

TEXTS = [
    "Müller was here",
    "Muller muller was not",
    "the Mueller family of Müller",
    "coeur et œuvre",
    "cœur",
    "ÆON",
    "Aeon",
]


def index_of(folder: Path, texts: list[str], **settings: object) -> Path:
    (folder / "d.xml").write_text(f"<d>{''.join(f'<p>{text}</p>' for text in texts)}</d>", "utf-8")
    trix.build(folder / "d.xml", folder / "i.index", **settings)  # type: ignore[arg-type]
    return folder / "i.index"


def paths(index: trix.Index, query: str, accents: str = "fold", **options: object) -> set[str]:
    found = index.search(query, strategy="thorough", top=None, level="content", accents=accents, **options)  # type: ignore[arg-type]
    return {result.path.removeprefix("/d[1]") for result in found}


def test_words_that_differ_in_accents_are_one_unless_they_are_kept(tmp_path: Path) -> None:
    with trix.open(index_of(tmp_path, TEXTS)) as index:
        assert paths(index, "muller") == paths(index, "Müller") == {"/p[1]", "/p[2]", "/p[3]"}
        assert paths(index, "muller", accents="keep") == {"/p[2]"}
        assert paths(index, "Müller", accents="keep") == {"/p[1]", "/p[3]"}
        assert paths(index, '"mueller family"', phrases="exact") == {"/p[3]"}
        assert paths(index, '"family of muller"', phrases="exact") == {"/p[3]"}
        assert paths(index, '+"muller family"~9', signs="must") == {"/p[3]"}
        for accents in ("fold", "keep"):  # ligatures are letters, not accents
            assert paths(index, "oeuvre", accents=accents) == paths(index, "œuvre", accents=accents) == {"/p[4]"}
            assert paths(index, "cœur", accents=accents) == {"/p[4]", "/p[5]"}
            assert paths(index, "aeon", accents=accents) == {"/p[6]", "/p[7]"}


def test_an_index_that_keeps_accents_keeps_them_for_every_query(tmp_path: Path) -> None:
    with trix.open(index_of(tmp_path, TEXTS, accents="keep")) as index:
        assert paths(index, "muller") == paths(index, "muller", accents="fold") == {"/p[2]"}
        assert paths(index, "oeuvre") == {"/p[4]"}
    with pytest.raises(UsageError, match="expected fold or keep"):
        index_of(tmp_path, TEXTS, accents="drop", overwrite=True)


def test_the_spelling_that_was_asked_for_comes_first(tmp_path: Path) -> None:
    texts = ["muller", "muller muller muller", "müller and many other words that make it long", "muller müller"]
    others = ["nobody", "some other"] * 3  # a word that is everywhere weighs nothing
    with trix.open(index_of(tmp_path, texts + others, stop="none")) as index:
        for query, first in (("müller", ["/p[3]", "/p[4]"]), ("muller", ["/p[1]", "/p[2]", "/p[4]"])):
            for model in ("trix2005", "bm25", "lm-dirichlet"):
                found = index.search(query, strategy="thorough", level="content", model=model, accents="fold")
                assert sorted(r.path[5:] for r in list(found)[: len(first)]) == first
        best = next(iter(index.search("müller", strategy="thorough", level="content", accents="fold")))
        assert "where some have the word as it was asked for" in str(
            index.explain("müller", best, strategy="thorough", accents="fold")
        )


words = st.text("aäáoöœæ", min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=6), words)
def test_a_word_weighs_as_all_its_spellings_do(texts: list[list[str]], word: str) -> None:
    """The literal reading: a third of the alternatives of all words that are alike, and two thirds of the greatest."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = index_of(Path(folder), [" ".join(text) for text in texts], stem="none", stop="none")
        with trix.open(path) as index:
            every = {w for text in texts for w in text}
            alike = sorted(w for w in every if plain_spelling(w) == plain_spelling(word))
            asked: dict[str, Any] = {"strategy": "thorough", "top": None, "model": "bm25", "accents": "fold"}
            found = {r.path: r.score for r in index.search(word, **asked)}
            both = {r.path: r.score for r in index.search(f"({' | '.join(alike)})", **asked)} if alike else {}
            own = {f"/d[1]/p[{n}]" for n, text in enumerate(texts, 1) if word in text}
            own |= {"/d[1]"} if own else set()
            if set(alike) - {word} and own:
                greatest = max(both.values())
                both = {path: (s + 2 * (path in own) * greatest) / 3 for path, s in both.items()}
            assert found == pytest.approx(both)


def test_joint_keys() -> None:
    key = joined(["a", "b"], ["b", "c"])
    assert (parts(key), exact(key), exact(exact(key))) == (["a", "b", "c"], "a|b", "a|b")
    assert each(("x", key)) == (("x", "a"), ("x", "b"), ("x", "c"))
    assert not {"|", "~"} & set("".join(split_words("a|b~c | ~")))


def test_variants_are_one_word_in_documents_and_queries(tmp_path: Path) -> None:
    table = tmp_path / "spellings.txt"
    table.write_text("# old\nchuse, chuze = choose\n\nMUSICK = music # Johnson\n")
    path = index_of(tmp_path, ["they chuse", "to choose", "chuzes musick", "musical"], variants=table)
    table.unlink()
    with trix.open(path) as index:
        assert paths(index, "chuse") == paths(index, "choosing") == paths(index, "chuze") == {"/p[1]", "/p[2]"}
        assert "/p[3]" in paths(index, "music")
        found = index.search("choose", top=None, strategy="thorough", level="content")
        assert {result.text[slice(*result.matches[0])] for result in found} == {"chuse", "choose"}
        assert paths(index, "chu?e*") >= {"/p[1]", "/p[2]"}  # patterns are of words as they are written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chuse\n", r"v\.txt:1: expected WORD = WORD, as chuse = choose; '' is not one word"),
        ("a = b\nto day = today", r"v\.txt:2: .*'to day' is not one word"),
        ("a = b\na = c", r"v\.txt:2: a is b at .*v\.txt:1, and cannot be c as well"),
        ("a = b\nb = c", r"v\.txt:1: b is itself written c; write a = c"),
    ],
)
def test_a_wrong_table_says_where(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_variants(tmp_path / "v.txt")
    with pytest.raises(UsageError, match="the table of variants"):
        read_variants(tmp_path / "none.txt")


def test_spellings_follow_what_lives(tmp_path: Path) -> None:
    path = tmp_path / "i.index"
    with trix.write(path, profile="generic") as writer:
        writer.add_document("<d><p>müller</p></d>", id="a")
        writer.commit()
        writer.add_document("<d><p>muller</p></d>", id="b")
    for gone, left in (("", ["a", "b"]), ("a", ["b"])):
        if gone:
            with trix.write(path) as writer:
                writer.delete(gone)
        with trix.open(path) as index:
            found = index.search("müller", strategy="thorough", level="content", accents="fold")
            assert [r.doc for r in found] == left


letters = st.text(st.sampled_from("aoeuéöœøß"), min_size=1, max_size=5)


def literally_fits(pattern: str, word: str) -> bool:
    """Tell whether a word fits a pattern, one character after the other."""
    if not pattern:
        return not word
    if pattern[0] == "*":
        return literally_fits(pattern[1:], word) or (bool(word) and literally_fits(pattern, word[1:]))
    return bool(word) and pattern[0] in ("?", word[0]) and literally_fits(pattern[1:], word[1:])


@settings(max_examples=150, deadline=None)
@given(st.sets(letters, min_size=1), st.data(), st.sampled_from(["fold", "keep", None]))
def test_patterns_and_fuzzy_words_are_compared_in_plain_spelling(
    known: set[str], data: st.DataObject, accents: str | None
) -> None:
    ordered = sorted(known)
    words = SegmentWords(StringTable(*encode_strings(ordered)), b"", np.zeros(0, np.uint32))
    plain = [plain_spelling(word, accents) if accents else word for word in ordered]
    pattern = data.draw(st.text(st.sampled_from("aoeéöœ*?"), min_size=1, max_size=5).filter(lambda p: p.strip("*?")))
    asked = plain_spelling(pattern, accents) if accents else pattern
    fits = [number for number, word in enumerate(plain) if literally_fits(asked, word)]
    assert words.fitting(pattern, accents).tolist() == fits
    word, edits, first = data.draw(letters), data.draw(st.sampled_from([1, 2])), data.draw(st.booleans())
    own = plain_spelling(word, accents) if accents else word
    near = [n for n, w in enumerate(plain) if edits_between(own, w) <= edits and (not first or w[0] == own[0])]
    assert sorted(words.near(word, edits, first, accents).tolist()) == near


def test_patterns_fuzzy_words_and_filters_fold_accents_as_words_do(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[fields]\nauthor = "/d/a"\n')
    texts = ["<a>Jörg Müller</a><p>privée</p>", "<a>Jorg Muller</a><p>privee</p>", "<a>May</a><p>prive</p>"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.xml").write_text(f"<d>{text}</d>", "utf-8")
    files = [tmp_path / f"{number}.xml" for number in range(3)]
    for name in ("fold", "keep"):
        trix.build(files, tmp_path / name, profile=tmp_path / "own.toml", accents=name, stem="none", jobs=1)

    def docs(name: str, query: str, **options: Any) -> str:
        with trix.open(tmp_path / name) as index:
            asked: dict[str, Any] = {"preset": "reading", "size": "any", "top": None, "strategy": "thorough"}
            return "".join(sorted({result.doc for result in index.search(query, **asked | options)}))

    for query in ("privee*", "privée*", "priv?e", "privvee~"):
        assert docs("fold", query) == "01"
    assert docs("fold", "privéé~") == "012" and docs("fold", "privéé~", accents="keep") == "0"
    assert docs("fold", "privé*", accents="keep") == "0"
    assert docs("keep", "privé*") == "0" and docs("keep", "privee*") == "1"
    assert docs("fold", "p*", where="author ~ muller") == docs("fold", "p*", where="author ~ 'JÖRG müller'") == "01"
    assert docs("fold", "p*", where="author ~ muller", accents="keep") == "1"
    assert docs("keep", "p*", where="author ~ muller") == "1"
    assert docs("fold", "p*", where="not author ~ müller") == "2"


def test_a_word_of_a_script_without_blanks_is_offered_as_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>デスクトップの背景を変更する。</p><p>背景画像</p><p>ordinary words</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    index = trix.open(tmp_path / "i")
    said = "no document has 背景 between blanks or signs; did you mean *背景* (in 2 stretches)?"
    assert [*index.search("背景").notices] == [said] and index.search("*背景*").matched == 3  # and their element
    assert index.search("画面").notices == ("no document has 画面",)
    assert index.search("ordinar").notices[0].startswith("no document has ordinar; did you mean ordinary")
