"""The language of filters: what it means, how it prints, and what it says of mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trix.errors import QueryError
from trix.indexer.fields.filter_tree import (
    Condition,
    Filter,
    FilterAll,
    FilterAny,
    FilterComparison,
    FilterExists,
    FilterNot,
    FilterOneOf,
    FilterValue,
)
from trix.indexer.fields.filters import OPERATORS, parse_filter

NAMES = st.sampled_from(["year", "journal", "author", "pub_date"])
TEXTS = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
VALUES = st.builds(FilterValue, TEXTS)
LEAVES = st.one_of(
    st.builds(FilterComparison, NAMES, st.sampled_from(OPERATORS), VALUES),
    st.builds(FilterOneOf, NAMES, st.lists(VALUES, min_size=1, max_size=3).map(tuple)),
    st.builds(FilterExists, NAMES),
)


def joins(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    """Return conditions of conditions, flat as the parser makes them."""

    def many(kind: type[FilterAll] | type[FilterAny]) -> st.SearchStrategy[Condition]:
        apart = inner.filter(lambda part: not isinstance(part, kind))
        return st.lists(apart, min_size=2, max_size=3).map(lambda parts: kind(tuple(parts)))

    return st.one_of(inner.map(FilterNot), many(FilterAll), many(FilterAny))


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(LEAVES, joins, max_leaves=8)


@given(CONDITIONS)
def test_what_is_printed_parses_to_the_same(condition: Condition) -> None:
    assert parse_filter(str(condition)).condition == condition
    assert str(parse_filter(str(condition))) == str(condition)


@given(st.text(alphabet="yearjou \"'()=!<>~,.-0123andotris\n", max_size=40))
def test_any_text_is_a_filter_or_an_error_of_one_line(text: str) -> None:
    try:
        parsed = parse_filter(text)
    except QueryError as error:
        assert "\n" not in str(error) and 1 <= error.column <= len(text) + 1
        assert str(error).startswith(f"where, column {error.column}: ")
    else:
        assert parse_filter(str(parsed)) == parsed


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("year=2015", "year = 2015"),
        ("year >= 2015 AND journal = 'eLife'", "year >= 2015 and journal = eLife"),
        ('journal = "The Lancet" or not year<1900', 'journal = "The Lancet" or not year < 1900'),
        ("(a = 1 and (b = 2 and c = 3))", "a = 1 and b = 2 and c = 3"),
        ("not (a = 1 or b = 2) and c exists", "not (a = 1 or b = 2) and c exists"),
        ("a in (1,2 , 'x y')", 'a in (1, 2, "x y")'),
        ("a = 'and'", 'a = "and"'),
        ("a = 'say \"so\"'", 'a = "say ""so"""'),
        ("a=1 or b=2 and c=3", "a = 1 or b = 2 and c = 3"),
        ("(a=1 or b=2) and c=3", "(a = 1 or b = 2) and c = 3"),
        ("date >= 2015-03-01", "date >= 2015-03-01"),
    ],
)
def test_the_canonical_form(typed: str, canonical: str) -> None:
    assert str(parse_filter(typed)) == canonical


@pytest.mark.parametrize(
    ("typed", "column", "said"),
    [
        ("", 1, "expected the name of a field, such as year"),
        ("year", 5, "expected =, !=, <, <=, >, >=, ~, in or exists after year"),
        ("year >", 7, "expected a value after >"),
        ("year = 'x", 8, "the quote is never closed"),
        ("year = 1 year", 10, "expected and, or, or the end"),
        ("(year = 1", 1, "the parenthesis is never closed"),
        ("year in 1", 9, "expected ( after in"),
        ("year in (1", 11, "expected , or )"),
        ("year ! 1", 6, "'!' is no operator"),
        ("year = ''", 8, "the value is empty"),
        ("not", 4, "expected the name of a field"),
        ("(" * 200 + "year = 1" + ")" * 200, 102, "more than 100 nested parentheses"),
    ],
)
def test_mistakes_have_a_place(typed: str, column: int, said: str) -> None:
    with pytest.raises(QueryError) as raised:
        parse_filter(typed)
    assert raised.value.column == column and raised.value.reason.startswith(said)
    assert raised.value.caret().splitlines()[1] == " " * (column - 1) + "^"


def test_a_filter_without_a_field_keeps_what_else_it_says() -> None:
    def rest(text: str, name: str) -> str:
        return str(parse_filter(text).without(name))

    assert rest("year > 1 and journal = x and not year = 3", "year") == "journal = x"
    assert rest("year > 1 or journal = x", "year") == "year > 1 or journal = x"
    assert rest("year > 1", "year") == "None"
    assert parse_filter("year > 1") == Filter(FilterComparison("year", ">", FilterValue("1")))
