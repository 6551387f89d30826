"""Topics of all formats."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from tests.paths import DATA
from trix.errors import FormatError
from trix.eval.formats.topics.indri import co_query as indri_to_co
from trix.eval.formats.topics.inex import read_inex
from trix.eval.formats.topics.inex2002 import cas_query, co_query
from trix.eval.formats.topics.lines import read_lines
from trix.eval.formats.topics.read import Topics, read_topics
from trix.eval.formats.topics.text import TopicText
from trix.eval.formats.topics.topic import Topic, make_topic
from trix.eval.formats.topics.trec import read_trec

TOPIC_2004 = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE inex_topic SYSTEM "http://nowhere.invalid/topic.dtd">
<inex_topic topic_id="177" query_type="CO" ct_no="76">
<title>Difference of two
  unordered   caf\xe9s</title>
<description>Find it.</description><narrative>Why &lt; not.</narrative>
<keywords>labeled tree, diff</keywords>
</inex_topic>
"""

TOPICS_2009 = b"""<?xml version="1.0"?>
<!DOCTYPE inex-topic-file [
<!ENTITY lt "lessthan"> <!ENTITY gt "greaterthan">
<!ENTITY amp "ampersand"> <!-- ]> -->
<!ELEMENT topic (title,castitle,phrasetitle,description,narrative)>
]>
<inex-topic-file>
<topic id="2009005" ct_no="190">
  <title>chemists &amp; physicists</title>
  <castitle>//article[about(., a) AND .//yr &gt; 1990]//(person|chemist)</castitle>
  <phrasetitle> "periodic  table"</phrasetitle> <description>d</description> <narrative/>
</topic>
<topic id="2009006" ct_no="191"><title>opera</title><castitle>//*[about(., opera)]</castitle></topic>
</inex-topic-file>
"""


def read(tmp_path: Path, data: bytes | str, name: str = "topics") -> Topics:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_topics(path)


def test_a_topic_of_2004_is_read_whole_without_its_external_dtd(tmp_path: Path) -> None:
    (topic,) = topics = read(tmp_path, TOPIC_2004)
    assert topics.format == "inex"
    assert topic == Topic(
        "177", "Difference of two unordered cafés", None, None, "Find it.", "Why < not.", "labeled tree, diff",
        "CO", 2004, {"ct_no": "76"}, str(tmp_path / "topics"), 3,
    )  # fmt: skip


def test_a_file_of_2009_keeps_the_predefined_entities_it_redeclares(tmp_path: Path) -> None:
    topics = read(tmp_path, TOPICS_2009)
    assert topics.ids == ["2009005", "2009006"]
    first = topics["2009005"]
    assert first.title == "chemists & physicists"
    assert first.castitle == "//article[about(., a) AND .//yr > 1990]//(person|chemist)"
    assert first.phrasetitle == '"periodic table"'
    assert (first.narrative, first.query_type, first.year_hint, first.line) == (None, None, 2009, 8)


def test_a_structured_title_is_the_castitle_too(tmp_path: Path) -> None:
    topics = read(
        tmp_path, '<inex_topic topic_id="130" query_type="CAS"><title>//p[about(., xml)]</title></inex_topic>'
    )
    assert topics[0].query() == topics[0].query("castitle") == "//p[about(., xml)]"


def test_a_topic_of_2002_is_translated_to_nexi(tmp_path: Path) -> None:
    data = """<INEX-Topic topic-id="05" query-type="CAS" ct-no="010"><Title><te>tig</te><cw>QBIC</cw><ce>bibl</ce>
    <cw>image retrieval</cw></Title><Description>d</Description><Narrative/><Keywords>k</Keywords></INEX-Topic>"""
    (topic,) = read(tmp_path, data)
    assert (topic.id, topic.query_type, topic.year_hint, topic.keywords) == ("05", "CAS", 2002, "k")
    assert topic.castitle == topic.title == '//article[about(.//bibl, QBIC) and about(., "image retrieval")]//tig'
    assert topic.query("words") == 'QBIC "image retrieval"'


def test_a_content_only_topic_of_2002_has_a_content_only_title(tmp_path: Path) -> None:
    data = '<INEX-Topic topic-id="31"><Title><cw>computational biology</cw></Title></INEX-Topic>'
    (topic,) = read(tmp_path, data)
    assert (topic.title, topic.castitle, topic.year_hint) == ('"computational biology"', None, 2002)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([("te", "article"), ("cw", "xml")], "//article[about(., xml)]"),
        ([("te", "article/fm/au"), ("cw", "xml"), ("ce", "abs, kwd")], "//article[about(.//(abs|kwd), xml)]//fm//au"),
        ([("te", "sec, p"), ("cw", "a")], "//article[about(., a)]//(sec|p)"),
        ([("te", "article, sec"), ("cw", "a")], "//(article|sec)[about(., a)]"),
        ([("te", "bdy/sec, bb//au"), ("cw", "a")], "//article[about(., a)]//(sec|au)"),
        ([("te", "tig"), ("cw", ""), ("ce", "bibl")], "//article//tig"),
        ([("te", "tig"), ("cw", "a, b c")], '//article[about(., a "b c")]//tig'),
        ([("te", "tig"), ("cw", "a"), ("ce", "article")], "//article[about(., a)]//tig"),
    ],
)
def test_target_and_context_elements_become_steps(parts: list[tuple[str, str]], expected: str) -> None:
    assert cas_query(parts) == expected


def test_signs_and_quotes_of_2002_stay_as_they_are() -> None:
    assert co_query([("cw", '+web -page "user model"'), ("cw", "one two")]) == '+web -page "user model" "one two"'


@pytest.mark.parametrize(
    ("id", "year"),
    [("60", 2002), ("61", 2003), ("201", 2004), ("288", 2005), ("413", 2006), ("543", 2007), ("678", 2008)],
)
def test_the_id_tells_the_campaign(tmp_path: Path, id: str, year: int) -> None:
    assert read(tmp_path, f'<inex_topic topic_id="{id}"><title>x</title></inex_topic>')[0].year_hint == year


def test_names_are_compared_without_case_and_unknown_fields_are_kept(tmp_path: Path) -> None:
    data = """<!-- <!DOCTYPE x> --><INEX-TOPIC-FILE xmlns="urn:x"><Topic Topic-ID="300">
    <InitialTopicStatement>i</InitialTopicStatement>
    <TITLE>t</TITLE><ontopic_keywords>a, b</ontopic_keywords><mmtitle>//a[about(., src:1.jpg)]</mmtitle>
    <categories><category id="1">one</category><category id="2">two</category></categories></Topic></INEX-TOPIC-FILE>"""
    (topic,) = read(tmp_path, data)
    assert (topic.id, topic.title, topic.keywords) == ("300", "t", "a, b")
    assert topic.query("InitialTopicStatement") == "i"
    assert topic.query("mmtitle") == "//a[about(., src:1.jpg)]"
    assert topic.query("categories") == "one two"


def test_efficiency_topics_have_their_own_field_names(tmp_path: Path) -> None:
    data = """<topics><topic id="2009-Eff-001"><co_title>a b</co_title><cas_title>//a[about(., b)]</cas_title>
    <phrase_title>"a b"</phrase_title><xpath_title>//a</xpath_title></topic></topics>"""
    (topic,) = read(tmp_path, data)
    assert (topic.title, topic.castitle, topic.phrasetitle) == ("a b", "//a[about(., b)]", '"a b"')
    assert topic.year_hint == 2009


def test_ids_stay_strings_with_leading_zeros(tmp_path: Path) -> None:
    assert read(tmp_path, "007\tspies\n7\tmore spies\n").ids == ["007", "7"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("<inex_topic topic_id='1'>\n<title>a</inex_topic>", r"line 2: is not well-formed XML"),
        ("<inex_topic>\n<title>a</title></inex_topic>", r"line 1: a topic without an id"),
        ("<topics>\n<topic id='1'/>\n<topic id='1'/></topics>", r"line 3: topic 1 is there already, in line 2;"),
        ("<topics>\n<topic/><topic id='1'/></topics>", r"line 2: a topic without an id"),
        ("<inex-submission><topic topic-id='1'/></inex-submission>", r"is a run .*inex-submission"),
        ("<assessments topic='1'><inex_topic topic_id='1'/></assessments>", r"is assessments"),
        ("<article><p/></article>", r"no element inex_topic or topic below article"),
        ("", "the file is empty"),
        (" \n\n", "the file is empty"),
        ("# only\n", "holds only comments"),
        ("1\ta\n2 b\n", r"line 2: id<TAB>query expected"),
        ("1\ta\n\tb\n", r"line 2: a topic id without white space"),
        ("1\ta\n\n1\tb\n", r"line 3: topic 1 is there already, in line 1;"),
        ("id\tquery\n", r"line 1: holds only the line of column names"),
        ("162 a\n162 b\n", r"line 2: topic 162 is there already, in line 1;"),
        ("1 Q0 doc 1 0.5 run\n", r"line 1: is a run or assessments"),
        ("<top>\n<title> no number\n</top>", r"line 1: a topic without a number"),
        ("<parameters><query><text>a</text></query></parameters>", "a query without a number"),
        ("<parameters/>", "holds no query element"),
        (b"\x7fELF\0\0\xff", "not text"),
        (b"<?xml version='1.0' encoding='klingon'?><a/>", "encoding is unknown: klingon"),
        (gzip.compress(b"1\ta\n", mtime=0)[:-6], "the compressed data are cut short"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path: Path, data: bytes | str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read(tmp_path, data)
    assert str(caught.value).startswith(str(tmp_path / "topics"))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="none: cannot be read: No such file"):
        read_topics(tmp_path / "none")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_compressed_topics_are_told_by_their_content(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    assert read(tmp_path, pack(TOPIC_2004)).ids == ["177"]


def test_topics_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1\tone\n")))
    topics = read_topics("-")
    assert (topics.path, topics[0].title) == ("standard input", "one")


def test_a_folder_of_single_topic_files_is_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 100):
        data = f'<inex_topic topic_id="{number}"><title>t{number}</title></inex_topic>'
        (tmp_path / f"topic-{number}.xml").write_text(data)
    (tmp_path / "topic.dtd").write_text("<!ELEMENT title (#PCDATA)>")
    (tmp_path / ".hidden").write_text("rubbish")
    assert read_topics(tmp_path).ids == ["9", "10", "100"]


def test_a_duplicate_id_in_a_folder_names_both_files(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text('<inex_topic topic_id="1"><title>t</title></inex_topic>')
    with pytest.raises(FormatError, match=r"b\.xml, line 1: topic 1 is there already, in line 1 of .*a\.xml"):
        read_topics(tmp_path)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no topic files"):
        read_topics(tmp_path)


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ('<?xml version="1.0" encoding="UTF-8"?><t><topic id="1"><title>café</title></topic></t>'.encode(), "café"),
        ('\ufeff<t><topic id="1"><title>café</title></topic></t>'.encode(), "café"),
        ('<t><topic id="1"><title>café</title></topic></t>'.encode("utf-16"), "café"),
        (b'<t><topic id="1"><title>caf&eacute; R&D &foo; &#233;</title></topic></t>', "café R&D &foo; é"),
        (b'<t><topic id="1"><title><![CDATA[a &lt; b]]></title></topic></t>', "a &lt; b"),
        (b'<!DOCTYPE t [<!ENTITY x SYSTEM "/etc/passwd">]><t><topic id="1"><title>&x;</title></topic></t>', "&x;"),
    ],
)  # fmt: skip
def test_encodings_and_entities_are_resolved_without_a_dtd(tmp_path: Path, data: bytes, title: str) -> None:
    topics = read(tmp_path, data)
    assert (topics[0].title, topics.notices) == (title, [])


def test_latin_1_without_a_declaration_is_read_with_a_notice(tmp_path: Path) -> None:
    topics = read(tmp_path, b"1\tone\n2\tcaf\xe9\n")
    assert topics[1].title == "café"
    assert topics.notices == [f"{tmp_path}/topics, line 2: is not utf-8; read as ISO-8859-1"]


def test_entities_that_multiply_are_not_expanded(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(20))
    data = f'<!DOCTYPE t [<!ENTITY l0 "ha">{laughs}]><t><topic id="1"><title>&l20;</title></topic></t>'
    assert read(tmp_path, data)[0].title == "&l20;"


def test_classic_trec_topics_need_no_closing_tags(tmp_path: Path) -> None:
    data = """
<top>

<num> Number: 301
<title> International Organized
        Crime

<desc> Description:
Identify organizations with <5 members & more.

<narr> Narrative:
A relevant document must name: one.
</top>

<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain: International Economics
<title> Topic:  Airbus Subsidies
<con> Concept(s):
1. Airbus
</top>
"""
    topics = read(tmp_path, data)
    assert topics.format == "trec"
    assert topics.ids == ["301", "051"]
    first, second = topics
    assert first.title == "International Organized Crime"
    assert first.description == "Identify organizations with <5 members & more."
    assert (first.narrative, first.line) == ("A relevant document must name: one.", 2)
    assert (second.title, second.query("concepts"), second.query("domain")) == (
        "Airbus Subsidies", "1. Airbus", "International Economics",
    )  # fmt: skip


def test_closed_trec_topics_are_read_too() -> None:
    body = "<TOP><NUM>701</NUM><TITLE>U.S. oil &amp; gas</TITLE><desc>d</desc></TOP><top><num>702<title>x"
    topics = read_trec(TopicText("t", body))
    assert [(topic.id, topic.title, topic.description) for topic in topics] == [
        ("701", "U.S. oil & gas", "d"), ("702", "x", None),
    ]  # fmt: skip


def test_trec_topics_in_xml_are_read(tmp_path: Path) -> None:
    data = '<track><topic number="151" type="faceted"><query>403b</query><description>d</description></topic></track>'
    (topic,) = read(tmp_path, data)
    assert (topic.id, topic.title, topic.description, topic.year_hint) == ("151", "403b", "d", None)


def test_tsv_may_name_its_columns(tmp_path: Path) -> None:
    topics = read(tmp_path, "qid\tquery\tcastitle\tnotes\r\n7\txml  trees\t//p[about(., xml)]\tn\r\n8\ttrees\r\n")
    assert topics.format == "tsv"
    assert topics["7"] == make_topic(
        "7",
        {"title": "xml trees", "castitle": "//p[about(., xml)]", "notes": "n"},
        path=str(tmp_path / "topics"),
        line=2,
    )
    assert topics["8"].castitle is None


def test_tsv_without_names_takes_all_after_the_first_tab_as_the_query() -> None:
    format, topics = read_lines(TopicText("t", "# a comment\n\nq1\t//p[about(., a)]\nq2\tb\tc"))
    assert (format, [(t.id, t.title, t.castitle) for t in topics]) == (
        "tsv", [("q1", "//p[about(., a)]", "//p[about(., a)]"), ("q2", "b c", None)],
    )  # fmt: skip


def test_tsv_may_begin_with_an_empty_query() -> None:
    format, topics = read_lines(TopicText("t", "7\t\n8\txml trees\n"))
    assert (format, [(t.id, t.title) for t in topics]) == ("tsv", [("7", ""), ("8", "xml trees")])


def test_an_empty_query_is_a_topic_that_is_dropped_with_a_notice(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>xml</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1)
    files = {
        "t.tsv": "1\txml\n2\t \n",
        "t.xml": "<topics><topic id='1'><title>xml</title></topic><topic id='2'><title> </title></topic></topics>",
        "n.xml": "<topics><topic id='1'><title>xml</title></topic><topic id='2'/></topics>",
        "i.xml": "<parameters><query><number>1</number><text>xml</text></query><query><number>2</number></query>"
        "</parameters>",
    }
    with trix.open(tmp_path / "i") as index:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
            run = index.run(tmp_path / name)
            assert [len(run[topic]) for topic in ("1", "2")] == [1, 0]
            assert [notice for notice in run.notices if notice.startswith("topic 2: ")]
        with pytest.raises(FormatError, match="topic 1 has no keywords"):
            index.run(tmp_path / "t.xml", field="keywords")


def test_plain_lines_with_numbers_have_them_as_ids(tmp_path: Path) -> None:
    topics = read(tmp_path, '162 "tree edit distance" +xml\n163:  #tag -image\n 164. 3 trees\n')
    assert topics.format == "lines"
    assert [(t.id, t.title) for t in topics] == [
        ("162", '"tree edit distance" +xml'), ("163", "#tag -image"), ("164", "3 trees"),
    ]  # fmt: skip
    assert topics.notices == []


def test_plain_lines_of_which_some_have_no_number_are_numbered_by_line(tmp_path: Path) -> None:
    topics = read(tmp_path, "2001 a space odyssey\n\n\u201ctree edit\u201d xml\n1984\n")
    assert [(t.id, t.title) for t in topics] == [
        ("1", "2001 a space odyssey"),
        ("3", "\u201ctree edit\u201d xml"),
        ("4", "1984"),
    ]
    assert "line numbers are the topic ids" in topics.notices[0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("#combine( a b )", "a b"),
        ("a b", "a b"),
        ("#weight(1.0 a 2 #combine(b c))", "a b c"),
        ("#combine[section](#od2(a b) #uw10(c d e) #1(f))", '"a b" "c d e" f'),
        ("#combine(a #not(b))", "a -b"),
        ("#combine(a", "a"),
        ("", ""),
    ],
)  # fmt: skip
def test_indri_queries_become_content_only_queries(query: str, expected: str) -> None:
    assert indri_to_co(query) == expected


def test_a_field_that_a_topic_lacks_is_an_error_that_names_those_it_has() -> None:
    topic = make_topic("5", {"castitle": "//a", "mmtitle": "m"}, path="t.xml", line=9)
    with pytest.raises(FormatError, match=r"t\.xml, line 9: topic 5 has no title .*; it has castitle, mmtitle"):
        topic.query()


def test_topics_are_a_sequence_with_ids() -> None:
    topics = Topics([Topic("a", "x"), Topic("b", "y")])
    assert [t.id for t in topics[1:]] == ["b"]
    asked: list[Any] = ["a", topics[0], "c"]
    assert [each in topics for each in asked] == [True, True, False]
    with pytest.raises(KeyError):
        topics["c"]


@given(
    st.lists(
        st.tuples(st.from_regex(r"[A-Za-z0-9-]{1,6}", fullmatch=True), st.text(max_size=20)),
        min_size=1,
        unique_by=lambda pair: pair[0],
    )
)
def test_tsv_gives_back_what_was_written(pairs: list[tuple[str, str]]) -> None:
    clean = [(id, " ".join(text.split()) or "x") for id, text in pairs]
    body = "".join(f"{id}\t{text}\n" for id, text in [("id", "query"), *[p for p in clean if p[0] != "id"]])
    topics = [p for p in clean if p[0] != "id"]
    if topics:
        assert [(t.id, t.title) for t in read_lines(TopicText("t", body))[1]] == topics


@given(
    st.text(max_size=200) | st.from_regex(r"<(topic|top|num|inex_topic|a|!DOCTYPE)[^>]{0,9}>.{0,30}", fullmatch=True)
)
def test_any_text_gives_topics_or_the_documented_error(body: str) -> None:
    for reader in (read_lines, read_trec, read_inex):
        try:
            reader(TopicText("t", body))
        except FormatError as error:
            assert "\n" not in str(error)


@pytest.mark.collection
@pytest.mark.skipif(not (DATA / "inex/topics").is_dir(), reason="the shared data folder is absent")
@pytest.mark.parametrize(
    ("file", "count", "first"),
    [
        ("INEX-2009-topics.xml", 115, "Nobel prize"),
        ("INEX-2009-2010-judged-titles.indri.xml", 120, "nobel prize"),
        ("inex2003-100.edited.xml", 1, "strumming abuhaiba"),
        ("inex2004-127.edited.xml", 1, "arpanet"),
        ("inex2004-177.xml", 1, "Difference of two unordered labeled trees or change detection in unordered"
         " labeled trees."),
    ],
)  # fmt: skip
def test_the_real_topic_files_are_read(file: str, count: int, first: str) -> None:
    topics = read_topics(DATA / "inex/topics" / file)
    assert (len(topics), topics[0].title, topics.notices) == (count, first, [])
    assert all(topic.query() for topic in topics)


def test_the_ids_of_categories_and_entities_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "entities.xml"
    file.write_text(
        '<inex_topic topic_id="9999"><title>Impressionist art</title><categories><category id="10855">art museums'
        '</category><category id="123">galleries</category></categories><entities><entity id="7">Uffizi</entity>'
        "<entity>Prado</entity></entities></inex_topic>"
    )
    (topic,) = read_topics(file)
    assert topic.fields == {
        "categories": "art museums galleries",
        "category_ids": "10855 123",
        "entities": "Uffizi Prado",
        "entity_ids": "7",
    }
