"""The NEXI parser: what it reads, how it prints, what it says of mistakes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.errors import QueryError
from trix.query.language.keywords import is_structured
from trix.query.language.nexi import DEEPEST, parse_nexi
from trix.query.language.nexi_tree import About, Compare, Condition, Nexi, NexiStep, NodeTest, abouts, joined
from trix.query.language.terms import And, Or

EXAMPLES = int(os.environ.get("TRIX_FUZZ_EXAMPLES", "600"))

# --- trees ----------------------------------------------------------------------------------------------------------

NAMES = ("sec", "p", "and", "or", "about", "_x", "bdy.1", "fig-2", "abstract", "d:title", "été", "章")
names = st.sampled_from(NAMES)
tests_ = st.builds(
    NodeTest,
    st.sampled_from(["/", "//"]),
    st.one_of(
        st.just(("*",)),
        names.map(lambda name: (name,)),
        names.map(lambda name: ("@" + name,)),
        st.lists(names, min_size=2, max_size=3, unique=True).map(tuple),
    ),
)
paths = st.lists(tests_, max_size=3).map(tuple)
words = st.sampled_from(
    ["xml", "valentine's", "and", "or", "user-centred", "C++", "a[1]", "(", "1.5", "//x", "...", "é"]
)
terms = st.builds(
    lambda sign, words, phrase: sign + (f'"{" ".join(words)}"' if phrase else words[0]),
    st.sampled_from(["", "", "+", "-"]),
    st.lists(words, min_size=1, max_size=3),
    st.booleans(),
)
texts = st.lists(terms, min_size=1, max_size=4).map(" ".join)
values = st.one_of(
    st.sampled_from(["1999", "-3", "0.50", ".5", "2001-12-31", "it's", 'say "x"', "", " a ", "and", ")"]),
    st.text(max_size=8).filter(lambda text: '"' not in text),
)
atoms = st.one_of(
    st.builds(About, paths, texts),
    st.builds(Compare, paths, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), values),
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    atoms,
    lambda inner: st.builds(joined, st.sampled_from([And, Or]), st.lists(inner, min_size=2, max_size=3)),
    max_leaves=6,
)
trees = st.builds(
    Nexi, st.lists(st.builds(NexiStep, tests_, st.one_of(st.none(), conditions)), min_size=1, max_size=4).map(tuple)
)


@given(trees)
def test_what_is_printed_reads_as_the_same_tree(tree: Nexi) -> None:
    assert parse_nexi(str(tree)).query == tree
    assert str(parse_nexi(str(tree)).query) == str(tree)


# --- any input ------------------------------------------------------------------------------------------------------

PIECES = (
    "/", "//", "sec", "p", "*", "@", "(", ")", "[", "]", "|", ".", ",", "about(", "about", " ", "and", " OR ", "=",
    "==", "!=", "<", ">=", "'", '"', "“", "+", "-", "1", "3.5", "xml", "\n", "\u0000", "\u00a0", "é", "::", "[@x='y']",
    "about(., x)", "[[",
)  # fmt: skip


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
        st.tuples(trees.map(str), st.integers(0, 200), st.sampled_from(PIECES), st.integers(0, 3)).map(
            lambda t: t[0][: t[1]] + t[2] + t[0][t[1] + t[3] :]
        ),
    ),
    st.booleans(),
    st.booleans(),
)
def test_any_text_is_read_or_refused_with_a_place(text: str, lenient: bool, slash_descends: bool) -> None:
    try:
        parsed = parse_nexi(text, lenient=lenient, slash_descends=slash_descends)
    except QueryError as error:
        assert 1 <= error.column <= len(text) + 1
        assert "\n" not in str(error)
        assert error.caret().count("\n") == 1
        assert error.caret().endswith("^")
    else:
        assert is_structured(text)
        if not parsed.notices:
            assert parse_nexi(str(parsed.query)).query == parsed.query


# --- by example -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("//sec[about(.,xml)]", "//sec[about(., xml)]"),
        ("  //sec [ about ( . , xml ) ] ", "//sec[about(., xml)]"),
        ("//a[about(.,x)][about(.,y)]", "//a[about(., x) and about(., y)]"),
        ("//a[about(.,x) OR about(.,y) aNd .//z==3]", "//a[about(., x) or about(., y) and .//z = 3]"),
        ("//a[(about(.,x) or about(.,y)) and (.//z>3)]", "//a[(about(., x) or about(., y)) and .//z > 3]"),
        ("//a[about(.,x) and (about(.,y) and about(.,z))]", "//a[about(., x) and about(., y) and about(., z)]"),
        ("//a[about(.,x and y OR z)]", "//a[about(., x and y OR z)]"),
        ('//a[about(.,"x) y" z)]', '//a[about(., "x) y" z)]'),
        ('//a[about(., “x  y”z,w)]', '//a[about(., "x y" z w)]'),
        ("//a[about(.,Kali's child)]", "//a[about(., Kali's child)]"),
        ("/article/(sec|p|sec)//@id", "/article/(sec|p)//@id"),
        ("//(sec)", "//sec"),
        ("//a[.='x'][./@y!=\"it's\"]", "//a[. = \"x\" and ./@y != \"it's\"]"),
        ("//a[.//b<-0.5 and ./c>='2001-12-31']", "//a[.//b < -0.5 and ./c >= \"2001-12-31\"]"),
        ("//a[. = '12']", "//a[. = 12]"),
        ("//*[.//and=1 or .//or=2]", "//*[.//and = 1 or .//or = 2]"),
        ("//x:sec[about(.//x:p, y)]", "//x:sec[about(.//x:p, y)]"),
        ("//div[@type='edition'][about(., vixit)]", '//div[./@type = "edition" and about(., vixit)]'),
        ('//a[ @x = "y" ] [about(.,z)][@n>=3]//b', '//a[./@x = "y" and about(., z) and ./@n >= 3]//b'),
        ("//a[@xml:id!='i' or (@n=1 and about(@alt, x))]", '//a[./@xml:id != "i" or ./@n = 1 and about(./@alt, x)]'),
        ("//a[.//b='c'][@x='y'][@x='z']", '//a[.//b = "c" and ./@x = "y" and ./@x = "z"]'),
    ],
)  # fmt: skip
def test_queries_have_one_canonical_form(text: str, canonical: str) -> None:
    assert str(parse_nexi(text).query) == canonical


@pytest.mark.parametrize(
    ("text", "column", "reason", "hint"),
    [
        ("sec", 1, "a structured query begins with / or //", ""),
        ("//", 3, "expected a name, *, @name or (name|name)", ""),
        ("///a", 3, "expected a name, *, @name or (name|name)", "three slashes are one too many"),
        ("//a|//b", 4, "expected a step, a filter or the end", "alternatives are written //(sec|p)"),
        ("//(a|)", 6, "expected a name after |", ""),
        ("//(a|b", 3, "the ( is never closed", ""),
        ("//a[", 5, "expected about(...), a comparison or (", ""),
        ("//a[about(., x)", 4, "the [ is never closed", ""),
        ("//a[]", 5, "the filter is empty; expected about(...), a comparison or (", ""),
        ("//a[1]", 5, "expected about(...), a comparison or (", "positions are no part of NEXI"),
        ("//a[contains(., x)]", 5, "contains() is unknown; the only function is about(path, words)", ""),
        ("//a[b = 3]", 5, "expected about(...), a comparison or (", "paths in filters begin with a dot"),
        ("//a[about(b, x)]", 11, "expected a path that begins with a dot", "as . or .//p or ./title"),
        ("//a[about(. x)]", 13, "expected the comma after the path of about", "as about(., words)"),
        ("//a[about(., )]", 14, "about() has no words; expected a word or a phrase in quotes", ""),
        ("//a[about(., x]", 10, "the ) that closes about( is missing", ""),
        ('//a[about(., "x)]', 14, "the quote is never closed", ""),
        ("//a[about(., x + y)]", 16, "nothing follows the +; expected a word or a phrase directly after it", ""),
        ("//a[about(., x) about(., y)]", 17, "expected and, or, or the ] that closes the filter", ""),
        ("//a[(about(., x)]", 17, "expected and, or, or the ) that closes the parenthesis", ""),
        ("//a[.//y]", 9, "expected =, !=, <, <=, > or >= after the path", ""),
        ("//a[@x]", 7, "expected =, !=, <, <=, > or >= after the path", ""),
        ("//a[@='y']", 6, "expected the name of an attribute after @", ""),
        ("//a[@x='y'", 4, "the [ is never closed", ""),
        ("//a[@x=y]", 8, "expected a number or a text in quotes", "as 1999, 'Smith' or \"2001-12-31\""),
        ("//a[@x='y]", 8, "the quote is never closed", ""),
        ("//a[@x='y'][", 13, "expected about(...), a comparison or (", ""),
        ("//a[@x='y'][]", 13, "the filter is empty; expected about(...), a comparison or (", ""),
        ("//a[@x='y']]", 12, "expected a step, a filter or the end of the query", ""),
        ("//a[@x/y='z']", 7, "expected =, !=, <, <=, > or >= after the path", ""),
        ("//a[x='y'][about(., z)]", 5, "expected about(...), a comparison or (", "paths in filters begin with a dot"),
        ("//a[.//y = x]", 12, "expected a number or a text in quotes", "as 1999, 'Smith' or \"2001-12-31\""),
        ("//a[.//y = 3x]", 12, "expected a number or a text in quotes", "as 1999, 'Smith' or \"2001-12-31\""),
        ("//a[.//y = 'x]", 12, "the quote is never closed", ""),
        ("//ancestor::a", 11, "axes have no names", "use / for children and // for descendants"),
        ("//a[about(., x)] b", 18, "expected a step, a filter or the end of the query", ""),
    ],
)
def test_mistakes_are_named_with_their_column_and_a_hint(text: str, column: int, reason: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_nexi(text)
    assert (caught.value.reason, caught.value.column, caught.value.hint) == (reason, column, hint)
    assert caught.value.caret() == f"{text}\n{' ' * (column - 1)}^"


def test_topic_files_may_have_loose_quotes_and_signs() -> None:
    parsed = parse_nexi('//a[about(., x "y -) and about(., +)]', lenient=True)
    assert [about.text for about in parsed.query.abouts()] == ["x y", ""]
    assert len(parsed.notices) == 4


def test_an_attribute_without_a_dot_is_that_of_the_element_itself() -> None:
    assert parse_nexi("//a[@x='y']").query == parse_nexi("//a[./@x = 'y']").query
    assert parse_nexi("//a[@x='y']", slash_descends=True).query == parse_nexi("//a[./@x = 'y']").query


def test_in_old_topic_files_a_slash_descends() -> None:
    parsed = parse_nexi("/article/bdy[about(./p, x)]", slash_descends=True)
    assert str(parsed.query) == "//article//bdy[about(.//p, x)]"


def test_parentheses_may_be_deep_but_not_without_end() -> None:
    deep = DEEPEST - 1
    assert str(parse_nexi(f"//a[{'(' * deep}.=1{')' * deep}]").query) == "//a[. = 1]"
    with pytest.raises(QueryError, match="nested more than"):
        parse_nexi(f"//a[{'(' * 100_000}")


def test_about_knows_where_its_text_begins() -> None:
    query = parse_nexi("//a[about(.,  x y)]//b[about(.//c,z)]").query
    assert [about.column for about in query.abouts()] == [15, 35]
    assert [about.text for step in query.steps for about in abouts(step.condition)] == ["x y", "z"]
