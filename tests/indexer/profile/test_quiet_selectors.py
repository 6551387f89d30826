"""Quiet parts named by more than a tag: what an index records of them, against a literal reading of the rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from trix.indexer.change.arguments import given_document
from trix.indexer.checking.index import check
from trix.indexer.document.limits import DEFAULTS
from trix.indexer.document.reader import DocumentReader
from trix.indexer.languages.chains import Chains, word_settings
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import Selector
from trix.indexer.store.files import IndexFiles
from trix.indexer.write.builder import BatchBuilder
from trix.indexer.write.remarks import Remarks

NS = "urn:n"
SELECTORS = (
    "a", "b", "*", "a[@k]", "a[@k='1']", "*[@k='2']", f"{{{NS}}}a", f"{{{NS}}}*", f"{{{NS}}}b[@k='1']",
    "a/b", "a[@k]/b", "*/a", "a/b/a", f"{{{NS}}}a/*", "b/a[@k='1']", "*[@k='2']/b", "a/a",
)  # fmt: skip


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Any:
    """Draw an element with words in most places, some of it in a namespace."""
    tag = draw(st.sampled_from(["a", "b", f"{{{NS}}}a", f"{{{NS}}}b"]))
    element = etree.Element(tag, nsmap={"n": NS})
    key = draw(st.sampled_from(["", "", "1", "2"]))
    if key:
        element.set("k", key)
    if depth and draw(st.booleans()):
        for child in draw(st.lists(trees(depth - 1), max_size=3)):
            element.append(child)
    if not len(element):
        element.text = "word"
    return element


def literal_mark(element: Any, quiet: list[Selector], loud: list[Selector]) -> str:
    """Return the mark of an element: that of the most specific selector, a quiet part's among equal ones."""
    best: tuple[tuple[int, bool, bool], str] = (0, False, False), ""
    for mark, selectors in (("loud", loud), ("quiet", quiet)):
        for each in selectors:
            if selects(each, element):
                best = max(best, (each.rank, mark))  # "quiet" is greater than "loud"
    return best[1]


def selects(selector: Selector, element: Any) -> bool:
    """Tell whether a selector is about an element, by XPath."""
    steps = []
    for each in (selector, *selector.parents()):
        tests = [] if each.tag == "*" else [f"local-name() = '{each.tag}'"]
        tests += [] if each.namespace is None else [f"namespace-uri() = '{each.namespace}'"]
        if each.attribute is not None:
            tests.append(f"@{each.attribute}" if each.value is None else f"@{each.attribute} = '{each.value}'")
        steps.append("*" + "".join(f"[{test}]" for test in tests))
    return element in element.getroottree().xpath("//" + "/".join(reversed(steps)))


marks = st.lists(st.sampled_from(SELECTORS), max_size=4).map(lambda found: [Selector.parse(each) for each in found])


@settings(max_examples=60, deadline=None)
@given(trees(), marks, marks)
@pytest.mark.parametrize("reader", [DocumentReader, MarkupReader])
def test_marks_are_those_of_the_most_specific_selector(
    reader: type[DocumentReader], root: Any, quiet: list[Selector], loud: list[Selector]
) -> None:
    profile = Profile(name="own", quiet=tuple(quiet), loud=tuple(loud))
    record = reader(profile).read_document(root)
    every = [element for element in root.iter() if "".join(element.itertext()).strip()]
    assert len(every) == len(record.depth)
    recorded = [0] * len(every) if record.marks is None else record.marks.tolist()
    tags = {mark: {s.tag for s in of if s.is_tag} for mark, of in (("quiet", quiet), ("loud", loud))}
    for element, mark in zip(every, recorded, strict=True):
        own, local = {1 << 23: "quiet", 1 << 24: "loud", 0: ""}[mark], etree.QName(element).localname
        found = own or next((name for name in ("quiet", "loud") if local in tags[name]), "")
        assert found == literal_mark(element, quiet, loud), etree.tostring(element)


@settings(max_examples=40, deadline=None)
@given(st.lists(trees(), min_size=1, max_size=3), marks, marks)
def test_a_build_counts_the_content_elements_in_quiet_parts(
    roots: list[Any], quiet: list[Selector], loud: list[Selector]
) -> None:
    expected = Counter[str]()
    for element in (each for root in roots for each in root.iter() if each.text):
        around = [element, *element.iterancestors()][:-1]  # a document's element begins no quiet part
        marked = next((each for each in around if literal_mark(each, quiet, loud)), None)
        if marked is not None and literal_mark(marked, quiet, loud) == "quiet":
            expected[etree.QName(marked).localname] += 1
    profile, chains = Profile(name="own", quiet=tuple(quiet), loud=tuple(loud)), Chains(word_settings("none", "none"))
    builder = BatchBuilder(profile, chains)

    def remarks_on(documents: list[Any]) -> Remarks:
        for number, root in enumerate(documents):
            source = given_document(etree.tostring(root), f"d{number}", DEFAULTS)
            builder.add(source, source.read())
        return builder.finish().remarks

    assert remarks_on(roots).quiet == expected
    assert Remarks.of_all([remarks_on([root]) for root in roots]).quiet == expected


BOOK = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><div type='chapter'><p>On liberty of the press.</p></div>"
    "</body><back><div type='index'><list><item>Liberty, of conscience {0}</item></list></div></back></text></TEI>"
)


def test_an_index_at_the_end_of_a_book_is_quiet_whatever_the_history(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.xml").write_text(BOOK.format(name))
    folder = tmp_path / "i"
    for name in "abcd":
        with trix.write(folder, profile="tei", merge=False) as writer:
            writer.add(tmp_path / f"{name}.xml")
    with trix.write(folder, merge=False) as writer:
        writer.delete("b")
    trix.build([tmp_path / f"{name}.xml" for name in "acd"], tmp_path / "j", profile="tei", jobs=1)

    def asked(path: Path) -> list[tuple[str, str]]:
        with trix.open(path) as index:
            found = index.search("liberty", quiet_parts=False, strategy="thorough", top="all")
            return [(result.doc, result.path) for result in found]

    once = asked(tmp_path / "j")
    assert once
    assert not any("/back" in path for _, path in once) and any("/body" in path for _, path in once)
    assert asked(folder) == once
    with trix.write(folder) as writer:
        writer.compact()
    assert asked(folder) == once and check(folder) == []
    assert {f.name for f in folder.glob("*.segment")} == {f.name for f in (tmp_path / "j").glob("*.segment")}
    one, two = IndexFiles(folder), IndexFiles([folder, folder.with_name("j")])
    assert len(one.marked("quiet")) == 3 and len(two.marked("quiet")) == 6
