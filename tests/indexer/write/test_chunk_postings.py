"""Posting lists of a batch: they are what is counted by hand."""

from __future__ import annotations

import tempfile
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.postings import varint
from trix.indexer.store.inverted.postings import encode_positions
from trix.indexer.words.analyzer import BOUNDARY, Analyzer, KeyTable
from trix.indexer.words.interner import line_interner
from trix.indexer.write.inverted.lists import BatchLists, MergePart, PartKeys, gather, write_postings
from trix.indexer.write.inverted.postings import Postings, SortedVocabulary, in_order, invert
from trix.indexer.write.inverted.spill import SpillFile, SpillFiles
from trix.indexer.write.inverted.writer import KeyRanking

VOCABULARY = ["tree", "é", "a", "node", "𝐛", "\ufb01"]
TEXTS = st.lists(st.lists(st.integers(0, len(VOCABULARY) - 1), max_size=6), max_size=6)


def inverted(texts: list[list[int]]) -> Postings:
    numbers = np.array([number for text in texts for number in text], np.int32)
    counts = np.array([len(text) for text in texts], np.int64)
    return invert(numbers, counts, SortedVocabulary(VOCABULARY).order_of(numbers), positions=True)


def keys_of(made: Postings) -> list[str]:
    assert made.numbers is not None
    return [VOCABULARY[number] for number in made.numbers.tolist()]


@given(TEXTS)
def test_lists_are_in_order_of_keys_then_of_content_elements(texts: list[list[int]]) -> None:
    made = inverted(texts)
    keys = sorted({VOCABULARY[number] for text in texts for number in text})
    assert keys_of(made) == keys and made.strings.decode().split("\n") == VOCABULARY
    held = [(key, owner, text) for key in keys for owner, text in enumerate(texts) if VOCABULARY.index(key) in text]
    places = [[at for at, number in enumerate(text) if VOCABULARY[number] == key] for key, _, text in held]
    assert made.contents.tolist() == [owner for _, owner, _ in held]
    assert made.tf.tolist() == list(map(len, places))
    assert made.positions is not None
    assert made.positions.tolist() == [at for each in places for at in each]
    for column, sizes in ((made.starts, [1] * len(held)), (made.begins, made.tf.tolist())):
        of = [sum(size for (own, _, _), size in zip(held, sizes, strict=True) if own < key) for key in keys]
        assert column.tolist() == [*of, sum(sizes)]


@given(
    st.sets(
        st.text("ab\u00e9\ufb01\U00010400", min_size=1, max_size=30) | st.sampled_from(["b" * 7, "b" * 8, "b" * 16])
    )
)
def test_strings_are_in_the_order_of_python(strings: set[str]) -> None:
    given_in = sorted(strings, key=hash)
    ordered, order = in_order(given_in)
    assert ordered == sorted(strings)
    assert [given_in[number] for number in order.tolist()] == ordered


STRINGS = st.text("ab\u00e9\ufb01\U00010400", min_size=1, max_size=20) | st.builds(
    "{}{}".format, st.sampled_from(["b" * 7, "b" * 8, "b" * 16, "abbbbbba"]), st.text("abc", max_size=3)
)


@given(st.lists(st.lists(STRINGS, max_size=12), max_size=5), st.data())
def test_the_order_of_a_vocabulary_that_grows_is_that_of_python(more: list[list[str]], data: st.DataObject) -> None:
    strings, told = list[str](), list[str]()
    vocabulary = SortedVocabulary(strings)
    names = set[str]()
    for new in more:
        strings += [string for string in dict.fromkeys(new) if string not in strings]
        numbers = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=9)) if strings else []
        order = vocabulary.order_of(np.array(numbers, np.int32))
        assert [strings[number] for number in order.numbers.tolist()] == sorted({strings[each] for each in numbers})
        assert order.ranks[order.numbers].tolist() == list(range(order.numbers.size))
        told += order.strings.decode().split("\n") if order.strings else []
        names.add(order.vocabulary)
    assert told == strings and len(names) <= 1


def test_keys_that_come_by_number_are_ranked_as_those_that_come_as_strings(tmp_path: Path) -> None:
    tables = {"one": ["tree", "gone", "a"], "other": ["node", "tree"]}
    chunks = [("one", 2, [1, 0]), ("other", 2, [0, 1]), ("one", 1, [2, 0]), ("one", 0, [])]
    with closing(SpillFile(tmp_path)) as waiting:
        parts, brought = list[PartKeys](), {"one": 0, "other": 0}
        for name, count, numbers in chunks:
            new = "\n".join(tables[name][brought[name] : brought[name] + count]).encode()
            brought[name] += count
            stretch = waiting.put(np.array(numbers, np.int32))
            parts.append(PartKeys(waiting.put(np.frombuffer(new, np.uint8)), name, stretch))
        parts += [PartKeys(), PartKeys(b"b\ntree")]
        waiting.flush()
        keys, ranks = KeyRanking().of([(each, lambda own: SimpleNamespace(ranks=own)) for each in parts])
    assert keys == ["a", "b", "gone", "node", "tree"]
    assert [each.ranks.tolist() for each in ranks] == [[2, 4], [3, 4], [0, 4], [], [1, 4]]


@given(TEXTS, st.integers(0, 6), st.integers(0, 6))
def test_any_range_of_keys_is_read_back(texts: list[list[int]], low: int, high: int) -> None:
    made = inverted(texts)
    count = made.starts.size - 1
    ranks = np.arange(count, dtype=np.int32) * 2  # of other chunks there are other keys
    with tempfile.TemporaryDirectory() as folder, closing(SpillFile(Path(folder))) as waiting:
        waiting.put(np.arange(3))
        written = write_postings(made, waiting)
        waiting.flush()
        assert written.keys.text() == "\n".join(VOCABULARY) and written.keys.numbers is not None
        assert [VOCABULARY[number] for number in written.keys.numbers.read().tolist()] == keys_of(made)
        with closing(SpillFiles()) as files:
            lists = BatchLists(written, files, ranks, first=7)
            assert lists.counts.tolist() == np.diff(made.starts).tolist()
            found = lists.part(low, max(low, high))
    own = [key for key in range(count) if low <= 2 * key < high]
    assert found.ranks.tolist() == [2 * key for key in own]
    stretch = slice(made.starts[own[0]], made.starts[own[-1] + 1]) if own else slice(0)
    assert found.contents.tolist() == (made.contents[stretch] + 7).tolist()
    assert found.tf.tolist() == made.tf[stretch].tolist()
    assert found.positions is not None and made.positions is not None
    assert found.positions.tolist() == (
        made.positions[made.begins[own[0]] : made.begins[own[-1] + 1]].tolist() if own else []
    )


@given(st.lists(TEXTS, max_size=4), st.integers(0, 3), st.integers(3, 6), st.booleans())
def test_lists_of_chunks_are_brought_together_alike(
    chunks: list[list[list[int]]], low: int, high: int, held: bool
) -> None:
    class Chunk:
        def __init__(self, texts: list[list[int]], first: int) -> None:
            made = inverted(texts)
            self.ranks = np.array([sorted(VOCABULARY).index(key) for key in keys_of(made)], np.int32)
            self.counts = np.diff(made.starts)
            self.made, self.first = made, first

        def part(self, low: int, high: int) -> MergePart:
            a, b = np.searchsorted(self.ranks, (low, high)).tolist()
            own, places = (slice(of[a], of[b]) for of in (self.made.starts, self.made.begins))
            contents, tf = (column[own].astype(np.int64) for column in (self.made.contents, self.made.tf))
            positions = self.made.positions[places] if held and self.made.positions is not None else None
            return MergePart(self.ranks[a:b], self.counts[a:b], contents + self.first, tf, positions)

    lists = [Chunk(texts, 100 * number) for number, texts in enumerate(chunks)]
    counts, contents, tf, positions = gather(lists, low, high)
    expected = [
        (rank, chunk.first + owner, [at for at, word in enumerate(text) if VOCABULARY[word] == key])
        for rank, key in enumerate(sorted(VOCABULARY))
        for chunk, texts in zip(lists, chunks, strict=True)
        for owner, text in enumerate(texts)
        if low <= rank < high and VOCABULARY.index(key) in text
    ]
    assert counts.tolist() == [sum(rank == key for rank, *_ in expected) for key in range(low, high)]
    assert contents.tolist() == [content for _, content, _ in expected]
    assert tf.tolist() == [len(places) for *_, places in expected]
    if positions is None:
        assert not held or not expected
        return
    assert positions.tolist() == [place for *_, places in expected for place in places]
    starts, begin = (np.cumsum(counts) - counts)[counts > 0], np.cumsum(tf) - tf
    coded, sizes = encode_positions(positions, begin, begin[starts])
    assert coded.tobytes() == b"".join(
        varint(place - before - 1) for *_, places in expected for before, place in pairwise([-1, *places])
    )
    assert sizes.size == starts.size and sizes.sum() == coded.size


@given(st.lists(st.lists(st.sampled_from("a é\x80ÿ字𝐛\x01zzzzzzzz ")).map("".join), max_size=5))
def test_tokens_are_numbered_by_first_occurrence(texts: list[str]) -> None:
    table = KeyTable(Analyzer("none", "none"))
    lines = line_interner()
    known: list[str] = []
    for text in texts:
        keys = table.number(BOUNDARY + text)[0]
        words = [word for part in text.split(BOUNDARY) for word in Analyzer("none", "none").words(part)]
        assert [table.vocabulary[key] for key in keys] == words
        numbers, new = lines.intern("\n".join([text, text]))
        known += new
        assert [known[number] for number in numbers.tolist()] == [text, text] * bool(text)
    assert len(set(known)) == len(known)


def test_a_table_of_tokens_grows() -> None:
    lines = line_interner()
    tokens = [f"{number:x}{'é字'[: number % 3]}{'long tokens' * (number % 2)}" for number in range(70_000)]
    numbers, new = lines.intern("\n".join(tokens))
    assert numbers.tolist() == list(range(70_000)) and list(new) == tokens
    numbers, new = lines.intern("\n".join(tokens[::-1]))
    assert numbers.tolist() == list(range(70_000))[::-1] and not new
