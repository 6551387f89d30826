"""The oracle itself against printed and hand-computed values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from tests.oracle.contexts import contextualised, slider, vertical_weights
from tests.oracle.organising import organised
from tests.oracle.reading import Chain, Collection, Label, Node, read
from tests.oracle.scoring import Scorer, Term, analysed, combined, with_open_phrases

E7: dict[Label, float] = {(1,): 0.2, (1, 1): 0.3, (1, 1, 1): 0.4, (1, 1, 1, 1): 0.4, (1, 1, 1, 1, 1): 0.4}
FIGURE_1: dict[Label, float] = {
    (1,): 0.5,
    (1, 1): 0.8,
    (1, 2): 0.4,
    (1, 1, 1): 0.1,
    (1, 1, 2): 0.2,
    (1, 2, 1): 0.1,
    (1, 2, 2): 0.3,
}


def tree(labels: Iterable[Label], content: Sequence[Label] = ()) -> Collection:
    """Make a collection of bare nodes."""
    nodes = {x: Node(x, "d", "", "e", x in content, (), 0, 0, "") for x in sorted(labels)}
    return Collection(nodes, {}, Chain())


def labels(collection: Collection) -> list[str]:
    """Write the nodes as "label tag", content elements starred."""
    return [
        ".".join(map(str, node.label)) + " " + node.tag + ("*" if node.is_content else "")
        for node in collection.nodes.values()
    ]


def one(xml: str, **profile: Any) -> Collection:
    return read([("d", xml.encode())], {"inline": ["b"], **profile})


# --- contexts -------------------------------------------------------------------------------------------------------


def test_vertical_gives_the_printed_value() -> None:
    result = contextualised(tree(E7), E7, ["vertical:f=1,p=2,a=5,r=3"])
    assert result[1, 1, 1, 1, 1] == pytest.approx(0.715, abs=1e-12)


@pytest.mark.parametrize(("alpha", "gamma", "expected"), [(0.04, 1, 0.521), (0.01, 0.5, 0.479)])
def test_horizontal_gives_the_printed_values(alpha: float, gamma: float, expected: float) -> None:
    scores: dict[Label, float] = {(1, i): s for i, s in enumerate([0.2, 0.9, 0, 0, 0.1], 1) if s}
    collection = tree([(1,), *((1, i) for i in range(1, 6))], content=[(1, i) for i in range(1, 6)])
    result = contextualised(collection, scores, [f"horizontal:alpha={alpha},gamma={gamma},f=1"])
    assert round(result[1, 1], 3) == expected


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("root:1.5", {(1, 1, 1): 0.34, (1, 1, 2): 0.38, (1, 2, 1): 0.34, (1, 2, 2): 0.42}),
        (
            "parent",
            {(1, 1): 0.65, (1, 2): 0.45, (1, 1, 1): 0.45, (1, 1, 2): 0.5, (1, 2, 1): 0.25, (1, 2, 2): 0.35},
        ),
        (
            "root+tower",
            {(1, 1): 0.6, (1, 2): 0.46667, (1, 1, 1): 0.475, (1, 1, 2): 0.5, (1, 2, 1): 0.375, (1, 2, 2): 0.425},
        ),
    ],
)
def test_vector_forms_give_the_values_of_figure_1(form: str, expected: dict[Label, float]) -> None:
    result = contextualised(tree(FIGURE_1), FIGURE_1, [form])
    assert {x: round(result[x], 5) for x in expected} == expected
    assert result[1,] == 0.5


@pytest.mark.parametrize(("form", "same"), [("root:1.5", "vector:1.5|1"), ("parent", "vector:|1,1")])
def test_vector_writes_the_named_forms(form: str, same: str) -> None:
    below = {x: s for x, s in FIGURE_1.items() if len(x) > 1}
    named, written = (contextualised(tree(FIGURE_1), FIGURE_1, [f]) for f in (form, same))
    assert {x: named[x] for x in below} == {x: written[x] for x in below}


def test_vector_positions_in_both_lists_take_the_tail() -> None:
    result = contextualised(tree(FIGURE_1), FIGURE_1, ["vector:4,3|1,2"])
    assert result[1, 1] == pytest.approx((2 * 0.5 + 0.8) / 3)
    assert result[1, 1, 1] == pytest.approx((4 * 0.5 + 2 * 0.8 + 0.1) / 7)


def test_a_vector_of_zeros_keeps_the_score() -> None:
    assert contextualised(tree(FIGURE_1), FIGURE_1, ["vector:0|0"])[1, 1] == 0.8


@pytest.mark.parametrize(("x", "expected"), [(-0.5, (1, 1, 0.5)), (0, (1, 1, 1)), (1, (0, 0.5, 1))])
def test_the_slider_gives_the_printed_triples(x: float, expected: Any) -> None:
    assert slider(x) == expected


def test_vertical_weights_of_one_two_and_four_ancestors() -> None:
    assert vertical_weights((1, 1), 2, 5, 3) == {(1,): 3}
    assert vertical_weights((1, 1, 1), 2, 5, 3) == {(1,): 3, (1, 1): 2}
    assert vertical_weights((1, 1, 1, 1, 1), 2, 5, 3) == {(1,): 3, (1, 1): 2.5, (1, 1, 1): 2.5, (1, 1, 1, 1): 2}


@pytest.mark.parametrize(
    ("form", "expected"),
    [("cscore:parent", 0.9), ("cscore:root", 0.6), ("cscore:2xroot", 1.1), ("cscore:tower", 0.1 + 1.3 / 2)],
)
def test_cscore_adds_the_mean_of_its_set(form: str, expected: Any) -> None:
    assert contextualised(tree(FIGURE_1), FIGURE_1, [form])[1, 1, 1] == pytest.approx(expected)


def test_hierarchy2_has_no_ancestors_between() -> None:
    a, b = (contextualised(tree(E7), E7, [form]) for form in ("hierarchy2:x=0.5,f=2", "vertical:p=0.5,a=0,r=1,f=2"))
    assert a == b


def test_elements_that_do_not_match_count_in_the_denominator_and_get_no_score() -> None:
    scores = {(1,): 0.6, (1, 1, 1): 0.3}
    result = contextualised(tree([(1,), (1, 1), (1, 1, 1)]), scores, ["tower"])
    assert result == {(1,): 0.6, (1, 1, 1): pytest.approx(0.3)}


def test_the_second_form_reads_the_output_of_the_first() -> None:
    twice = contextualised(tree(FIGURE_1), FIGURE_1, ["parent", "parent"])
    assert twice == contextualised(tree(FIGURE_1), FIGURE_1, ["parent>parent"])
    assert twice[1, 1, 1] == pytest.approx((0.65 + 0.45) / 2)


def test_all_gives_every_indexed_element_of_a_matching_document_a_score() -> None:
    collection = tree([(1,), (1, 1), (1, 2), (2,), (2, 1)], content=[(1, 1), (1, 2), (2, 1)])
    scores = {(1,): 0.4, (1, 1): 0.5}
    assert contextualised(collection, scores, ["vertical:all=1"]) == {(1,): 0.4, (1, 1): 0.9, (1, 2): 0.4}
    horizontal = contextualised(collection, scores, ["horizontal:all=1"])
    assert horizontal == {(1,): 0.4, (1, 1): 0.5, (1, 2): 0.5}


# --- reading --------------------------------------------------------------------------------------------------------


def test_content_elements_are_the_uppermost_with_own_text() -> None:
    found = one("<a><s>\n<p>x <b>y</b></p><p/><t>\u00a0</t></s><q>z</q></a>")
    assert labels(found) == ["1 a", "1.1 s", "1.1.1 p*", "1.2 q*"]
    p = found.nodes[1, 1, 1]
    assert (p.path, p.offset, p.length, p.text, p.keys) == ("/a[1]/s[1]/p[1]", 1, 3, "x y", ("x", "y"))


def test_inline_tags_comments_and_cdata_never_separate_words_and_other_tags_do() -> None:
    found = one("<a>H<b>2</b>O x<c>y</c>z co<!-- -->op<?p?>er<![CDATA[ate]]></a>")
    assert found.nodes[1,].keys == ("h2o", "x", "y", "z", "cooperate")


@pytest.mark.parametrize("external", ['SYSTEM "x.dtd" ', ""])
def test_unresolved_entities_separate_and_add_no_character(external: str) -> None:
    found = one(f'<!DOCTYPE a {external}[<!ENTITY k "ow">]><a>kn&k;n al&un;pha</a>')
    assert found.nodes[1,].text == "known alpha"
    assert found.nodes[1,].keys == ("known", "al", "pha")


def test_undeclared_entities_are_unresolved_ones() -> None:
    assert one("<a>al&un;pha</a>").nodes[1,].keys == ("al", "pha")


def test_keys_are_cleared_folded_and_need_a_letter_or_a_number() -> None:
    chain = Chain()
    assert chain.words("co\u00adop Straße ﬁsh Ⅳ nai\u0308ve Σίσυφος") == [
        "coop", "strasse", "fish", "iv", "naïve", "σίσυφοσ",
    ]  # fmt: skip
    assert chain.words("½ \u0301 a_b — 漢字") == ["1", "2", "a", "b", "漢字"]
    assert chain.words("user-centred e\u0301") == ["user", "centred", "é"]


def test_the_stop_list_comes_before_the_stemmer() -> None:
    chain = Chain("porter", frozenset({"runs"}))
    assert chain.keys("runs running run") == ["run", "run"]


def test_unwrapped_elements_vanish_from_labels_but_not_from_paths() -> None:
    found = one("<a><u><p>x</p></u><m>n</m><p>y</p></a>", unwrap=["u"], drop=["m"])
    assert labels(found) == ["1 a", "1.1 p*", "1.2 p*"]
    assert [node.path for node in found.nodes.values()] == ["/a[1]", "/a[1]/u[1]/p[1]", "/a[1]/p[1]"]
    assert found.texts["d"] == "xy"


def test_blanked_elements_keep_their_labels_and_lose_their_text() -> None:
    found = one("<a><m>n<p>q</p></m><p>y<m>n</m>z</p></a>", blank=["m"])
    assert labels(found) == ["1 a", "1.2 p*"]
    assert found.nodes[1, 2].text == "yz"
    assert found.nodes[1, 2].keys == ("y", "z")


def test_rules_take_namespaces_and_attribute_conditions() -> None:
    found = one('<a xmlns:x="u"><x:m>1</x:m><m>2</m><n t="q">3</n><n>4</n></a>', drop=["{u}m", "n[@t='q']"])
    assert [node.path for node in found.nodes.values()] == ["/a[1]", "/a[1]/m[2]", "/a[1]/n[2]"]


def test_units_are_content_elements_as_a_whole() -> None:
    found = one("<a><ref><name>x</name><year>y</year></ref><ref> </ref></a>", unit=["ref"])
    assert labels(found) == ["1 a", "1.1 ref*"]
    assert found.nodes[1, 1].keys == ("x", "y")


def test_containers_make_runs_of_their_own_text() -> None:
    found = one("<a><p>x <b>y</b><fig><c>z</c></fig>, <fig/>w</p></a>", container=["p"])
    assert labels(found) == ["1 a", "1.1 p", "1.1.1 #text*", "1.1.2 fig", "1.1.2.1 c*", "1.1.4 #text*"]
    assert [node.path for node in found.nodes.values()][2::3] == ["/a[1]/p[1]/text()[1]", "/a[1]/p[1]/text()[2]"]
    run = found.nodes[1, 1, 4]
    assert (run.offset, run.length, run.text) == (6, 1, "w")


def test_blanked_children_of_a_container_stand_between_runs_and_wordless_runs_give_nothing() -> None:
    found = one("<a><p>x<m>y</m>z<fig/>, <b>!</b></p><q>w</q></a>", container=["p"], blank=["m"])
    assert labels(found) == ["1 a", "1.1 p", "1.1.1 #text*", "1.1.3 #text*", "1.2 q*"]


def test_joined_elements_and_characters_vanish_inside_words() -> None:
    found = one('<a>syn<lb break="no"/>tax syn<lb/>tax i\n<lb break="no"/>n∣to</a>', join=["lb[@break='no']", "U+2223"])
    assert found.nodes[1,].keys == ("syntax", "syn", "tax", "into")
    assert found.nodes[1,].text == "syntax syntax i\nn∣to"
    assert list(one("<a><lb/><p>x</p></a>", join=["lb"]).nodes) == [(1,), (1, 2)]


def test_attributes_count_before_the_element_children() -> None:
    found = one('<a><fig id="7" alt="a map"><c>x</c></fig></a>', attributes=["fig/@alt", "@id"])
    assert labels(found) == ["1 a", "1.1 fig", "1.1.1 @alt*", "1.1.2 @id*", "1.1.3 c*"]
    alt = found.nodes[1, 1, 1]
    assert (alt.path, alt.offset, alt.length, alt.keys) == ("/a[1]/fig[1]/@alt", 0, 0, ("a", "map"))


def test_own_text_keys_demands_a_key() -> None:
    xml = "<a>—<p>x</p></a>"
    assert labels(one(xml)) == ["1 a*"]
    assert labels(one(xml, own_text="keys")) == ["1 a", "1.1 p*"]


# --- scoring --------------------------------------------------------------------------------------------------------

THREE = [("a", b"<a><p>x x y</p><p>z</p></a>"), ("b", b"<a><p>x</p><q>y z</q></a>")]


def test_trix2005_by_hand() -> None:
    """In document a, N = 4, kf = 2, m = 2 for x; the root has one of two content elements with x."""
    scorer = Scorer(read(THREE, {}))
    idf = math.log(2) / math.log(4)
    assert scorer.weight(("x",), (1, 1)) == pytest.approx(2 / (2 + 2) * idf)
    assert scorer.weight(("x",), (1,)) == pytest.approx(2 / (2 + 2 * (0.9 + 0.1 * 2)) * idf)
    assert scorer.weight(("q",), (1,)) == 0


def test_trix2004_by_hand() -> None:
    scorer = Scorer(read(THREE, {}), "trix2004", 2, 0.4)
    idf = math.log(2) / math.log(4)
    assert scorer.weight(("x",), (1, 1)) == pytest.approx(2 / (2 + 2) * idf)
    assert scorer.weight(("x",), (1,)) == pytest.approx(2 / (2 + 2 * (0.6 + 0.4 * 2)) * idf)
    assert scorer.weight(("z",), (2,)) == pytest.approx(1 / (1 + 2 * (0.6 + 0.4 * 2)) * idf)


def test_phrases_ask_for_all_keys_in_one_content_element() -> None:
    collection = read(THREE, {})
    scorer = Scorer(collection)
    assert scorer.weight(("x", "y"), (2,)) == 0
    assert scorer.weight(("x", "y"), (1, 1)) == pytest.approx(1 / (1 + 2) * 1)
    assert Scorer(collection, phrases="exact").kf(("y", "x"), (1,)) == 0
    assert Scorer(collection, phrases="exact").kf(("x", "y"), (1,)) == 1


def test_trix2004_takes_the_smallest_kf_of_the_keys() -> None:
    collection = read([("a", b"<a><p>x y</p><p>y y x x</p><p>z</p></a>")], {})
    weight = Scorer(collection, "trix2004", 2, 0).weight(("x", "y"), (1,))
    assert weight == pytest.approx(3 / (3 + 2) * math.log(3 / 2) / math.log(3))


def test_a_collection_of_one_content_element_has_idf_one() -> None:
    assert Scorer(read([("a", b"<a>x</a>")], {})).weight(("x",), (1,)) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("combine", "expected"), [("average", 0.3), ("sum", 0.6), ("einstein", (0.5 + 0.1) / (1 + 0.05))]
)
def test_combinations(combine: str, expected: float) -> None:
    assert combined([0.5, 0.1], combine) == pytest.approx(expected)


def test_einstein_of_opposites_is_zero() -> None:
    assert combined([1.0, -1.0], "einstein") == 0


def test_signs_and_repeated_terms() -> None:
    scorer = Scorer(read(THREE, {}))
    w = scorer.weight(("x",), (1, 1))
    terms = [Term("+", ("x",)), Term("-", ("y",)), Term("", ("x",)), Term("", ("none",))]
    y = scorer.weight(("y",), (1, 1))
    assert scorer.scores(terms)[1, 1] == pytest.approx((math.sqrt(w) - y + w) / 4)


def test_only_elements_with_a_term_without_minus_match() -> None:
    scorer = Scorer(read(THREE, {}))
    assert list(scorer.scores([Term("", ("x",)), Term("-", ("z",))])) == [(1,), (1, 1), (2,), (2, 1)]
    assert scorer.scores([Term("-", ("z",))]) == {}


def test_terms_without_keys_are_dropped_and_phrases_opened() -> None:
    terms = analysed([("", "the"), ("+", "user-centred"), ("-", "a b")], Chain("none", frozenset({"the"})))
    assert terms == [Term("+", ("user", "centred")), Term("-", ("a", "b"))]
    assert with_open_phrases(terms)[2:] == [Term("", ("user",)), Term("", ("centred",))]


# --- organising -----------------------------------------------------------------------------------------------------

SCORES: dict[Label, float] = {(1,): 0.5, (1, 1): 0.5, (1, 1, 1): 0.9, (1, 2): 0.5 + 1e-14, (2,): 0.7, (2, 1): 0.1}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"strategy": "thorough"}, [(1, 1, 1), (2,), (1,), (1, 1), (1, 2), (2, 1)]),
        ({"strategy": "focused"}, [(1, 1, 1), (2,), (1, 2)]),
        ({"strategy": "thorough", "overlap": "partial"}, [(1, 1, 1), (2,), (1,)]),
        ({"strategy": "fetch-browse"}, [(2,), (1, 1, 1), (1, 2)]),
        ({"strategy": "fetch-browse", "fetch": "best"}, [(1, 1, 1), (1, 2), (2,)]),
        ({"strategy": "fetch-browse", "fetch": "sum", "top": 2}, [(1, 1, 1), (1, 2)]),
        ({"strategy": "fetch-browse", "fetch": "sum", "top": 1}, [(1, 1, 1)]),
        ({"strategy": "fetch-browse", "top": 2}, [(2,)]),
        ({"strategy": "relevant-in-context", "overlap": "full"}, [(2,), (2, 1), (1,), (1, 1), (1, 1, 1), (1, 2)]),
        ({"strategy": "best-in-context"}, [(1, 1, 1), (2,)]),
    ],
)
def test_organising(given: dict[str, Any], expected: list[Label]) -> None:
    assert organised(SCORES, SCORES, **given) == expected
