"""Which attributes and compared elements hold a query's terms: sets of keys against the words of each value."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from trix.indexer.store.attributes import RowKeys
from trix.indexer.words import analyzer as chain
from trix.indexer.words.analyzer import Analyzer
from trix.query.language.keywords import parse
from trix.query.language.occurrence import occurs
from trix.query.language.terms import Alternatives, And, Condition, Near, Not, Query, Term
from trix.query.structured.value_conditions import Occurrence

PLAIN = Analyzer(stem="none", stopwords=["of"])
STEMMED = Analyzer(stem="porter", stopwords=[])

words = st.sampled_from(["tree", "trees", "edit", "of", "Über", "naïve", "\u0301a"])
texts = st.lists(words, max_size=5).map(" ".join)


def holds(condition: Condition, held: Sequence[str], exact: bool) -> bool:
    if isinstance(condition, Term):
        return occurs(condition.keys, held, exact)
    if isinstance(condition, Not):
        return not holds(condition.condition, held, exact)
    some = all if isinstance(condition, And) else any
    return some(holds(part, held, exact) for part in condition.parts)


def literally(query: Query, text: str, chains: Sequence[Analyzer], *, exact: bool, every: bool, signs: str) -> bool:
    only_minus = all(term.sign == "-" for term in query.terms)
    terms = [term for term in query.terms if term.sign != "-" or only_minus]
    demanded = query.demands(signs)
    some = all if every and not only_minus else any

    def under(analyzer: Analyzer) -> bool:
        keys = analyzer.keys(text)
        found = some(occurs(term.keys, keys, exact) for term in terms)
        if demanded is not None and not holds(demanded, keys, exact):
            return False
        return found != only_minus

    return (all if only_minus else any)(map(under, chains))


keys = st.sampled_from(["tree", "edit", "über", "naïve", "tree~edit", "trees|tree", "absent"])
plain_keys = st.lists(keys, min_size=1, max_size=3).map(tuple)
nearness = st.tuples(
    st.lists(keys, min_size=2, max_size=3, unique=True).map(tuple), st.integers(1, 3), st.booleans()
).map(lambda of: (Near(*of),))
all_keys = st.one_of(
    plain_keys,
    st.lists(plain_keys, min_size=1, max_size=2).map(lambda of: (Alternatives("t*", tuple(of)),)),
    nearness,
    st.tuples(nearness, plain_keys).map(lambda of: (Alternatives("(n | p)", of),)),
)
terms = st.builds(Term, all_keys, st.sampled_from(["", "+", "-"]))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(texts, max_size=8), st.lists(terms, min_size=1, max_size=3), st.booleans(), st.booleans(),
    st.sampled_from(["weights", "must"]), st.sampled_from([(PLAIN,), (PLAIN, STEMMED)]),
)  # fmt: skip
def test_what_sets_of_keys_say_is_what_the_words_of_each_value_say(
    values: list[str], asked: list[Term], exact: bool, every: bool, signs: str, chains: Any
) -> None:
    query = Query(tuple(asked))
    how: Any = {"exact": exact, "every": every, "signs": signs}
    places = np.arange(len(values)) * 3
    kept = {each: RowKeys.of_texts(places, values, each) for each in chains}
    found = kept[chains[0]].rows(Occurrence(query, **how).of(kept.__getitem__, chains)).tolist()
    assert found == [
        place for place, text in zip(places.tolist(), values, strict=True) if literally(query, text, chains, **how)
    ]


@pytest.mark.parametrize(
    "query", ["tree AND NOT edit", "(tree OR über) AND NOT (edit AND naïve)", "tree OR edit", "edit"]
)
def test_operators_decide_as_they_do_word_by_word(query: str) -> None:
    parsed = parse(query, PLAIN, operators="boolean").query
    values = ["tree", "tree edit", "über edit", "über", "naïve edit tree", "", "tree"]
    kept = RowKeys.of_texts(np.arange(len(values)), values, PLAIN)
    for every in (False, True):
        how: Any = {"exact": False, "every": every, "signs": "weights"}
        found = kept.rows(Occurrence(parsed, **how).of(lambda _: kept, [PLAIN])).tolist()
        assert found == [row for row, text in enumerate(values) if literally(parsed, text, [PLAIN], **how)]


def test_values_are_cut_and_stemmed_once_for_all_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.toml").write_text('unit = ["did"]\nvalues = ["unittitle"]\nattributes = ["@label"]\n')
    items = "".join(
        f'<c><did label="box {number % 7}"><unittitle>Letters from harbour{number}</unittitle>x</did></c>'
        for number in range(400)
    )
    (tmp_path / "a.xml").write_text(f"<ead>{items}</ead>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=tmp_path / "own.toml", jobs=1)
    cut = list[str]()
    words_of, key_of = Analyzer.words, Analyzer.key
    monkeypatch.setattr(Analyzer, "words", lambda self, text: (cut.append(text), words_of(self, text))[1])
    monkeypatch.setattr(Analyzer, "key", lambda self, word: (cut.append(word), key_of(self, word))[1])
    monkeypatch.setattr(chain, "split_words", lambda text, join="": (cut.append(text), chain.fold(text).split())[1])
    with trix.open(tmp_path / "i") as index:
        assert index.search("//c[about(./did/unittitle, letter)]", top=None).matched == 400
        learned = len(
            index.files.attributes.keys(index.files.attributes.numbers("unittitle")[0], index.files.analyzer).numbers
        )
        assert learned == 401
        cut.clear()
        for query, count in (
            ("//c[about(./did/unittitle, letters)]", 400),
            ("//c[about(./did/unittitle, harbour17)]", 1),
            ('//c[about(./did/unittitle, "letters from")]', 400),
            ("//c[about(./did/unittitle, harbour17 harbour18)]", 2),
        ):
            assert index.search(query, top=None).matched == count
        assert len(cut) < 100, cut[:5]  # the words of the queries, some of them for notices
        assert index.search("//c[about(., letters) and about(./did/@label, 3)]", top=None).matched == 57
