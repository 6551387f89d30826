"""The first element of a simple path is the one that XPath finds; paths to what is not there are left out."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from trix.indexer.profile.paths import first_element, possible_paths, simple_paths
from trix.indexer.profile.profile import PRESETS, load_profile
from trix.indexer.profile.xpath import all_texts, selected_nodes

NAMES = ["a", "b", "m:a", "c"]


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(st.sampled_from(NAMES))
    attribute = draw(st.sampled_from(["", " k='v'", " k='w'", " m:k='v'"]))
    inside = "".join(draw(elements(depth + 1)) for _ in range(draw(st.integers(0, 3 if depth < 4 else 0))))
    return f"<{tag}{attribute}>&gone;{inside}</{tag}>"


@st.composite
def paths(draw: st.DrawFn) -> str:
    steps = []
    for last in [*([False] * draw(st.integers(0, 3))), True]:
        name = draw(st.sampled_from(["a", "b", "c"] if last else ["a", "b", "c", "*"]))
        steps.append(
            draw(st.sampled_from(["/", "//"])) + name + draw(st.sampled_from(["", "", "[@k='v']", '[@k="w"]']))
        )
    return "".join(steps)


@settings(max_examples=500, deadline=None)
@given(elements(), st.lists(paths(), min_size=1, max_size=3), st.booleans())
def test_the_first_element_is_that_of_xpath(element: str, alternatives: list[str], below: bool) -> None:
    text = f'<!DOCTYPE a SYSTEM "x"><a xmlns:m="urn:m" xmlns="urn:d">{element}</a>'
    root: Any = etree.fromstring(text, etree.XMLParser(resolve_entities=False))
    xpath = " | ".join(alternatives)
    simple = simple_paths(xpath)
    assert simple is not None
    document = root[0] if below else root
    alone = copy.deepcopy(document)  # of an element inside a tree XPath gives back a copy
    expected = [[*alone.iter(etree.Element)].index(found) for found in selected_nodes(alone, xpath)][:1]
    found = first_element(document, simple)
    assert ([] if found is None else [[*document.iter(etree.Element)].index(found)]) == expected


@pytest.mark.parametrize(
    "xpath", ["//*", "//a/@b", "a", "//a[1]", "//m:a", "//a[@b]", "/a//", "count(//a)", "//a | //b[c]"]
)
def test_all_else_is_left_to_xpath(xpath: str) -> None:
    assert simple_paths(xpath) is None


def test_the_titles_of_most_presets_are_simple() -> None:
    titles = {name: load_profile(name).title for name in PRESETS}
    left = [name for name, title in titles.items() if title is not None and simple_paths(title) is None]
    assert left == ["docbook", "ead", "ccda", "sts", "ubl", "musicxml"]


PREDICATES = ["", "", "[c]", "[1]", "[@k='|']", "[b[a]|c]", "[last()]/a", "[contains(., ']')]", "/@k", "//c", "/*"]


@settings(max_examples=500, deadline=None)
@given(elements(), st.lists(st.tuples(paths(), st.sampled_from(PREDICATES)), min_size=1, max_size=4))
def test_paths_that_are_left_out_lead_to_nothing(element: str, paths: list[tuple[str, str]]) -> None:
    root = etree.fromstring(f"<r xmlns:m='urn:m' xmlns='urn:d'>{element.replace('&gone;', 'x')}</r>")
    names = {etree.QName(each).localname for each in root.iter()}
    xpath = " | ".join(path + predicate for path, predicate in paths)
    possible = possible_paths(xpath, names)
    assert len(possible.split(" | ")) <= len(paths)

    def texts(xpath: str) -> list[str]:
        return all_texts(root, xpath, text_of=lambda each: etree.tostring(each, encoding="unicode"))

    assert (texts(possible) if possible else []) == texts(xpath)


@pytest.mark.parametrize(
    ("xpath", "possible"),
    [
        ("//x", ""),
        ("//a | /x//b", "//a"),
        ("//a[x]/@b|//x/@b", "//a[x]/@b"),
        ("//a[b[x='|'] | c]//y | /a/*[@k=']']", "/a/*[@k=']']"),
        ("/*/m:x | /*/m:a", "/*/m:a"),
        ("concat(/x, '|')", "concat(/x, '|')"),
        ("//a/x/text()", "//a/x/text()"),
        ("x | //a", "x | //a"),
        ("/descendant::x", "/descendant::x"),
        ("//a/../x", "//a/../x"),
        ("(//x)[1]", "(//x)[1]"),
    ],
)
def test_only_paths_of_names_from_the_root_are_left_out(xpath: str, possible: str) -> None:
    assert possible_paths(xpath, {"a", "b", "c"}) == possible
