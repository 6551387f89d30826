"""Accents, ligatures and variants: which words are one, and which of them come first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.segments import facts_of, flipped, sections_of, write_segment
from trix.errors import UsageError
from trix.indexer.store import words as store_words
from trix.indexer.store.strings import ListedStrings, StringTable, encode_numbers, encode_strings
from trix.indexer.store.words import SegmentWords, other_spellings
from trix.indexer.words.analyzer import split_words
from trix.indexer.words.characters import fold
from trix.indexer.words.edits import edits_between
from trix.indexer.words.multi_key import each, exact, joined, parts
from trix.indexer.words.spelling import plain_spelling, plain_spellings
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


SCRIPTS = [
    # Hebrew: points and cantillation; a maqaf parts words; presentation forms; the digraphs of Yiddish are ligatures
    ("שלום", ["שלום", "שָׁלוֹם", "שָׁל֔וֹם", "ﬠַל־שָׁלוֹם", "\ufb2aלום"], ["שלומ", "לום"]),
    ("בְּרֵאשִׁ֖ית", ["בראשית", "בְּרֵאשִׁ֖ית", "בְּרֵאשִׁית"], ["ברא"]),
    ("ײִדיש", ["ײדיש", "יידיש", "ײִדיש"], ["ידיש"]),
    # Arabic: vowels, shadda, superscript alef, tatweel; seats of hamza, alefs, alef maqsura, teh marbuta
    ("محمد", ["محمد", "مُحَمَّد", "مـحـمـد", "ﻣﺤﻤﺪ"], ["محمود"]),
    ("هذا", ["هذا", "هَٰذَا", "هٰذا"], ["هذه"]),
    ("احمد", ["أحمد", "احمد", "أَحْمَد", "إحمد", "آحمد", "ٱحمد"], ["حمد", "ءحمد"]),
    ("مسؤول", ["مسؤول", "مسوول", "مَسْؤُول"], ["مسول"]),
    ("على", ["على", "علي", "عَلَى", "علی"], ["علا"]),
    ("مدرسة", ["مدرسة", "مدرسه", "مَدْرَسَةٌ"], ["مدرس"]),
    ("لَهُۥ", ["له", "لَهُۥ"], ["لها"]),
    # Persian and Urdu: their kaf, yeh and heh; yeh barree is another letter
    ("کتابی", ["كتابي", "کتابی", "کِتابی"], ["کتابے"]),
    ("خانۀ", ["خانه", "خانۀ", "خانهٔ", "خانہ"], ["خان"]),
    ("ܫܠܡܐ", ["ܫܠܡܐ", "ܫܠܳܡܳܐ", "ܫܠܵܡܵܐ"], ["ܫܠܡ"]),
    # Greek: an iota subscript is no letter, or an iota; Modern Greek accents
    ("ψυχῇ", ["ψυχῇ", "ψυχῆι", "ψυχη", "ψυχηι", "Ψυχή", "ΨΥΧΗ", "ΨΥΧΗΙ"], ["ψυχαι"]),
    ("ψυχη", ["ψυχη", "ψυχῇ", "ψυχή"], ["ψυχῆι"]),
    ("χώραι", ["χώραι", "χώρᾳ", "χῶραι"], ["χώρα"]),
    ("ᾠδῇ", ["ᾠδῇ", "ὠιδῆι", "ωδη", "ᾨΔΗ"], ["ωδι"]),
]


@pytest.mark.parametrize(("asked", "same", "other"), SCRIPTS, ids=[asked for asked, _, _ in SCRIPTS])
def test_optional_signs_of_a_script_do_not_count_and_are_marked_with_their_words(
    tmp_path: Path, asked: str, same: list[str], other: list[str]
) -> None:
    texts = [f"({word}), x" for word in [*same, *other]]
    with trix.open(index_of(tmp_path, texts, stem="none", stop="none", profile="generic")) as index:
        wanted = {f"/p[{number}]" for number in range(1, len(same) + 1)}
        for query in (asked, f'"{asked}"', f"({asked} | zzz)"):
            assert paths(index, query) == wanted
        assert paths(index, f"{asked}*") >= wanted
        assert paths(index, f"{asked[:-1]}*") >= wanted and paths(index, f"*{asked[1:]}") >= paths(index, asked, "keep")
        found = index.search(asked, strategy="thorough", top=None, level="content", accents="fold")
        written = {texts[int(r.path.rpartition("[")[2][:-1]) - 1]: r for r in found}
        for text, result in written.items():
            (marked,) = {result.text[begin:end] for begin, end in result.matches}
            assert marked == text[1 : text.index(")")].rpartition("־")[2]
            snippet = result.snippet
            assert [snippet[begin:end] for begin, end in result.snippet_matches] == [marked]
        assert not found.notices


def test_the_spelling_that_was_typed_is_before_others_in_every_script(tmp_path: Path) -> None:
    texts = ["שלום", "שָׁלוֹם", "أحمد", "احمد", "ψυχη", "ψυχῇ"]
    with trix.open(index_of(tmp_path, texts, stem="none", stop="none", profile="generic")) as index:
        for number, text in enumerate(texts, 1):
            found = index.search(text, strategy="thorough", level="content", accents="fold")
            assert [len(found), found[0].path] == [2, f"/d[1]/p[{number}]"]


def test_kept_accents_keep_signs_but_neither_ligatures_nor_tatweel_nor_the_place_of_an_iota(tmp_path: Path) -> None:
    texts = ["שלום", "שָׁלוֹם", "محمد", "مُحَمَّد", "مـحـمـد", "ψυχῇ", "ψυχῆι", "ψυχη", "װאָס", "וואָס"]
    with trix.open(index_of(tmp_path, texts, stem="none", stop="none", profile="generic")) as index:
        for query, wanted in {"שלום": "1", "שָׁלוֹם": "2", "محمد": "35", "ψυχῇ": "67", "ψυχη": "8", "װאָס": "9 10"}.items():
            numbers = wanted.split() if " " in wanted else [*wanted]
            assert paths(index, query, "keep") == {f"/p[{number}]" for number in numbers}


def test_signs_do_not_count_beside_the_stemmer_of_a_language(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<d xml:lang='ar'><p>الكِتَابُ الجَدِيد</p><p>كتاب</p><p>كُتُب</p></d>", "utf-8")
    trix.build(tmp_path / "d.xml", tmp_path / "i", stem="auto", profile="generic")
    with trix.open(tmp_path / "i") as index:
        assert paths(index, "الكتاب") >= {"/p[1]", "/p[2]"}
        assert paths(index, "كِتَاب") >= {"/p[1]", "/p[2]"}


def test_a_word_that_no_document_has_is_named_as_it_was_typed(tmp_path: Path) -> None:
    with trix.open(index_of(tmp_path, ["ψυχαγωγία slavery"], stem="none", profile="generic")) as index:
        for query in ("ψυχῇ", "ΨΥΧΗ", "Straße", "ﬁsh", "שָׁלוֹם", "so\u00adlo"):
            assert index.search(query).notices == (f"no document has {query}",)
        assert index.search('"Straße slavery" STRASSE').notices == ("no document has Straße",)
        assert index.search("//d[about(., Slavry)]").notices == ("no document has Slavry; did you mean slavery (1)?",)
        assert index.search("(Straß*, ﬁsh~2").notices == (
            "no word of the index fits Straß*",
            "no word of the index fits ﬁsh~2",
        )


def test_titles_and_words_are_suggested_whatever_their_signs(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('title = "/d/t"\n')
    texts = ["<t>שִׁיר הַשִּׁירִים</t><p>שָׁלוֹם</p>", "<t>الأدب العَرَبِيّ</t><p>müller</p>", "<t>ᾠδῇ</t><p>ψυχῇ</p>"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.xml").write_text(f"<d>{text}</d>", "utf-8")
    files = [tmp_path / f"{number}.xml" for number in range(3)]
    for accents in ("fold", "keep"):
        trix.build(files, tmp_path / accents, profile=tmp_path / "own.toml", stem="none", accents=accents)

    def suggested(text: str, accents: str = "fold") -> list[str]:
        with trix.open(tmp_path / accents) as index:
            return [each.text for each in index.suggest(text)]

    assert suggested("של") == suggested("שָׁל") == ["שָׁלוֹם"]
    assert suggested("a של") == ["a שָׁלוֹם"]
    assert suggested("השיר") == ["הַשִּׁירִים", "שִׁיר הַשִּׁירִים"]
    assert suggested("שיר השירים ") == suggested("שִׁיר ") == ["שִׁיר הַשִּׁירִים"]
    assert suggested("الاد") == suggested("اَلأَد") == ["الأدب", "الأدب العَرَبِيّ"]
    assert suggested("mul") == suggested("mül") == ["müller"]
    assert suggested("ψυχη") == suggested("ψυχῇ") == suggested("ψυχηι") == ["ψυχῇ"]
    assert suggested("ωδη ") == suggested("ωιδηι ") == suggested("ὠδῇ ") == ["ᾠδῇ"]
    assert suggested("mul", "keep") == [] and suggested("mül", "keep") == ["müller"]
    assert suggested("\u05b8") == suggested("\u0640") == []


def test_filters_know_an_iota_below_and_behind(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[fields]\nauthor = "/d/a"\n')
    for number, name in enumerate(["ᾠδῇ", "ὠιδῆι", "ωδη", "שָׁלוֹם"]):
        (tmp_path / f"{number}.xml").write_text(f"<d><a>{name}</a><p>x</p></d>", "utf-8")
    files = [tmp_path / f"{number}.xml" for number in range(4)]
    trix.build(files, tmp_path / "i", profile=tmp_path / "own.toml", stem="none", stop="none")
    with trix.open(tmp_path / "i") as index:
        for value, wanted in {"ᾠδῇ": "012", "ωδη": "02", "ωιδηι": "01", "שלום": "3", "שָׁלום": "3"}.items():
            found = index.search("x", where=f"author ~ {value}", top=None, level="content", accents="fold")
            assert sorted(result.doc for result in found) == [*wanted]


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


words = st.text("aäáoöœæאאָ\u05b4", min_size=1, max_size=3).filter(split_words)


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
        ("chuse\n", r"v\.txt:1: expected WORD = WORD, such as chuse = choose; '' is not one word"),
        ("a = b\nto day = today", r"v\.txt:2: .*'to day' is not one word"),
        ("a = b\na = c", r"v\.txt:2: a is already replaced by b at .*v\.txt:1; remove one of the two"),
        ("a = b\nb = c", r"v\.txt:1: b is itself replaced by c; write a = c"),
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


letters = st.text(st.sampled_from("aoeuéöœøßאאָאٱᾳαι\u0640"), min_size=1, max_size=5).map(fold).filter(split_words)


def literally_fits(pattern: str, word: str) -> bool:
    """Tell whether a word fits a pattern, one character after the other."""
    if not pattern:
        return not word
    if pattern[0] == "*":
        return literally_fits(pattern[1:], word) or (bool(word) and literally_fits(pattern, word[1:]))
    return bool(word) and pattern[0] in ("?", word[0]) and literally_fits(pattern[1:], word[1:])


def listed(words: list[str], accents: str) -> ListedStrings:
    others = other_spellings(words, accents)
    coded, sizes = encode_numbers(others.values())
    return ListedStrings(StringTable(*encode_strings(others)), coded, np.cumsum(sizes))


@settings(max_examples=150, deadline=None)
@given(st.sets(letters, min_size=1), st.data(), st.sampled_from(["fold", "keep", None]))
def test_patterns_and_fuzzy_words_are_compared_in_plain_spelling(
    known: set[str], data: st.DataObject, accents: str | None
) -> None:
    ordered = sorted(known)
    words = SegmentWords(StringTable(*encode_strings(ordered)), b"", np.zeros(0, np.uint32), partial(listed, ordered))

    def spellings(word: str) -> tuple[str, ...]:
        return plain_spellings(word, accents) if accents else (word,)

    def numbers(holds: Callable[[str], bool]) -> list[int]:
        return [number for number, word in enumerate(ordered) if any(map(holds, spellings(word)))]

    pattern = data.draw(st.text(st.sampled_from("aoeéöœאᾳ*?"), min_size=1, max_size=5).filter(lambda p: p.strip("*?")))
    fits = numbers(lambda word: any(literally_fits(asked, word) for asked in spellings(pattern)))
    assert words.fitting(pattern, accents).tolist() == fits
    word, edits, first = data.draw(letters), data.draw(st.sampled_from([1, 2])), data.draw(st.booleans())

    def is_near(other: str) -> bool:
        asked = [own or word for own in spellings(word)]
        return any(edits_between(own, other) <= edits and (not first or other[:1] == own[0]) for own in asked)

    if all(spellings(each) != ("",) for each in ordered):
        assert words.near(word, edits, first, accents).tolist() == numbers(is_near)
    begun = data.draw(st.text(st.sampled_from("aoéœאᾳ"), min_size=1, max_size=2))
    begins = numbers(lambda word: word.startswith(spellings(begun)))
    assert words.beginning(begun, accents).tolist() == begins
    alike = numbers(lambda other: other in spellings(word)) if accents else []
    assert words.alike(word, accents or "keep").tolist() == alike or not accents


def test_a_search_spells_the_words_of_the_query_and_no_vocabulary(tmp_path: Path, monkeypatch: Any) -> None:
    path = index_of(tmp_path, [f"слово{number} ёлка{number} word{number}" for number in range(500)], stem="none")
    spelt = list[str]()

    def watched(text: str, accents: str = "fold") -> tuple[str, ...]:
        spelt.append(text)
        return plain_spellings(text, accents)

    monkeypatch.setattr(store_words, "plain_spellings", watched)
    for accents in ("fold", "keep"):
        with trix.open(path) as index:
            assert len(index.search("елка17", accents=accents)) == (accents == "fold")
            assert len(index.search("ёлка17", accents=accents)) == 1
            assert len(index.search("елка7*", top=None, accents=accents, level="content")) == 11 * (accents == "fold")
            assert len(index.search("елка49~", top=None, accents=accents)) == 1
            assert "did you mean" in index.search("слово50x", accents=accents).notices[0]
    assert spelt and max(map(len, spelt)) < 12


def test_spellings_that_are_not_those_of_the_words_are_found(tmp_path: Path) -> None:
    path = index_of(tmp_path, ["Müller Muller œuvre ёлка"], stem="none")
    assert trix.check(path) == []
    sections, facts = sections_of(path), facts_of(path)
    for changed in ("words.fold.of", "words.keep.of", "words.documents"):
        for place in range(len(sections[changed])):
            write_segment(path, {**sections, changed: flipped(sections[changed], place, 1)}, facts)
            assert any("words" in fault for fault in trix.check(path)), (changed, place)
    write_segment(path, {**sections, "words.fold.ends": sections["words.fold.ends"] // 2}, facts)
    assert any("words" in fault for fault in trix.check(path))


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


def test_a_word_of_a_script_without_blanks_is_found_inside_stretches(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>デスクトップの背景を変更する。</p><p>背景画像</p><p>ordinary words</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    index = trix.open(tmp_path / "i")
    said = "no document has 背景 between blanks or signs; did you mean *背景* (in 2 stretches)?"
    assert [*index.search('"背景"').notices] == [said] and index.search("*背景*").matched == 3  # and their element
    found = index.search("背景")
    assert not found.notices and found.matched == 3 and str(found.query) == "*背景*"
    assert str(index.search("景").query) == "景"
    assert index.search("画面").notices == ("no document has 画面",)
    assert index.search("ordinar").notices[0].startswith("no document has ordinar; did you mean ordinary")


def test_a_korean_word_is_found_with_what_may_stand_behind_it(tmp_path: Path) -> None:
    texts = [
        "도서관에서 책을 읽는다",
        "도서관이 크다",
        "국립도서관은 멀다",
        "문학의 역사",
        "人々は歩く",
        "XML문서를 읽는다",
    ]
    with trix.open(index_of(tmp_path, texts, profile="generic")) as index:
        both = "도서관* (in 2 stretches) or *도서관* (in 3 stretches)"
        assert paths(index, "도서관") == {"/p[1]", "/p[2]"}
        assert index.search('"도서관"').notices == (
            f"no document has 도서관 between blanks or signs; did you mean {both}?",
        )
        assert paths(index, "도서관*") == {"/p[1]", "/p[2]"} and paths(index, "*도서관*") == {"/p[1]", "/p[2]", "/p[3]"}
        offered = {"문학": "문학* (in 1 stretch)", "관에": "*관에* (in 1 stretch)", "人々": "*人々* (in 1 stretch)",
                   "XML문서": "xml문서* (in 1 stretch)"}  # fmt: skip
        for word, offer in offered.items():
            said = f"no document has {word} between blanks or signs; did you mean {offer}?"
            assert index.search(f'"{word}"').notices == (said,)
        assert index.search("박물관").notices == ("no document has 박물관",)
        assert paths(index, "읽는다") == {"/p[1]", "/p[6]"} and not index.search("읽는다").notices


SIGNED = st.text("aB é\u0301Ⅳﬁ-\u00ad½ᾳᾼͺ\u0345אָ\u05b8\u05beﷺ\u0640أٱۀ\u0654\u06d5ΑΙι\u0304\u0311ῇœײ", max_size=12)


@settings(max_examples=400, deadline=None)
@given(SIGNED, st.sampled_from(["fold", "keep"]))
def test_folded_text_and_plain_spellings_do_not_change_again(text: str, accents: str) -> None:
    assert fold(fold(text)) == fold(text)
    for word in split_words(text):
        for spelling in plain_spellings(word, accents):
            assert plain_spelling(spelling, accents) == spelling
        assert plain_spellings(word, accents)[0] == plain_spelling(word, accents)
