"""Path expressions: their canonical text, their errors, and that nothing else ever comes of a text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.errors import UsageError
from trix.indexer.profile.profile import load_profile
from trix.query.language.path_tree import AXES, Condition, Path, PathExists, PathNot, PathStep, StepAxis
from trix.query.language.paths import parse_path
from trix.query.language.terms import And, Or


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (" //sec ", "//sec"),
        ("/article / bdy//p", "/article/bdy//p"),
        ("//x:sec", "//x:sec"),
        ("//a|//b | //a", "//a | //b"),
        ("/child::a//descendant::b", "/a//b"),
        ("//self::a/self::b", "/descendant-or-self::a/self::b"),
        ("//ancestor::a", "/descendant-or-self::*/ancestor::a"),
        ("(//a | /b[x])[c]//d", "//a[c]//d | /b[x][c]//d"),
        ("((//a))", "//a"),
        ("//(a|b|a)/(c)", "//(a|b)/c"),
        ("//a[./b]", "//a[b]"),
        ("//a[.//b/./c]", "//a[.//b/./c]"),
        ("//a[.]", "//a[.]"),
        ("//a[../b]", "//a[../b]"),
        ("//a[ ((b)) ]", "//a[b]"),
        ("//a[(b|c)]", "//a[(b|c)]"),
        ("//a[(b)]", "//a[b]"),
        ("//a[child::(text()|@b)]", "//a[(text()|@b)]"),
        ("//a[(b|c)/d]", "//a[(b|c)/d]"),
        ("//a[.//b | ancestor::c]", "//a[.//b or ancestor::c]"),
        ("//a[b or c and not( d or e)]", "//a[b or c and not(d or e)]"),
        ("//a[(b or c) and d]", "//a[(b or c) and d]"),
        ("//and[or or not]", "//and[or or not]"),
        ("//p/text()", "//p/text()"),
        ("//fig/@alt | //@xml:lang", "//fig/@alt | //@xml:lang"),
        ("//a.b-c_d", "//a.b-c_d"),
        ("//ä[ß]", "//ä[ß]"),
    ],
)
def test_a_path_has_one_canonical_text(written: str, canonical: str) -> None:
    path = parse_path(written)
    assert str(path) == canonical
    assert parse_path(canonical) == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "path, column 1: the path is empty"),
        ("sec", r"path, column 1: a path begins with / or //, found 'sec': sec \(write //sec\)"),
        ("//", r"path, column 3: expected a name or \*, found the end"),
        ("//a/", "path, column 5: expected a name"),
        ("//a[", "path, column 5: expected a name"),
        ("//a[]", r"path, column 5: expected a name or \*, found '\]'"),
        ("//a[b", r"path, column 6: expected '\]' after a condition, found the end"),
        ("//a]", r"path, column 4: expected '/', '\|' or '\[', found '\]'"),
        ("//a b", "path, column 5: .*found 'b'"),
        ("//a[1]", "path, column 5: positions are not part of path expressions"),
        ("//a[position()=1]", "path, column 5: positions are not part"),
        ("//a[last()]", "path, column 5: positions are not part"),
        ("//a[count(b)]", r"there is no function count\(\)"),
        ("//a[@x='y']", r"column 7: .*found '=': .*values are compared in NEXI queries"),
        ("//a[//b]", r"a condition's path begins at the element: .* \(write \.//\)"),
        ("//a,//b", r"column 4: .*several paths are joined by \|"),
        ("//sec+ss1", "tag sets such as sec\\+ss1 belong to minor: and major:"),
        ("//foo::b", "column 3: there is no axis 'foo' here"),
        ("//following-sibling::b", "there is no axis 'following-sibling'"),
        ("//a[not(b]", r"column 10: expected '\)' after the condition of not\("),
        ("(//a", r"expected '\)' after the paths in parentheses"),
        ("(a|b)", "a path begins with / or //, found 'a'"),
        ("//a[" + "(" * 90, "brackets are nested more than 60 deep"),
        ("(" * 5000 + "//a" + ")" * 5000, "brackets are nested more than 60 deep"),
        ("//a" + "[b" * 5000, "brackets are nested more than 60 deep"),
    ],
)
def test_a_wrong_path_is_shown_with_the_column_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_path(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_printed_definitions_of_the_ieee_levels_are_read() -> None:
    levels = load_profile("ieee").levels
    minor, major = (parse_path(levels[name]) for name in ("minor", "major"))
    assert len(minor.ways) == len(major.ways) == 18
    assert str(minor).startswith("//*[self::fm or self::bm or self::sec or self::ss1 or self::ss2][not(.//sec or")
    assert {"fm", "ss2", "bdy", "dialog", "list"} <= set(major.names())
    assert parse_path(str(minor)) == minor and parse_path(str(major)) == major


names = st.sampled_from(["a", "b", "not", "and", "or", "text", "self", "@x", "#text", "ä-1.b"])
tests = st.lists(names, max_size=2, unique=True).map(tuple)


def steps(conditions: st.SearchStrategy[Condition]) -> st.SearchStrategy[PathStep]:
    return st.builds(PathStep, st.sampled_from(AXES), tests, st.lists(conditions, max_size=2).map(tuple))


def exists(made: tuple[PathStep, ...]) -> PathExists:
    """Leave out what the grammar does: a first step that stays where it is."""
    while len(made) > 1 and made[0] == PathStep(StepAxis.SELF):
        made = made[1:]
    return PathExists(made)


def larger(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.lists(steps(inner), min_size=1, max_size=3).map(tuple).map(exists),
        st.builds(PathNot, inner),
        st.builds(And, several),
        st.builds(Or, several),
    )


plain = st.builds(PathStep, st.sampled_from(AXES), tests)
conditions = st.recursive(st.builds(exists, st.tuples(plain)), larger, max_leaves=6)
ways = st.lists(steps(conditions), min_size=1, max_size=3).map(tuple)
paths = st.lists(ways, min_size=1, max_size=3, unique=True).map(tuple).map(Path)


@settings(max_examples=300, deadline=None)
@given(paths)
def test_what_is_printed_reads_back_as_the_same_path(path: Path) -> None:
    assert parse_path(str(path)) == path


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        st.text(max_size=20),
        st.text(alphabet="/|[]().:*@ab ", max_size=24),
        st.lists(
            st.sampled_from(["//", "/", "a", "[", "]", "(", ")", "not(", " and ", " or ", "self::", ".", "..", "|"]),
            max_size=14,
        ).map("".join),
    )
)
def test_any_text_is_a_path_or_one_line_of_error(text: str) -> None:
    try:
        path = parse_path(text)
    except UsageError as error:
        assert str(error).startswith("path, column") and "\n" not in str(error)
    else:
        assert parse_path(str(path)) == path
