"""Links as context: against a literal oracle on random collections, by hand, and as files."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.oracle.links import context, links
from tests.segments import sections_of
from trix.errors import IndexError_, ProfileError, UsageError
from trix.indexer.checking.index import check
from trix.indexer.document.anchors import Anchors
from trix.indexer.write.links import document_links
from trix.query.context.chain import parse_context

LINKED = """[links]
target = "//@to"
id = "//@id"
"""
PARTED = 'container = ["p"]\nunwrap = ["ref"]\ninline = ["i"]\n' + LINKED
NAMES = ("a", "b", "c", "sub/d", "sub/1")
TARGETS = ["1", "2", "3", "#1", "#2", "a", "b.xml", "sub/d", "d", "../a.xml#1", "b#2", "c.xml#3", "2#1", "nowhere", "#",
           "http://a.b/c#1", "sub/d.xml#", "3#3"]  # fmt: skip


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> Any:
    """Draw an element; some have an id, some links, some text."""
    element = etree.Element(draw(st.sampled_from(["sec", "p", "p", "fig", "ref", "i"])) if depth else "article")
    if draw(st.integers(0, 2)) == 0:
        element.set("id", draw(st.sampled_from(["1", "2", "3", " 3 "])))
    if draw(st.integers(0, 2)) == 0:
        element.set("to", " ".join(draw(st.lists(st.sampled_from(TARGETS), min_size=1, max_size=3))))
    texts = st.sampled_from(["", "", " ", "apple", "pear tree"])
    element.text = draw(texts) if depth else ""
    for _ in range(draw(st.integers(0, 3)) if depth < 4 else 0):
        child = draw(elements(depth + 1))
        child.tail = draw(texts) if depth else ""
        element.append(child)
    return element


def build(documents: dict[str, Any], profile: str, folder: Path, **how: Any) -> trix.Index:
    for name, root in documents.items():
        path = folder / "docs" / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(root if isinstance(root, bytes) else etree.tostring(root))
    (folder / "own.toml").write_text(profile)
    trix.build(folder / "docs", folder / "i", profile=folder / "own.toml", stop="none", **{"jobs": 1, **how})
    return trix.open(folder / "i")


def everything(index: trix.Index) -> list[tuple[str, str]]:
    numbers = np.arange(index.files.totals["elements"], dtype=np.int32)
    documents = index.files.documents_of(numbers)
    paths = index.now.namer.names(numbers, documents)[1]
    return [(index.files.ids[document], path) for document, path in zip(documents.tolist(), paths, strict=True)]


def by_the_letter(anchors: Anchors) -> tuple[list[list[int]], list[tuple[str, int]]]:
    """Return the links inside a document, and the names that lead out of it, each with its element."""
    inside, outside = list[list[int]](), list[tuple[str, int]]()
    known = [(name.strip(), place) for name, place in zip(anchors.ids, anchors.id_rows.tolist(), strict=True)]
    for value, source in zip(anchors.targets, anchors.target_rows.tolist(), strict=True):
        for name in value.split() if source >= 0 else []:
            own = unquote(name[1:] if name.startswith("#") else "" if "#" in name else name)
            there = [place for wanted, place in known if wanted == own and place >= 0][:1]
            if name == "#" or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name):
                continue
            inside += [[source, place] for place in there]
            outside += [] if there else [(name, source)]
    return inside, outside


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_targets_mean_what_they_say_whatever_ids_there_are(data: st.DataObject) -> None:
    odd = ["a:b", "a b", "a#b", "#a", "%61", "", " a ", "#"]
    ids = data.draw(st.lists(st.sampled_from(["a", "b", "c", *data.draw(st.sampled_from([[], odd]))]), max_size=4))
    targets = data.draw(st.lists(st.sampled_from(["a", "b", "c", "a  c", "d", "d#a", *odd]), max_size=6))
    rows = [np.array(data.draw(st.tuples(*[st.integers(-1, 9)] * len(of))), np.int32) for of in (ids, targets)]
    anchors = Anchors(ids, rows[0], targets, rows[1])
    found = document_links(anchors)
    assert (found.pairs.tolist(), [*zip(found.names, found.sources.tolist(), strict=True)]) == by_the_letter(anchors)


@settings(max_examples=40, deadline=None)
@given(st.lists(elements(), min_size=1, max_size=5), st.sampled_from([LINKED, PARTED]), st.randoms())
def test_links_are_those_of_the_sources(roots: list[Any], profile: str, random: Any) -> None:
    documents = dict(sorted(zip(NAMES, roots, strict=False)))  # in the index's order: of an id in two, the first counts
    for root in roots:
        etree.SubElement(root, "sec").text = "plum"
    with tempfile.TemporaryDirectory() as folder, build(documents, profile, Path(folder)) as index:
        places = everything(index)
        s = {place: random.choice([0.0, 0.1, 0.5, 0.7, 3.0]) for place in places}
        pairs = links(documents, set(places))
        run = {"1": {doc + path: score for (doc, path), score in s.items()}}
        for direction in ("out", "in", "both"):
            found = index.rescore(run, context=f"links:f=.5,direction={direction}", top=10**6)["1"]
            scores = {(result.doc, result.path): result.score for result in found}
            for place in places:
                around = context(place, pairs, direction)
                if "text()" in place[1] or any("text()" in path for _, path in around):
                    continue
                if direction != "out" and profile == PARTED:
                    continue  # a link in a run begins there, and not in the container
                expected = s[place] + (0.5 * sum(s[y] for y in around) / len(around) if around else 0.0)
                assert scores[place] == pytest.approx(expected, abs=1e-12)
        assert check(Path(folder) / "i") == []


def test_elements_inside_unwrapped_ones_are_found_by_their_paths(tmp_path: Path) -> None:
    text = b"<article><sec><ref><p>apple</p><ref><p>pear</p></ref></ref></sec></article>"
    with build({"a": text}, PARTED, tmp_path) as index:
        run = {f"a{path}": 1.0 for _, path in everything(index)}
        assert "a/article[1]/sec[1]/ref[1]/ref[1]/p[1]" in run
        assert found(index, "none", run | {"a/article[1]/sec[1]/ref[1]": 1.0, "a/article[1]/ref[1]/p[1]": 2.0}) == run


ARTICLES = {
    "a": b'<article id="one"><sec id="s"><p>apple <ref to="f">figure</ref> tree<fig id="f"><p>pear</p></fig>plum <ref '
    b'to="b#x">there</ref></p></sec><sec><p>fig</p></sec></article>',
    "b": b'<article id="two"><sec id="x"><p>apple</p><p to="a">pear</p></sec><p to="one#s gone http://x.y">plum</p></article>',
}


def found(index: trix.Index, form: str, run: dict[str, float]) -> dict[str, float]:
    results = index.rescore({"1": run}, context=form)["1"]
    return {result.doc + result.path: result.score for result in results}


def test_a_link_in_a_run_of_text_is_the_runs(tmp_path: Path) -> None:
    first, second = "a/article[1]/sec[1]/p[1]/text()[1]", "a/article[1]/sec[1]/p[1]/text()[2]"
    figure, there = "a/article[1]/sec[1]/p[1]/fig[1]", "b/article[1]/sec[1]"
    run = {first: 1.0, second: 2.0, figure: 4.0, there: 8.0, "a/article[1]": 16.0, "b/article[1]/p[1]": 32.0}
    with build(ARTICLES, PARTED, tmp_path) as index:
        out = found(index, "links", run)
        assert out[first] == 1 + 4
        assert out[second] == 2 + 8  # in another document
        assert out["a/article[1]"] == 16 + 8  # what it links to inside is none of its context
        assert out["b/article[1]/p[1]"] == 32 + 0  # to a section that does not match
        back = found(index, "links:direction=in,f=.5", run)
        assert back[figure] == 4 + 0.5 * 1
        assert back[there] == 8 + 0.5 * 2
        assert (
            back["a/article[1]"] == 16 + 0.5 * (32 + 0) / 2
        )  # from b, a paragraph that matches, and one that does not
        assert found(index, "cscore:root,w=.5>links", run)[second] == 2 + 0.5 * 16 + 8 + 0.5 * 0


def test_explanations_name_elements_of_other_documents(tmp_path: Path) -> None:
    with build(ARTICLES, PARTED, tmp_path) as index:
        results = index.search("plum apple", context="links:direction=both", strategy="thorough")
        best = {result.doc + result.path: result for result in results}["a/article[1]/sec[1]/p[1]/text()[2]"]
        explanation = index.explain("plum apple", best, context="links:direction=both")
        assert explanation.value == explanation.parts[0].value == best.score
        (_, there) = explanation.parts[0].parts
        assert there.what == "weight · score of 2.1 /article[1]/sec[1] in b"
        everyone = index.search("plum", context="links:all=1", strategy="thorough", top=None)
        assert len(everyone) == index.info()["elements"]


def test_the_index_is_the_same_for_any_number_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trix.indexer.write.from_sources.BATCH_BYTES", 150)
    built = []
    for jobs in (1, 3):
        with build(ARTICLES, PARTED, tmp_path, jobs=jobs, overwrite=True):
            files = (tmp_path / "i").glob("*.segment")  # the commit counts on, and times of sources are theirs
            built.append({path.name: path.read_bytes() for path in files})
            assert {"links", "links.names"} <= sections_of(tmp_path / "i").keys()
    assert built[0] == built[1]


def test_without_links_in_the_profile_nothing_is_written(tmp_path: Path) -> None:
    with build(ARTICLES, "", tmp_path) as index:
        assert not {"links", "links.names"} & index.files.section_sizes().keys()
        assert "links" not in index.files.settings["profile"]
        with pytest.raises(IndexError_, match=r"has no links, since its profile own names none; add \[links\]"):
            index.search("apple", context="links")


def test_info_tells_how_many_links_there_are(tmp_path: Path) -> None:
    with build(ARTICLES, LINKED, tmp_path) as index:
        assert index.info()["links"] == {"count": 4, "open": 1}


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ('id = "//@id"', "links: target is missing, an XPath of what names targets"),
        ('target = "//["', r"links.target = '//\['.*not an XPath"),
        ('target = "count(//a)"', "it selects no nodes; expected a path"),
        ('target = "//@a"\nids = "//@b"', r"links: unknown key 'ids' \(did you mean id\?\); keys are target, id"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, links: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        build(ARTICLES, "[links]\n" + links, tmp_path)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("links:direction=ot", r"direction=ot is none \(did you mean out\?\)"),
        ("links:w=1", "unknown key 'w'; expected f, all or direction"),
        ("links:f=-1", "f=-1 is out of range"),
    ],
)
def test_a_wrong_form_is_named(form: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_context(form)


@pytest.mark.parametrize("form", ["links", "links:f=0.5", "links:direction=in", "links:f=2,direction=both,all=1"])
def test_the_form_has_a_canonical_text(form: str) -> None:
    assert str(parse_context(form)) == form
    assert parse_context(str(parse_context(form))) == parse_context(form)
    assert str(parse_context("links:all=0,direction=out,f=1.0")) == "links"


def test_an_empty_id_beside_one_with_a_blank_is_no_target() -> None:
    anchors = Anchors(["a b", ""], np.zeros(2, np.int32), [""], np.zeros(1, np.int32))
    assert document_links(anchors).pairs.tolist() == by_the_letter(anchors)[0] == []
