"""The fields of every collection, against files and their trees read by lxml."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from tests.conftest import Cli
from trix.indexer.fields.builtin import BUILTIN

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
ROOTS = ("play", "t:letter", "note")
LANGUAGES = ("", "fr", "de", "la")
PLACES = ("", "plays/", "plays/old/", "letters/")

Said = dict[str, list[Any]]


def collection(folder: Path, count: int, seed: int) -> None:
    """Write documents with several roots, languages, folders and dates."""
    say = random.Random(seed)
    for number in range(count):
        path = folder / f"{say.choice(PLACES)}d{seed}-{number:02}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        root, language, inner = say.choice(ROOTS), say.choice(LANGUAGES), say.choice(LANGUAGES)
        of_root, of_inner = (f' xml:lang="{each}"' if each else "" for each in (language, inner))
        parts = "".join(f"<p{of_inner}>tree {'leaf ' * say.randint(0, 9)}</p>" for _ in range(say.randint(1, 4)))
        path.write_text(f'<{root} xmlns:t="urn:t"{of_root}>{parts}<q>tree</q></{root}>', "utf-8")
        day = datetime(2000 + say.randint(0, 20), say.randint(1, 12), 3, 12, tzinfo=UTC).timestamp()
        os.utime(path, (day, day))


def literal(folder: Path) -> dict[str, Said]:
    """Return what the files of a folder say, by id."""
    found = {}
    for path in sorted(folder.rglob("*.xml")):
        name, root = path.relative_to(folder).as_posix(), etree.parse(path).getroot()
        parts = name.split("/")[:-1]
        languages = Counter(
            said for each in root.iter() if (said := each.xpath("string(ancestor-or-self::*[@xml:lang][1]/@xml:lang)"))
        )
        most = max(languages.values(), default=0)
        best = sorted(each for each, count in languages.items() if count == most)[:1]
        found[name.removesuffix(".xml")] = {
            "id": [name.removesuffix(".xml")],
            "folder": ["/".join(parts[: depth + 1]) for depth in range(len(parts))] or ["."],
            "root": [etree.QName(root).localname],
            "language": [root.get(LANGUAGE)] if root.get(LANGUAGE) else best,
            "modified": [datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()],
        }
    return found


def check(index: trix.Index, told: dict[str, Said]) -> None:
    """Compare the fields of an index, its filters, facets and orders with what is told of its documents."""
    ids = [index.files.ids[number] for number in range(len(index))]
    assert sorted(ids) == sorted(told)
    for number, name in enumerate(ids):
        told[name]["size"] = [index.files.document_length(number)]
        said = index.fields.of(number, BUILTIN)
        as_lists = {each: value if isinstance(value, list) else [value] for each, value in said.items()}
        assert as_lists == {each: values for each, values in told[name].items() if values}
    for name in BUILTIN:
        counts = Counter(value for each in told.values() for value in each[name])
        facet = index.search("tree", facet=name, strategy="thorough").facets[name]
        assert {count.value: count.documents for count in facet} == counts
        for value in counts:
            found = {
                r.doc
                for r in index.search("tree", where=f'{name} = "{value}"', top="all", spread="all", per_document="all")
            }
            assert found == {each for each, values in told.items() if value in values[name]}
        order = [told[r.doc][name] for r in index.search("tree", sort=name, top="all", strategy="best-in-context")]
        least = [
            min(values, key=lambda value: value.casefold() if isinstance(value, str) else value)
            for values in order
            if values
        ]
        assert least == sorted(least) and order[: len(least)] == [values for values in order if values]
    assert {r.doc for r in index.search("tree", where="size >= 60 and not folder = plays", top="all")} == {
        each for each, said in told.items() if said["size"][0] >= 60 and "plays" not in said["folder"]
    }


def test_of_one_segment_and_for_any_number_of_jobs(tmp_path: Path) -> None:
    collection(tmp_path / "c", 40, 1)
    for jobs in (1, 2):
        trix.build(tmp_path / "c", tmp_path / f"i{jobs}", profile="generic", jobs=jobs)
    with trix.open(tmp_path / "i1") as index:
        check(index, literal(tmp_path / "c"))
        assert "fields" not in index.search("tree")[0].to_dict() and index.search("tree")[0].fields == {}
    assert {p.name for p in (tmp_path / "i1").glob("*.segment")} == {
        p.name for p in (tmp_path / "i2").glob("*.segment")
    }


def test_dates_of_files_are_no_part_of_a_segment(tmp_path: Path) -> None:
    collection(tmp_path / "c", 9, 2)
    trix.build(tmp_path / "c", tmp_path / "before", jobs=1)
    for path in (tmp_path / "c").rglob("*.xml"):
        os.utime(path, (1e9, 1e9))
    trix.build(tmp_path / "c", tmp_path / "after", jobs=1)
    before, after = ({p.name for p in (tmp_path / each).glob("*.segment")} for each in ("before", "after"))
    assert before == after
    with trix.open(tmp_path / "after") as index:
        assert index.fields["modified"].values == ["2001-09-09"]
    for path in (tmp_path / "after").glob("*.states"):
        path.unlink()
    with trix.open(tmp_path / "after") as index:
        assert index.fields["modified"].values == [] and index.fields.facts()["modified"]["documents"] == 0


def test_of_several_segments_with_deletions_and_after_a_merger(tmp_path: Path, run_cli: Cli) -> None:
    collection(tmp_path / "c", 12, 3)
    trix.build(tmp_path / "c", tmp_path / "i", jobs=1)
    collection(tmp_path / "c", 12, 4)
    assert run_cli("update", tmp_path / "i", "--no-merge", "--quiet")[0] == 0
    gone = sorted((tmp_path / "c").rglob("*.xml"))[::4]
    for path in gone:
        path.unlink()
    assert run_cli("update", tmp_path / "i", "--no-merge", "--quiet")[0] == 0
    with trix.open(tmp_path / "i") as index:
        assert len(index.files.live) == 2
        check(index, literal(tmp_path / "c"))
    with trix.write(tmp_path / "i") as writer:
        old = literal(tmp_path / "c")
        chosen = [name for name, said in old.items() if said["modified"] < ["2008"] or said["root"] == ["note"]]
        assert sorted(writer.matching("modified < 2008 or root = note")) == sorted(chosen)
        writer.delete(where="modified < 2008 or root = note")
        writer.compact()
    with trix.open(tmp_path / "i") as index:
        assert len(index.files.live) == 1
        check(index, {name: said for name, said in old.items() if name not in chosen})


def test_of_several_indexes_with_ids_in_common(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 6)):
        collection(tmp_path / name, 8, seed)
        shutil.copytree(tmp_path / "a" / "", tmp_path / "b", dirs_exist_ok=True)
    told = {}
    for name in ("a", "b"):
        trix.build(tmp_path / name, tmp_path / f"{name}.index", jobs=1)
    own = {name: literal(tmp_path / name) for name in ("a", "b")}
    for name, documents in own.items():
        for each, said in documents.items():
            shared = each in own["a"] and each in own["b"]
            renamed = f"{name}:{each}" if shared else each
            told[renamed] = {**said, "id": [renamed]}
    with trix.open([tmp_path / "a.index", tmp_path / "b.index"]) as index:
        check(index, told)


def test_a_field_of_the_profile_takes_the_place_of_one(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<d><size>4to</size><p>tree</p></d>")
    (tmp_path / "own.toml").write_text('[fields]\nsize = "/d/size"\n')
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile=tmp_path / "own.toml", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert index.fields.rules["size"].type == "string" and next(iter(index.fields)) == "size"
        (found,) = index.search("tree", where="size = 4to", facet="size,root")
        assert found.fields == {"size": "4to"}


def test_on_the_command_line(tmp_path: Path, run_cli: Cli) -> None:
    collection(tmp_path / "c", 20, 7)
    told = literal(tmp_path / "c")
    run_cli("index", tmp_path / "c", tmp_path / "i", "--profile", "generic")
    asked = (
        "search",
        tmp_path / "i",
        "tree",
        "--where",
        "folder = plays and root = play",
        "--facet",
        "language",
        "-n",
        "all",
    )
    chosen = {name for name, said in told.items() if "plays" in said["folder"] and said["root"] == ["play"]}
    lines = [json.loads(line) for line in run_cli(*asked, "--format", "jsonl")[1].splitlines()]
    assert {line["doc"] for line in lines[:-1]} == chosen and not any("fields" in line for line in lines)
    counts = Counter(value for name in chosen for value in told[name]["language"])
    assert {each["value"]: each["documents"] for each in lines[-1]["facets"]["language"]} == counts
    out = run_cli(*asked[:-4], "-n", 1, "--format", "table")[1]
    assert "folder plays" in out and "root play" in out
    code, out, _ = run_cli("delete", tmp_path / "i", "--where", "folder = letters", "--dry-run")
    assert code == 0 and out.splitlines()[:-1] == [
        f"delete {name}" for name, said in told.items() if "letters" in said["folder"]
    ]


@pytest.mark.parametrize("where", ["modified = soon", "size > large"])
def test_mistakes(tmp_path: Path, run_cli: Cli, where: str) -> None:
    collection(tmp_path / "c", 2, 8)
    run_cli("index", tmp_path / "c", tmp_path / "i")
    code, _, err = run_cli("search", tmp_path / "i", "tree", "--where", where)
    assert code == 2 and "expected a" in err and err.count("\n") == 1
