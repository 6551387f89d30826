"""Ranges of values in filters and facets, and values of facets with some words, against a literal oracle."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from trix.errors import QueryError, UsageError
from trix.indexer.fields.ranges import MANY

PROFILE = """
[fields]
year = {path = "/d/year", type = "integer", many = true}
day = {path = "/d/day", type = "date"}
month = {path = "/d/month", type = "date"}
price = {path = "/d/price", type = "number"}
pages = {path = "/d/pages", type = "integer"}
few = {path = "/d/few", type = "integer"}
author = {path = "/d/author", many = true}
"""
NUMBERS = ("year", "price", "pages", "few")
DATES = ("day", "month")
AUTHORS = ("Smith, Jane", "Smithers, A. B.", "Li Heqin", "Blacksmith, John", "Müller, Ana", "O'Neil", "Jansmi, X")

Said = dict[str, list[Any]]


def said(say: random.Random) -> Said:
    """Return what a document says."""
    day = f"{say.randint(1900, 2015)}" + say.choice(("", f"-{say.randint(1, 12):02}", "-03-09"))
    return {
        "year": sorted({int(say.gauss(1960, 25)) if say.random() < 0.99 else 12 for _ in range(say.randint(0, 3))}),
        "day": [day] if say.random() < 0.9 else [],
        "month": [f"2015-{say.randint(1, 12):02}" + say.choice(("", f"-{say.randint(1, 28):02}"))],
        "price": [round(say.uniform(-3, 12), 3)],
        "pages": [int(3 ** say.uniform(0, 9))],
        "few": [say.randint(1, 5)],
        "author": say.sample(AUTHORS, say.randint(0, 3)),
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[trix.Index, dict[str, Said]]]:
    """Return an index of two segments, some documents of which are deleted, and what its documents say."""
    folder, say = tmp_path_factory.mktemp("ranges"), random.Random(3)
    (folder / "own.toml").write_text(PROFILE)
    told = {f"d{number}": said(say) for number in range(150)}
    for half in (0, 1):
        with trix.write(folder / "i", profile=folder / "own.toml" if not half else None, merge=False) as writer:
            for name in list(told)[half::2]:
                tags = "".join(f"<{tag}>{v}</{tag}>" for tag, values in told[name].items() for v in values)
                writer.add_document(f"<d>{tags}<p>tree</p><p>{say.choice(('tree', 'leaf'))}</p></d>", id=name)
    with trix.write(folder / "i", merge=False) as writer:
        for name in list(told)[::5]:
            writer.delete(name)
            del told[name]
    with trix.open(folder / "i") as index:
        assert len(index.files.live) == 2
        yield index, told


def inside(name: str, value: Any, text: str) -> bool:
    """Tell whether a value is in a range as it is written."""
    low, _, high = text.partition("..") if ".." in text else (text, "", text)
    last = not high.startswith("<")
    high = high.removeprefix("<")
    if name in DATES:
        return (not low or value[: len(low)] >= low[: len(value)]) and (
            not high or value[: len(high)] <= high[: len(value)]
        )
    return (not low or value >= float(low)) and (not high or value < float(high) or (last and value == float(high)))


@pytest.mark.parametrize("name", [*NUMBERS, *DATES, "size"])
@pytest.mark.parametrize("where", [None, "few >= 3", "author ~ smith and year = ..1960"])
def test_ranges_count_what_their_filters_let_through(
    built: tuple[trix.Index, dict[str, Said]], name: str, where: str | None
) -> None:
    index, told = built
    sizes = {index.files.ids[n]: [index.files.document_length(n)] for n in range(len(index))}
    options: dict[str, Any] = {"where": where, "strategy": "thorough", "top": "all"}
    found = index.search("tree", facet=name, **options)
    matching = index.search(
        "tree", **options if name != "year" else {**options, "where": where and where.split(" and")[0]}
    )
    values = {doc: sizes[doc] if name == "size" else told[doc][name] for doc in told}
    ranges = found.facets[name].ranges()
    assert len({value for each in values.values() for value in each}) > MANY if ranges else name in ("few", "size")
    assert len(ranges) <= MANY + 2
    counted = set()
    for value, documents, elements in ranges:
        held = [r for r in matching if any(inside(name, each, str(value)) for each in values[r.doc])]
        assert (documents, elements) == (len({r.doc for r in held}), len(held)) and documents
        asked = f'{name} = "{value}"' if where is None else f'{where.split(" and")[0]} and {name} = "{value}"'
        if where is None or name != "year":
            asked = f'{name} = "{value}"' + (f" and {where}" if where else "")
        assert {r.doc for r in index.search("tree", top="all", where=asked)} == {r.doc for r in held}
        counted |= {r.doc for r in held}
    if ranges:
        assert counted == {r.doc for r in matching if values[r.doc]}


def test_the_borders_are_round(built: tuple[trix.Index, dict[str, Said]]) -> None:
    facets = built[0].search("tree", facet="year,day,month,price,pages,few,author").facets
    of = {name: [each.value for each in facet.ranges()] for name, facet in facets.items()}
    assert of["year"][0] == "..1899" and "1950..1959" in of["year"]
    assert of["day"] == ["1900..1909", *(f"{y}0..{y}9" for y in range(191, 201)), "2010..2019"]
    assert of["month"] == [f"2015-{month:02}" for month in range(1, 13)]
    assert "0..<2" in of["price"] and "1000..9999" in of["pages"] and of["few"] == of["author"] == []


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("year = 1950..1959", lambda s: any(1950 <= y <= 1959 for y in s["year"])),
        ("year != 1950..1959", lambda s: not any(1950 <= y <= 1959 for y in s["year"])),
        ("year in (1950..1955, 1990..)", lambda s: any(1950 <= y <= 1955 or y >= 1990 for y in s["year"])),
        ("price = -1.5..2", lambda s: -1.5 <= s["price"][0] <= 2),
        ("price = 0..<2.5 and few = ..2", lambda s: 0 <= s["price"][0] < 2.5 and s["few"][0] <= 2),
        ("month = 2015-03..2015-05", lambda s: "2015-03" <= s["month"][0][:7] <= "2015-05"),
        ("month = ..<2015-05", lambda s: s["month"][0][:7] < "2015-05"),
        ("day = '1950..1959-12'", lambda s: any("1950" <= d[:4] <= "1959" for d in s["day"])),
        ("author = Li..Smith", lambda s: False),
    ],
)
def test_ranges_in_filters(built: tuple[trix.Index, dict[str, Said]], where: str, holds: Any) -> None:
    index, told = built
    found = {r.doc for r in index.search("tree", where=where, top="all")}
    assert found == {name for name, each in told.items() if holds(each)}


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("year = 1999..1990", "year: the end of the range is before its beginning; got 1999..1990"),
        ("day = 2015-03..2014", "day: the end of the range is before its beginning"),
        ("year = soon..later", "year: expected a whole number, or a range, such as 1990..1999; got soon..later"),
        ("year > 1990..1999", "year: expected a whole number; got 1990..1999"),
        ("year = ..", "year: expected a whole number, or a range"),
    ],
)
def test_mistakes_in_ranges(built: tuple[trix.Index, dict[str, Said]], where: str, reason: str) -> None:
    with pytest.raises(QueryError) as raised:
        built[0].search("tree", where=where)
    assert raised.value.reason.startswith(reason)


@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True))
def test_any_numbers_are_in_one_range_each(numbers: list[float]) -> None:
    from trix.indexer.fields.ranges import _number_ranges

    ordered = sorted(numbers)
    ranges = _number_ranges(ordered, np.ones(len(ordered), np.int64), whole=False)
    if ranges:
        assert [each.begin for each in ranges[1:]] == [each.end for each in ranges[:-1]]
        assert (ranges[0].begin, ranges[-1].end) == (0, len(ordered)) and len(ranges) <= MANY + 2


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("smi", {"Smith, Jane", "Smithers, A. B."}),
        ("JAN smith", {"Smith, Jane"}),
        ("mul", {"Müller, Ana"}),
        ("ana mül", {"Müller, Ana"}),
        ("zzz", set()),
    ],
)
def test_values_with_some_words(built: tuple[trix.Index, dict[str, Said]], words: str, values: set[str]) -> None:
    index, told = built
    facet = index.search("tree", facet=f"author~{words}").facets["author"]
    assert {(each.value, each.documents) for each in facet} == {
        (value, sum(value in each["author"] for each in told.values())) for value in values
    }
    assert facet.ranges() == []
    years = index.search("tree", facet="year~195").facets["year"]
    assert {each.value for each in years} == {y for each in told.values() for y in each["year"] if 1950 <= y < 1960}


@pytest.mark.parametrize("facet", ["author~...", "nobody~x", "author,author~smi"])
def test_mistakes_in_facets(built: tuple[trix.Index, dict[str, Said]], facet: str) -> None:
    with pytest.raises(UsageError, match=r"^facet"):
        built[0].search("tree", facet=facet)


def test_values_that_the_filter_asks_for_come_first(built: tuple[trix.Index, dict[str, Said]], run_cli: Cli) -> None:
    index, told = built
    where = "(author ~ smith or year = 1950..1959) and not author = O'Neil".replace("O'Neil", '"O\'Neil"')
    results = index.search("tree", where=where, top="all")
    assert len(results)
    for result in results:
        asked = {
            "author": [each for each in told[result.doc]["author"] if "Smith," in each],
            "year": [year for year in told[result.doc]["year"] if 1950 <= year <= 1959],
        }
        assert result.matched_fields == {name: values for name, values in asked.items() if values}
        assert (
            result.fields["author" if asked["author"] else "year"]
            == told[result.doc]["author" if asked["author"] else "year"]
        )
        first = asked["author"]
        assert not first or result.mentioned["author"][: len(first)] == first
    assert "matched_fields" not in index.search("tree")[0].to_dict()
    out = run_cli(
        "search", index.files.path, "tree", "--where", where, "--format", "jsonl", "--facet", "year", "-n", 3
    )[1]
    lines = [json.loads(line) for line in out.splitlines()]
    assert all(line["matched_fields"] for line in lines[:-1]) and "1950..1959" in [
        e["value"] for e in lines[-1]["ranges"]["year"]
    ]
    out = run_cli("search", index.files.path, "tree", "--facet", "year", "-n", 1, "--format", "table")[1]
    assert "1950..1959" in out and "more" not in out.split("year  documents")[1]
