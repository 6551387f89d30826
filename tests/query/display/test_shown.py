"""What is shown of a document's text: no words glued together, and every character where the ranges say."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from tests.oracle.generate import Case, cases
from tests.query.test_engine_against_oracle import EXAMPLES, build, relaxed
from trix.indexer.document.record import ATTRIBUTE, JOIN, SEPARATOR, document_text, key_text
from trix.indexer.read.shown import show
from trix.indexer.words.analyzer import BOUNDARY, split_words

TEI = "http://www.tei-c.org/ns/1.0"


def literal(annotated: str, join: str) -> tuple[str, list[int | None]]:
    """Return what is shown, and for each of its characters the character of the document's text, by walking along."""
    text: list[str] = []
    places: list[int | None] = []
    at = 0
    mark = ""
    swallowed = _swallowed(annotated)
    in_value = False
    for number, character in enumerate(annotated):
        if character == ATTRIBUTE:
            in_value = not in_value
        elif in_value or character == JOIN:
            continue
        elif character in (SEPARATOR, BOUNDARY):
            mark = BOUNDARY if BOUNDARY in (mark, character) else SEPARATOR
        elif number in swallowed or character in join:
            at += 1
        else:
            if mark and text:
                before = "".join(text)
                run = before[len(before.rstrip()) :]
                ahead = _white_ahead(annotated, number, swallowed, join)
                if mark == BOUNDARY and "\n" not in run + ahead:
                    text.append("\n")
                    places.append(None)
                elif (
                    not run
                    and not character.isspace()
                    and not _punctuated(text[-1], annotated[number:], swallowed, number, join)
                ):
                    text.append(" ")
                    places.append(None)
            mark = ""
            text.append(character)
            places.append(at)
            at += 1
    return "".join(text), places


def _punctuated(before: str, ahead: str, swallowed: set[int], begin: int, join: str) -> bool:
    """Tell whether punctuation parts a character, the first of what is ahead, from the one before."""
    if before in "([{":
        return True
    in_value = False
    for number, character in enumerate(ahead[1:], begin + 1):
        in_value ^= character == ATTRIBUTE
        if not in_value and character in (SEPARATOR, BOUNDARY):
            return ahead[0] in ",.;:!?)]}"
        if not (in_value or character in (ATTRIBUTE, JOIN) or number in swallowed or character in join):
            return ahead[0] in ",.;:!?)]}" and (character.isspace() or character in ",.;:!?)]}")
    return ahead[0] in ",.;:!?)]}"


def _swallowed(annotated: str) -> set[int]:
    """Return the places of the joins, and of the white space beside them."""
    gone: set[int] = set()
    for number, character in enumerate(annotated):
        if character == JOIN:
            for step in (-1, 1):
                near = number
                while 0 <= near < len(annotated) and (annotated[near] == JOIN or annotated[near].isspace()):
                    gone.add(near)
                    near += step
    assert "".join(c for place, c in enumerate(annotated) if place not in gone) == key_text(annotated)
    return gone


def _white_ahead(annotated: str, begin: int, swallowed: set[int], join: str) -> str:
    """Return the white space that begins at a place, across marks."""
    found = ""
    in_value = False
    for number in range(begin, len(annotated)):
        character = annotated[number]
        in_value ^= character == ATTRIBUTE
        if in_value or character in (ATTRIBUTE, SEPARATOR, BOUNDARY, JOIN) or number in swallowed or character in join:
            continue
        if not character.isspace():
            break
        found += character
    return found


ANNOTATED = st.lists(
    st.sampled_from(
        ["word", "a", "|", " ", "\n", " \n ", "\u2003", BOUNDARY, SEPARATOR, JOIN, "é", "𝔸", ".", "(", "),"]
    )
    | st.just(f"{BOUNDARY}{ATTRIBUTE}value{ATTRIBUTE}")
).map("".join)


@settings(max_examples=500, deadline=None)
@given(ANNOTATED, st.sampled_from(["", "|"]))
def test_what_is_shown_is_what_a_walk_gives(annotated: str, join: str) -> None:
    annotated = f"x{annotated}x"  # a range begins and ends with a character
    document = document_text(annotated)
    shown = show(annotated, join)
    text, places = literal(annotated, join)
    assert shown.text == text
    for at in range(len(document)):
        begin, end = shown.place(at, at + 1)
        assert places[begin:end] == ([at] if at in places else [])
    for at in range(len(document)):
        begin, end = shown.place(at, len(document))
        inside = [place for place in places if place is not None and place >= at]
        assert [place for place in places[begin:end] if place is not None] == inside


@settings(max_examples=500, deadline=None)
@given(ANNOTATED, st.sampled_from(["", "|"]))
def test_the_words_that_are_shown_are_the_words_that_are_found(annotated: str, join: str) -> None:
    annotated = f"x{annotated}x"
    parts = key_text("".join(annotated.split(ATTRIBUTE)[::2])).replace(BOUNDARY, SEPARATOR).split(SEPARATOR)
    assert split_words(show(annotated, join).text) == [word for part in parts for word in split_words(part, join)]


def test_an_empty_range_shows_nothing() -> None:
    assert show("").text == "" and show("").place(0, 0) == (0, 0)
    assert show("|", "|").text == "" and show("|", "|").place(0, 1) == (0, 0)


@pytest.mark.slow
@settings(parent=relaxed, max_examples=max(1, EXAMPLES // 4))
@given(cases())
def test_on_random_collections_only_white_space_is_put_in(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        join = index.files.profile.join_characters
        for doc in map(index.files.ids.__getitem__, range(len(index))):
            raw, shown = index.show(doc, raw=True), index.show(doc)
            kept = [character for character in raw if not character.isspace() and character not in join]
            assert [character for character in shown if not character.isspace()] == kept
        for result in index.search("a b c d e f", strategy="thorough", top=None):
            raw = index.show(result.doc + result.path, raw=True)
            if not result.path.rpartition("/")[2].startswith("@"):
                assert raw == index.show(result.doc, raw=True)[result.offset : result.offset + result.length]
            assert index.show(result.doc + result.path) == result.text


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str, str], trix.Index]:
    """Return what builds an index of one document, d."""

    def make(xml: str, profile: str) -> trix.Index:
        (tmp_path / "d.xml").write_text(xml, encoding="utf-8")
        trix.build(tmp_path / "d.xml", tmp_path / "i", profile=profile, stem="none", stop="none")
        return trix.open(tmp_path / "i")

    return make


BOOK = f"""<TEI xmlns="{TEI}"><text><body><div><head>Of Laws</head><p>Sir Ro∣bert him∣self<note>Esprit des
Loix</note>wrote</p><lg><l>one line</l><l>an<hi>other</hi></l></lg></div></body></text></TEI>"""
ARTICLE = """<article><front><article-meta><title-group><article-title>On trees</article-title></title-group>
<contrib-group><contrib><name><surname>Klein</surname><given-names>Hannah L.</given-names></name><xref>1</xref>
</contrib></contrib-group></article-meta></front><body><sec><title>Access</title><p>requested<xref>7</xref></p>
<p>Where access<fig><caption><p>is given</p></caption></fig></p></sec></body></article>"""


def test_a_book_is_shown_without_glued_words_and_without_the_printers_breaks(
    made: Callable[[str, str], trix.Index],
) -> None:
    with made(BOOK, "tei") as index:
        assert index.show("d") == "Of Laws\nSir Robert himself Esprit des\nLoix wrote\none line\nanother"
        assert index.show("d", raw=True).startswith("Of LawsSir Ro∣bert him∣selfEsprit")
        marked = index.show("d", highlight="robert himself another esprit")
        assert marked == "Of Laws\nSir [Robert] [himself] [Esprit] des\nLoix wrote\none line\n[another]"
        for result in index.search("himself another", strategy="thorough", top=None):
            assert {result.text[begin:end] for begin, end in result.matches} <= {"himself", "another"}
            assert {result.snippet[begin:end] for begin, end in result.snippet_matches} <= {"himself", "another"}
            assert result.matches and result.snippet_matches and "∣" not in result.snippet
        html = index.search("esprit")._repr_html_()
        assert "himself <mark>Esprit</mark> des Loix wrote" in html and "selfEsprit" not in html
        paragraph = index.search("robert", strategy="thorough", top=None)[0]
        assert index.show("d", raw=True)[paragraph.offset :][: paragraph.length] == index.show(
            paragraph.doc + paragraph.path, raw=True
        )
        below = f"d{paragraph.path}/note[1]"
        assert index.show(below) == "Esprit des\nLoix"


def test_an_article_is_shown_block_by_block(made: Callable[[str, str], trix.Index]) -> None:
    with made(ARTICLE, "jats") as index:
        lines = [line for line in index.show("d").split("\n") if line]
        assert lines == ["On trees", "Klein Hannah L. 1", "Access", "requested 7", "Where access", "is given"]


def test_titles_are_kept_as_they_are_shown(made: Callable[[str, str], trix.Index]) -> None:
    with made(ARTICLE.replace("On trees", "On<break/>tr<italic>ee</italic>s"), "jats") as index:
        assert index.files.titles[0] == "On trees"


def test_matches_in_json_are_ranges_of_what_show_prints(
    made: Callable[[str, str], trix.Index], tmp_path: Path, run_cli: Cli
) -> None:
    made(BOOK, "tei").close()
    out = run_cli("search", tmp_path / "i", "himself", "--strategy", "thorough", "--format", "jsonl", "--highlight")[1]
    rows = [json.loads(line) for line in out.splitlines()]
    assert len(rows) >= 4
    for row in rows:
        text = run_cli("show", tmp_path / "i", row["doc"] + row["path"])[1]
        assert [text[begin:end] for begin, end in row["matches"]] == ["himself"]


def test_a_large_document_is_shown_in_time_linear_in_its_size() -> None:
    stretch = f"word{SEPARATOR} and{BOUNDARY}more|of it" * 100_000
    shown = show(stretch, "|")
    assert shown.text.startswith("word and\nmoreof itword and\nmore")
    assert shown.place(0, 4) == (0, 4) and shown.place(8, 12) == (9, 13)


def test_what_is_missing_leaves_a_mark(tmp_path: Path) -> None:
    """Inside a word, between words, before a line; offsets and highlighting stay where they were."""
    text = (
        "<TEI><text><p>vir<gap extent='1 letter'/>tue is <gap reason='lost'/> rewarded</p><l>the kin<gap/></l><l>g</l>"
    )
    (tmp_path / "a.xml").write_text(f"{text}<p>a∣b</p></text></TEI>", "utf-8")
    trix.build(tmp_path / "a.xml", tmp_path / "i.index", profile="tei", stop="none")
    with trix.open(tmp_path / "i.index") as index:
        assert index.show("a") == "vir…tue is … rewarded\nthe kin…\ng\nab"
        assert index.show("a", raw=True) == "virtue is  rewardedthe kinga∣b"
        found = next(iter(index.search("rewarded", level="content")))
        assert [found.text[begin:end] for begin, end in found.matches] == ["rewarded"]
        found = next(iter(index.search("virtue", level="content")))
        assert [found.text[begin:end] for begin, end in found.matches] == ["vir…tue"]
        assert "vir…tue is … rewarded" in found.snippet


def test_a_profile_says_what_a_gap_is() -> None:
    from trix.errors import ProfileError
    from trix.indexer.profile.profile import Profile

    profile = Profile.from_dict({"shown": {"gap": ["gap[@reason='lost']", "lost"]}})
    assert Profile.from_dict(profile.to_dict()) == profile
    assert "shown" not in Profile.from_dict({}).to_dict()
    for wrong, said in (({"gaps": []}, "did you mean gap"), ({"gap": "x"}, "a list of strings"), ("x", "a table")):
        with pytest.raises(ProfileError, match=said):
            Profile.from_dict({"shown": wrong})


def test_a_snippet_is_made_of_attributes_where_the_words_stand_there_alone(tmp_path: Path) -> None:
    words = "".join(f'<w c="word{n}"/> ' for n in range(100))
    (tmp_path / "a.xml").write_text(f'<page><line>{words}<w c="wanted"/><w c="end"/></line><p>calm text</p></page>')
    (tmp_path / "own.toml").write_text('attributes = ["w/@c"]\n')
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=str(tmp_path / "own.toml"), jobs=1)
    with trix.open(tmp_path / "i") as index:
        line = next(each for each in index.search("wanted", strategy="thorough") if each.tag == "line")
        assert line.text.strip() == "" and line.snippet.endswith("word98 word99 wanted end")
        ((begin, end),) = line.snippet_matches
        assert line.snippet[begin:end] == "wanted"
        text = next(iter(index.search("calm", level="//p")))
        assert text.snippet == "calm text"
