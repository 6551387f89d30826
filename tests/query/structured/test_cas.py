"""Structured queries by example: the sample of study V, the modes, notices, runs and explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trix
from trix.errors import QueryError, UsageError
from trix.eval.formats.topics.topic import make_topic

Opened = Callable[..., Any]


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Opened]:
    """Give a function that indexes documents under a profile and opens the index; the sources are gone by then."""
    opened: list[Any] = []

    def make(*documents: str, profile: str = "") -> Any:
        folder = tmp_path / f"collection{len(opened)}"
        folder.mkdir()
        for number, document in enumerate(documents, 1):
            (folder / f"{number}.xml").write_text(document, encoding="utf-8")
        (tmp_path / "my.toml").write_text(profile, encoding="utf-8")
        where = tmp_path / f"{len(opened)}.index"
        trix.build(folder, where, profile=str(tmp_path / "my.toml"), stem="none", stop="none", jobs=1)
        for path in folder.iterdir():
            path.unlink()
        opened.append(trix.open(where))
        return opened[-1]

    yield make
    for index in opened:
        index.close()


def labels(results: Any) -> list[str]:
    return [result.label for result in results]


# --- [V], figures 3 to 5 --------------------------------------------------------------------------------------------

SAMPLE = """<article>
<fm><abs>{abstract}</abs></fm>
<bdy>
 <ack>thanks</ack> <p>words</p>
 <sec><st>prolog</st><fig>prolog</fig></sec>
 <ip1>more</ip1>
 <sec><st>head</st><ip1>a</ip1><fig>b</fig><p>prolog</p><p>of prolog</p></sec>
 <sec><p>nothing</p></sec>
</bdy>
<bm>
 <vt>life</vt> <sec><st>title</st><p>prolog</p></sec>
</bm>
</article>"""


def test_the_sample_of_study_V_returns_3_2_5_and_nothing_else(collection: Opened) -> None:
    index = collection(
        SAMPLE.format(abstract="databases").replace("prolog", "lisp"),
        SAMPLE.format(abstract="functional languages"),
        SAMPLE.format(abstract="logic programming"),
    )
    query = "/article[about(.//abs, logic programming)]//bdy//sec[about(.//p, prolog)]"
    assert labels(index.search(query, top=None)) == ["3.2.5"]
    assert sorted(labels(index.search("//sec[about(.//p, prolog)]", top=None))) == ["2.2.5", "2.3.2", "3.2.5", "3.3.2"]
    assert sorted(labels(index.search("//bdy//sec[about(., prolog)]", top=None))) == [
        "2.2.3",
        "2.2.5",
        "3.2.3",
        "3.2.5",
    ]


# --- the modes ------------------------------------------------------------------------------------------------------

MODES = "<r><a><n>x</n><b>y</b><c>y</c></a><d><n>x</n><b>y</b></d><a><n>z</n><b>y</b></a></r>"


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("SSCAS", ["1.1.2"]),
        ("SVCAS", ["1.1.2", "1.2.2", "1.3.2"]),
        ("VSCAS", ["1.1.2", "1.1.3"]),
        ("VVCAS-PATH", ["1.1", "1.1.2", "1.1.3", "1.2", "1.2.2", "1.3", "1.3.2"]),
        ("VVCAS", ["1", "1.1", "1.1.1", "1.1.2", "1.1.3", "1.2", "1.2.1", "1.2.2", "1.3", "1.3.2"]),
    ],
)
def test_each_mode_forgets_the_names_that_it_says(collection: Opened, mode: str, expected: list[str]) -> None:
    index = collection(MODES)
    assert sorted(labels(index.search("//a[about(., x)]//b[about(., y)]", cas=mode, top=None))) == expected


def test_vague_steps_keep_their_axes(collection: Opened) -> None:
    index = collection(MODES)
    assert sorted(labels(index.search("/r/a/b[about(., y)]", cas="VVCAS-PATH"))) == [
        "1.1.2",
        "1.1.3",
        "1.2.2",
        "1.3.2",
    ]
    assert labels(index.search("/a//b[about(., y)]", cas="SSCAS")) == []


# --- the target's query ---------------------------------------------------------------------------------------------


def test_a_target_without_about_is_weighed_by_all_words(collection: Opened) -> None:
    index = collection("<r><s><t>one</t><p>one two</p><p>three</p></s><s><t>two</t><p>one</p></s></r>")
    results = index.search("//s[about(./t, one)]//p", top=None)
    assert labels(results) == ["1.1.2"]
    assert results[0].score == pytest.approx(
        next(r.score for r in index.search("one", top=None, strategy="thorough") if r.label == "1.1.2")
    )


def test_without_any_about_the_structure_alone_answers_in_document_order(collection: Opened) -> None:
    index = collection("<r><s><y>1999</y><p>a</p></s><s><y>2001</y><p>b</p><p>c</p></s><p>d</p></r>")
    results = index.search("//s[.//y > 2000]//p", top=None)
    assert [(r.label, r.score) for r in results] == [("1.2.2", 0.0), ("1.2.3", 0.0)]
    assert results.matched == 2
    assert labels(index.search("//s", top=None)) == ["1.1", "1.2"]
    assert labels(index.search("//s", strategy="focused", top=None)) == ["1.1", "1.2"]
    assert index.explain("//s", results[0].label.rpartition(".")[0]).value == 0


def test_a_target_has_to_match_even_where_a_comparison_holds(collection: Opened) -> None:
    index = collection("<r><s><y>2001</y><p>b</p></s><s><y>2002</y><p>a</p></s><s><y>1</y><p>a</p></s></r>")
    assert labels(index.search("//s[about(.//p, a) or .//y = 2001]", top=None)) == ["1.2", "1.3"]
    assert labels(index.search("//s[about(.//p, a) and .//y > 2001]", top=None)) == ["1.2"]


def test_words_under_a_minus_are_to_be_absent_only_where_there_are_no_others(collection: Opened) -> None:
    index = collection("<r><s><p>a b</p></s><s><p>a</p><p>c</p></s></r>")
    assert labels(index.search("//s[about(., a) and about(., -b)]", top=None)) == ["1.2"]
    assert labels(index.search("//s[about(., a -b)]", top=None)) == ["1.2", "1.1"]
    results = index.search("//s[about(., -b)]", top=None)
    assert (len(results), results.notices) == (0, ("the query has only minus terms, which by themselves find nothing",))


def test_phrases_stand_in_one_content_element_unless_they_are_opened(collection: Opened) -> None:
    index = collection("<r><s><p>tree</p><p>edit</p></s><s><p>edit a tree</p></s></r>")
    query = '//s[about(., "tree edit")]'
    assert labels(index.search(query, top=None)) == ["1.2"]
    assert sorted(labels(index.search(query, open_phrases=True, top=None))) == ["1.1", "1.2"]


# --- names ----------------------------------------------------------------------------------------------------------


def test_names_are_matched_through_aliases_without_prefixes(collection: Opened) -> None:
    index = collection("<r><sec><p>x</p></sec><ss1><p>x</p></ss1></r>", profile='[alias]\nsec = ["ss1"]\n')
    for name in ("sec", "ss1", "d:sec", "(none|ss1)"):
        assert labels(index.search(f"//{name}[about(., x)]", top=None)) == ["1.1", "1.2"]


def test_tests_that_nothing_can_pass_are_said(collection: Opened) -> None:
    index = collection("<r><sec><p>x <b>y</b></p></sec></r>")
    results = index.search("//sec[about(.//b, y)]")
    assert (len(results), results.notices) == (
        0,
        (
            "//b finds nothing: the only b element is inside p (1), of whose text they are a part; "
            'values = ["...", "b"] in the profile my lets conditions test them',
        ),
    )
    assert "(did you mean sec?)" in index.search("//secs[about(., y)]").notices[0]
    assert index.search("//secs[about(., y)]", cas="VSCAS").notices == ()
    assert index.search("//sec[./@id = 'y']").notices[0] == (
        "/@id finds nothing: the profile indexes no attribute id, or no element has it; "
        'attribute_values = ["...", "@id"] in the profile my keeps it'
    )
    with pytest.raises(QueryError, match="the index keeps no values of @id; attribute_values"):
        index.search("//sec[about(./@id, y)]")


INSCRIPTION = """<text><div type="edition"><ab>vixit annis</ab></div><div type="translation"><p>vixit lived</p></div>
<div type="edition"><div type="textpart"><ab n="2">dis vixit</ab></div></div></text>"""


def test_attributes_and_several_filters_are_written_as_everybody_writes_them(collection: Opened) -> None:
    index = collection(INSCRIPTION, profile='attributes = ["div/@type", "ab/@n"]\n')
    both = [result.path for result in index.search("//div[@type='edition'][about(., vixit)]")]
    assert both == ["/text[1]/div[1]", "/text[1]/div[3]"]
    same = index.search('//div[./@type = "edition" and about(., vixit)]', strategy="thorough")
    assert [result.path for result in same] == both
    assert [result.path for result in index.search("//ab[@n=2][about(., vixit)]")] == ["/text[1]/div[3]/div[1]/ab[1]"]
    found = index.search("//div[@type='edition' or @type=\"textpart\"][about(., dis)]//ab")
    assert [result.path for result in found] == ["/text[1]/div[3]/div[1]/ab[1]"]


ATTRIBUTES = 'attributes = ["sec/@year", "p/@lang", "b/@lang"]\n'


def test_attributes_are_tested_and_compared_also_where_they_are_no_units(collection: Opened) -> None:
    index = collection(
        '<r><sec year="1999"><p lang="en">x</p></sec>'
        '<sec year="2001"><p lang="fi old">x</p></sec>'
        '<sec year="2001"><p>x <b lang="sv">x</b></p></sec></r>',
        profile=ATTRIBUTES,
    )
    assert labels(index.search("//sec[./@year > 2000 and about(., x)]", top=None)) == ["1.3", "1.2"]
    assert labels(index.search("//sec[about(., x)]/@year", top=None)) == []  # the attribute itself holds no x
    assert labels(index.search("//@year[. = 1999]", top=None)) == ["1.1.1"]
    assert labels(index.search("//p[./@lang = 'en' and about(., x)]", top=None)) == ["1.1.2"]
    assert labels(index.search("//p[about(., x) and about(./@lang, fi)]", top=None)) == ["1.2.2"]
    assert labels(index.search("//p[about(., x) and about(.//@lang, sv)]", top=None)) == ["1.3.2"]
    assert labels(index.search("//p[about(., x) and ./@lang = 'sv']", top=None)) == []
    assert labels(index.search("//sec[about(., x) and .//@lang = 'sv']", top=None)) == ["1.3"]
    assert labels(index.search("//sec[about(., x) and ./p/@lang != 'en']", top=None)) == ["1.2"]
    assert labels(index.search("//@lang[about(., en)]", top=None)) == []
    assert index.search("//sec[about(., x) and .//@lang = 'sv']").notices == ()


def test_dates_and_decimals_compare(collection: Opened) -> None:
    index = collection(
        "<r><s><d>2001-05-03</d><n>0.5</n></s><s><d>2001-12-24</d><n>12</n></s><s><d>May 2001</d><n>-3.25</n></s></r>"
    )
    assert labels(index.search("//s[.//d < '2001-12-01']")) == ["1.1"]
    assert labels(index.search("//s[./n >= -3.25 and .//n < 5]")) == ["1.1", "1.3"]
    assert labels(index.search("//s[.//d = 'May 2001' or ./n == 12.0]")) == ["1.2", "1.3"]
    assert labels(index.search("//s[.//d != '2001-05-03']")) == ["1.2", "1.3"]


# --- around it ------------------------------------------------------------------------------------------------------


def test_context_is_taken_from_all_matching_elements(collection: Opened) -> None:
    index = collection("<r><t>x x x</t><s><p>x</p><q>x</q></s><s><p>x</p><q>y</q></s></r>")
    plain = {r.label: r.score for r in index.search("x", context="tower", strategy="thorough", top=None)}
    found = index.search("//p[about(., x)]", context="tower", top=None)
    assert {r.label: r.score for r in found} == {label: plain[label] for label in ("1.2.1", "1.3.1")}
    assert index.explain("//p[about(., x)]", found[0], context="tower").value == found[0].score


def test_an_element_that_does_not_answer_is_not_explained(collection: Opened) -> None:
    index = collection("<r><s><p>x</p><q>x</q></s></r>")
    with pytest.raises(UsageError, match="does not satisfy the structure"):
        index.explain("//p[about(., x)]", "1.1.2")


def test_runs_take_structured_topics_and_old_ones_descend(collection: Opened) -> None:
    index = collection("<article><bdy><sec><p>x</p></sec></bdy></article>")
    run = index.run({"1": "//sec[about(., x)]", "2": "/article/p[about(., x)]", "3": "//sec[about(x)]"})
    assert {topic: labels(results) for topic, results in run.items()} == {"1": ["1.1.1"], "2": [], "3": []}
    assert [notice for notice in run.notices if notice.startswith("topic 3: query, column 13")]

    old = make_topic("61", {"title": "/article/p[about(., x)]"}, year_hint=2003)
    assert labels(index.run([old], field="castitle")["61"]) == ["1.1.1.1"]
    assert labels(index.run([replace(old, year_hint=2004)], field="castitle")["61"]) == []


def test_an_about_without_a_word_is_an_error_in_a_query_and_dropped_in_topics(collection: Opened) -> None:
    index = collection("<r><p>x</p></r>")
    with pytest.raises(QueryError) as caught:
        index.search("//p[about(., x) and about(., ...)]")
    assert caught.value.column == 30
    assert labels(index.run({"1": "//p[about(., x) and about(., +)]"})["1"]) == ["1.1"]


def test_an_unknown_mode_is_refused(collection: Opened) -> None:
    with pytest.raises(UsageError, match=r"cas: expected one of SSCAS, .*; got SCAS"):
        collection("<r><p>x</p></r>").search("//p", cas="SCAS")
