"""Prefixes in queries, paths and levels: one that the profile declares restricts, any other is ignored."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.segments import facts_of, flipped, sections_of, write_segment
from trix.indexer.write import from_sources
from trix.query.structured.levels import Levels

DOCUMENT = (
    '<a xmlns:m="urn:m" xmlns:o="urn:n" xmlns:p="urn:m">'
    '<m:sec m:id="two">one</m:sec><o:sec m:id="two">two</o:sec><sec id="two">three</sec>'
    '<m:ss1>four</m:ss1><box><p:sec>five</p:sec><m:p o:id="u">six</m:p></box></a>'
)
PROFILE = """extends = "generic"
attributes = ["sec/@m:id", "sec/@id"]
levels.mine = "major:m:sec"
alias.sec = ["ss1"]
[namespaces]
m = "urn:m"
also = "urn:m"
n = "urn:n"
none = "urn:absent"
"""
SECTIONS = ["1.1", "1.2", "1.3", "1.4", "1.5.1"]


def built(folder: Path, *documents: str, profile: str = PROFILE, **options: Any) -> Path:
    (folder / "docs").mkdir(parents=True)
    for number, document in enumerate(documents):
        (folder / "docs" / f"{number:03}.xml").write_text(document, encoding="utf-8")
    (folder / "my.toml").write_text(profile, encoding="utf-8")
    settings: dict[str, Any] = {"profile": str(folder / "my.toml"), "stem": "none", "stop": "none", "jobs": 1} | options
    trix.build(folder / "docs", folder / "i", **settings)
    return folder / "i"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("namespaces"), DOCUMENT)


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Any]:
    with trix.open(folder) as opened:
        yield opened


def labels(index: Any, query: str, **options: Any) -> list[str]:
    return sorted(index.search(query, top=None, **options).labels)


def selected(index: Any, level: str) -> list[str]:
    members = Levels(index.files).level(level).members
    return index.now.namer.names(members, index.files.documents_of(members))[0]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("//m:sec", ["1.1", "1.4", "1.5.1"]),  # through the alias, whatever the prefix in the document
        ("//also:ss1", ["1.1", "1.4", "1.5.1"]),
        ("//n:sec", ["1.2"]),
        ("//sec", SECTIONS),
        ("//x:sec", SECTIONS),
        ("//o:sec", SECTIONS),  # a prefix of the document, not of the profile
        ("//none:sec", []),
        ("//(n:sec|m:p)", ["1.2", "1.5.2"]),
        ("//(n:sec|p)", ["1.2", "1.5.2"]),
        ("//*[about(.//m:sec, five)]", ["1", "1.5"]),
        ("//*[about(.//m:sec, two)]", []),
        ("//*[about(.//n:sec, two)]", ["1"]),
        ("//*[.//n:sec = 'two']", ["1"]),
        ("//*[.//m:sec = 'two']", []),
        ("/m:a/sec", []),
        ("//box/also:sec", ["1.5.1"]),
        ("//box/n:sec", []),
    ],
)
def test_a_declared_prefix_restricts_a_name_and_any_other_is_ignored(index: Any, query: str, found: list[str]) -> None:
    assert labels(index, query) == found


def test_the_smallest_sample_needs_no_alias(tmp_path: Path) -> None:
    document = '<a xmlns:m="urn:m" xmlns:n="urn:n"><m:sec>one</m:sec><n:sec>two</n:sec><sec>three</sec></a>'
    with trix.open(built(tmp_path, document, profile='inline = []\n[namespaces]\nm = "urn:m"\n')) as index:
        assert labels(index, "//m:sec") == ["1.1"]
        assert labels(index, "//sec") == labels(index, "//n:sec") == ["1.1", "1.2", "1.3"]
        assert labels(index, "//a[about(.//m:sec, two)]") == []
        assert labels(index, "//a[about(.//x:sec, two)]") == ["1"]


@pytest.mark.parametrize(
    ("cas", "found"), [("SSCAS", []), ("SVCAS", ["1.5.1"]), ("VSCAS", []), ("VVCAS-PATH", ["1.5", "1.5.1"])]
)
def test_vague_modes_drop_a_prefix_with_its_name(index: Any, cas: str, found: list[str]) -> None:
    assert labels(index, "//m:box//m:sec[about(., five)]", cas=cas) == found
    assert "1.5" in labels(index, "//m:box//m:sec[about(., five)]", cas="VVCAS")


UNITS = '<a xmlns:m="urn:m" xmlns:n="urn:n"><sec m:id="x" id="y"><p>t</p></sec><sec n:id="x" id="x"><p>t</p></sec></a>'


def test_an_attribute_is_tested_with_its_namespace_where_it_is_a_unit_and_where_it_is_none(
    index: Any, tmp_path: Path
) -> None:
    with trix.open(built(tmp_path, UNITS, profile=PROFILE.replace('"sec/@id"', '"sec/@n:id", "sec/@id"'))) as units:
        assert labels(units, "//@m:id") == ["1.1.1"]
        assert labels(units, "//@n:id") == ["1.2.1"]
        assert labels(units, "//@x:id") == labels(units, "//@id") == ["1.1.1", "1.1.2", "1.2.1", "1.2.2"]
        assert labels(units, "//sec[./@m:id = 'x']") == ["1.1"]
        assert labels(units, "//sec[./@n:id = 'x']") == ["1.2"]
        assert labels(units, "//sec[about(./@n:id, x)]") == ["1.2"]
        assert labels(units, "//sec[./@id = 'x']") == ["1.1", "1.2"]
    assert labels(index, "//*[./@m:id = 'two']") == ["1.1", "1.2"]
    assert labels(index, "//*[./@id = 'two']") == labels(index, "//*[./@z:id = 'two']") == ["1.1", "1.2", "1.3"]
    assert labels(index, "//a[about(.//@m:id, two)]") == labels(index, "//a[about(.//@z:id, two)]") == ["1"]
    assert labels(index, "//a[about(.//@none:id, two)]") == []
    assert labels(index, "//*[./@none:id = 'two']") == []


def test_tests_that_no_element_of_the_namespace_can_pass_are_said(index: Any) -> None:
    (notice,) = index.search("//none:sec[about(., one)]").notices
    assert notice == (
        "//none:sec finds nothing: the index has no sec in the namespace that the profile declares for its prefix "
        "(urn:absent)"
    )
    (notice,) = index.search("//sec[./@none:id = 'two']").notices
    assert "no @id in the namespace" in notice
    assert "(did you mean sec?)" in index.search("//m:secs[about(., one)]").notices[0]
    assert index.search("//sec[./@m:id = 'two']").notices == ()
    assert index.search("//x:sec[about(., one)]").notices == ()


@pytest.mark.parametrize(
    ("level", "found"),
    [
        ("//m:sec", ["1.1", "1.5.1"]),  # paths know no aliases
        ("//x:sec", ["1.1", "1.2", "1.3", "1.5.1"]),
        ("//*[m:sec]", ["1", "1.5"]),
        ("//*[n:sec]", ["1"]),
        ("//(n:sec|m:p)[not(self::m:p)]", ["1.2"]),
        ("major:n:sec", ["1.1", "1.2", "1.3", "1.4", "1.5"]),
        ("minor:also:sec", ["1.1", "1.2", "1.3", "1.4", "1.5.1", "1.5.2"]),
        ("mine", ["1.1", "1.2", "1.3", "1.4", "1.5.1", "1.5.2"]),
    ],
)
def test_levels_and_their_paths_mind_declared_prefixes(index: Any, level: str, found: list[str]) -> None:
    assert selected(index, level) == found


def test_ad_hoc_context_minds_declared_prefixes(index: Any) -> None:
    def score(path: str) -> float:
        results = index.search("five two", context=[f"adhoc:{path}"], strategy="thorough", overlap="full", top=None)
        return dict(zip(results.labels, (result.score for result in results), strict=True))["1.2"]

    plain, half = score("//none:sec"), score("//also:sec")
    assert score("//n:sec") == plain < half  # the context of an element leaves out the element itself
    assert plain < score("//x:sec") == score("//sec") < half  # three others, of which one matches, instead of two


def test_a_level_of_nothing_in_its_namespace_is_said(index: Any) -> None:
    assert Levels(index.files).level("//none:sec").notices() == (
        "level //none:sec: no element has the tag none:sec (did you mean sec?)",
    )


def test_below_unwrapped_elements_and_in_containers_a_namespace_is_kept(tmp_path: Path) -> None:
    document = (
        '<a xmlns:m="urn:m"><w><m:sec>one</m:sec><sec>two</sec></w>'
        "<c>run <w><m:sec>three</m:sec> run <sec>four</sec></w></c></a>"
    )
    profile = 'unwrap = ["w"]\ncontainer = ["c"]\n[namespaces]\nm = "urn:m"\n'
    with trix.open(built(tmp_path, document, profile=profile)) as index:
        found = index.search("//m:sec", top=None)
        assert [result.path for result in found] == ["/a[1]/w[1]/sec[1]", "/a[1]/c[1]/w[1]/sec[1]"]
        assert len(index.search("//sec", top=None)) == 4
        assert trix.check(tmp_path / "i") == []


# -- the sets on disk -----------------------------------------------------------------------------------------------


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_sources, "BATCH_BYTES", 200)
    documents = [DOCUMENT, *(f"<a><sec>{n}</sec></a>" for n in range(40)), DOCUMENT.replace("urn:m", "urn:q"), DOCUMENT]
    made = []
    for jobs in (1, 3):
        path = built(tmp_path / str(jobs), *documents, jobs=jobs, store=True)
        assert trix.check(path) == []
        segment = facts_of(path)
        made.append((segment, sections_of(path)["tags"]))
        assert {name: span[2] for name, span in segment["namespaces"].items()} == {
            "urn:absent": 0, "urn:m": 8, "urn:n": 3
        }  # fmt: skip
    assert made[0] == made[1]


def test_a_profile_without_prefixes_keeps_no_sets(tmp_path: Path) -> None:
    segment = facts_of(built(tmp_path, DOCUMENT, profile=""))
    assert "namespaces" not in segment
    assert len(segment["steps"]) == len(set(segment["steps"])) == 5


def test_sets_that_contradict_the_rest_are_found(folder: Path, tmp_path: Path) -> None:
    facts, sections = facts_of(folder), sections_of(folder)
    copy = shutil.copytree(folder, tmp_path / "i")
    for name, change, said in [
        ("count", lambda spans: spans["urn:m"].__setitem__(2, 3), "namespace urn:m"),
        ("both", lambda spans: spans.__setitem__("urn:n", spans["urn:m"]), "namespace urn:n"),
        ("name", lambda spans: spans.__setitem__("urn:other", spans["urn:absent"]), "not those that the profile"),
        ("gone", lambda spans: spans.__delitem__("urn:n"), "not those that the profile"),
    ]:
        spans = {namespace: [*span] for namespace, span in facts["namespaces"].items()}
        change(spans)
        write_segment(copy, sections, {**facts, "namespaces": spans})
        assert any(said in fault for fault in trix.check(copy)), name
    begin, end, _ = facts["namespaces"]["urn:m"]
    for place in range(begin, end):
        write_segment(copy, {**sections, "tags": flipped(sections["tags"], place)}, facts)
        assert all("\n" not in fault for fault in trix.check(copy))
