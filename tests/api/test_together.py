"""Several indexes that are read as one answer like an index of all their documents [QUERY, section 18]."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from tests.indexer.change.test_living import LINKED, NAMED, relaxed
from tests.living_samples import FACTS, Content, Document, Recipe, answer
from tests.oracle.generate import Case, contexts, documents, options, profiles, queries
from tests.oracle.generate_cas import structured_queries
from tests.oracle.scoring import analysed
from tests.query import test_engine_against_oracle
from tests.query.context import test_links
from tests.query.structured import test_cas_against_oracle, test_levels_against_oracle
from trix.errors import IndexError_, TrixError, UsageError


def recipe(data: st.DataObject, folder: Path, linked: bool) -> Recipe:
    profile = {**(LINKED if linked else data.draw(profiles())), **NAMED}
    file = folder / "own.toml"
    file.write_text(test_engine_against_oracle.toml(profile), encoding="utf-8")
    stem, stop = data.draw(st.sampled_from(["porter", "none"])), data.draw(st.sampled_from([(), ("beta",)]))
    return Recipe(profile, file, stem, stop, data.draw(st.booleans()), data.draw(st.booleans()))


@settings(relaxed, max_examples=min(25, relaxed.max_examples))
@given(data=st.data(), linked=st.booleans())
def test_indexes_together_answer_as_if_built_together(data: st.DataObject, linked: bool) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        built = recipe(data, folder, linked)
        source = test_links.elements() if linked else None
        parts = [
            [
                data.draw(documents()) if source is None else test_links.etree.tostring(data.draw(source))
                for _ in range(many)
            ]
            for many in data.draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
        ]
        contents = [
            Content([Document(f"{part}-{number}", xml, ("", "")) for number, xml in enumerate(xmls)])
            for part, xmls in enumerate(parts)
        ]
        paths = [built.fresh(content, folder / f"part{number}") for number, content in enumerate(contents)]
        whole = Content([document for content in contents for document in content.live])
        fresh = trix.open(built.fresh(whole, folder / "whole"))
        joined = trix.open(paths)
        own, other = joined.info(), fresh.info()
        assert {name: own.get(name) for name in FACTS} == {name: other.get(name) for name in FACTS}
        assert own["xml_bytes"] == other["xml_bytes"]
        for document in whole.live:
            assert joined.show(document.id) == fresh.show(document.id)
        collection = built.read(whole)
        case = Case({}, built.profile, "", (), built.positions, collection)
        for _ in range(3):
            asked: dict[str, Any] = data.draw(options(built.positions))
            if data.draw(st.booleans()) and collection.nodes:
                asked |= {"cas": data.draw(st.sampled_from(test_cas_against_oracle.MODES))}
                query: Any = data.draw(structured_queries(collection, asked["open_phrases"]))
                oracle: Any = test_cas_against_oracle
            else:
                query, oracle = data.draw(queries(collection)), test_engine_against_oracle
                if not analysed(query.terms, collection.chain):
                    continue
            expected = oracle.expected(case, query, asked)
            test_engine_against_oracle.compare(joined, case, query.text, asked, *expected)
            more = dict(asked)
            if data.draw(st.booleans()):
                more["level"] = data.draw(test_levels_against_oracle.level_texts())
            if data.draw(st.booleans()):
                more["expand"] = data.draw(st.sampled_from(["1:2", "2:5"]))
            forms = [contexts(), st.sampled_from([["links:f=.5,direction=both"]])][: 1 + linked]
            more["context"] = data.draw(st.one_of(forms))
            note(f"{query.text!r} {more}")
            assert answer(joined, query.text, True, **more) == answer(fresh, query.text, True, **more)
    finally:
        shutil.rmtree(folder)


TOLD = '<doc><title>{title}</title><p id="p">tree {words} <ref to="b#q"/></p><p id="q">edit</p></doc>'


def folders(tmp_path: Path, **settings: Any) -> list[Path]:
    """Build two indexes, whose documents ``b`` go by the same id."""
    made = []
    for number, (name, files) in enumerate({"one": ["a", "b"], "two": ["b", "c"]}.items()):
        docs = tmp_path / name
        docs.mkdir(exist_ok=True)
        for file in files:
            text = TOLD.format(title=f"Told by {file} of {name}", words="apple " * (number + 1))
            (docs / f"{file}.xml").write_text(text)
        made.append(tmp_path / f"{name}.index")
        trix.build(docs, made[-1], profile=str(profile(tmp_path)), jobs=1, **settings)
    return made


def profile(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text('container = ["doc"]\ntitle = "/doc/title"\n[links]\ntarget = "//@to"\nid = "//@id"\n')
    return path


def test_ids_that_several_have_get_the_name_of_their_index(tmp_path: Path) -> None:
    with trix.open(folders(tmp_path)) as index:
        assert [index.files.ids[number] for number in range(4)] == ["a", "one:b", "two:b", "c"]
        found = {result.doc: result for result in index.search("tree", top=None, strategy="thorough", level="//p")}
        assert set(found) == {"a", "one:b", "two:b", "c"}
        assert "apple apple" in found["two:b"].text
        assert "apple apple" not in found["one:b"].text
        assert index.show("two:b/doc[1]/p[1]").strip() == "tree apple apple"
        assert f"{index.explain('tree', 'two:b/doc[1]/p[1]')}"
        assert index.files.ids_from("", 9) == ["a", "c", "one:b", "two:b"]
        assert index.files.ids_from("two", 9) == ["two:b"]
        with pytest.raises(UsageError, match="b"):
            index.show("b")


def test_a_prefixed_id_that_a_document_has_is_prefixed_again(tmp_path: Path) -> None:
    paths = folders(tmp_path)
    with trix.write(paths[1]) as writer:
        writer.add_document(b"<doc><p>tree</p></doc>", "one:b")
    with trix.open(paths) as index:
        assert [index.files.ids[number] for number in range(5)] == ["a", "one:one:b", "two:b", "c", "one:b"]
        assert index.files.document("one:b") == 4
        assert index.files.document("one:one:b") == 1


def test_a_link_to_an_id_that_several_have_stays_in_its_index(tmp_path: Path) -> None:
    with trix.open(folders(tmp_path)) as index:
        sources, targets = index.files.links
        documents = [index.files.documents_of(each).tolist() for each in (sources, targets)]
        assert sorted(zip(*documents, strict=True)) == [(0, 1), (1, 1), (2, 2), (3, 2)]
        assert index.files.open_links == 0


def test_each_of_them_may_change(tmp_path: Path) -> None:
    paths = folders(tmp_path)
    with trix.open(paths) as index:
        before = index.info()
        assert not index.refresh()
        with trix.write(paths[1]) as writer:
            writer.delete(["b"])
        assert len(index) == 4
        assert index.refresh()
        assert not index.refresh()
        assert [index.files.ids[number] for number in range(3)] == ["a", "b", "c"]
        after = index.info()
        assert after["commit"] > before["commit"]
        assert [each["documents"] for each in after["indexes"]] == [2, 1]
        assert len(index.search("tree", top=None, strategy="thorough", level="//p")) == 3


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"stem": "none"}, "stem is none there and porter here"),
        ({"positions": False}, "positions is False there and True here"),
        ({"profile": "generic"}, "the profile is generic there and own here, which differ in"),
    ],
)
def test_settings_that_differ_are_named(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    paths = folders(tmp_path)
    (tmp_path / "two.index").rename(tmp_path / "old")
    given: dict[str, Any] = {"profile": str(profile(tmp_path)), "jobs": 1} | settings
    trix.build(tmp_path / "two", paths[1], **given)
    with pytest.raises(IndexError_, match=f"{paths[1]}: cannot be searched together with {paths[0]}: {said}"):
        trix.open(paths)


def test_copies_may_be_kept_by_one_of_them(tmp_path: Path) -> None:
    paths = folders(tmp_path)
    trix.build(tmp_path / "two", paths[1], profile=str(profile(tmp_path)), jobs=1, store=True, overwrite=True)
    shutil.rmtree(tmp_path / "two")
    with trix.open(paths) as index:
        assert index.show("c/doc[1]/title[1]").strip() == "Told by c of two"
        assert index.show("a/doc[1]/title[1]").strip() == "Told by a of one"


@pytest.mark.parametrize("named", [[], ["one.index", "./one.index"], ","])
def test_wrong_lists_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: Any) -> None:
    folders(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TrixError, match=r"names no folder|named twice"):
        trix.open(named)


def test_a_folder_with_a_comma_in_its_name_is_one(tmp_path: Path) -> None:
    path = folders(tmp_path)[0].rename(tmp_path / "one, but not two")
    with trix.open(str(path)) as index:
        assert len(index) == 2


def test_commands_take_several(tmp_path: Path, run_cli: Cli) -> None:
    both = ",".join(map(str, folders(tmp_path)))
    code, out, _ = run_cli("search", both, "tree", "--format", "jsonl", "--strategy", "thorough", "--level", "//p")
    assert code == 0
    assert {json.loads(line)["doc"] for line in out.splitlines()} == {"a", "one:b", "two:b", "c"}
    assert run_cli("show", both, "two:b/doc[1]/p[2]")[1].strip() == "edit"
    assert "two.index" in run_cli("info", both)[1]
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\ttree\n")
    assert len(run_cli("run", both, topics, "--strategy", "thorough", "--level", "//p")[1].splitlines()) == 4


@pytest.mark.parametrize(
    "command", [["add", "INDEX", "one"], ["delete", "INDEX", "a"], ["update", "INDEX"], ["compact", "INDEX"]]
)
def test_commands_that_change_take_one(tmp_path: Path, run_cli: Cli, command: list[str]) -> None:
    both = ",".join(map(str, folders(tmp_path)))
    code, _, err = run_cli(
        *[both if word == "INDEX" else str(tmp_path / word) if word == "one" else word for word in command]
    )
    assert code == 2
    assert "several indexes can be searched, not changed" in err


def test_more_elements_than_a_process_can_number_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trix.indexer.store import files

    (tmp_path / "a.xml").write_text("<a><b>x</b><b>y</b></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    monkeypatch.setattr(files, "LARGEST", 2)
    with pytest.raises(IndexError_, match=r"i: has 3 elements, at most 2 can be opened; split the collection"):
        trix.open(tmp_path / "i")
