"""The same bits on every platform: kernels and searches against numbers that are stored.

Compilers round differently if they fuse multiplications with additions, or sum in another order. The build forbids
both; these tests check that compilers obey. Logarithms come from numpy, whose last digit depends on the processor. So
these searches compute them in decimal numbers, rounded once.

``python -m tests.core.test_bits`` writes the stored numbers anew.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Context, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.paths import ROOT
from trix.core import match, measures, postings, topk
from trix.query.scoring.models import MODELS

STORED = ROOT / "tests" / "data" / "bits.json"
CONTEXTS = (
    "none", "root:1.5", "tower", "root+tower", "vertical:f=1.75,p=0,a=0.25,r=0.75", "cscore:tower", "horizontal",
    "sentence", "titles:f=0.5",
)  # fmt: skip
QUERIES = ("tree edit", "edit -distance weight", "path tree weight score")
SHOWN = 3
DIGITS = Context(prec=40)


class Numbers:
    """Numbers without a pattern, the same everywhere: of a linear congruential generator."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, limit: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) * limit >> 31

    def ints(self, n: int, low: int, high: int) -> np.ndarray:
        return np.array([low + self.below(high - low) for _ in range(n)])

    def reals(self, n: int) -> np.ndarray:
        return self.ints(n, 1, 2**31) / 2.0**31


def bits(values: Any) -> list[str]:
    """Return floats in hexadecimal notation, which loses nothing."""
    return [float(value).hex() for value in np.asarray(values, np.float64).ravel()]


# -- what is compared -------------------------------------------------------------------------------------------------


def of_formulas() -> dict[str, list[str]]:
    """Weights of terms, contexts along the path, neighbours, words as bits, maximum impacts."""
    some, n = Numbers(2005), 24
    kf, contents = some.ints(n, 1, 40), some.ints(n, 1, 90)
    holders = np.minimum(some.ints(n, 1, 30), contents)
    s, g, weights = some.reals(n), some.reals(5), some.reals(3)
    depth = np.array([0, 1, 2, 3, 3, 2, 1, 2, 3, 4, 4, 4] * 2, np.int32)
    ordinal = np.cumsum(some.ints(n, 1, 3)).astype(np.int32)
    first, last = ordinal - ordinal % 7, ordinal - ordinal % 7 + 6
    masks = some.ints(n, 0, 8).astype(np.uint64)
    rows = np.ascontiguousarray(np.column_stack([np.arange(n), holders, some.ints(n, 1, 128), kf]), np.int32)
    impacts = np.zeros((n, 2), np.float32)
    topk.max_impacts(rows, contents, 1.25, 0.3, 0.7, 1.0, impacts)
    path = depth, s, some.reals(n), some.reals(6), some.reals(6), np.cumsum(some.reals(6)), 0.3
    return {
        "trix2005": bits(topk.trix2005(kf, contents, holders, 0.37, 1.25, 0.3)),
        "bm25": bits(topk.bm25(kf, contents * 11, 41.7, 3.19, 1.2, 0.75)),
        "path_scores": bits(topk.path_scores(*path, True, False, True, 1.75)),
        "path_scores of the others": bits(topk.path_scores(*path, False, True, False, 0.6)),
        "window_sums": bits(match.window_sums(ordinal, first, last, s, g)),
        "add_weights": bits(match.add_weights(s, masks, weights)),
        "max_impacts": bits(impacts),
    }


def of_measures() -> dict[str, list[str]]:
    """The sums of PRUM, where the chance that an ideal was seen grows in steps."""
    some = Numbers(2007)
    t, o = 12, 5
    rank, which = np.sort(some.ints(9, 0, o)), some.ints(9, 0, t)
    before, after = some.reals(9) / 2, 0.5 + some.reals(9) / 2
    edges = np.searchsorted(rank, np.arange(o + 1))
    return {
        f"sums, exact {exact}": bits(np.concatenate(measures.sums(t, o, rank, which, before, after, at, exact)))
        for exact, at in ((False, np.arange(10)), (True, edges))
    }


def of_lists() -> list[int]:
    """The coded list by document of a key, whose reaches are rounded to steps."""
    some = Numbers(2009)
    contents = np.cumsum(some.ints(40, 1, 9))
    coded = postings.encode_by_document(contents, some.ints(40, 1, 20), contents // 25, 8, 8, 0.3, 127)
    return [int(byte) for byte in coded]


def of_searches(folder: Path) -> dict[str, list[str]]:
    """The best elements of each model in each context, by pruning or among all candidates."""
    some = Numbers(2011)
    words = ["tree", "edit", "distance", "path", "weight", "score", "element", "section", "query", "the", "of", "in"]

    def text() -> str:
        return " ".join(words[some.below(len(words))] for _ in range(4 + some.below(20))) + ". " + words[some.below(6)]

    for number in range(12):
        sections = "".join(
            f"<sec><title>{words[some.below(9)]}</title>"
            + "".join(f"<p>{text()}.</p>" for _ in range(1 + some.below(4)))
            + (f"<sec><p>{text()}</p><p>{text()}</p></sec>" if some.below(2) else "")
            + "</sec>"
            for _ in range(1 + some.below(4))
        )
        (folder / f"{number:02}.xml").write_text(f"<article><title>{text()}</title>{sections}</article>", "utf-8")
    trix.build(folder, folder / "index", jobs=1, profile="generic", positions=True)
    index = trix.open(folder / "index")
    found = {}
    for model in sorted(MODELS):
        for context in CONTEXTS:
            for query in QUERIES:
                best = index.search(query, model=model, context=context, mu=1234.5, preset="study", top=SHOWN)
                every = index.search(query, model=model, context=context, mu=1234.5, preset="study", top=None)
                ranked = [f"{each.label} {float(each.score).hex()}" for each in best]
                assert ranked == [f"{each.label} {float(each.score).hex()}" for each in every][: len(ranked)]
                found[f"{model}, {context}: {query}"] = ranked
    return found


@contextmanager
def exact_logarithms() -> Iterator[None]:
    """Replace numpy's logarithms by the nearest doubles; those of processors may be one digit off."""

    def nearest(before: int) -> Callable[..., Any]:
        @cache
        def of_one(number: float) -> float:
            return float((before + Decimal(number)).ln(DIGITS))

        def logarithm(x: Any, out: Any = None) -> Any:
            values = np.array([of_one(number) for number in np.ravel(x).tolist()]).reshape(np.shape(x))
            if out is None:
                return values[()]
            out[...] = values
            return out

        return logarithm

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "log", nearest(0))
        patch.setattr(np, "log1p", nearest(1))
        yield


def computed(folder: Path) -> dict[str, Any]:
    """Return all numbers, as they are stored."""
    with exact_logarithms():
        return {
            "written by": "python -m tests.core.test_bits",
            "formulas": of_formulas(),
            "measures": of_measures(),
            "lists": of_lists(),
            "searches": of_searches(folder),
        }


# -- the tests --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what this build computes."""
    return computed(tmp_path_factory.mktemp("bits"))


@pytest.mark.parametrize("part", ["formulas", "measures", "lists", "searches"])
def test_this_build_has_the_stored_bits(numbers: dict[str, Any], part: str) -> None:
    stored = json.loads(STORED.read_text("utf-8"))
    assert numbers[part] == stored[part]


def test_one_rounding_more_is_seen() -> None:
    kf, contents = np.array([3]), np.array([7])
    one = topk.trix2005(kf, contents, np.array([3]), 0.37, 1.25, 0.3)
    other = topk.trix2005(kf, contents, np.array([3]), np.nextafter(0.37, 1), 1.25, 0.3)
    assert bits(one) != bits(other)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        STORED.write_text(json.dumps(computed(Path(scratch)), indent=1) + "\n", "utf-8")
