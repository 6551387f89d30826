"""Attributes that are kept of indexed elements: conditions on them, against the tree; they change no score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import trix
from trix.errors import QueryError
from trix.indexer.profile.profile import profile_of

PROFILE = profile_of({"container": ["p"], "inline": ["i"], "unwrap": ["w"]}, "test", "parts")
CODES = ["edition", "translation", "12", "7", "b 3"]


def random_document(random: Random) -> bytes:
    """Return sections, groups and paragraphs with types and numbers, some of them without text."""

    def element(tag: str, depth: int) -> str:
        attributes = "".join(
            f' {name}="{random.choice(CODES)}"' for name in ("type", "n", "key", "rend") if random.random() < 0.4
        )
        inner = ""
        if tag in ("div", "group", "w") and depth < 6:
            inner = "".join(
                element(random.choice(["div", "group", "p", "l", "w"]), depth + 1) for _ in range(random.randint(0, 3))
            )
        elif tag != "w" and random.random() < 0.85:
            inner = 'tree <i type="edition">leaf</i> moss<note n="12"/>'
        return f"<{tag}{attributes}>{inner}</{tag}>"

    return f'<text type="edition">{"".join(element("div", 1) for _ in range(3))}</text>'.encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with documents, an index of them, and one that keeps no attributes."""
    base = tmp_path_factory.mktemp("attributes")
    (base / "c").mkdir()
    for number in range(40):
        (base / "c" / f"d{number:02}.xml").write_bytes(random_document(Random(number)))
    trix.build(base / "c", base / "kept", profile=PROFILE, jobs=1)
    trix.build(base / "c", base / "bare", profile=replace(PROFILE, attribute_values=()), jobs=1)
    return base


def has(element: Any, name: str, value: str) -> bool:
    """Tell whether an element has an attribute of some value."""
    return bool(element.get(name) == value)


def parents(element: Any) -> list[Any]:
    """Return the ancestors of an element that are not unwrapped, the nearest first."""
    return [each for each in element.iterancestors() if each.tag != "w"]


ASKED: list[tuple[str, Callable[[Any], bool]]] = [
    ("//div[@type = 'edition']", lambda e: e.tag == "div" and has(e, "type", "edition")),
    ("//*[@n > 7]", lambda e: has(e, "n", "12")),
    ("//(div|p)[@n = 12 and @key = 'b 3']", lambda e: e.tag in "div p" and has(e, "n", "12") and has(e, "key", "b 3")),
    (
        "//group[./div/@type = 'translation']",
        lambda e: (
            e.tag == "group"
            and any(has(each, "type", "translation") for each in inner(e, "div") if parents(each)[0] is e)
        ),
    ),
    ("//group[.//@n = 7]", lambda e: e.tag == "group" and any(has(each, "n", "7") for each in [e, *inner(e)])),
    ("//text[@type = 'edition']//l[@n = 7]", lambda e: e.tag == "l" and has(e, "n", "7")),
    (
        "//div[about(./@key, translation)]//l[about(., tree)]",
        lambda e: e.tag == "l" and any(each.tag == "div" and has(each, "key", "translation") for each in parents(e)),
    ),
    ("//div[about(./@key, Translation)]", lambda e: e.tag == "div" and has(e, "key", "translation")),
    ("//*[about(./@key, b)]", lambda e: has(e, "key", "b 3")),
    ('//*[about(./@key, "b 3") or about(./@n, edition)]', lambda e: has(e, "key", "b 3") or has(e, "n", "edition")),
    ("//l[about(@n, -edition)]", lambda e: e.tag == "l" and e.get("n") not in (None, "edition")),
    (
        "//group[about(.//@type, 7 12)]",
        lambda e: e.tag == "group" and any(each.get("type") in ("7", "12") for each in [e, *inner(e)]),
    ),
    (
        "//div[about(./@type, edition) and about(., moss)]",
        lambda e: e.tag == "div" and has(e, "type", "edition") and any("moss" in (t or "") for t in e.itertext()),
    ),
]


def inner(element: Any, *tags: str) -> list[Any]:
    """Return the indexed elements of some tags in an element that hold text."""
    return kept(list(element.iterdescendants(*tags or ("div", "group", "p", "l"))))


def kept(elements: list[Any]) -> list[Any]:
    """Return the elements that hold text."""
    return [each for each in elements if "".join(each.itertext()).strip()]


@pytest.mark.parametrize(("query", "holds"), ASKED)
def test_conditions_see_the_attributes_of_indexed_elements(
    folder: Path, query: str, holds: Callable[[Any], bool]
) -> None:
    with trix.open(folder / "kept") as index:
        found = {(each.doc, each.path) for each in index.search(query, top="all")}
        wanted = set()
        for path in sorted((folder / "c").iterdir()):
            tree = etree.ElementTree(etree.fromstring(path.read_bytes()))
            for element in tree.iter("text", "div", "group", "p", "l"):
                if kept([element]) and holds(element):
                    wanted.add((path.stem, positioned(tree.getpath(element))))
        assert found == wanted and wanted


def positioned(path: str) -> str:
    """Return a path of libxml2 with all its positions."""
    return "".join(f"/{step}" if step.endswith("]") else f"/{step}[1]" for step in path.split("/")[1:])


def test_no_score_depends_on_them(folder: Path) -> None:
    with trix.open(folder / "kept") as index, trix.open(folder / "bare") as bare:
        for query in ("tree leaf", "edition", "//div[about(., moss)]//p", "//div//l"):
            one, other = (each.search(query, preset="study", top="all") for each in (index, bare))
            assert [(r.label, r.score) for r in one] == [(r.label, r.score) for r in other]
        assert index.files.totals == bare.files.totals
        assert len(bare.search("//div[@type = 'edition']")) == 0
        assert "indexes no attribute type" in bare.search("//div[@type = 'edition']").notices[0]
        assert not index.search("//div[@type = 'edition']").notices
        assert not index.suggest("editi")
    assert not trix.check(folder / "kept")


def test_an_about_over_them_filters_and_gives_no_weight(folder: Path) -> None:
    with trix.open(folder / "kept") as index:
        plain = index.search("//p[about(., moss leaf)]", preset="study", top="all")
        scores = {each.label: each.score for each in plain}
        for query in (
            "//p[about(./@key, edition) and about(., moss leaf)]",
            "//div[about(./@type, 12)]//p[about(., moss leaf)]",
        ):
            found = index.search(query, preset="study", top="all")
            assert 0 < len(found) < len(plain)
            assert {each.label: each.score for each in found}.items() <= scores.items()
        found = index.search("//p[about(./@key, edition)]", preset="study", top="all")
        assert len(found) and set(found.scores) == {0.0}
        every = index.search("//p[about(./@key, b edition)]", preset="study", match="all", top="all")
        some = index.search("//p[about(./@key, b edition)]", preset="study", top="all")
        assert not every and len(some) > len(found)


def test_an_attribute_that_is_not_kept_is_an_error_that_says_how_to_keep_it(folder: Path) -> None:
    wanted = (
        r'the index keeps no values of @rend; attribute_values = \["...", "@rend"\] in the profile parts keeps them'
    )
    with trix.open(folder / "kept") as index:
        with pytest.raises(QueryError, match=wanted):
            index.search("//div[about(.//@rend, edition)]")
        run = index.run({"1": "//div[about(.//@rend, edition)]"})
        assert not run.skipped and not len(run["1"])


def test_any_history_keeps_them(folder: Path, tmp_path: Path) -> None:
    documents = {path.stem: path.read_bytes() for path in sorted((folder / "c").iterdir())}
    for ids in ([*documents][:7], [*documents][7:]):
        with trix.write(tmp_path / "grown", profile=PROFILE, merge=False) as writer:
            for each in ids:
                writer.add_document(documents[each], each)
            writer.delete(["d02", "d09"], ignore_missing=True)
    with trix.write(tmp_path / "fresh", profile=PROFILE) as writer:
        for each in sorted({*documents} - {"d02", "d09"}):
            writer.add_document(documents[each], each)

    def answers(path: Path) -> list[list[tuple[str, str]]]:
        with trix.open(path) as index:
            return [[(each.doc, each.path) for each in index.search(query, top="all")] for query, _ in ASKED]

    assert answers(tmp_path / "grown") == answers(tmp_path / "fresh")
    with trix.write(tmp_path / "grown") as writer:
        writer.compact()
    segments = [next((tmp_path / name).glob("*.segment")).read_bytes() for name in ("grown", "fresh")]
    assert segments[0] == segments[1]
