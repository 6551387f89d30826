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
        query = " ".join([*words, words[0][:-1] + "*"])
        facet = [*index.fields][:1] or None
        for preset in ("reading", "study"):
            for result in index.search(query, preset=preset):
                result.snippet  # noqa: B018
        for top in (3, 20):
            list(index.search(query, group="document", per_document=2, spread="all", top=top, facet=facet))
        index.suggest(words[0])


def a_few_words(index: Index) -> list[str]:
    """Return three frequent words of an index, or what may be some: those of frequent words are coded otherwise."""
    offered = [each for letter in ascii_lowercase for each in index.suggest(letter) if each.kind == "word"]
    words = [each.text for each in sorted(offered, key=lambda each: -each.frequency) if each.text.isalpha()]
    return [*words[:3], "words", "others"][:3]


if __name__ == "__main__":
    compile_loops(sys.argv[1:])
