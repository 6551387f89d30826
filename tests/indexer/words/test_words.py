"""The words of an index, and the queries that use them: wildcards, fuzzy words, alternatives, weights, suggestions."""

from __future__ import annotations

import random
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trix
from tests.conftest import FEW
from tests.uncompiled import uncompiled
from trix.core.words import near_words
from trix.errors import QueryError, UsageError
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.strings import StringTable, encode_strings
from trix.indexer.store.words import as_expression
from trix.indexer.words.analyzer import BOUNDARY, Analyzer, KeyTable
from trix.indexer.words.edits import edits_between
from trix.indexer.words.interner import Interner
from trix.query.language.boolean import has_operators
from trix.query.language.keywords import parse
from trix.query.language.nexi import parse_nexi
from trix.query.language.occurrence import stretches
from trix.query.language.terms import Near, Term
from trix.query.matching.matching import term_list

PLAIN = Analyzer("none", "none")

VOCABULARY = ["abc", "abd", "bac", "ab", "b", "abcde", "bcd", "cab", "dab", "xyz", "ärm", "arm", "x1"]

MODELS = ["trix2005", "trix2004", "bm25", "bm25-2011", "tfidf", "lm-dirichlet", "lm-jm"]


def document(words: list[list[str]]) -> bytes:
    return ("<doc>" + "".join(f"<sec><p>{' '.join(some)}</p><p>end</p></sec>" for some in words) + "</doc>").encode()


def build(folder: Path, documents: list[bytes], **options: object) -> Path:
    folder.mkdir(parents=True)
    for number, each in enumerate(documents):
        (folder / f"{number:02}.xml").write_bytes(each)
    target = folder.with_suffix(".index")
    asked = {"stem": "none", "stop": "none", "jobs": 1, "profile": "generic", **options}
    trix.build(folder, target, **asked)  # type: ignore[arg-type]
    return target


def collection(seed: int, replaced: dict[str, str] | None = None) -> list[bytes]:
    chance = random.Random(seed)
    made = []
    for _ in range(chance.randint(1, 6)):
        words = [[chance.choice(VOCABULARY) for _ in range(chance.randint(1, 9))] for _ in range(chance.randint(1, 4))]
        made.append(document([[(replaced or {}).get(word, word) for word in some] for some in words]))
    return made


def scores(path: Path, query: str, **options: object) -> dict[str, float]:
    with trix.open(path) as index:
        found = index.search(query, top="all", strategy="thorough", **options)  # type: ignore[arg-type]
        return {f"{result.doc}{result.path}": result.score for result in found}


# -- edits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [near_words, uncompiled("words").near_words], ids=["compiled", "uncompiled"])
@given(
    word=st.text("abé𝐁", min_size=1, max_size=8),
    others=st.lists(st.text("abé𝐁", min_size=1, max_size=9), min_size=1),
    ordered=st.booleans(),
)
def test_the_words_near_a_word_are_those_of_the_definition(
    kernel: Any, word: str, others: list[str], ordered: bool
) -> None:
    table = sorted(set(others), key=str.encode) if ordered else others  # the order makes it quick, and no more
    data, ends = StringTable(*encode_strings(table)).columns()
    codes = np.array([*map(ord, word)], np.uint32)
    for most in (1, 2):
        for first in (False, True):
            numbers, edits = kernel(codes, data, ends, most, first)
            away = [edits_between(word, other) for other in table]
            wanted = [
                (number, each)
                for number, each in enumerate(away)
                if each <= most and (not first or table[number][0] == word[0])
            ]
            assert list(zip(numbers.tolist(), edits.tolist(), strict=True)) == wanted


def test_bytes_that_are_no_text_are_read_and_none_beyond_them() -> None:
    chance, word = random.Random(2), np.array([97, 98], np.uint32)
    for _ in range(200):
        data, ends = np.frombuffer(chance.randbytes(60), np.uint8), np.sort(chance.choices(range(61), k=20))
        found = [kernel(word, data, ends, 2, False) for kernel in (near_words, uncompiled("words").near_words)]
        assert [each.tolist() for each in found[0]] == [each.tolist() for each in found[1]]
    with pytest.raises(IndexError):
        near_words(word, np.frombuffer(b"ab", np.uint8), np.array([3]), 2, False)


# -- what is kept ----------------------------------------------------------------------------------------


@given(st.lists(st.text("aB é\u0301Ⅳﬁ-\u00ad.½ᾳᾼͺ\u0345א\u05b8\u05beﷺ\u0640", max_size=20), max_size=4))
def test_the_words_of_a_text_are_those_of_the_literal_chain(parts: list[str]) -> None:
    analyzer = Analyzer("porter", "default")
    table = KeyTable(analyzer)
    text = "".join(BOUNDARY + part for part in parts)
    for _ in range(2):
        words = table.number_with_words(text)[2]
        literal = {word for part in parts for word in analyzer.words(part) if analyzer.key(word) is not None}
        assert {table.words[number] for number in words} == literal


def literal_counts(documents: list[bytes]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for each in documents:
        for word in set(PLAIN.words(re.sub("<[^>]*>", " ", each.decode()))):
            counts[word] = counts.get(word, 0) + 1
    return counts


@pytest.mark.parametrize("seed", range(2 if FEW else 4))
def test_tokens_of_any_length_are_numbered_as_by_a_dictionary(seed: int) -> None:
    chance = random.Random(seed)
    lengths = [1, 2, 6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 40]

    def token() -> str:
        letters = chance.choice(["ab", "ab", "aé\x7f", "a\u0424", "b𝔸"])
        return "".join(chance.choices(letters, k=chance.choice(lengths)))

    texts = [" ".join(token() for _ in range(chance.choice([0, 1, 700, 40_000]))) for _ in range(8)]
    classes = np.ones(0x10000, np.uint8)
    classes[ord(" ")], classes[0x424] = 0, 2
    known: dict[str, int] = {}
    interner = Interner(classes)
    for text in [*texts, *texts, "a" * 15, "a" * 16, "a"]:
        before = len(known)
        expected = [known.setdefault(token, len(known)) for token in re.findall("\u0424|[^ \u0424]+", text)]
        numbers, new = interner.intern(text)
        assert numbers.tolist() == expected
        assert list(new) == list(known)[before:]


@pytest.mark.parametrize("seed", range(2 if FEW else 5))
def test_words_are_counted_in_live_documents_after_any_history(tmp_path: Path, seed: int) -> None:
    documents = [*collection(seed), *collection(seed + 100)]
    target = build(tmp_path / "first", documents)
    late = collection(seed + 200)
    with trix.write(target) as writer:
        for number, each in enumerate(late):
            writer.add_document(each, id=f"late{number}")
        writer.delete("00")
    alive = [*documents[1:], *late]
    for _ in range(2):
        assert IndexFiles(target).words.fitting("*") == dict(
            sorted(literal_counts(alive).items(), key=lambda each: (-each[1], each[0]))
        )
        with trix.write(target) as writer:
            writer.compact()


def test_a_build_and_a_compacted_index_have_the_same_words_in_the_same_bytes(tmp_path: Path) -> None:
    documents = collection(7)
    target = build(tmp_path / "one", documents)
    with trix.write(target) as writer:
        writer.add_document(b"<doc><p>zebra abc</p></doc>", id="zebra")
    with trix.write(target) as writer:
        writer.delete("zebra")
        writer.compact()
    sections = [
        [IndexFiles(path).live[0].segment.sections.section(name)[:] for name in ("keys", "words.documents")]
        for path in (target, build(tmp_path / "two", documents))
    ]
    one, other = ([bytes(each) for each in own] for own in sections)
    assert one == other


def test_words_that_are_the_keys_are_kept_once(tmp_path: Path) -> None:
    documents = [b"<doc><p>walks walking</p><p>walk trees</p></doc>"]
    for stem, kept in (("none", False), ("english", True)):
        files = IndexFiles(build(tmp_path / stem, documents, stem=stem))
        assert files.live[0].segment.sections.has("words") is kept
        assert files.words.fitting("walk*") == {"walk": 1, "walking": 1, "walks": 1}


# -- patterns and fuzzy words ----------------------------------------------------------------------------


PATTERNS = st.text("ab*?c", min_size=1, max_size=5).filter(lambda text: text.strip("*?"))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 20), PATTERNS)
def test_a_pattern_fits_the_words_that_its_definition_says(seed: int, pattern: str) -> None:
    index = opened(seed)
    expression = "".join(".*" if c == "*" else "." if c == "?" else c for c in pattern)
    every = literal_counts(collection(seed))
    assert index.words.fitting(pattern) == dict(
        sorted(((w, n) for w, n in every.items() if re.fullmatch(expression, w)), key=lambda each: (-each[1], each[0]))
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 20), st.text("abcdx", min_size=1, max_size=6), st.sampled_from([1, 2]), st.booleans())
def test_near_words_are_within_the_edits(seed: int, word: str, edits: int, first: bool) -> None:
    found = opened(seed).words.near(word, edits, first_letter=first)
    every = literal_counts(collection(seed))
    assert found == {
        other: count
        for other, count in every.items()
        if edits_between(word, other) <= edits and not (first and other[0] != word[0])
    }


_OPENED: dict[int, IndexFiles] = {}


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    global _ROOT
    _ROOT = tmp_path_factory.mktemp("words")


_ROOT = Path()


def opened(seed: int) -> IndexFiles:
    if seed not in _OPENED:
        _OPENED[seed] = IndexFiles(build(_ROOT / str(seed), collection(seed)))
    return _OPENED[seed]


@pytest.mark.parametrize(
    ("pattern", "fitting"),
    [("ab*", "(ab | abc | abcde | abd)"), ("?a*", "(bac | cab | dab)"), ("abc~", "(ab | abc | abd)")],
)
def test_a_pattern_scores_as_its_words_in_a_group(tmp_path: Path, pattern: str, fitting: str) -> None:
    every = document([VOCABULARY])
    target = build(tmp_path / "one", [*collection(3), every])
    for model in MODELS:
        assert scores(target, f"{pattern} +xyz", model=model) == scores(target, f"{fitting} +xyz", model=model)
    assert scores(target, f"//p[about(., {pattern})]") == scores(target, f"//p[about(., {fitting})]")


# -- alternatives ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2 if FEW else 6))
def test_alternatives_are_one_term_as_if_they_were_one_word(tmp_path: Path, seed: int) -> None:
    target = build(tmp_path / "as", collection(seed))
    one = build(tmp_path / "one", collection(seed, {"bac": "abc", "cab": "abc"}))
    for options in ({}, *({"model": model} for model in MODELS), {"combine": "einstein"}, {"match": "all"}):
        for query in ("{}", "+{} xyz -dab", "b {}^2", "//sec[about(., {} b)]", "//doc[about(.//p, -{})]"):
            found = scores(target, query.format("(abc | bac | cab)"), **options)
            assert found == pytest.approx(scores(one, query.format("abc"), **options), abs=1e-12)


def test_an_alternative_can_be_a_phrase(tmp_path: Path) -> None:
    target = build(tmp_path / "as", [document([["motor", "car"], ["car", "park"], ["auto"], ["motor"]])])
    assert {key.count("sec[1]") for key in scores(target, '("motor car" | auto)')} == {0, 1}
    assert sorted(key for key in scores(target, '("motor car" | auto)') if "/p" in key) == [
        "00/doc[1]/sec[1]/p[1]",
        "00/doc[1]/sec[3]/p[1]",
    ]


# -- nearness ---------------------------------------------------------------------------------------------------------


KEYS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(KEYS, min_size=1, max_size=4), st.permutations(["a", "b", "c"]), st.integers(2, 3), st.integers(1, 6),
    st.lists(st.sampled_from(["a", "b"]), max_size=1),
)  # fmt: skip
def test_nearness_and_exact_phrases_are_what_their_definitions_say(
    texts: list[list[str]], order: list[str], count: int, within: int, again: list[str]
) -> None:
    folder = Path(tempfile.mkdtemp(dir=_ROOT))
    xml = "<doc>" + "".join(f"<p>{' '.join(text)} z</p>" for text in texts) + "<p>z z</p></doc>"
    files = IndexFiles(build(folder / "near", [xml.encode()]))
    phrase = tuple(order[:count])
    for keys in ((Near(phrase, within),), (Near((*phrase, *again), within, ordered=True),), phrase):
        found = term_list(files, Term(keys), "exact")
        frequency = dict(zip(found.content_numbers.tolist(), found.tf.tolist(), strict=True))
        for number, text in enumerate(texts):
            own = [*text, "z"]
            if isinstance(keys[0], Near):
                wanted = stretches(keys[0], own)
            else:
                wanted = sum(tuple(own[at : at + count]) == phrase for at in range(len(own)))
            assert frequency.get(number, 0) == wanted


def test_nearness_is_any_order_and_needs_positions(tmp_path: Path) -> None:
    documents = [document([["slave", "x", "trade"], ["trade", "slave"], ["slave", "x", "x", "trade"]])]
    target = build(tmp_path / "as", documents)
    found = [key for key in scores(target, '"slave trade"~2') if "/p" in key]
    assert sorted(found) == ["00/doc[1]/sec[1]/p[1]", "00/doc[1]/sec[2]/p[1]"]
    assert len(scores(target, '//p[about(., "slave trade"~3)]')) == 3
    without = build(tmp_path / "without", documents, positions=False)
    with trix.open(without) as index, pytest.raises(UsageError, match="has no positions, which nearness needs"):
        index.search('"slave trade"~2')


def test_words_in_order_stand_each_within_the_distance_of_the_one_before(tmp_path: Path) -> None:
    texts = ["a b c", "a x x b x x c", "a x x x b c", "c b a", "b a c b", "a a b a b b c c"]
    target = build(tmp_path / "as", ["".join(["<doc>", *(f"<p>{text}</p>" for text in texts), "</doc>"]).encode()])
    files = IndexFiles(target)

    def counted(query: str) -> dict[int, int]:
        found = term_list(files, parse(query, PLAIN).query.terms[0], "content")
        return dict(zip(found.content_numbers.tolist(), found.tf.tolist(), strict=True))

    assert counted('"a b"~>3') == {0: 1, 1: 1, 4: 1, 5: 2}
    assert counted('"a b c"~>3') == {0: 1, 1: 1, 5: 1}
    # Alternatives of phrases in order are one term, as #syn(#3(a b) #3(b a)) of InQuery.
    assert counted('("a b"~>3 | "b a"~>3)') == {0: 1, 1: 1, 3: 1, 4: 2, 5: 3}
    assert {key for key in scores(target, '"c b"~>1') if "/p" in key} == {"00/doc[1]/p[4]", "00/doc[1]/p[5]"}


# -- weights ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2 if FEW else 4))
@pytest.mark.parametrize("combine", ["average", "sum", "einstein"])
def test_a_weight_is_how_often_a_term_is_written(tmp_path: Path, seed: int, combine: str) -> None:
    target = build(tmp_path / "as", collection(seed))
    for query, repeated in (
        ("abc^2 b", "abc abc b"),
        ("+abc^3 -b^2", "+abc +abc +abc -b -b"),
        ('"ab b"^2 dab', '"ab b" "ab b" dab'),
        ("//sec[about(., abc^2 b)]", "//sec[about(., abc abc b)]"),
    ):
        assert scores(target, query, combine=combine) == pytest.approx(
            scores(target, repeated, combine=combine), abs=1e-12
        )


def test_many_terms_have_weights_too(tmp_path: Path) -> None:
    target = build(tmp_path / "as", collection(5))
    many = " ".join(f"w{number}" for number in range(70))
    for combine in ("average", "sum", "einstein"):
        one = scores(target, f"{many} abc^2 b", combine=combine)
        assert one == pytest.approx(scores(target, f"{many} abc abc b", combine=combine), abs=1e-12)


# -- signs and operators -----------------------------------------------------------------------------------------------


CONDITIONS = st.recursive(
    st.sampled_from("abcd"),
    lambda inner: st.one_of(
        inner.map(lambda one: f"NOT ({one})"),
        st.tuples(inner, st.sampled_from([" AND ", " OR "]), inner).map(lambda parts: f"({''.join(parts)})"),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, set[str]]]:
    chance = random.Random(1)
    texts = {f"{number:02}": set(chance.sample("abcd", chance.randint(1, 4))) for number in range(30)}
    documents = [f"<doc>{' '.join(words)}</doc>".encode() for words in texts.values()]
    return build(tmp_path_factory.mktemp("letters") / "all", documents), texts


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(condition=CONDITIONS)
def test_operators_mean_what_they_say(letters: tuple[Path, dict[str, set[str]]], condition: str) -> None:
    target, texts = letters
    try:
        query = parse(condition, PLAIN, operators="boolean").query
    except QueryError as error:
        assert error.reason == "NOT by itself finds nothing; expected a word beside it"
        return
    assert parse(str(query), PLAIN, operators="boolean").query == query
    weighed = {str(key) for term in query.terms for key in term.keys}
    python = condition.replace("AND", "and").replace("OR", "or").replace("NOT", "not")
    expected = {
        name
        for name, words in texts.items()
        if words & weighed and eval(python, {}, {letter: letter in words for letter in "abcd"})
    }
    assert {name.split("/")[0] for name in scores(target, condition, operators="boolean")} == expected
    if "(" in condition and not has_operators(condition):
        return  # then an about() ends at the first parenthesis
    structured = f"//doc[about(., {condition})]"
    assert {name.split("/")[0] for name in scores(target, structured, operators="boolean")} == expected
    with trix.open(target) as index:
        canonical = index.search(structured, operators="boolean").query
    assert {name.split("/")[0] for name in scores(target, canonical, operators="boolean")} == expected


def test_signs_can_demand_and_forbid(letters: tuple[Path, dict[str, set[str]]]) -> None:
    target, texts = letters
    expected = {name for name, words in texts.items() if "a" in words and "b" not in words}
    for query in ("+a -b c", "//doc[about(., +a -b c)]", "//*[about(., +a -b c)]"):
        must = scores(target, query, signs="must")
        assert {name.split("/")[0] for name in must} == expected
        weighed = scores(target, query)
        assert {name: weighed[name] for name in must} == must and len(weighed) > len(must)


def test_operators_are_words_by_default_and_it_is_said(letters: tuple[Path, dict[str, set[str]]]) -> None:
    with trix.open(letters[0]) as index:
        assert index.search("a AND b").notices[-1].startswith("AND, OR and NOT are words of the query;")
        assert index.search("a and b").notices == ("no document has and",)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a AND b", "a AND b"),
        ("a b AND c", "a OR b AND c"),
        ("(a OR b) AND NOT (c d)", "(a OR b) AND NOT (c OR d)"),
        ('"a b"~3 AND (car | auto)^2', '"a b"~3 AND (car | auto)^2'),
        ("a AND (b AND c)", "a AND b AND c"),
        ("(a)", "a"),
    ],
)
def test_operators_have_one_printed_form(text: str, canonical: str) -> None:
    assert str(parse(text, PLAIN, operators="boolean").query) == canonical
    assert str(parse(canonical, PLAIN, operators="boolean").query) == canonical


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("a AND", 5, "expected a term after the operator"),
        ("AND a", 1, "expected a term before AND"),
        ("(a AND b", 1, "the ( is never closed"),
        ("a AND b)", 8, "the ) closes nothing"),
        ("NOT a", 1, "NOT by itself finds nothing; expected a word beside it"),
    ],
)
def test_a_mistake_among_operators_is_named(text: str, column: int, reason: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, PLAIN, operators="boolean")
    assert (caught.value.column, caught.value.reason) == (column, reason)
    assert parse(text, PLAIN, operators="boolean", lenient=True).notices


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["AND", "OR", "NOT", "(", ")", "a", "-b", '"a b"', "(a | b)", " "]), max_size=10))
def test_any_row_of_operators_is_a_query_or_an_error(parts: list[str]) -> None:
    text = " ".join(parts)
    lenient = parse(text, PLAIN, lenient=True, operators="boolean")
    try:
        query = parse(text, PLAIN, operators="boolean").query
    except QueryError:
        assert lenient.notices
        return
    assert parse(str(query), PLAIN, operators="boolean").query == query


# -- as it is written ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("slav*  TRADE", "slav* trade"),
        ("colo?r what?", "colo?r what"),
        ("**bold** a?*b", "*bold* a?*b"),
        ("recieve~ recieve~1 recieve~2", "recieve~ recieve~ recieve~2"),
        ("+(Car|automobile)x", "+(car | automobile) x"),
        ("-( car | car )^3", "-car^3"),
        ('("motor car" | auto*)^0.50', '("motor car" | auto*)^0.5'),
        ("tree^1 wood^2.50", "tree wood^2.5"),
        ('"tree edit"^2', '"tree edit"^2'),
        ('+"slave  trade"~08^2 "b a" ~8', '+"slave trade"~8^2 "b a" 8'),
        ('"one"~3', "one"),
        ('"slave  trade"~>03^2 "tora tora"~>2 "tora tora"~2', '"slave trade"~>3^2 "tora tora"~>2 "tora tora"'),
        ('("motor  car"~>3|"car motor"~5 | auto)', '("motor car"~>3 | "car motor"~5 | auto)'),
        ("(one two) image(s)", 'one two "image s"'),
        ("a ~20 b* *", "a 20 b*"),
        ("the | of", "the of"),
    ],
)
def test_what_is_typed_has_one_printed_form(text: str, canonical: str) -> None:
    assert str(parse(text, PLAIN).query) == canonical
    assert str(parse(canonical, PLAIN).query) == canonical


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("tree^", 5, "expected a weight above 0 after ^, as in tree^2"),
        ("a tree^x", 7, "expected a weight above 0 after ^, as in tree^2"),
        ("tree^0", 5, "expected a weight above 0 after ^, as in tree^2"),
        ('"tree edit"^-1', 12, "expected a weight above 0 after ^, as in tree^2"),
        ("(car | auto", 1, "the ( is never closed"),
        ("(car | )", 8, "an alternative is missing; expected a word or a phrase in quotes beside the |"),
        ("(car | motor car)", 8, "an alternative of several words is a phrase in quotes"),
        ("(+car | auto)", 2, "signs stand before the parenthesis, as in +(car | truck)"),
        ("(car^2 | auto)", 5, "weights go after the parenthesis, as in (car | truck)^2"),
        ("(a | (b | c))", 6, "parentheses of alternatives do not nest"),
        ('"slave trade"~ x', 14, 'expected a number from 1 to 10,000 after ~, as in "slave trade"~8'),
        ('"slave trade"~> 3', 14, 'expected a number from 1 to 10,000 after ~>, as in "slave trade"~>8'),
        ('(x | "slave trade"~>0)', 19, 'expected a number from 1 to 10,000 after ~>, as in "slave trade"~>8'),
        ("x recieve~7", 10, "expected 1 or 2 edits after ~, found 7"),
        ("user-cent*", 1, "* and ? stand in one word; write the words apart"),
        ("user-centred~", 13, "~ goes after one word"),
    ],
)
def test_a_mistake_is_named_with_its_column(text: str, column: int, reason: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, PLAIN)
    assert (caught.value.column, caught.value.reason) == (column, reason)
    assert parse(text, PLAIN, lenient=True).notices
    if "user" not in text and not text.endswith("auto"):
        with pytest.raises(QueryError) as caught:
            parse_nexi(f"//a[about(., {text})]")
        assert (caught.value.column, caught.value.reason) == (column + 13, reason)


SIGNS = "ab+-*?~^(|)12. \"'"


@settings(max_examples=400, deadline=None)
@given(st.text(st.sampled_from(SIGNS), max_size=16))
def test_any_signs_give_a_query_that_prints_itself_or_an_error(text: str) -> None:
    lenient = parse(text, PLAIN, lenient=True)
    try:
        query = parse(text, PLAIN).query
    except QueryError as error:
        assert 1 <= error.column <= len(text) + 1
        assert lenient.notices
        return
    assert lenient.query == query
    assert parse(str(query), PLAIN).query == query


@settings(max_examples=400, deadline=None)
@given(st.text(st.sampled_from(SIGNS + ",/"), max_size=16))
def test_any_signs_inside_about_print_themselves_or_are_an_error(text: str) -> None:
    try:
        query = parse_nexi(f"//a[about(., {text})]").query
    except QueryError:
        return
    assert parse_nexi(str(query)).query == query


# -- never silent ----------------------------------------------------------------------------------------


def test_a_word_that_no_document_has_is_named_with_suggestions(tmp_path: Path) -> None:
    target = build(tmp_path / "as", [document([["slavery", "trade"]]), document([["slavery", "slaver"]])])
    with trix.open(target) as index:
        assert index.search("slavey trade").notices == (
            "no document has slavey; did you mean slavery (2) or slaver (1)?",
        )
        assert index.search("//sec[about(., slavry)]").notices[0].startswith("no document has slavry; did you mean ")
        assert index.search("trade zzzz").notices == ("no document has zzzz",)
        assert index.search("slav* zz*").notices == ("no word of the index fits zz*",)
        assert index.search("slavery").notices == ()


def test_what_a_pattern_stands_for_is_explained(tmp_path: Path) -> None:
    target = build(tmp_path / "as", [document([["slavery", "trade"]]), document([["slavery", "slaver"]])])
    with trix.open(target) as index:
        result = index.search("slav*^2")[0]
        assert "words = slavery (2), slaver (1)" in str(index.explain("slav*^2", result))


def test_of_many_words_the_most_frequent_count(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(1200)]
    target = build(tmp_path / "as", [document([words]), document([words[:5]])])
    with trix.open(target) as index:
        assert index.search("w*").notices == ("w* fits 1,200 words, of which the 1,000 most frequent count",)


# -- bounds ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build an index of 40,000 words, nearly all of which have nearly all letters."""
    chance = random.Random(3)
    words = ["".join(chance.sample("abcdefghijklmnopqrstuvwxyz", 20)) for _ in range(40_000)]
    return build(
        tmp_path_factory.mktemp("large") / "as", [document([words[at : at + 500]]) for at in range(0, 40_000, 500)]
    )


@pytest.mark.parametrize(
    ("query", "column", "said"),
    [
        (" ".join(f"*{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz"), 41, "at most 10 patterns that begin with"),
        (
            " AND ".join(f"?{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz"),
            81,
            "at most 10 patterns that begin with",
        ),
        (
            " ".join(f"{letter}*" for letter in "abcdefghijklmnopqrstuvwxyz"),
            31,
            "that fit at most 10,000 words together",
        ),
        (f"(one | {' | '.join(f'{letter}*' for letter in 'abcdefghijklmnopqrstuvwxyz')})", 58, "10,000 words together"),
        (" ".join(f"abcdef{number}~2" for number in range(60)), 541, "at most 50 words with ~ in one query"),
        (
            "//sec[" + " or ".join(f"about(., *{letter}*)" for letter in "abcdefghijkl") + "]",
            186,
            "at most 10 patterns",
        ),
        ("//sec[" + " or ".join(f"about(.//p, {letter}*)" for letter in "abcdefghijklm") + "]", 209, "10,000 words"),
    ],
)
def test_a_query_of_too_many_words_is_refused_soon(query: str, column: int, said: str, large: Path) -> None:
    with trix.open(large) as index:
        begun = time.process_time()
        with pytest.raises(QueryError, match=said) as caught:
            index.search(query)
        assert time.process_time() - begun < 2
        assert caught.value.column == column
        assert "\n" not in str(caught.value)
        with pytest.raises(QueryError, match=said):
            list(index.concordance(query))


def test_within_the_bounds_a_query_is_answered(large: Path) -> None:
    with trix.open(large) as index:
        ten = [f"*{letter}*" for letter in "abcdefghij"]
        assert index.search(" ".join([*ten, *ten]), top=1)  # a pattern that comes again counts once
        assert index.search(" ".join(f"ab{letter}* {letter}q~" for letter in "cdefghijkl"), top=1)


def test_topics_lose_the_patterns_beyond_the_bounds(large: Path) -> None:
    query = " ".join(f"*{letter}*" for letter in "abcdefghijkl")
    with trix.open(large) as index:
        run = index.run({"1": query, "2": "ab*"})
        assert len(run["1"]) and not run.skipped
        dropped = [notice for notice in run.notices if notice.endswith("in one query; dropped")]
        assert len(dropped) == 2 and dropped[0].startswith("topic 1: query, column 41: expected at most 10 patterns")


def test_of_many_unknown_words_the_first_are_explained(large: Path) -> None:
    words = [f"qqzz{number}xx" for number in range(300)]
    with trix.open(large) as index:
        begun = time.process_time()
        notices = index.search(" ".join(words)).notices
        assert time.process_time() - begun < 2
        assert notices == tuple(f"no document has {word}" for word in words)
        known = index.files.words._parts[0][1].table
        near = [known[number][:-1] + "9" for number in range(0, 400, 10)]
        notices = index.search(" ".join(near)).notices
        assert ["did you mean" in notice for notice in notices] == [True] * 20 + [False] * 20


@given(
    st.text("ab", max_size=14), st.lists(st.sampled_from(["a", "b", "ab", "?", "*", "**"]), max_size=9).map("".join)
)  # fmt: skip
def test_a_pattern_fits_as_its_letters_one_by_one_say(word: str, pattern: str) -> None:
    def fits(word: str, pattern: str) -> bool:
        if not pattern:
            return not word
        if pattern[0] == "*":
            return fits(word, pattern[1:]) or (bool(word) and fits(word[1:], pattern))
        return bool(word) and pattern[0] in ("?", word[0]) and fits(word[1:], pattern[1:])

    assert bool(re.fullmatch(as_expression(pattern), word)) == fits(word, pattern)


def test_a_pattern_of_many_stars_is_matched_in_linear_time() -> None:
    begun = time.process_time()
    assert not re.fullmatch(as_expression("*a" * 30 + "*b"), "a" * 5000)
    assert re.fullmatch(as_expression("*a" * 30 + "*b?"), "a" * 5000 + "bc")
    assert time.process_time() - begun < 1
