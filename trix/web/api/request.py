"""Parsed API requests: parameters, checked by their declarations and the limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from trix.api.index import Index
from trix.errors import UsageError, did_you_mean
from trix.settings import SETTINGS
from trix.web.api.parameters import REPEATED, Parameters, greatest, wire
from trix.web.site.limits import RequestLimits
from trix.web.site.percent import printable

_NAMES = ("element", "like")
"""Parameters with document ids, which need not be UTF-8."""


@dataclass(frozen=True)
class ApiRequest:
    """A request to an endpoint.

    Attributes
    ----------
    index
        The index at one commit.
    commit
        Identifier of this commit.
    limits
        Limits of the site.
    given
        The parameters of the request, by their names in Python.
    unit
        The document or element in the path.
    accepts
        The header Accept.
    base
        Address of the site in the request.
    """

    index: Index
    commit: str
    limits: RequestLimits
    given: dict[str, Any] = field(default_factory=dict)
    unit: str = ""
    accepts: str = ""
    base: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters that are settings of a search."""
        return {name: value for name, value in self.given.items() if name in SETTINGS}

    def get(self, name: str, default: Any = None) -> Any:
        """Return a parameter, or a default."""
        return self.given.get(name, default)

    def wants(self, *types: str) -> str:
        """Choose a media type by the header Accept; the first by default."""
        wanted = [each.partition(";")[0].strip().lower() for each in self.accepts.split(",")]
        return next((each for each in wanted if each in types), types[0])


def read(
    pairs: Iterable[tuple[str, str]], parameters: Parameters, required: Iterable[str], limits: RequestLimits
) -> dict[str, Any]:
    """Parse the parameters of a URL; return them by their names in Python.

    Raises
    ------
    UsageError
        One is unknown, missing, wrong, too long or too large.
    """
    known = {wire(name): each for name, each in parameters.items()}
    texts: dict[str, list[str]] = {}
    for name, text in pairs:
        if name not in known:
            raise UsageError(
                f"unknown parameter{did_you_mean(name, known)}; known are {', '.join(known) or 'none'}", field=name[:80]
            )
        if len(text) > limits.query:
            raise UsageError(f"expected at most {limits.query:,} characters, got {len(text):,}", field=name)
        if "\0" in text:
            raise UsageError("expected text without the character 0", field=name)
        texts.setdefault(name, []).append(text if name in _NAMES else printable(text))
    given: dict[str, Any] = {}
    for name, several in texts.items():
        each = known[name]
        if len(several) > (REPEATED if each.repeatable else 1):
            most = f"at most {REPEATED} times" if each.repeatable else "once"
            raise UsageError(f"expected {most}", field=name)
        values = [_within(each.name, each.read(text), text, limits) for text in several]
        given[each.name] = values if each.repeatable else values[0]
    for name in required:
        if name not in given and not (name == "query" and "like" in given):
            raise UsageError(f"missing; expected {parameters[name].kind.expected}", field=wire(name))
    if given.get("from_", 1) - 1 + given.get("top", 10) > limits.depth:
        raise UsageError(f"expected no result beyond rank {limits.depth:,}", field="from", got=given.get("from_"))
    return given


def _within(name: str, value: Any, text: str, limits: RequestLimits) -> Any:
    """Check a value against the limits, and return it."""
    most = greatest(name, limits)
    if most is not None and (value is None or value > most):
        raise UsageError(f"expected a whole number from 1 to {most}", field=wire(name), got=text)
    if name == "expand":
        limits.check_feedback(value, name)
    return value
