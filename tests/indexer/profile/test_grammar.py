"""XPaths as syntax trees: lxml takes what the grammar takes, and finds the same by a tree written out again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from trix.errors import ProfileError
from trix.indexer.profile.grammar import (
    MOST_NESTED,
    Call,
    Expression,
    NotXPathError,
    Operation,
    Predicate,
    Value,
    XPathTree,
    parse,
    parsed,
)
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.xpath import any_namespace, fault_of, first_value

ROOT = etree.fromstring(
    "<r k='1' xmlns:m='urn:m'>w<a k='x'>1<b>2</b><b k='y'>3</b></a><div><a>4<!--c--><m:a>5</m:a></a></div><or>6</or>"
    "<a><b><b>7</b>8</b></a></r>"
)

NAMES = st.sampled_from(["r", "a", "b", "div", "or", "*", "m:a", "m:*", "text()", "node()", "comment()"])
LEAVES = st.sampled_from(["'x'", '"y"', "1", "2.5", ".5", "true()", "last()", "position()", "string()", "name()"])


def joined(parts: tuple[str, ...]) -> str:
    return "".join(parts)


def paths(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    axes = st.sampled_from(
        ["", "", "", "@", "descendant::", "parent::", "self::", "following-sibling :: ", "ancestor::"]
    )
    conditions = st.one_of(st.just(""), st.just(""), inner.map(lambda text: f"[{text}]"))
    named = st.tuples(axes, NAMES, conditions).map(joined)
    steps = st.lists(st.one_of(named, named, st.sampled_from([".", ".."])), min_size=1, max_size=3)
    slash = st.sampled_from(["/", "/", "//", " / "])
    lead = st.sampled_from(["", "/", "//"])
    path = st.tuples(lead, steps, slash).map(lambda parts: parts[0] + parts[2].join(parts[1]))
    begin = st.sampled_from(["//a", "//a | //b", "(r//node())[2]"])
    after = st.tuples(begin, conditions, steps).map(lambda parts: f"({parts[0]}){parts[1]}/{'/'.join(parts[2])}")
    return st.one_of(path, st.just("/"), after)


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = ["or", "and", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "div", "mod", "|"]
    calls = st.sampled_from(["not({})", "count({})", "string({})", "concat({}, '-', {})", "sum({})", "-{}", "( {} )"])
    return st.one_of(
        paths(inner),
        st.tuples(inner, st.sampled_from(signs), inner).map(" ".join),
        st.tuples(calls, inner).map(lambda parts: parts[0].replace("{}", parts[1])),
    )


XPATHS = st.recursive(st.one_of(LEAVES, paths(LEAVES)), larger, max_leaves=6)


def value(xpath: str) -> Any:
    """Return what lxml finds, or the name of its error."""
    try:
        found = etree.XPath(xpath, namespaces={"m": "urn:m"})(ROOT)
    except etree.XPathSyntaxError:
        raise
    except etree.XPathError as error:
        return type(error)
    tree: Any = ROOT.getroottree()
    return (
        [each if isinstance(each, str) else tree.getpath(each) for each in found]
        if isinstance(found, list)
        else repr(found)
    )


def written(expression: Expression) -> str:
    """Write a tree with all its brackets, so that nothing is left to the binding of operators."""

    def conditions(predicates: tuple[Predicate, ...]) -> str:
        return "".join(f"[{written(each.condition)}]" for each in predicates)

    match expression:
        case Value(text):
            return text
        case Call(name, arguments):
            return f"{name}({', '.join(map(written, arguments))})"
        case Operation("-", (operand,)):
            return f"(-{written(operand)})"
        case Operation(operator, operands):
            return "(" + f" {operator} ".join(map(written, operands)) + ")"
        case XPathTree(absolute, steps, _, _, origin, predicates):
            lead = "" if origin is None else f"({written(origin)}){conditions(predicates)}"
            text = "".join(f"/{'/' * step.deep}{step.axis}::{step.test}{conditions(step.predicates)}" for step in steps)
            return lead + (text or "(/)" * absolute) if absolute or lead else text[1:]
    raise AssertionError(expression)


@settings(max_examples=400, deadline=None)
@given(XPATHS)
@example("1 - 2 - 3 * 4 = 5 or 6 < 7")
@example("-1 - - 2")
@example("--'3'")
@example("* * * | or or or")
@example("(//a)[2]/b | //b[1]")
@example("div div div")
@example("/ = /")
@example("//a[b = 2][1]/@k")
def test_a_tree_says_what_lxml_reads(xpath: str) -> None:
    try:
        expected = value(xpath)
    except etree.XPathSyntaxError:
        assert parsed(xpath) is None
        return
    if (expression := parsed(xpath)) is not None:  # else it calls a function with too many arguments
        assert value(written(expression)) == expected


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from([*"ab*/@[]()|.:'=, é1+-$", "//", "::", "and", "text", "not", " or "]), max_size=9))
def test_what_is_in_the_grammar_is_an_xpath(parts: list[str]) -> None:
    xpath = "".join(parts)
    if parsed(xpath) is not None:
        etree.XPath(xpath)


@pytest.mark.parametrize(
    ("xpath", "column", "reason"),
    [
        ("//a[", 5, "expected an operand, found the end"),
        ("//a[@k='x]", 8, "the quote is never closed"),
        ("//a/", 5, "expected a step, found the end"),
        ("/a b", 4, "expected an operator or the end, found b"),
        ("//a[1]]", 7, "expected an operator or the end, found ]"),
        ("concat(a b)", 10, "expected ,, found b"),
        ("//@", 4, "expected a name, found the end"),
        ("//a[nott(b)]", 5, "XPath has no function nott (did you mean not?)"),
        ("count(a, b)", 1, "count() takes 1 arguments, not 2"),
        ("concat(a)", 1, "concat() takes 2 to any number of arguments, not 1"),
        ("childs::a", 1, "XPath has no axis childs (did you mean child?)"),
        ("(" * 200 + "a" + ")" * 200, MOST_NESTED + 2, "expected at most 100 operators and brackets, found ("),
        ("-" * 200 + "a", MOST_NESTED + 2, "expected at most 100 operators and brackets, found -"),
        ("a" + " or a" * 200, 5 * MOST_NESTED + 3, "expected at most 100 operators and brackets, found or"),
    ],
)
def test_a_mistake_is_named_with_its_column(xpath: str, column: int, reason: str) -> None:
    with pytest.raises(NotXPathError) as caught:
        parse(xpath)
    assert (caught.value.column, str(caught.value)) == (column, reason)


def test_a_profile_says_where_an_xpath_is_wrong() -> None:
    with pytest.raises(ProfileError) as caught:
        Profile.from_dict({"fields": {"f": "//a[nott(b)]"}})
    message = str(caught.value)
    assert message.endswith(
        "fields.f = '//a[nott(b)]': not an XPath: column 5: XPath has no function nott (did you mean not?)"
    )


@pytest.mark.parametrize("xpath", ["///a", "(" * 200 + "/a" + ")" * 200])
def test_lxml_has_the_last_word_on_syntax(xpath: str) -> None:
    assert parsed(xpath) is None and fault_of(xpath) == ""
    assert first_value(etree.fromstring("<a>1</a>"), xpath) is not None


def test_names_of_elements_alone_fit_any_namespace() -> None:
    assert any_namespace("attribute::a/@b[self::c]", {}) == "attribute::a/@b[self::*[local-name()='c']]"
    assert any_namespace("m:a | n:* | namespace::d", {"m": "u"}) == "m:a | * | namespace::d"
