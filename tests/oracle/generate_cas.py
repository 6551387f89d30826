"""Random structured queries over a collection, generated from the grammar: written text and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracle.cas import Step
from tests.oracle.generate import queries
from tests.oracle.reading import Collection, Element, elements_below, said
from tests.oracle.scoring import analysed, with_open_phrases

NUMBERS = ("2", "0", "-3.5", "12.5", "12.50", ".5", "2001-05-03", "2001-12-31", "1999-02-30")
OPERATORS = ("=", "=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class StructuredQuery:
    """A query as a user writes it, and its steps."""

    text: str
    steps: tuple[Step, ...]


@st.composite
def structured_queries(draw: st.DrawFn, collection: Collection, open_phrases: bool) -> StructuredQuery:
    """Draw a query that names what the collection has, mostly."""
    written, steps = "", list[Step]()
    for _ in range(draw(st.integers(1, 3))):
        text, axis, names = draw(_tests(collection))
        filters = draw(st.lists(_conditions(collection, open_phrases, 2), max_size=2))
        if len(filters) == 2 and draw(st.booleans()):
            filters = filters[:1]
        written += text + "".join(f"{_space(draw)}[{condition}]" for condition, _ in filters)
        meant = [meaning for _, meaning in filters]
        steps.append((axis, names, ("and", meant) if meant else None))
    return StructuredQuery(written, tuple(steps))


def beside(collection: Collection) -> list[Element]:
    """Return what is no unit and can be compared."""
    contents = [node.element for node in collection.nodes.values() if node.element is not None]
    return [each for content in contents for each in elements_below(content) if said(each)]


def _space(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["", "", " ", "\n "]))


@st.composite
def _tests(draw: st.DrawFn, collection: Collection) -> tuple[str, str, list[str]]:
    tags = sorted({node.tag for node in collection.nodes.values() if node.tag != "#text"})
    hidden = sorted({element.tag for element in beside(collection)})
    known = st.sampled_from([*tags, *hidden, "div"])
    axis = draw(st.sampled_from(["//", "//", "//", "/"]))
    kind = draw(st.integers(0, 8))
    if kind <= 2:
        return f"{axis}*", axis, ["*"]
    names = [draw(st.sampled_from(["", "", "", "x:", "y:"])) + name if (name := draw(known))[0] != "@" else name]
    if kind >= 7:
        names += draw(st.lists(st.one_of(known, st.sampled_from(["b", "x:p", "none"])), min_size=1, max_size=2))
    if len(names) == 1 or any(name.startswith("@") for name in names):
        return axis + names[0], axis, names[:1]
    return f"{axis}({_space(draw)}{'|'.join(names)})", axis, names


@st.composite
def _conditions(draw: st.DrawFn, collection: Collection, open_phrases: bool, depth: int) -> tuple[str, Any]:
    if depth and draw(st.integers(0, 2)) == 0:
        kind = draw(st.sampled_from(["and", "or"]))
        parts = draw(st.lists(_conditions(collection, open_phrases, depth - 1), min_size=2, max_size=3))
        operator = draw(st.sampled_from([kind, kind.upper()]))
        texts = [f"({text})" if meaning[0] in ("and", "or") else text for text, meaning in parts]
        return f" {operator} ".join(texts), (kind, [meaning for _, meaning in parts])
    tests = draw(st.lists(_tests(collection), max_size=2))
    path = "." + "".join(text for text, _, _ in tests)
    steps = [(axis, names) for _, axis, names in tests]
    if draw(st.integers(0, 3)):
        query = draw(queries(collection))
        if any(collection.chain.words(surface) for _, surface in query.terms):
            terms = analysed(query.terms, collection.chain)
            space = _space(draw)
            return f"about({path}{space},{query.text}{space})", (
                "about",
                steps,
                with_open_phrases(terms) if open_phrases else terms,
            )
    texts = sorted({text for node in collection.nodes.values() for text in (node.value, node.text.strip())})
    texts += [said(element).strip() for element in beside(collection)]
    value = draw(st.one_of(st.sampled_from(texts), st.sampled_from(NUMBERS)))
    if '"' in value:
        value = "x"
    operator = draw(st.sampled_from(OPERATORS))
    written = value if value in NUMBERS[:6] and draw(st.booleans()) else f'"{value}"'
    return f"{path} {operator}{_space(draw)}{written}", ("compare", steps, operator, value)
