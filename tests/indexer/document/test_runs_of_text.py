"""Labels and paths of runs of text in containers, where elements in them are unwrapped: against the oracle."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.oracle.reading import read
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile

RULES: dict[str, list[str]] = {"unwrap": ["em"], "container": ["item"], "inline": ["b"], "drop": ["x"], "blank": ["m"]}


@st.composite
def elements(draw: st.DrawFn, depth: int = 4) -> str:
    """Draw an element as XML, with words around its children in most places."""
    tag = draw(st.sampled_from(["item", "em", "em", "p", "b", "x", "m"]))
    words = st.sampled_from(["one ", "two", " ", "", "—"])
    inside = draw(words)
    for child in draw(st.lists(elements(depth - 1), max_size=3)) if depth else ():
        inside += child + draw(words)
    return f"<{tag}>{inside}</{tag}>"


def paths_of(reader: DocumentReader, root: Any) -> list[tuple[tuple[int, ...], str]]:
    """Return the label and the path of each indexed element, from its columns."""
    record, found = reader.read_document(root), list[tuple[tuple[int, ...], str]]()
    above: list[tuple[tuple[int, ...], str]] = []
    for depth, step, position, same in zip(record.depth, record.step, record.position, record.same, strict=True):
        label, path = above[depth - 1] if depth else ((), "")
        own = (*label, int(position)), f"{path}/{reader.steps.names[step]}[{same}]"
        above[depth:] = [own]
        found.append(own)
    return found


@settings(max_examples=150, deadline=None)
@given(elements().map(lambda inside: f"<a>{inside}</a>"))
@example("<a><item>one <em>two <p>three</p> four</em> five</item></a>")
@example("<a><item><p>one</p><em>two <em>three<p>four</p></em></em> five</item></a>")
@pytest.mark.parametrize("reader", [DocumentReader, MarkupReader])
def test_a_run_of_text_is_its_containers_wherever_it_ends(reader: type[DocumentReader], xml: str) -> None:
    collection = read([("d", xml.encode())], dict(RULES))
    profile = Profile.from_dict({"name": "own", **RULES})
    expected = [(label, node.path) for label, node in sorted(collection.nodes.items())]
    assert paths_of(reader(profile), etree.fromstring(xml)) == expected
