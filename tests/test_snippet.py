"""Snippets: the quick search for a window against the literal one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from trix.indexer.analysis import Analyzer
from trix.query.snippet import _richest, snippet

PLAIN = Analyzer(stem="none", stop="none")


def literal(text: str, keys: set[str], width: int) -> int:
    """Return the first start of a window with most distinct keys, by trying every one."""
    hits = [(match.start(), match.end(), match.group()) for match in re.finditer(r"\w+", text) if match.group() in keys]
    best = begin = 0
    for start, _, _ in hits:
        seen = {key for other, end, key in hits if other >= start and end - start <= width}
        if len(seen) > best:
            best, begin = len(seen), start
    return begin


@given(st.lists(st.sampled_from(["a", "bb", "c", "xxx", "dd"]), max_size=25), st.integers(4, 20))
def test_the_first_window_with_most_distinct_keys_is_found(words: list[str], width: int) -> None:
    text, keys = " ".join(words), {"a", "bb", "c"}
    assert _richest(text, keys, PLAIN, width) == literal(text, keys, width)


@given(st.text(max_size=400), st.integers(30, 100))
def test_a_snippet_is_one_line_within_its_width(text: str, width: int) -> None:
    shown = snippet(text, {"a"}, PLAIN, width)
    assert len(shown) <= width
    assert shown == " ".join(shown.split())
