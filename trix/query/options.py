"""The options of a search, checked once."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from trix.errors import UsageError
from trix.query.context import Chain, parse_context
from trix.query.organise import FETCHES, OVERLAPS, STRATEGIES
from trix.query.structured import MODES as MODES_CAS
from trix.query.weights import COMBINATIONS

MODELS = ("trix2005", "trix2004")
NO_CONTEXT = Chain()
PHRASES = ("content", "exact")


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a query is weighed, contextualised and organised; equal by value.

    Parameters
    ----------
    model
        One of `MODELS`.
    v, b
        Length normalisation: v >= 0, b in [0, 1] [RETRIEVAL, section 4].
    combine
        ``average``, ``einstein`` or ``sum``.
    context
        Forms of contextualisation [RETRIEVAL, section 5].
    strategy
        One of `STRATEGIES`; None means focused, for structured queries thorough.
    overlap
        ``none``, ``partial``, ``full``; None takes the strategy's.
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
        How structured queries are read, one of `trix.query.structured.MODES`; None means ``SSCAS``.
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

    @classmethod
    def of(cls, **options: Any) -> Options:
        """Check options as a user gives them.

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
        for name in options:
            if name not in known:
                raise UsageError(f"unknown option {name}{_did_you_mean(name, known)}; known are {', '.join(known)}")
        context = options.pop("context", None)
        chain = context if isinstance(context, Chain) else parse_context(_forms(context))
        made = cls(context=chain, **options)
        made._check()
        return made

    def _check(self) -> None:
        _one_of("model", self.model, MODELS)
        _one_of("combine", self.combine, COMBINATIONS)
        _one_of("phrases", self.phrases, PHRASES)
        _one_of("fetch", self.fetch, FETCHES)
        if self.strategy is not None:
            _one_of("strategy", self.strategy, STRATEGIES)
        if self.overlap is not None:
            _one_of("overlap", self.overlap, OVERLAPS)
        if self.cas is not None:
            _one_of("cas", self.cas, MODES_CAS)
        _number("v", self.v, 0.0, math.inf)
        _number("b", self.b, 0.0, 1.0)
        if self.level is not None and not isinstance(self.level, str):
            raise UsageError(f"--level {self.level!r}: expected the text of a level, as minor:sec+ss1")
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


def _one_of(option: str, value: Any, known: Iterable[str]) -> None:
    names = list(known)
    if value not in names:
        raise UsageError(f"--{option} {value}: expected one of {', '.join(names)}{_did_you_mean(str(value), names)}")


def _number(option: str, value: Any, low: float, high: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not low <= value <= high:
        expected = f"a number from {low:g} to {high:g}" if math.isfinite(high) else f"a number, {low:g} or more"
        raise UsageError(f"--{option} {value}: expected {expected}")


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
