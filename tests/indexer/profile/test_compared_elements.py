"""Elements below content elements: which a profile lets conditions compare, what is said of the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from tests.indexer.write.test_collections import EVERY, unpacked
from tests.query.structured.test_cas import collection, labels
from trix.errors import ProfileError
from trix.indexer.profile.profile import PRESETS, Profile, load_profile
from trix.query.structured.value_conditions import literal

Opened = Callable[..., Any]
__all__ = ["collection"]

DATES = (
    "<article><front><pub-date><day>01</day><month>10</month><year>2015</year></pub-date></front><p>x</p></article>",
    "<article><front><pub-date><year>2016</year></pub-date></front><p>x</p></article>",
    "<article><front><pub-date><month>May</month><year iso='2014'>2014</year></pub-date></front><p>x</p></article>",
)


def found(index: Any, query: str) -> str:
    return " ".join(labels(index.search(query, top=None)))


def test_day_month_and_year_are_three_numbers_and_not_one(collection: Opened) -> None:
    index = collection(*DATES)
    assert found(index, "//article[.//pub-date > 2014]") == "2"
    assert found(index, "//article[.//pub-date = '01 10 2015']") == "1"
    assert found(index, "//article[.//pub-date = '01102015']") == ""
    assert found(index, "//pub-date[. = 'May 2014']") == "3.1.1"


UNIT = 'unit = ["pub-date", "ref"]\nattributes = ["year/@iso"]\n'


def test_a_comparison_that_never_holds_names_what_can_be_compared(collection: Opened) -> None:
    for profile, below in (
        ("", "year, day, month can be compared, as in .//pub-date//year"),
        (UNIT + 'values = ["year"]', "year, @iso can be compared, as in .//pub-date//year"),
        (UNIT, "@iso can be compared, as in .//pub-date//@iso"),
        ('unit = ["pub-date"]', 'a profile can name what is below it, as in values = ["...", "month", "year"]'),
    ):
        index = collection(DATES[0], DATES[2], profile=profile)
        results = index.search("//article[.//pub-date > 2014]")
        assert not len(results)
        assert results.notices[0].startswith(".//pub-date > 2014 never holds: no pub-date is a number ('01 10 2015'); ")
        assert below in results.notices[0]
        assert index.search("//article[.//pub-date != 2014]").notices == ()
    index = collection(*DATES, profile=UNIT + 'values = ["year"]')
    assert index.search("//article[.//pub-date > 2020]").notices == ()  # it could hold
    assert "no year is a date" in index.search("//article[.//year > '2014-01-01']").notices[0]
    assert "is no number and no date" in index.search("//article[.//year > 'May']").notices[0]


REFS = (
    "<article><pub-date><year iso='2012'>2012</year></pub-date><p>One.</p>"
    "<ref><person><year>1980</year></person><cit><year iso='1999'>1999<fn>2</fn></year></cit>"
    "<d>x <year>7</year></d></ref>"
    "<ref><year>2001</year><when><year>1850</year></when></ref></article>"
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("//article[.//pub-date/year = 2012]", "1"),
        ("//article[./pub-date/year = 2012]", "1"),
        ("//article[./year = 2012]", ""),
        ("//article[.//year > 2000]", "1"),
        ("//ref[.//year = 1980]", "1.3"),
        ("//ref[./year = 1980]", ""),
        ("//ref[./year = 2001]", "1.4"),
        ("//ref[.//year = '1999 2']", "1.3"),
        ("//ref[.//year > 1900 and .//year < 1900]", "1.3 1.4"),
        ("//ref[.//d/year = 7]", "1.3"),  # d can be compared, so it can stand in a path
        ("//ref[.//cit/year = 1999]", ""),  # cit cannot
        ("//ref[./d//year = 7 or ./when/year = 1850]", "1.3"),
        ("//article[.//year/@iso = 2012]", "1"),
        ("//ref[.//year/@iso = 1999]", "1.3"),
        ("//ref[./year/@iso = 1999]", ""),
        ("//ref[.//@iso = 1999]", "1.3"),
        ("//ref[./* = 2001]", ""),  # a star stands for elements with numbers of their own
        ("//(ref|pub-date)[.//(none|year) = 2012]", "1.1"),
        ("//article[.//ref//years = 2001]", "1"),  # by its alias
        ("//year", ""),
        ("//year[. = 2001]", ""),
    ],
)
def test_what_a_profile_names_is_tested_and_compared_as_an_element(
    collection: Opened, query: str, expected: str
) -> None:
    profile = UNIT + 'values = ["year", "d"]\n[alias]\nyear = ["years"]\n'
    assert found(collection(REFS, profile=profile), query) == expected


def test_words_in_it_are_tested_too_and_it_is_no_unit(collection: Opened) -> None:
    with_, without = (collection(REFS, profile=UNIT + values) for values in ('values = ["year", "d"]', ""))
    assert found(with_, "//ref[about(.//d, x)]") == "1.3"
    assert found(with_, "//ref[about(., x) and about(.//year, 1999)]") == "1.3"
    assert found(without, "//ref[about(.//d, x)]") == ""
    for query in ("1999", "2012", "x"):
        assert [(r.label, r.score) for r in with_.search(query)] == [(r.label, r.score) for r in without.search(query)]


def test_conditions_runs_and_what_is_gone_are_respected(collection: Opened) -> None:
    profile = """
inline = ["b"]
container = ["p"]
unwrap = ["w"]
blank = ["math"]
values = ["d[@type='a']", "b", "x"]
"""
    index = collection(
        "<r><p>on <b>one</b>, <w><b>two</b></w><q>y</q> <b><x>three</x></b></p>"
        "<s>s <d type='a'>4</d><d>5</d><w><x>6</x></w><math>m<x>7</x></math><x> </x></s></r>",
        profile=profile,
    )
    assert found(index, "//p[.//b = 'one']") == "1.1"
    assert found(index, "//p[./b = 'one']") == ""  # it is a child of the run of text
    assert found(index, "//p[./*/b = 'two']") == "1.1"
    assert found(index, "//p[.//b/x = 'three']") == "1.1"
    assert found(index, "//s[./d = 4]") == "1.2"
    assert found(index, "//s[./d = 5]") == ""
    assert found(index, "//s[./x = 6]") == "1.2"  # what was around it vanished
    assert found(index, "//s[.//x = 7 or .//x = '']") == ""


# --- notices --------------------------------------------------------------------------------------------------------

NOTES = "<r><p>a <n>b <i>c</i></n></p><p><n>d</n> e</p><l>f <n>g</n></l><n>h</n><s>i</s></r>"


def test_a_tag_of_which_few_elements_are_units_is_said(collection: Opened) -> None:
    index = collection(NOTES, profile='inline = ["i"]\n')
    counts = (
        "//n: 1 of 4 n elements can be matched; the others are inside p (2), l (1), of whose text they are a part; "
    )
    assert index.search("//n[about(., d)]").notices == (
        counts + 'container = ["...", "p", "l"] in the profile my makes units of them',
    )
    assert index.search("//r[about(.//n, d)]").notices == (
        counts + 'values = ["...", "n"] in the profile my lets conditions test them',
    )
    assert (
        index.search("//r[about(.//i, c)]")
        .notices[0]
        .startswith("//i finds nothing: the only i element is inside p (1)")
    )
    assert index.search("//p[about(., a)]").notices == ()


def test_the_line_that_is_named_mends_it(collection: Opened) -> None:
    index = collection(NOTES, profile='inline = ["i"]\ncontainer = ["p", "l"]\n')
    assert found(index, "//n[about(., d)]") == "1.2.1"
    assert index.search("//n[about(., d)]").notices == ()
    index = collection(NOTES, profile='inline = ["i"]\nvalues = ["n"]\n')
    results = index.search("//p[about(., e) and about(.//n, d)]")
    assert (labels(results), results.notices) == (["1.2"], ())


def test_the_notice_stands_on_standard_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from trix.cli import main

    (tmp_path / "a.xml").write_text(NOTES, encoding="utf-8")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic")
    main(["search", str(tmp_path / "i"), "//n[about(., d)]"])
    assert "trix: //n: 1 of 4 n elements can be matched" in capfd.readouterr().err


# --- profiles -------------------------------------------------------------------------------------------------------


def test_values_are_inherited_and_stay_out_of_what_vanishes(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text('extends = "jats"\ndrop = ["volume"]\nvalues = ["...", "fpage"]\n', encoding="utf-8")
    tags = [selector.tag for selector in load_profile(path).values]
    assert "year" in tags and "fpage" in tags and "volume" not in tags
    assert Profile.from_dict(load_profile(path).to_dict()) == load_profile(path)
    path.write_text('extends = "jats"\ndrop = ["volume"]\nvalues = ["volume"]\n', encoding="utf-8")
    with pytest.raises(ProfileError, match="'volume' is in drop and in values, which exclude each other"):
        load_profile(path)
    assert not load_profile("generic").values
    with_values = {"jats", "tei", "docbook", "mallard", "laws"}
    with_values |= {"ead", "akomantoso", "epidoc", "pubmed", "trials", "ccda", "bits", "sts", "freedict", "ubl"}
    assert {name for name in PRESETS if load_profile(name).values} == with_values


# --- real collections -----------------------------------------------------------------------------------------------


def values(root: Any, path: str) -> list[str]:
    """Return the texts of elements with blanks between all tags; good for elements without inline ones."""
    texts = (" ".join(" ".join(element.itertext()).split()) for element in root.iterfind(path))
    return [text for text in texts if text]


@pytest.mark.collection
@pytest.mark.slow
@pytest.mark.parametrize("name", ["medium-jats-europepmc-sample", "medium-jats-elife"])
def test_dates_of_real_articles_compare_as_plain_lxml_says(name: str, tmp_path: Path) -> None:
    docs = unpacked(name, tmp_path / "docs", EVERY)
    trix.build(docs, tmp_path / "i", profile="jats")
    paths = {
        "//article[.//pub-date > 2015]": ".//pub-date",
        "//article[.//pub-date/year > 2015]": ".//pub-date/year",
        "//article[.//year > 2015]": ".//year",
        "//article[.//journal-meta/issn = '2050-084X']": ".//journal-meta/issn",
        "//article[.//pub-date/month < 3]": ".//pub-date/month",
        "//article[.//year < 1950]": ".//year",
    }
    expected: dict[str, set[str]] = {query: set() for query in paths}
    for path in docs.rglob("*.xml"):
        root = etree.parse(path).getroot()
        for query, below in paths.items():
            _, operator, value = query.rstrip("]").rsplit(" ", 2)
            wanted = literal(value.strip("'"))
            if any(wanted.holds(operator, text) for text in values(root, below)):  # type: ignore[arg-type]
                expected[query].add(path.relative_to(docs).with_suffix("").as_posix())
    with trix.open(tmp_path / "i") as index:
        answers = {query: {result.doc for result in index.search(query, top=None)} for query in paths}
    assert answers == expected
    assert sum(map(len, expected.values())) > 3
