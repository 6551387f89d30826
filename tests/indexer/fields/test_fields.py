"""Fields of documents: read by the profile, kept as columns, filtered, counted, sorted; against a literal oracle."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.conftest import Cli
from tests.indexer.fields.test_filters import CONDITIONS
from trix.errors import ProfileError, QueryError, UsageError
from trix.indexer.fields.builtin import BUILTIN
from trix.indexer.fields.filter_tree import (
    Condition,
    FilterAll,
    FilterAny,
    FilterComparison,
    FilterExists,
    FilterNot,
    FilterOneOf,
)
from trix.indexer.fields.filters import parse_filter
from trix.indexer.fields.table import LANGUAGE
from trix.indexer.languages.chains import Chains, word_settings
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.write.builder import BatchBuilder

PROFILE = """
[fields]
year = {path = ["/d/year", "/d/@year"], type = "integer"}
journal = "/d/journal"
author = {path = "/d/author", many = true}
pub_date = {path = "/d/date", type = "date"}
weight = {path = "/d/w", type = "number"}
"""
TYPES = {"year": int, "journal": str, "author": str, "pub_date": str, "weight": float}
JOURNALS = ("eLife", "The Lancet", "Cell", "Ångström")
AUTHORS = ("Smith Jane", "Smith John", "Li Heqin", "de la Cruz Ana", "O'Neil")
DATES = ("2015", "2015-03", "2015-03-09", "2016-11-30", "1999-01")

Said = dict[str, list[Any]]


def document(say: random.Random) -> tuple[str, Said]:
    """Return a document, and what it says."""
    said: Said = {}
    if say.random() < 0.8:
        said["year"] = [say.randint(1990, 1996)]
    if say.random() < 0.8:
        said["journal"] = [say.choice(JOURNALS)]
    said["author"] = say.sample(AUTHORS, say.randint(0, 3))
    if say.random() < 0.7:
        said["pub_date"] = [say.choice(DATES)]
    if say.random() < 0.5:
        said["weight"] = [say.choice((0.5, 2.0, -3.25))]
    year = "".join(f"<year>[c{y}]</year>" for y in said.get("year", [])) if say.random() < 0.5 else ""
    attribute = f' year="{said["year"][0]}"' if "year" in said and not year else ""
    head = "".join(f"<journal>  {j}\n</journal>" for j in said.get("journal", [])) + year
    head += "".join(f"<author>{a}</author>" for a in said["author"])
    head += "".join(f"<date>{d}</date>" for d in said.get("pub_date", []))
    head += "".join(f"<w>{w} kg</w>" for w in said.get("weight", []))
    words = " ".join(say.choice(("xml", "tree", "edit", "distance", "query")) for _ in range(12))
    secs = "".join(f"<s><p>{words}</p><p>tree {n} xml</p></s>" for n in range(say.randint(1, 3)))
    return f"<d{attribute}>{head}{secs}</d>", {name: values for name, values in said.items() if values}


def collection(folder: Path, count: int, seed: int = 1) -> dict[str, Said]:
    """Write documents into a folder; return what they say, by id."""
    say, told = random.Random(seed), {}
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        xml, told[f"d{number:03}"] = document(say)
        (folder / f"d{number:03}.xml").write_text(xml, "utf-8")
    (folder.parent / "own.toml").write_text(PROFILE)
    return told


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[trix.Index, dict[str, Said]]]:
    """Return an index and what its documents say."""
    folder = tmp_path_factory.mktemp("fields")
    told = collection(folder / "c", 60)
    trix.build(folder / "c", folder / "i", profile=folder / "own.toml", jobs=1)
    with trix.open(folder / "i") as index:
        yield index, told


# -- the literal oracle ----------------------------------------------------------------------------------------------


def words(text: str) -> set[str]:
    """Return the words of a text that has nothing but letters, digits and signs."""
    return set("".join(c if c.isalnum() else " " for c in text.casefold()).split())


def holds(condition: Condition, said: Said) -> bool:
    """Tell whether a document is let through, by the letter of the page on filters."""
    if isinstance(condition, FilterNot):
        return not holds(condition.part, said)
    if isinstance(condition, FilterAll):
        return all(holds(part, said) for part in condition.parts)
    if isinstance(condition, FilterAny):
        return any(holds(part, said) for part in condition.parts)
    values = said.get(condition.name, [])
    if isinstance(condition, FilterExists):
        return bool(values)
    if isinstance(condition, FilterOneOf):
        return any(relation(condition.name, v, "=", asked.text) for v in values for asked in condition.values)
    if condition.operator == "!=":
        return not any(relation(condition.name, v, "=", condition.value.text) for v in values)
    return any(relation(condition.name, v, condition.operator, condition.value.text) for v in values)


def relation(name: str, value: Any, operator: str, asked: str) -> bool:
    """Tell whether a value stands in a relation to what is asked."""
    if operator == "~":
        return words(asked) <= words(str(value) if value != 2.0 else "2")
    one: Any = value
    if TYPES[name] is not str:
        other: Any = float(asked)
    elif name == "pub_date":
        one, other = value[: len(asked)], asked[: len(value)]
    else:
        one, other = value.casefold(), " ".join(asked.split()).casefold()
    return {"=": one == other, "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator]


FILTERS = [
    "year >= 1993",
    "year < 1992 or year > 1995.5",
    "year != 1993",
    "not year = 1993",
    "journal = elife",
    "journal = 'the   lancet'",
    "journal > cell",
    "journal <= CELL",
    "journal in (Cell, 'Ångström', none)",
    "author ~ smith",
    "author ~ 'john SMITH'",
    "author = 'li heqin' and not author ~ smith",
    "author exists",
    "not author exists and year exists",
    "pub_date = 2015",
    "pub_date < 2015-03",
    "pub_date >= 2015-03-09",
    "pub_date > 1999 and pub_date != 2016",
    "weight < 0",
    "weight in (0.5, 2)",
    "weight = 2.0 or (year = 1990 and journal exists)",
    "year ~ 1994",
]


def test_documents_say_what_they_say(built: tuple[trix.Index, dict[str, Said]]) -> None:
    index, told = built
    for number in range(len(index)):
        said = index.fields.of(number)
        assert {name: v if isinstance(v, list) else [v] for name, v in said.items()} == told[index.files.ids[number]]
    facts = index.fields.facts()
    for name in TYPES:
        assert facts[name]["documents"] == sum(name in said for said in told.values())
        assert facts[name]["values"] == len({v for said in told.values() for v in said.get(name, [])})


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("tree xml", {}),
        ("+xml -edit distance", {"strategy": "thorough", "context": "tower"}),
        ("tree xml", {"strategy": "fetch-browse"}),
        ("tree xml", {"strategy": "best-in-context", "expand": "3:2"}),
        ("//s[about(., tree edit)]//p[about(., xml)]", {}),
        ("//d//p", {}),
    ],
)
def test_a_filter_takes_results_away_and_changes_nothing_else(
    built: tuple[trix.Index, dict[str, Said]], where: str, query: str, options: dict[str, Any]
) -> None:
    index, told = built
    condition = parse_filter(where).condition
    whole = index.search(query, top="all", **options)
    expected = [(r.doc, r.path, r.score) for r in whole if holds(condition, told[r.doc])]
    found = index.search(query, top="all", where=where, **options)
    assert [(r.doc, r.path, r.score) for r in found] == expected
    if options.get("strategy") != "fetch-browse":
        few = index.search(query, top=3, where=where, **options)
        assert [(r.doc, r.path, r.score) for r in few] == expected[:3]
    everything = index.search(query, top="all", **{**options, "strategy": "thorough", "overlap": "full"})
    if everything.matched == len(everything):
        assert found.matched == sum(holds(condition, told[r.doc]) for r in everything)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(condition=CONDITIONS)
def test_any_filter_is_what_the_oracle_says_or_an_error(
    built: tuple[trix.Index, dict[str, Said]], condition: Condition
) -> None:
    index, told = built
    try:
        found = {r.doc for r in index.search("//d", top="all", where=str(condition))}
    except QueryError as error:
        assert "\n" not in str(error)
        return
    if all(value.text.isascii() for leaf in _leaves(condition) for value in _values(leaf)):
        assert found == {doc for doc, said in told.items() if holds(condition, said)}


def _leaves(condition: Condition) -> Iterator[Any]:
    from trix.indexer.fields.filter_tree import leaves

    return leaves(condition)


def _values(leaf: Any) -> tuple[Any, ...]:
    return (
        () if isinstance(leaf, FilterExists) else (leaf.value,) if isinstance(leaf, FilterComparison) else leaf.values
    )


@pytest.mark.parametrize("where", [None, "year >= 1992", "journal = Cell and year > 1990", "journal = Cell"])
@pytest.mark.parametrize("query", ["tree distance", "//s[about(., edit)]", "//p"])
def test_facets_count_documents_and_elements(
    built: tuple[trix.Index, dict[str, Said]], where: str | None, query: str
) -> None:
    index, told = built
    found = index.search(query, facet="journal,author,year", where=where, top=1)
    everything = index.search(query, top="all", strategy="thorough", overlap="full")
    for name in ("journal", "author", "year"):
        condition = parse_filter(where).without(name) if where else None
        counts: dict[Any, tuple[set[str], int]] = {}
        for result in everything:
            if condition is None or holds(condition.condition, told[result.doc]):
                for value in told[result.doc].get(name, []):
                    docs, elements = counts.get(value, (set(), 0))
                    counts[value] = docs | {result.doc}, elements + 1
        assert {(c.value, c.documents, c.elements) for c in found.facets[name]} == {
            (value, len(docs), elements) for value, (docs, elements) in counts.items()
        }
        sizes = [(-c.documents, -c.elements) for c in found.facets[name]]
        assert sizes == sorted(sizes)


@pytest.mark.parametrize("sort", ["year", "-year", "year,-score", "-journal,year", "author", "-author", "-score"])
def test_sorting_keeps_the_results_and_puts_what_says_nothing_last(
    built: tuple[trix.Index, dict[str, Said]], sort: str
) -> None:
    index, told = built
    ranked = list(index.search("tree xml", top="all"))
    order = list(enumerate(ranked))

    def key(pair: tuple[int, Any], name: str, down: bool) -> Any:
        if name == "score":
            return -pair[1].score if down else pair[1].score
        values = told[pair[1].doc].get(name, [])
        values = [(v.casefold(), v) if isinstance(v, str) else v for v in values]
        ranks = sorted({(v.casefold(), v) if isinstance(v, str) else v for s in told.values() for v in s.get(name, [])})
        places = [-ranks.index(v) if down else ranks.index(v) for v in values]
        return min(places) if places else len(ranks) + 1

    for part in reversed(sort.split(",")):
        name, down = part.removeprefix("-"), part.startswith("-")
        order.sort(key=lambda pair, name=name, down=down: key(pair, name, down))  # type: ignore[misc]
    expected = [(r.doc, r.path, r.score) for _, r in order]
    found = index.search("tree xml", top="all", sort=sort)
    assert [(r.doc, r.path, r.score) for r in found] == expected
    assert [(r.doc, r.path) for r in index.search("tree xml", top=4, sort=sort)] == [e[:2] for e in expected[:4]]


def test_batches_and_other_peoples_runs_are_filtered(built: tuple[trix.Index, dict[str, Said]]) -> None:
    index, told = built
    whole, run = index.run({"1": "tree xml"}), index.run({"1": "tree xml"}, where="year = 1993")
    kept = [(r.doc, r.path) for r in whole["1"] if told[r.doc].get("year") == [1993]]
    assert kept and [(r.doc, r.path) for r in run["1"]] == kept
    given = {"1": {r.doc + r.path: r.score for r in whole["1"]}}
    assert [(r.doc, r.path) for r in index.rescore(given, where="year = 1993")["1"]] == kept
    with pytest.raises(UsageError, match="unknown option sort"):
        index.run({"1": "tree"}, sort="year")


def test_results_say_what_their_documents_say(built: tuple[trix.Index, dict[str, Said]], run_cli: Cli) -> None:
    index, told = built
    result = index.search("tree", where="author exists and year exists")[0]
    assert result.fields["author"] == told[result.doc]["author"] and result.to_dict()["fields"] == result.fields
    frame = index.search("tree").to_frame()
    own = index.search("tree")[0].fields
    assert {name: frame[f"fields.{name}"][0] for name in own} == own
    code, out, _ = run_cli("search", index.files.path, "tree", "--facet", "year", "--format", "jsonl", "-n", 2)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(lines) == 3 and set(lines[-1]["facets"]) == {"year"}
    assert lines[0]["fields"] == index.search("tree", top=2)[0].fields
    out = run_cli("search", index.files.path, "tree", "--format", "csv", "-n", 1)[1]
    assert out.splitlines()[0].endswith(",snippet,marks,fields")
    out = run_cli("search", index.files.path, "tree", "--facet", "journal", "--format", "table", "-n", 1)[1]
    assert "journal  documents, elements" in out
    options = ("--sort", "year", "--where", "author exists", "--format", "table", "-n", 1)
    out, first = (
        run_cli("search", index.files.path, "tree", *options)[1],
        index.search("tree", where="author exists", sort="year", top=1)[0],
    )
    assert f"year {first.fields['year']}; author {', '.join(first.fields['author'])}" in out
    out = run_cli("info", index.files.path, "--fields")[1]
    assert [line.split()[0] for line in out.splitlines()] == [*TYPES, *BUILTIN, LANGUAGE]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--where", "yeer = 1"],
            "where, column 1: there is no field yeer (did you mean year?); fields are year, journal",
        ),
        (["--where", "year = soon"], "where, column 8: year: expected a whole number; got soon: year = soon"),
        (["--where", "pub_date = soon"], "where, column 12: pub_date: expected a date, such as 2015, 2015-03 or"),
        (["--where", "author ~ '...'"], "where, column 10: author: expected a word; got ..."),
        (["--where", "year ="], "where, column 7: expected a value after =: year ="),
        (["--facet", "yeer"], "--facet yeer: there is no such field (did you mean year?); fields are year, journal"),
        (["--sort", "-yeer"], "--sort yeer: there is no such field (did you mean year?); fields are year, journal"),
        (["--facet", ","], "--facet ,: expected names of fields, as journal,year"),
        (
            ["--sort", "-score", "--strategy", "fetch-browse"],
            "--sort -score: the strategy fetch-browse keeps",
        ),
    ],
)
def test_mistakes_are_one_line(
    built: tuple[trix.Index, dict[str, Said]], run_cli: Cli, options: list[str], said: str
) -> None:
    code, out, err = run_cli("search", built[0].files.path, "tree", *options)
    assert (code, out) == (2, "") and err.startswith(f"trix: error: {said}") and err.count("\n") == 1


def test_values_that_occur_nowhere_are_named(built: tuple[trix.Index, dict[str, Said]]) -> None:
    notices = built[0].search("tree", where="journal = elive or author ~ smiht or year = 1800 or author = Li").notices
    assert notices == (
        "where: no document has journal = elive (did you mean eLife?)",
        "where: no document has author ~ smiht (did you mean smith?)",
        "where: no document has year = 1800",
        "where: no document has author = Li (did you mean author ~ Li?)",
    )


def test_an_index_without_fields_says_how_to_get_them(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "d.xml").write_text("<a>xml tree</a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert "fields" not in index.search("xml")[0].to_dict()
        with pytest.raises(QueryError, match=r"fields are id, folder, root, .* a profile can add others under"):
            index.search("xml", where="year = 1")
    out = run_cli("info", tmp_path / "i", "--fields")[1].splitlines()
    assert [line.split()[0] for line in out[:-1]] == ["id", "folder", "root", "language", "size", "modified", "lang"]
    assert out[-1].startswith("every collection has these fields; a profile defines others")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("year = 3", "fields.year: path = 3: expected an XPath or a list of them"),
        ("year = {}", "fields.year: path = None: expected an XPath"),
        ('Year = "/a"', "fields.Year: expected a name of small letters, digits and _"),
        ('and = "/a"', "fields.and: the word has a meaning in filters"),
        ('year = {path = "/a", type = "intger"}', "(did you mean integer?)"),
        ('year = {path = "/a", kind = "date"}', "unknown key 'kind'"),
        ('year = {path = "/a", many = "yes"}', "many = 'yes': expected true or false"),
        ('year = "/a["', "fields.year = '/a[': not an XPath"),
    ],
)
def test_mistakes_in_a_profile_are_one_line(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "own.toml").write_text(f"[fields]\n{table}\n")
    with pytest.raises(ProfileError) as raised:
        load_profile(tmp_path / "own.toml")
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_a_profile_is_read_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('extends = "jats"\n' + PROFILE)
    own = load_profile(tmp_path / "own.toml")
    assert Profile.from_dict(own.to_dict()) == own
    assert own.fields["keyword"].many and own.fields["journal"].paths == ("/d/journal",)


def test_fields_read_the_text_as_it_is_shown(tmp_path: Path) -> None:
    from trix.indexer.fields.reading import FieldReader

    table = {"fields": {"x": {"path": "/a/@n | /a/b", "many": True}}, "inline": ["i"], "join": ["-"], "drop": ["x"]}
    profile, looked = Profile.from_dict(table), list[str]()
    builder = BatchBuilder(profile, Chains(word_settings("none", "none")))

    def shown(element: Any) -> str:
        looked.append(element.tag)
        return builder._shown(element)

    def read(xml: str, text_of: Any = shown) -> tuple[str, ...]:
        return FieldReader(profile, text_of).read(etree.fromstring(xml))[0]

    assert read("<a n='1 '><b>two</b><b> </b><b>two</b></a>") == ("1", "two")
    assert read("<a><b><s>Smith</s> <g>Jane</g></b></a>") == ("Smith Jane",) and looked == []
    closely = {
        "<b>H<i>2</i>O</b>": "H2O",
        "<b><s>Sm<i>i</i>th</s><g>Jane</g></b>": "Smith Jane",
        "<b>Gold-smith</b>": "Goldsmith",
        "<b><s>Smith</s><x>1</x><g>Jane</g></b>": "Smith Jane",
        "<b><s>Smith</s><g>(Jane)</g></b>": "Smith (Jane)",
        "<b><s>Smith</s><?pi?><g>Jane</g></b>": "Smith Jane",
    }
    for xml, text in closely.items():
        looked.clear()
        assert read(f"<a>{xml}</a>") == (text,) and looked == ["b"]


@given(
    st.recursive(
        st.sampled_from(["ab", "c d", "", " ", ", ", "1-2", "(x)"]),
        lambda inner: st.tuples(st.sampled_from("sgix"), st.lists(inner, max_size=3)),
        max_leaves=6,
    )
)
def test_the_quick_reader_of_fields_is_the_slow_one(tree: Any) -> None:
    from trix.indexer.fields.reading import FieldReader

    def xml(of: Any) -> str:
        return of if isinstance(of, str) else f"<{of[0]}>{''.join([xml(each) for each in of[1]])}</{of[0]}>"

    table = {"fields": {"x": "/a/b"}, "inline": ["i"], "join": ["-"], "drop": ["x"]}
    profile = Profile.from_dict(table)
    builder = BatchBuilder(profile, Chains(word_settings("none", "none")))
    element = etree.fromstring(f"<a><b>{xml(tree)}</b></a>")
    found = FieldReader(profile, builder._shown).read(element)[0]
    shown = " ".join((builder._shown(element[0]).strip() or "".join(map(str, element[0].itertext()))).split())
    assert found == ((shown,) if shown else ())


def test_an_experiment_can_filter_and_takes_no_facets(
    built: tuple[trix.Index, dict[str, Said]], tmp_path: Path, run_cli: Cli
) -> None:
    index, told = built
    (tmp_path / "topics.tsv").write_text("1\ttree xml\n2\tedit distance\n")
    docs = sorted(doc for doc, said in told.items() if said.get("journal") == ["Cell"])
    rest = [doc for doc in told if doc not in docs]
    judged = [f"{topic} 0 {doc} {int(doc in docs)}\n" for topic in (1, 2) for doc in [*docs, *rest]]
    (tmp_path / "qrels.txt").write_text("".join(judged))
    text = f"""
title = "filters"
measures = ["P@{len(docs)}"]
[collection]
name = "c"
index = "{index.files.path}"
topics = "topics.tsv"
qrels = "qrels.txt"
[options]
level = "document"
[split]
kind = "folds"
folds = 2
[[family]]
name = "all"
[[family]]
name = "cell"
where = "journal = cell"
"""
    (tmp_path / "e.toml").write_text(text)
    code, out, _ = run_cli("sweep", tmp_path / "e.toml", "--output", tmp_path / "r")
    assert code == 0 and re.search(r"^cell +1\.0000 ", out, re.MULTILINE)
    (tmp_path / "e.toml").write_text(text.replace('where = "journal = cell"', 'facet = "journal"'))
    code, _, err = run_cli("sweep", tmp_path / "e.toml", "--output", tmp_path / "s")
    assert code == 2 and "facet" in err and err.count("\n") == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_build_says_which_dates_it_cut(tmp_path: Path, jobs: int) -> None:
    texts = ["2015-03-09", "September 2002", "2015", "12/5/2003", "Spring 1999", "May 2015-05-01", "undated"]
    for number, text in enumerate(texts):
        (tmp_path / f"d{number}.xml").write_text(f"<d><date>{text}</date><date>June 2001</date><p>x</p></d>")
    (tmp_path / "own.toml").write_text(
        '[fields]\nday = {path = "/d/date", type = "date"}\n'
        'all = {path = "/d/date", type = "date", many = true}\nas_text = "/d/date"\n'
    )
    notices = trix.build(tmp_path, tmp_path / "i", profile=tmp_path / "own.toml", glob=["*.xml"], jobs=jobs).notices
    forms = "dates are read as 2002, 2002-09 or 2002-09-21"
    # The first date with a value counts; of the undated one that is the second element.
    assert notices == [
        f'all: 10 dates were read in part (first: "June 2001" as 2001); {forms}',
        f'day: 4 dates were read in part (first: "September 2002" as 2002); {forms}',
    ]
