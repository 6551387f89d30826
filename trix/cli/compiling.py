"""Compile the loops that searches use, by searching an index: ``python -m trix.cli.compiling INDEX [INDEX ...]``.

For `trix.api.compiling`, in a process of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from string import ascii_lowercase

import trix
from trix.api.index import Index


def compile_loops(paths: Sequence[str]) -> None:
    """Search an index as people do, and as pages and laboratories do.

    Parameters
    ----------
    paths
        The folders of the index.
    """
    with trix.open(paths, backend="numba") as index:
        words = a_few_words(index)
        query = " ".join([*words, words[0] + "*"])
        facet = [*index.fields][:1] or None
        for preset in ("reading", "study"):
            for result in index.search(query, preset=preset):
                result.snippet  # noqa: B018
        for top in (3, 20):
            list(index.search(query, group="document", per_document=2, spread="all", top=top, facet=facet))
        index.suggest(words[0])


def a_few_words(index: Index) -> list[str]:
    """Return words of an index, or what may be some: with long lists and with a short one, which is coded otherwise."""
    files = index.files

    def postings(word: str) -> int:
        key = files.analyzer.key(word)
        return 0 if key is None else int(files.postings(key)[0].size)

    offered = {each.text for letter in ascii_lowercase for each in index.suggest(letter) if each.kind == "word"}
    words = sorted((word for word in offered if word.isalpha() and len(word) > 2), key=postings, reverse=True)
    return [*words[:2], *words[2:][-1:], "words", "others", "more"][:3]


if __name__ == "__main__":
    compile_loops(sys.argv[1:])
