"""Files that are not well-formed: what they are mended to, that no text is lost, and what is said of it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.conftest import Cli
from trix.errors import SourceError, UsageError
from trix.indexer.commit.commit import newest_commit
from trix.indexer.document.mend import KINDS, mended
from trix.indexer.document.parse import is_sound, parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.tree import TreeMaker
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import load_profile

XLINK = "http://www.w3.org/1999/xlink"
MENDED = [
    (b"<a>caf\xe9 \x93x\x94</a>", "<a>caf\u00e9 \u201cx\u201d</a>", {"encoding": 3}),
    (b"<a>\xc3\xa9 and \xe9</a>", "<a>\u00e9 and \u00e9</a>", {"encoding": 1}),
    (b"<?xml version='1.0' encoding='utf-16'?><a>\xc3\xa9</a>", "<a>\u00e9</a>", {"encoding": 1}),
    (b"<?xml version='1.0' encoding='klingon'?><a>\xc3\xa9</a>", "<a>\u00e9</a>", {"encoding": 1}),
    (b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9&</a>", "<a>\u00e9&amp;</a>", {"ampersand": 1}),
    ("\ufeff<a>\u00e9 & b</a>".encode("utf-16-le"), "<a>\u00e9 &amp; b</a>", {"ampersand": 1}),
    (b"\n<?xml version='1.0'?><a/>", "<a/>", {"declaration": 1}),
    (b"<!DOCTYPE a PUBLIC 'x'><a/>", "<a/>", {"declaration": 1}),
    (b"<a>x\x01\x02y&#0;z</a>", "<a>x  y z</a>", {"control": 3}),
    (b"<a b='x & y'>R&D &#xD800; &;</a>", "<a b=\"x &amp; y\">R&amp;D   &amp;;</a>", {"ampersand": 3, "control": 1}),
    (b"<a>1 < 2, a<b, <3</a>", "<a>1 &lt; 2, a&lt;b, &lt;3</a>", {"less": 3}),
    (b"<a>]]></a>", "<a>]]&gt;</a>", {"bracket": 1}),
    (b"<a>&nbsp;&eacute;&lt;</a>", "<a>\u00a0\u00e9&lt;</a>", {"entity": 2}),
    (b"<!DOCTYPE a SYSTEM 'gone.dtd'><a>&nbsp;&product;</a>",
     "<!DOCTYPE a SYSTEM 'gone.dtd'><a>\u00a0&amp;product;</a>",
     {"entity": 1, "unknown": 1}),
    (b"<!DOCTYPE a [<!ENTITY own 'in'>]><a>&own;&other;</a>",
     "<!DOCTYPE a [<!ENTITY own 'in'>]><a>&own;&amp;other;</a>",
     {"unknown": 1}),
    (b"<!DOCTYPE a [<!ENTITY % gone SYSTEM 'gone.ent'>%gone;<!ENTITY own 'in'>]><a>&own;&other;</a>",
     "<!DOCTYPE a [<!ENTITY % gone SYSTEM 'gone.ent'>%gone;<!ENTITY own 'in'>]><a>&own;&amp;other;</a>",
     {"unknown": 1}),
    (b"<a><b:c d:e='f'/></a>", '<a xmlns:b="urn:unbound:b" xmlns:d="urn:unbound:d"><b:c d:e="f"/></a>', {"prefix": 2}),
    (b"<a xlink:href='x'/>", f'<a xmlns:xlink="{XLINK}" xlink:href="x"/>', {"prefix": 1}),
    (b"<a><b xmlns:x='u'><x:c/></b><x:c/></a>", '<a xmlns:x="urn:unbound:x"><b xmlns:x="u"><x:c/></b><x:c/></a>',
     {"prefix": 1}),
    (b"<a xmlns:b='u'><b:c:d/></a>", '<a xmlns:b="u"><b:c_d/></a>', {"name": 1}),
    (b"<a b=c d e='1' e='2' f=\"<\">x</a>", '<a b="c" d="d" e="1" f="&lt;">x</a>', {"attribute": 3, "less": 1}),
    (b"<a><!-- b -- c --></a>", "<a><!-- b ~~ c --></a>", {"comment": 1}),
    (b"<a><b>x</a>", "<a><b>x</b></a>", {"unclosed": 1}),
    (b"<a><b>x", "<a><b>x</b></a>", {"unclosed": 2}),
    (b"<a><b><i>x</b>y</i></a>", "<a><b><i>x</i></b>y</a>", {"unclosed": 1, "unopened": 1}),
    (b"<html><p>a<br>b<br></br><img src=x></p></html>", '<html><p>a<br/>b<br></br><img src="x"/></p></html>',
     {"unclosed": 2, "attribute": 1}),
    (b"<a>1</a><b>2</b>", "<fragment><a>1</a><b>2</b></fragment>", {"root": 1}),
    (b"one <x:b>two</x:b>", '<fragment xmlns:x="urn:unbound:x">one <x:b>two</x:b></fragment>',
     {"prefix": 1, "root": 1}),
    (b"<a>1</a><![CDATA[<2>]]>", "<fragment><a>1</a>&lt;2&gt;</fragment>", {"root": 1}),
    (b"<?xml version='1.0'?><a/><?xml version='1.0'?><a/>", "<fragment><a/><a/></fragment>",
     {"declaration": 1, "root": 1}),
    (b"<a><![CDATA[never closed</a>", "<a>&lt;![CDATA[never closed</a>", {"less": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected", "kinds"), MENDED)
def test_each_fault_is_mended_and_counted(data: bytes, expected: str, kinds: dict[str, int]) -> None:
    made, mends = mended(data)
    assert made.decode() == expected
    assert {each.kind: each.times for each in mends} == kinds
    assert (is_sound(made) or b"%" in data) and mended(made) == (made, ())
    assert parse(made, "a.xml") is not None
    assert not is_sound(data) and [each.kind for each in mends] == [kind for kind in KINDS if kind in kinds]


def test_every_kind_is_tested() -> None:
    assert {kind for _, _, kinds in MENDED for kind in kinds} == set(KINDS)


def test_a_mend_names_the_first_line_and_what_stands_there() -> None:
    _, mends = mended(b"<a>\n\n<x:b>\xe9 \nR&D & so on</x:b></a>")
    assert [(each.kind, each.line, each.example) for each in mends] == [
        ("encoding", 3, "byte E9"), ("ampersand", 4, "&D & so on"), ("prefix", 3, "<x:b>"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"only & text", b"\0\1\2", b"<a/>", b"<a>&amp;<!-- - --></a>", b"\x89PNG<"]
)
def test_what_is_well_formed_or_no_xml_is_left_as_it_is(data: bytes) -> None:
    assert mended(data) == (data, ())


BOMB = b"<!DOCTYPE a [<!ENTITY a0 'aaaaaaaaaa'>%s]><a>&a19; & more</a>" % b"".join(
    b"<!ENTITY a%d '%s'>" % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 20)
)


def test_limits_and_hardening_hold_for_mended_files(tmp_path: Path) -> None:
    deep = b"<a>" * 300
    outside = b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file://%s'>]><a>&x; & y</a>" % bytes(tmp_path / "secret")
    (tmp_path / "secret").write_bytes(b"secret")
    for data in (BOMB, deep):
        assert mended(data) == (data, ())
        with pytest.raises(SourceError):
            parse(data, "a.xml")
    root = parse(mended(outside)[0], "a.xml")
    assert "secret" not in etree.tostring(root, encoding="unicode") and root[0].tail == " & y"


@pytest.mark.parametrize(
    "piece", [b'<a "', b"<a 'x", b"<!--", b"<![CDATA[", b"<?x", b"<!DOCTYPE a [", b"</", b"\xe9&", b"<b></c>"]
)
def test_mending_takes_time_by_the_length_of_the_file(piece: bytes) -> None:
    def seconds(times: int) -> float:
        began = process_time()
        mended(b"<a>" + piece * times + b"</a>")
        return process_time() - began

    few = min(seconds(2000) for _ in range(3))
    assert seconds(16_000) < 40 * few + 0.05


PIECES = st.sampled_from([
    "<a>", "</a>", "<b c='d'>", "</b>", "<x:y>", "</x:y>", "<c/>", "<", ">", "&", "&lt;", "&nbsp;", "&q;", "\x02",
    "]]>", "\n",
    "<!--", "-->", "<![CDATA[", "<?pi x?>", "<?xml version='1.0'?>", "<!DOCTYPE a>", '<d e="', "'", '"', "<e f=g h>",
])  # fmt: skip
WORDS = st.integers(0, 999).map("w{:03}".format)
MARKUP = re.compile(r"<!--.*?-->|<[a-e/x!?][^<>]*>", re.S)


@given(st.lists(PIECES | WORDS, max_size=25).map(" ".join))
def test_whatever_stands_there_the_result_is_xml_and_has_all_words_in_order(text: str) -> None:
    data = text.encode()
    made, mends = mended(data)
    if not mends:
        assert made == data
        return
    assert is_sound(made) or parse(made, "a.xml") is not None
    assert mended(made) == (made, ())
    found = re.findall(r"w\d{3}", made.decode())  # a value may have a sign that the pattern takes for a tag
    assert [*_in_order(re.findall(r"w\d{3}", MARKUP.sub(" ", text)), found)] == []


def _in_order(wanted: list[str], found: list[str]) -> list[str]:
    """Return the words that are missing in a list, taken in order."""
    rest = iter(found)
    return [word for word in wanted if word not in rest]


@pytest.mark.parametrize("profile", ["generic", "jats", "tei"])
def test_both_readers_read_the_same_of_what_is_mended(profile: str) -> None:
    rules = load_profile(profile)
    for data, _, _ in MENDED:
        made = mended(data)[0]
        slow = DocumentReader(rules).read(TreeMaker()(made, "a.xml"))
        fast = MarkupReader(rules).read(TreeMaker()(made, "a.xml"))
        assert slow.annotated == fast.annotated
        assert slow.depth.tolist() == fast.depth.tolist()


FILES = {
    "a.xml": b"<r><p>one fine file</p></r>",
    "b.xml": b"<r><p>two caf\xe9s</p>\n<x:p>R&D</x:p></r>",
    "c.xml": b"<p>three</p><p>roots & more</p>",
    "d.xml": b"no markup at all",
    "e.xml": b"<!DOCTYPE r SYSTEM 'r.dtd'><r><p>caf&eacute; &unknown; five</p></r>",
}


@pytest.mark.parametrize("store", [False, True])
def test_an_index_that_recovers_says_what_was_mended_and_shows_the_texts_again(
    tmp_path: Path, run_cli: Cli, store: bool
) -> None:
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        for name, data in FILES.items():
            archive.writestr(name, data)
    code, out, err = run_cli("index", tmp_path / "c.zip", tmp_path / "plain")
    assert code == 3 and "3 skipped files are not well-formed; --recover mends such files where it can" in err
    code, out, err = run_cli("index", tmp_path / "c.zip", tmp_path / "i", "--recover", *(["--store"] if store else []))
    assert code == 3 and "4 documents" in out
    assert [line.removeprefix("trix: ") for line in err.splitlines() if "mended" in line] == [
        f"mended 1 in 1 file: {KINDS['encoding']} (first: b.xml, line 1: byte E9)",
        f"mended 2 in 2 files: {KINDS['ampersand']} (first: b.xml, line 2: &D)",
        f"mended 1 in 1 file: {KINDS['entity']} (first: e.xml, line 1: &eacute;)",
        f"mended 1 in 1 file: {KINDS['unknown']} (first: e.xml, line 1: &unknown;)",
        f"mended 1 in 1 file: {KINDS['prefix']} (first: b.xml, line 2: <x:p>)",
        f"mended 1 in 1 file: {KINDS['root']} (first: c.xml, line 1: <p>three</p><p>roots & more</p>)",
    ]
    assert "skipped d.xml" in err and "left out" not in err
    if store:
        (tmp_path / "c.zip").unlink()
    with trix.open(tmp_path / "i") as index:
        assert index.show("b").split() == ["two", "caf\u00e9s", "R&D"]
        assert index.show("c").split() == ["three", "roots", "&", "more"]
        assert index.show("e").split() == ["caf\u00e9", "&unknown;", "five"]
        (best,) = index.search("roots", preset="study", overlap="none", top=1)
        assert best.doc == "c" and "roots & more" in best.snippet


def test_an_index_that_recovers_mends_what_is_added_and_one_that_does_not_refuses(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "f").mkdir()
    (tmp_path / "f/a.xml").write_bytes(FILES["a.xml"])
    trix.build(tmp_path / "f", tmp_path / "i", recover=True, jobs=1)
    trix.build(tmp_path / "f", tmp_path / "plain", jobs=1)
    assert newest_commit(tmp_path / "i").settings["recover"] is True
    assert "recover" not in newest_commit(tmp_path / "plain").settings
    (tmp_path / "f/b.xml").write_bytes(FILES["b.xml"])
    code, out, err = run_cli("update", tmp_path / "i")
    assert code == 0 and "1 added" in out and "mended 1 in 1 file" in err
    with trix.write(tmp_path / "i") as writer:
        writer.add_document(FILES["c.xml"], id="memo")
    with trix.open(tmp_path / "i") as index:
        assert index.show("memo").split() == ["three", "roots", "&", "more"]
    with trix.write(tmp_path / "plain") as writer, pytest.raises(SourceError):
        writer.add_document(FILES["c.xml"], id="memo")
    with pytest.raises(UsageError, match="recover: the index has recover = False"):
        trix.write(tmp_path / "plain", recover=True)
    # Any history gives what a fresh build gives.
    trix.build(tmp_path / "f", tmp_path / "fresh", recover=True, jobs=1)
    with trix.open(tmp_path / "i") as index, trix.open(tmp_path / "fresh") as fresh:
        assert index.show("b") == fresh.show("b")
