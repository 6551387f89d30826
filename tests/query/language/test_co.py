"""The content-only language: tables of (query, canonical form), and the round trip as a property."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trix.errors import QueryError
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.characters import fold
from trix.query.language.keywords import parse
from trix.query.language.terms import Query, Term
from trix.query.language.written import QUOTES

PLAIN = Analyzer(stem="none", stopwords=[])
STOPPING = Analyzer(stem="porter", stopwords=["the", "of", "a"])


def canonical(text: str, analyzer: Analyzer = PLAIN, **options: Any) -> str:
    return str(parse(text, analyzer, **options).query)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xml", "xml"),
        ("  XML \t retrieval\n", "xml retrieval"),
        ("+xml -image", "+xml -image"),
        ('"tree edit distance"', '"tree edit distance"'),
        ('+"tree edit" -"b c"', '+"tree edit" -"b c"'),
        # a phrase of one word is that word
        ('"tree"', "tree"),
        ('-" tree "', "-tree"),
        # a quoted phrase ends its term, with or without a space
        ('"a b"c', '"a b" c'),
        ('"a b""c d"', '"a b" "c d"'),
        ('"a b"+c', '"a b" +c'),
        ('"a b"-"c d"', '"a b" -"c d"'),
        ('x"a b"', 'x "a b"'),
        ('"tree edit".', '"tree edit"'),
        # typographic double quotes
        ("“tree edit” xml", '"tree edit" xml'),
        ("„tree edit“", '"tree edit"'),
        ("+„tree edit‟", '+"tree edit"'),
        ("« tree edit »", '"tree edit"'),
        ('“tree edit"', '"tree edit"'),
        # words that the tokeniser splits
        ("user-centred", '"user centred"'),
        ("+user-centred", '+"user centred"'),
        ("-user-centred", '-"user centred"'),
        ("valentine's", '"valentine s"'),
        ("U.S.A.", '"u s a"'),
        ("a/b_c", '"a b c"'),
        ('"user-centred design"', '"user centred design"'),
        # a sign inside or after a word is no sign
        ("c++", "c"),
        ("--deep", "-deep"),
        ("+-deep", "+deep"),
        ("e-mail+", '"e mail"'),
        # chunks without keys are dropped silently
        ("xml & trees", "xml trees"),
        ("xml ... ?", "xml"),
        ("xml +& trees", "xml trees"),
        ('xml "" trees', "xml trees"),
        ('xml +"&" trees', "xml trees"),
        ("xml – trees", "xml trees"),
        # single quotes belong to the word; folding; soft hyphens vanish
        ("'xml'", "xml"),
        ("STRASSE Straße ﬁn", "strasse strasse fin"),
        ("re\u00adtrieval", "retrieval"),
        ("xml\u00a0trees", "xml trees"),
        ("42 -7", "42 -7"),
        # repetition is kept
        ("xml xml +xml", "xml xml +xml"),
        ('"a a"', '"a a"'),
    ],
)
def test_a_query_has_one_canonical_form(text: str, expected: str) -> None:
    assert canonical(text) == expected
    assert parse(text, PLAIN).notices == ()


@pytest.mark.parametrize(
    ("text", "expected", "left_out"),
    [
        ("the retrieval of elements", "retriev element", "the, of"),
        ('"the retrieval"', "retriev", "the"),
        ('+"retrieval of elements"', '+"retriev element"', "of"),
        ("-the xml", "xml", "the"),
        ('"of the" xml the', "xml", "of, the"),
        ("state-of-the-art", '"state art"', "of, the"),
    ],
)
def test_stopped_words_are_dropped_with_one_notice(text: str, expected: str, left_out: str) -> None:
    parsed = parse(text, STOPPING)
    assert str(parsed.query) == expected
    assert parsed.notices == (f"left out, on the stop list: {left_out}",)


def test_a_query_of_stopped_words_is_empty_and_says_so() -> None:
    parsed = parse('the "of a"', STOPPING)
    assert parsed.query == Query(())
    assert not parsed.query
    assert parsed.notices == (
        "left out, on the stop list: the, of, a; nothing of the query is left, an index with `stop` none has them",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("xml trees", "xml trees"),
        ('"tree edit" xml', '"tree edit" xml tree edit'),
        ('+"tree edit" xml', '+"tree edit" xml tree edit'),
        ('-"tree edit" xml', '-"tree edit" xml'),
        ("user-centred", '"user centred" user centred'),
        ("-user-centred xml", '-"user centred" xml'),
        ('"a b" c +"d e"', '"a b" c +"d e" a b d e'),
        ('"tree edit" tree', '"tree edit" tree tree edit'),
        ('"tree"', "tree"),
        ('"a a"', '"a a" a a'),
    ],
)
def test_open_phrases_add_their_keys_at_the_end(text: str, expected: str) -> None:
    assert canonical(text, open_phrases=True) == expected


def test_a_phrase_that_loses_all_but_one_word_is_not_opened() -> None:
    assert canonical('"the tree" +"edit of trees"', STOPPING, open_phrases=True) == 'tree +"edit tree" edit tree'


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ('xml "tree edit', 5, "never closed"),
        ('xml +"tree edit', 6, "never closed"),
        ('"a b" "', 7, "never closed"),
        ("xml “tree", 5, "never closed"),
        ("+", 1, "nothing follows the \\+"),
        ("xml - tree", 5, "nothing follows the -"),
        ("xml +", 5, "nothing follows"),
        ('"a b"+', 6, "nothing follows"),
        ("", 1, "empty"),
        (" \t", 1, "empty"),
        ("?!", 1, "empty"),
        ('""', 1, "empty"),
    ],
)
def test_errors_point_at_the_character(text: str, column: int, reason: str) -> None:
    with pytest.raises(QueryError, match=reason) as caught:
        parse(text, PLAIN)
    assert caught.value.column == column
    assert caught.value.query == text
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected", "notices"),
    [
        ('xml "tree edit', "xml tree edit", ["query, column 5: the quote is never closed; dropped"]),
        ('xml +"tree edit', "xml +tree edit", ["query, column 6: the quote is never closed; dropped"]),
        ('13"monitor', "13 monitor", ["query, column 3: the quote is never closed; dropped"]),
        (
            "xml - tree",
            "xml tree",
            ["query, column 5: nothing follows the -; expected a word or a phrase directly after it; dropped"],
        ),
        ("", "", ["query, column 1: the query is empty; expected a word or a phrase in quotes; dropped"]),
        ("xml tree", "xml tree", []),
    ],
)
def test_lenient_drops_with_a_notice(text: str, expected: str, notices: list[str]) -> None:
    parsed = parse(text, PLAIN, lenient=True)
    assert str(parsed.query) == expected
    assert list(parsed.notices) == notices


def test_lenient_drops_a_quote_and_then_the_sign_that_it_leaves_alone() -> None:
    parsed = parse('xml +" tree', PLAIN, lenient=True)
    assert str(parsed.query) == "xml tree"
    assert len(parsed.notices) == 2


WORDS = st.text("abcxyzäßœé漢字की0123", min_size=1, max_size=6)
TEXTS = st.text(st.one_of(st.sampled_from("ab+- \"“”'.\t"), st.characters(codec="utf-8")), max_size=30)


@given(st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=3), st.sampled_from(["", "+", "-"])), min_size=1))
def test_what_is_printed_parses_to_the_same_query(terms: list[tuple[list[str], str]]) -> None:
    words = [(PLAIN.keys(" ".join(keys)), sign) for keys, sign in terms]
    query = Query(tuple(Term(tuple(keys), sign) for keys, sign in words if keys))  # type: ignore[arg-type]
    assume(query)
    assert parse(str(query), PLAIN).query == query


@given(TEXTS)
def test_any_text_gives_a_query_or_the_documented_error_and_never_fails_leniently(text: str) -> None:
    lenient = parse(text, PLAIN, lenient=True)
    try:
        parsed = parse(text, PLAIN)
    except QueryError as error:
        assert 1 <= error.column <= max(1, len(text))
        assert lenient.notices
        return
    assert lenient == parsed
    assume(all(fold(str(key)) == str(key) for term in parsed.query.terms for key in term.keys))
    assert parse(str(parsed.query), PLAIN).query == parsed.query


@given(TEXTS.map(lambda text: re.sub(r"[*?~^(|]", "", text)))
def test_every_word_outside_of_faults_is_kept_in_order(text: str) -> None:
    keys = [key for term in parse(text, PLAIN, lenient=True).query.terms for key in term.keys]
    cut = "".join(" " if c in QUOTES or c.isspace() else c for c in text)
    assert keys == [word for chunk in cut.split() for word in PLAIN.words(chunk)]


@given(st.text("abtheofAND0 9", min_size=1, max_size=30), st.sampled_from([PLAIN, STOPPING]))
def test_plain_words_are_read_as_any_terms_are(text: str, analyzer: Analyzer) -> None:
    """A tab at the end says nothing, but makes the reader look at each term for signs, quotes and weights."""
    assume(text.strip())
    assert parse(text, analyzer) == parse(text + "\t", analyzer)
