"""Trees that are made as far as somebody asks for them, and XPaths that say how far that is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.indexer.document.test_markup import elements
from trix.errors import SourceError
from trix.indexer.document.parse import is_faultless, parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import Steps
from trix.indexer.document.tree import LazyTree, TreeMaker
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.profile.reach import reaches
from trix.indexer.profile.xpath import all_texts
from trix.indexer.read.element_text import ElementText
from trix.indexer.write.metadata import DocumentMetadata, MetadataReader

TAGS = ["a", "b", "m:c", "d"]
ATTRIBUTES = ["", " k='x'", " k='y'", " m:l='x'"]
PROFILE = Profile(name="any")


MORE_FORMS = ["boolean({}) and string()", "{} = 'x'", "concat({}, string())", "-{}", "count({})"]


@st.composite
def xpaths(draw: st.DrawFn) -> str:
    """Draw an XPath of the kinds that profiles have, and of some whose reach is not told."""
    names = st.sampled_from(["r", "a", "b", "c", "d", "*"])
    conditions = [
        "", "", "", "[@k]", "[@k='x']", "[b]", "[.//b]", "[contains(@k, 'x') or d='y']", "[not(@k='x' and b)]", "[1]",
        "[last()]", "[a[@k]/b]", "[../b]", "[//b]", "[count(b) > 1]", "[contains(string(), 'x')]", "[name() = 'a']",
        "[normalize-space()]", "[text() = 'x' or b | c]", "[b//a[@k]]", "[@* = 'y']", "[self::b]", "[@k < 2]",
    ]  # fmt: skip
    paths = []
    for _ in range(draw(st.integers(1, 3))):
        steps = [draw(st.sampled_from(["/", "/", "//"])) + draw(names) for _ in range(draw(st.integers(1, 4)))]
        path = "".join(step + draw(st.sampled_from(conditions)) for step in steps)
        paths.append(
            path + draw(st.sampled_from(["", "", "/@k", "//@k", "/@*", "/text()", "//text()", "/node()", "/.."]))
        )
    form = draw(
        st.sampled_from(["{}", "{}", "concat({}, '-', {})", "string({})", "({})/b", "normalize-space({})", *MORE_FORMS])
    )
    every = " | ".join(paths)
    return form.format(*([every] if form.count("{}") == 1 else [every, paths[-1]]))


@settings(max_examples=400, deadline=None)
@given(elements(TAGS, ATTRIBUTES), elements(TAGS, ATTRIBUTES), xpaths())
@example("<b>1</b>", "<a><b>2</b></a>", "//b")
@example("<a><b>1</b></a>", "<b>2</b>", "/r/b")
@example("<a><d>1</d></a>", "<b/>", "//r[b]/a/d")
@example("<a><b>1</b></a>", "<b/>", "/r/a/b/text()")
@example("<a>1</a>", "<b/>", "/r/text()")
@example("<a>1</a>", "<b/>", "concat(/r/a, string())")
@example("<a>1</a>", "<b>x</b>", "/r[contains(string(), 'x')]/a")
def test_an_xpath_finds_in_the_head_that_it_reaches_what_it_finds_in_all(first: str, second: str, xpath: str) -> None:
    reach = reaches(xpath)
    if reach is None:
        return
    data = f'<r xmlns:m="urn:m" k="x">w{first}{second}<d>y</d></r>'.encode()
    reader = MarkupReader(PROFILE)
    tree = LazyTree(lambda: parse(data, "x.xml"), data)
    reader.read(tree)
    if reader.scan is None:
        return
    children = reader.scan.children
    assert children.begins.size == len([each for each in parse(data, "x.xml") if isinstance(each.tag, str)])
    head = tree.until(children.byte(children.reached(reach)))
    assert all_texts(head, xpath) == all_texts(parse(data, "x.xml"), xpath)


def said(profile: Profile, data: bytes, *, lazily: bool) -> tuple[DocumentMetadata, LazyTree]:
    reader = MarkupReader(profile) if lazily else DocumentReader(profile)
    tree = LazyTree(lambda: parse(data, "x.xml"), data) if lazily else LazyTree.of(parse(data, "x.xml"))
    reader.read(tree)
    return MetadataReader(profile, ElementText(profile)).read(tree, reader), tree


@settings(max_examples=200, deadline=None)
@given(st.lists(elements(TAGS, ATTRIBUTES), min_size=1, max_size=3), xpaths(), xpaths(), xpaths())
@example(["<a>no</a>", "<b>title</b>", "<c>field</c>"], "//b", "//@k", "/r/c")
@example(["<a>1</a>", "<a>2</a>"], "/r/a[2]", "/r/a[last()]", "/r/a[1]")
def test_documents_say_the_same_of_themselves_by_their_heads(
    parts: list[str], title: str, name: str, path: str
) -> None:
    profile = Profile.from_dict({"title": title, "id": name, "fields": {"f": {"path": path, "many": True}}})
    data = f'<r xmlns:m="urn:m" k="x">{"".join(parts)}</r>'.encode()
    assert said(profile, data, lazily=True)[0] == said(profile, data, lazily=False)[0]


def test_an_article_is_asked_for_its_front_alone() -> None:
    front = (
        "<front><article-meta><title-group><article-title>Of &nbsp;<i>trees</i></article-title></title-group>"
        "<pub-date pub-type='epub'><year>2011</year></pub-date></article-meta></front>"
    )
    rest = "<body><p>word</p></body><back><article-title>No</article-title></back>"
    data = f"<article xml:lang='en'>{front}{rest}</article>".encode()
    found, tree = said(load_profile("jats"), data, lazily=True)
    assert found.title == "Of trees" and ("2011",) in found.fields and ("en",) in found.fields
    assert not tree.is_needed
    assert [each.tag for each in tree.until(1)] == ["front"]


def test_a_title_that_the_head_has_not_is_found_behind_it() -> None:
    profile = Profile.from_dict({"title": "//t", "fields": {"f": {"path": "/r/a"}}})
    found, tree = said(profile, b"<r><a>field</a><b/><b><t>title</t></b><c/></r>", lazily=True)
    assert found == DocumentMetadata("", "title", (("field",),))
    assert not tree.is_needed


def test_a_tree_is_made_as_far_as_it_is_asked_for() -> None:
    made = []
    data = b"<?xml version='1.0'?>\n<r k='a>b'><a>1</a> <b/>2</r>"
    tree = LazyTree(lambda: made.append(1) or parse(data, "x.xml"), data[data.index(b"<r") :])
    assert (tree.top.tag, dict(tree.top.attrib), len(tree.top)) == ("r", {"k": "a>b"}, 0)
    end = tree.markup.index(b"<b")
    assert etree.tostring(tree.until(end)) == b'<r k="a&gt;b"><a>1</a> </r>'
    assert tree.until(0) is tree.until(end) and not made and not tree.is_needed
    assert etree.tostring(tree.until(len(tree.markup))) == b'<r k="a&gt;b"><a>1</a> <b/>2</r>'
    assert tree.is_needed and tree.top is tree.element and made == [1]


def test_trees_are_made_at_once_where_most_are_asked_for() -> None:
    make = TreeMaker()
    known = []
    for number in range(8):
        tree = make(b"<a>b</a>", "x.xml")
        known.append("_whole" in tree.__dict__)
        if number < 4:
            assert tree.element.tag == "a"
    assert known[0] is False and known[2:5] == [True] * 3


@pytest.mark.parametrize(
    "data",
    [
        b"", b" ", b"<a>", b"<a", b"<", b"<a><b></a>", b"<a:b/>", b"<a k='1' k='2'/>", b"<a>&b;</a>", b"<a>\x00</a>",
        b"word", b"<a/>word", b"<a k=1/>", b"<a><![CDATA[b</a>", b"<a>\xff</a>", b"<a>&#0;</a>", b"<a>]]></a>",
        b'<!DOCTYPE a SYSTEM "a.dtd"><?xml version="1.0"?><a/>',
    ],
)  # fmt: skip
def test_a_file_with_a_fault_is_told_so_at_once(data: bytes) -> None:
    assert not is_faultless(data)
    if b"&b;" in data:
        assert TreeMaker()(data, "x.xml").element.tag == "a"  # which is none that matters
        return
    with pytest.raises(SourceError):
        parse(data, "x.xml")
    with pytest.raises(SourceError):
        TreeMaker()(data, "x.xml")


@settings(max_examples=300, deadline=None)
@given(elements(TAGS, ATTRIBUTES), st.data())
def test_what_is_faultless_has_a_tree(element: str, data: st.DataObject) -> None:
    file = bytearray(f'<!DOCTYPE r SYSTEM "r"><r xmlns:m="urn:m">{element}&e; </r>'.encode())
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(file) - 1))
        file[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.sampled_from([b"", b"<", b">", b"&", b'"', b"/", b"m"])
        )
    if is_faultless(bytes(file)):
        assert isinstance(parse(bytes(file), "x.xml").tag, str)


def test_as_many_levels_as_a_tree_may_have_are_no_fault() -> None:
    deep = b"<a>" * 256 + b"</a>" * 256
    assert is_faultless(deep) and parse(deep, "x.xml").tag == "a"
    reader = MarkupReader(PROFILE)
    assert reader.read(TreeMaker()(deep, "x.xml")).length == 0 and reader.scan is not None
    with pytest.raises(SourceError, match="deeper than 256 levels"):
        reader.read(TreeMaker()(b"<a>" + deep + b"</a>", "x.xml"))


@pytest.mark.parametrize("value", ["x", "1"])
def test_an_id_twice_or_one_that_is_none_is_no_reason_to_lose_a_file(value: str) -> None:
    data = f"<a><b xml:id='{value}'>1 &gone;</b><b xml:id='{value}'>2</b></a>".encode()
    assert [each.text for each in parse(data, "x.xml")] == ["1 ", "2"]
    assert MarkupReader(PROFILE, Steps()).read(TreeMaker()(data, "x.xml")).length == 3
    with pytest.raises(SourceError, match="mismatch"):
        parse(data.replace(b"</b></a>", b"</a>"), "x.xml")


def test_no_name_is_taken_for_that_of_the_element_itself() -> None:
    any_element: Any = parse(b"<b><a/><b>1</b></b>", "x.xml")
    assert all_texts(any_element, "//b/b") == ["1"]
    reader = MarkupReader(PROFILE)
    reader.read(LazyTree.of(any_element))
    assert reader.scan is not None
    assert reader.scan.children.reached(reaches("//b") or ()) == 2
