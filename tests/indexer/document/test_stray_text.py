"""Text that was pasted into the root element of a large document does not make one element of all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from trix.errors import ProfileError
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile, load_profile

PART = "<c><did><unittitle>Letters {0}</unittitle></did><scopecontent><p>{1}</p></scopecontent></c>"
WORDS = "correspondence with the harbour office about dues and lamps " * 3


def finding_aid(name: str, stray: str, parts: int = 6) -> str:
    """Return a finding aid with text between its parts, about two thousand characters long."""
    below = "".join(PART.format(n, WORDS) for n in range(parts))
    return f"<aid><eadheader><title>{name}</title></eadheader>\n{stray}\n<archdesc>{below}</archdesc></aid>"


def collection(folder: Path) -> Path:
    """Write five finding aids: two with stray words, one with stray marks, a sound one, one that is mostly a text."""
    folder.mkdir()
    for name, stray in {"a": "see box", "b": "pasted", "c": "--", "sound": "", "text": "lengthy prose " * 9}.items():
        (folder / f"{name}.xml").write_text(finding_aid(name, stray))
    return folder


def found(index: Any, query: str, **options: Any) -> set[tuple[str, str]]:
    results = index.search(query, strategy="thorough", top="all", **options)
    return {(result.doc, result.path) for result in results}


@pytest.mark.usefixtures("both_readers")
def test_under_auto_the_parts_stay_elements_and_stray_words_are_found_as_text(tmp_path: Path) -> None:
    summary = trix.build(collection(tmp_path / "docs"), tmp_path / "i", jobs=1)
    assert summary.profile == "derived"
    (said,) = [notice for notice in summary.notices if "stray" in notice]
    assert said == (
        "stray text in the root element of 3 documents (first: a), less than 1 % of their text: "
        "indexed as #text, so that their parts are elements"
    )
    with trix.open(tmp_path / "i") as index:
        titles = {(doc, "/aid[1]/archdesc[1]/c[4]/did[1]/unittitle[1]") for doc in ("a", "b", "c", "sound")}
        assert {each for each in found(index, "letters 3", match="all") if each[1].endswith("unittitle[1]")} == titles
        assert found(index, "box") == {("a", "/aid[1]/text()[1]"), ("a", "/aid[1]")}
        assert found(index, "prose") == {("text", "/aid[1]")}
        assert index.show("a/aid[1]/text()[1]").strip() == "see box"
    assert trix.check(tmp_path / "i") == []


@pytest.mark.parametrize("profile", ["generic", "own"])
def test_under_a_named_profile_the_rule_is_the_papers_and_the_build_says_what_it_does(
    tmp_path: Path, profile: str
) -> None:
    (tmp_path / "own.toml").write_text('inline = ["..."]\n')
    named = "generic" if profile == "generic" else tmp_path / "own.toml"
    summary = trix.build(collection(tmp_path / "docs"), tmp_path / "i", profile=named, jobs=1)
    (said,) = [notice for notice in summary.notices if "stray" in notice]
    assert said.startswith("3 documents (first: a) are a single content element each, for stray text in the root")
    assert "`stray_text = 0.01` in the profile, or the profile auto, indexes the parts" in said
    with trix.open(tmp_path / "i") as index:
        assert found(index, "letters 3", match="all") >= {(doc, "/aid[1]") for doc in ("a", "b", "c", "text")}
        assert {path for doc, path in found(index, "letters 3", match="all") if doc != "sound"} == {"/aid[1]"}


def test_a_profile_may_ask_for_it_and_what_extends_it_does(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text("stray_text = 0.2\n")
    (tmp_path / "own.toml").write_text('extends = "base.toml"\n')
    trix.build(collection(tmp_path / "docs"), tmp_path / "i", profile=tmp_path / "own.toml", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert ("text", "/aid[1]/text()[1]") in found(index, "prose")
    for wrong in ("-0.1", "1.5", "true", '"1 %"'):
        (tmp_path / "own.toml").write_text(f"stray_text = {wrong}\n")
        with pytest.raises(ProfileError, match=r"stray_text = .*: expected a share from 0 to 1, such as 0\.01"):
            load_profile(tmp_path / "own.toml")


def test_auto_adds_the_rule_to_whatever_preset_it_picks_and_to_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<TEI>pasted<text><body>{f'<p>{WORDS}</p>' * 9}</body></text></TEI>")
    for profile, expected in (("auto", 0.01), ("tei", 0.0)):
        trix.build(tmp_path / "a.xml", tmp_path / "i", profile=profile, jobs=1, overwrite=True)
        with trix.open(tmp_path / "i") as index:
            kept = index.files.profile
            assert (kept.name, kept.stray_text) == ("tei", expected)
            assert Profile.from_dict({**kept.to_dict(), "stray_text": 0}) == load_profile("tei")
            assert len(found(index, "harbour")) == (12 if expected else 1)


@pytest.mark.parametrize("reader", [DocumentReader, MarkupReader])
@pytest.mark.parametrize(
    ("xml", "is_container"),
    [
        (f"<a>x<b>{'y' * 99}</b></a>", False),  # one of a hundred
        (f"<a>x<b>{'y' * 100}</b></a>", True),
        (f"<a>x\n<b>{'y' * 99}</b>\u2003 </a>", False),  # white space counts nothing
        (f"<a>x\n<b>{'y ' * 100}</b></a>", True),
        (f"<a><u>x</u><b>{'y' * 100}</b></a>", True),  # what is unwrapped is the root's own
        (f"<a><u>x</u><b>{'y' * 99}</b></a>", False),
        (f"<a>x<b>{'y' * 50}<m>{'y' * 90}</m></b></a>", False),  # what is blank or dropped is no text
        (f"<a>x<b>{'y' * 50}</b><d>{'y' * 90}</d></a>", False),
        (f"<a>x<i>{'y' * 100}</i></a>", True),  # an inline element is none of the root's own text
        (f"<z>x<b>{'y' * 100}</b></z>", False),  # a unit
        (f"<a> <b>{'y' * 100}</b></a>", False),
    ],
)
def test_stray_is_less_than_a_hundredth_of_the_characters_that_are_no_white_space(
    reader: type[DocumentReader], xml: str, is_container: bool
) -> None:
    from lxml import etree

    rules = {"unwrap": ["u"], "blank": ["m"], "drop": ["d"], "inline": ["i"], "unit": ["z"], "stray_text": 0.01}
    record = reader(Profile.from_dict({"name": "x", **rules})).read_document(etree.fromstring(xml))
    assert record.stray == is_container
    assert (0 not in record.content.tolist()) == (is_container or xml.startswith("<a> "))
    plain = reader(Profile.from_dict({"name": "x", **rules, "stray_text": 0})).read_document(etree.fromstring(xml))
    assert plain.stray == is_container and (0 in plain.content.tolist()) == (not xml.startswith("<a> "))


def test_whatever_the_history_the_answers_are_those_of_a_fresh_build(tmp_path: Path) -> None:
    docs = collection(tmp_path / "docs")
    trix.build(docs, tmp_path / "fresh", jobs=1)
    notices = []
    for name in ("text", "c", "a", "sound", "b"):
        with trix.write(tmp_path / "grown", merge=name == "b") as writer:
            writer.add(docs / f"{name}.xml")
            notices += [notice for notice in writer.changes.notices if "stray" in notice]
    assert [notice.partition(")")[0] for notice in notices] == [
        f"stray text in the root element of 1 document (first: {name}" for name in "cab"
    ]
    with trix.open(tmp_path / "fresh") as fresh, trix.open(tmp_path / "grown") as grown:
        for query in ("box", "pasted", "prose", "letters", "harbour lamps"):
            assert found(fresh, query) == found(grown, query) != set()
    with trix.write(tmp_path / "grown") as writer:
        writer.delete("a")
        writer.compact()
    trix.build([docs / f"{name}.xml" for name in ("b", "c", "sound", "text")], tmp_path / "left", jobs=1)
    assert trix.check(tmp_path / "grown") == []
    with trix.open(tmp_path / "left") as left, trix.open(tmp_path / "grown") as grown:
        assert found(left, "letters") == found(grown, "letters")


def test_the_commands_say_it_too(tmp_path: Path, run_cli: Cli) -> None:
    docs = collection(tmp_path / "docs")
    code, _, err = run_cli("index", docs, tmp_path / "i", "-j", "1")
    assert code == 0 and "stray text in the root element of 3 documents (first: a)" in err
    code, out, _ = run_cli("profile", "auto", "--try", docs / "a.xml")
    assert code == 0 and "aid  [container]" in out and "#text  see box" in out
    code, out, _ = run_cli("profile", "generic", "--try", docs / "a.xml")
    assert code == 0 and "1 content element (*)" in out
