"""The options of a search, checked once."""

from __future__ import annotations

import difflib
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.query.context.chain import Chain, parse_context
from trix.query.ranking.organise import FETCHES, OVERLAPS, STRATEGIES
from trix.query.scoring.models import MODELS
from trix.query.scoring.weights import COMBINATIONS
from trix.query.structured.prepare import MODES as MODES_CAS

NO_CONTEXT = Chain()
PHRASES = ("content", "exact")
MATCHES = ("any", "all")

_SPELLING = re.compile(r"0*([1-9][0-9]{0,8}):0*([1-9][0-9]{0,8})")


@dataclass(frozen=True)
class Feedback:
    """How much feedback: the first `documents` documents give at most `keys` keys.

    >>> str(Feedback.of("7:05"))
    '7:5'
    """

    documents: int
    keys: int

    @classmethod
    def of(cls, given: Any) -> Feedback:
        """Read ``"D:T"`` or a pair of whole numbers.

        Raises
        ------
        UsageError
            It is neither.
        """
        if isinstance(given, Feedback):
            return given
        text = given if isinstance(given, str) else None
        if isinstance(given, tuple | list) and len(given) == 2 and all(type(number) is int for number in given):
            text = "{}:{}".format(*given)
        spelt = _SPELLING.fullmatch(text) if text is not None else None
        if spelt is None:
            raise UsageError(f"--expand {given}: expected D:T, feedback documents and new keys, as 7:5")
        return cls(int(spelt[1]), int(spelt[2]))

    def __str__(self) -> str:
        return f"{self.documents}:{self.keys}"


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a query is weighed, contextualised and organised; equal by value.

    Parameters
    ----------
    model
        One of `trix.query.scoring.models.MODELS`.
    v, b
        Length normalisation: v >= 0, b in [0, 1] [RETRIEVAL, section 4]; b also of ``bm25-2011``.
    combine
        ``average``, ``einstein`` or ``sum``; the models over element lengths always add up.
    context
        Forms of contextualisation [RETRIEVAL, section 5].
    strategy
        One of `STRATEGIES`; None means focused, for structured queries thorough.
    overlap
        ``none``, ``partial``, ``partial-scored``, ``full``; None takes the strategy's.
    top
        Greatest number of results; None for all.
    open_phrases
        Add the words of phrases as single terms.
    phrases
        ``content`` or ``exact``.
    fetch
        What ranks documents in the grouped strategies: ``root``, ``best``, ``sum``.
    level
        The granularity level whose members are returned [RETRIEVAL, section 8]; None: elements of every size.
    cas
        How structured queries are read, one of `trix.query.structured.prepare.MODES`; None means ``SSCAS``.
    a
        Of ``bm25-2011``, 0 or more.
    k1, B
        Of ``bm25``: k1 >= 0, B in [0, 1] [RETRIEVAL, section 10].
    lambda_
        Of ``lm-jm``, between 0 and 1.
    mu
        Of ``lm-dirichlet``, above 0.
    match
        ``any``: an element matches that holds a term without minus; ``all``: one that holds all of them, those of a
        single about() where a query has several. Terms that feedback adds are not required.
    expand
        Feedback, ``"D:T"``: the first D documents give at most T keys [RETRIEVAL, section 9].
    """

    model: str = "trix2005"
    v: float = 2.0
    b: float = 0.1
    combine: str = "average"
    context: Chain = NO_CONTEXT
    strategy: str | None = None
    overlap: str | None = None
    top: int | None = 10
    open_phrases: bool = False
    phrases: str = "content"
    fetch: str = "root"
    level: str | None = None
    cas: str | None = None
    match: str = "any"
    a: float = 1.2
    k1: float = 1.2
    B: float = 0.75
    lambda_: float = 0.5
    mu: float = 2000.0
    expand: Feedback | None = None

    @classmethod
    def of(cls, **options: Any) -> Options:
        """Check `options` as a user gives them.

        Raises
        ------
        UsageError
            One line that names the option, the value and what was expected.

        Examples
        --------
        >>> Options.of(b=0.4, context="tower").b
        0.4
        """
        known = [field.name for field in fields(cls)]
        if "lambda" in options and "lambda_" not in options:
            options["lambda_"] = options.pop("lambda")
        for name in options:
            if name not in known:
                raise UsageError(f"unknown option {name}{_did_you_mean(name, known)}; known are {', '.join(known)}")
        context = options.pop("context", None)
        chain = context if isinstance(context, Chain) else parse_context(_forms(context))
        if options.get("expand") is not None:
            options["expand"] = Feedback.of(options["expand"])
        for name, values in _NAMES.items():
            if options.get(name) is not None or name in _ALWAYS & options.keys():
                options[name] = _one_of(name, options[name], values)
        for name in _NUMBERS & options.keys():
            options[name] = _plain_number(options[name])
        made = cls(context=chain, **options)
        made._check()
        return made

    def _check(self) -> None:
        _number("v", self.v, 0.0, math.inf)
        _number("b", self.b, 0.0, 1.0)
        if self.level is not None and not isinstance(self.level, str):
            raise UsageError(f"--level {self.level!r}: expected the text of a level, as minor:sec+ss1")
        _number("a", self.a, 0.0, math.inf)
        _number("k1", self.k1, 0.0, math.inf)
        _number("B", self.B, 0.0, 1.0)
        _number("lambda", self.lambda_, 0.0, 1.0, inside=True)
        _number("mu", self.mu, 0.0, math.inf, inside=True)
        if self.combine == "einstein" and not MODELS[self.model].bounded:
            raise UsageError(
                f"--combine einstein: expected sum or average with --model {self.model}, whose weights may exceed 1"
            )
        if self.top is not None and (not isinstance(self.top, int) or isinstance(self.top, bool) or self.top < 1):
            raise UsageError(f"--top {self.top}: expected a whole number, 1 or more")


def _forms(context: Any) -> str | Sequence[str] | None:
    if context is None or isinstance(context, str):
        return context
    if isinstance(context, Iterable):
        forms = list(context)
        if all(isinstance(form, str) for form in forms):
            return forms
    raise UsageError(f"--context {context!r}: expected a form or a list of forms")


_NAMES: dict[str, Sequence[str]] = {
    "model": tuple(MODELS),
    "combine": tuple(COMBINATIONS),
    "phrases": PHRASES,
    "fetch": FETCHES,
    "match": MATCHES,
    "strategy": tuple(STRATEGIES),
    "overlap": tuple(OVERLAPS),
    "cas": MODES_CAS,
}
_ALWAYS = {"model", "combine", "phrases", "fetch", "match"}
"""Options with names as values that may not be None."""

_NUMBERS = {"v", "b", "a", "k1", "B", "lambda_", "mu", "top"}


def _one_of(option: str, value: Any, names: Sequence[str]) -> str:
    """Return the name that is meant, whatever its case."""
    found = {name.casefold(): name for name in names}.get(str(value).casefold())
    if found is None:
        raise UsageError(f"--{option} {value}: expected one of {', '.join(names)}{_did_you_mean(str(value), names)}")
    return found


def _plain_number(value: Any) -> Any:
    """Return numpy's numbers as Python's, and anything else as it is."""
    return value.item() if isinstance(value, np.number) else value


def _number(option: str, value: Any, low: float, high: float, *, inside: bool = False) -> None:
    """Check a number between two ends, which belong to the range unless it has to be `inside` it."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
    good = good and (low < value < high if inside else low <= value <= high)
    if not good:
        if math.isfinite(high):
            expected = f"a number {'between' if inside else 'from'} {low:g} {'and' if inside else 'to'} {high:g}"
        else:
            expected = f"a number above {low:g}" if inside else f"a number, {low:g} or more"
        raise UsageError(f"--{option} {value}: expected {expected}")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
