"""The search options: names, help and the reading of their values, once for the command line and the prompt.

An option that is not given is not passed on, so that its default is decided in one place, the library.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trix.cli.messages import did_you_mean
from trix.errors import UsageError

Reader = Callable[[str], Any]
"""Makes a value of a text; raises ValueError that says what was expected."""


def number(low: float = -math.inf, high: float = math.inf, *, above: bool = False, below: bool = False) -> Reader:
    """Return a reader of numbers in a range; its ends belong to it unless `above` or `below` is set.

    >>> number(0, 1)("0.1")
    0.1
    >>> number(0, 1)("1.5")
    Traceback (most recent call last):
    ValueError: expected a number from 0 to 1
    """
    if low > -math.inf and high < math.inf:
        between = "between" if above and below else "from"
        wanted = f"a number {between} {low:g} {'and' if above and below else 'to'} {high:g}"
    elif low > -math.inf:
        wanted = f"a number above {low:g}" if above else f"a number of {low:g} or more"
    else:
        wanted = "a number"

    def read(text: str) -> float:
        try:
            value = float(text) if "_" not in text else math.nan
        except ValueError:
            value = math.nan
        inside = (value > low if above else value >= low) and (value < high if below else value <= high)
        if not (math.isfinite(value) and inside):
            raise ValueError(f"expected {wanted}")
        return value

    return read


def whole(text: str) -> int:
    """Read a whole number of at least 1."""
    if not re.fullmatch(r"\+?[0-9]{1,15}", text) or int(text) < 1:
        raise ValueError("expected a whole number of 1 or more")
    return int(text)


def top(text: str) -> int | None:
    """Read how many results: a whole number, or ``all`` for None."""
    if text == "all":
        return None
    try:
        return whole(text)
    except ValueError as error:
        raise ValueError(f"{error}, or all") from None


def switch(text: str) -> bool:
    """Read on or off."""
    folded = text.casefold()
    if folded in ("on", "yes", "true", "1"):
        return True
    if folded in ("off", "no", "false", "0"):
        return False
    raise ValueError("expected on or off")


def one_of(*names: str) -> Reader:
    """Return a reader of one of several names, in any case.

    >>> one_of("SSCAS", "VVCAS")("vvcas")
    'VVCAS'
    >>> one_of("average", "sum")("sun")
    Traceback (most recent call last):
    ValueError: expected one of average, sum; did you mean sum?
    """
    folded = {name.casefold(): name for name in names}

    def read(text: str) -> str:
        if text.casefold() not in folded:
            raise ValueError(f"expected one of {', '.join(names)}{did_you_mean(text, names)}")
        return folded[text.casefold()]

    return read


def expansion(text: str) -> str:
    """Read D:T, two whole numbers of at least 1."""
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}:0*[1-9][0-9]{0,8}", text):
        raise ValueError("expected D:T, feedback documents and new keys, as 7:5")
    return text


def text_value(text: str) -> str:
    """Read any text but an empty one."""
    if not text.strip():
        raise ValueError("expected a value")
    return text


@dataclass(frozen=True)
class SearchOption:
    """One option of `Index.search`.

    Parameters
    ----------
    name
        Its name in the library.
    flag
        Its name on the command line, without dashes.
    metavar
        Stands for the value in help texts.
    help
        One line, with the default in words.
    read
        Makes a value of a text.
    repeatable
        Whether it can be given several times; its value is then a list.
    """

    name: str
    flag: str
    metavar: str
    help: str
    read: Reader
    repeatable: bool = False

    def value(self, text: str) -> Any:
        """Read a value, or raise a UsageError that names the option."""
        return read_option(f"--{self.flag}", text, self.read)


def read_option(flag: str, text: str, read: Reader) -> Any:
    """Read the value of an option, or raise a UsageError that names it."""
    try:
        return read(text)
    except ValueError as error:
        raise UsageError(f"{flag} {text}: {error}") from None


MODELS = ("trix2005", "trix2004", "bm25", "bm25-2011", "tfidf", "lm-dirichlet", "lm-jm")
COMBINATIONS = ("average", "einstein", "sum")
STRATEGIES = ("thorough", "focused", "fetch-browse", "relevant-in-context", "best-in-context")
OVERLAPS = ("none", "partial", "partial-scored", "full")
CAS_MODES = ("SSCAS", "SVCAS", "VSCAS", "VVCAS", "VVCAS-PATH")

_OPTIONS = (
    SearchOption("model", "model", "|".join(MODELS), "Scoring model [default: trix2005]", one_of(*MODELS)),
    SearchOption("v", "v", "NUMBER", "Saturation of a key's frequency [default: 2]", number(0)),
    SearchOption("b", "b", "NUMBER", "From 0, large elements, to 1, small ones [default: 0.1]", number(0, 1)),
    SearchOption(
        "combine", "combine", "|".join(COMBINATIONS), "Sum of term weights [default: average]", one_of(*COMBINATIONS)
    ),
    SearchOption(
        "context",
        "context",
        "FORM",
        "Contextualisation, as vertical:f=0.25; repeatable [default: none]",
        text_value,
        repeatable=True,
    ),
    SearchOption(
        "strategy",
        "strategy",
        "|".join(STRATEGIES),
        "Organisation of results [default: focused, thorough for CAS]",
        one_of(*STRATEGIES),
    ),
    SearchOption(
        "overlap", "overlap", "|".join(OVERLAPS), "Overlap of results [default: the strategy's]", one_of(*OVERLAPS)
    ),
    SearchOption(
        "fetch",
        "fetch",
        "root|best|sum",
        "What ranks documents in grouped strategies [default: root]",
        one_of("root", "best", "sum"),
    ),
    SearchOption(
        "phrases",
        "phrases",
        "content|exact",
        "Phrase words in one content element, or adjacent [default: content]",
        one_of("content", "exact"),
    ),
    SearchOption(
        "match",
        "match",
        "any|all",
        "An element holds any term, or all without minus [default: any]",
        one_of("any", "all"),
    ),
    SearchOption("cas", "cas", "|".join(CAS_MODES), "Reading of structure [default: SSCAS]", one_of(*CAS_MODES)),
    SearchOption(
        "level",
        "level",
        "LEVEL",
        "Return elements of one granularity level only: content, minor:sec+ss1, //sec, a name",
        text_value,
    ),
    SearchOption("expand", "expand", "D:T", "Feedback: T keys of the first D documents", expansion),
    SearchOption("a", "a", "NUMBER", "Of bm25-2011, with --b [default: 1.2]", number(0)),
    SearchOption("k1", "k1", "NUMBER", "Of bm25 [default: 1.2]", number(0)),
    SearchOption("B", "B", "NUMBER", "Of bm25, 0 to 1 [default: 0.75]", number(0, 1)),
    SearchOption(
        "lambda_", "lambda", "NUMBER", "Of lm-jm, 0 to 1 [default: 0.5]", number(0, 1, above=True, below=True)
    ),
    SearchOption("mu", "mu", "NUMBER", "Of lm-dirichlet [default: 2000]", number(0, above=True)),
    SearchOption("top", "top", "N", "Number of results, or all [default: 10, for run 1500]", top),
    SearchOption(
        "open_phrases",
        "open-phrases",
        "on|off",
        "Phrases add their words as single terms [default: only for run]",
        switch,
    ),
)

SEARCH_OPTIONS: Mapping[str, SearchOption] = {option.name: option for option in _OPTIONS}
"""All options of a search by their names in the library, in the order of help texts."""
