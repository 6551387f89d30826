"""One test of many quick questions: a test for each costs more than the question, twice, in each of the lanes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def for_each(name: str, things: Iterable[Any], called: Callable[[Any], str] = str) -> Callable[..., Any]:
    """Ask a test of each thing in turn, as its argument `name`; a failure says of which, by what it is called.

    For questions of about a millisecond without a fixture of their own; `pytest.mark.parametrize` is for all others.
    """
    listed = list(things)
    assert listed, f"nothing to ask of: {name}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def of_all(**fixtures: Any) -> None:
            for thing in listed:
                try:
                    test(**fixtures, **{name: thing})
                except BaseException as error:
                    error.add_note(f"{name}: {called(thing)}")
                    raise

        others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        of_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return of_all

    return decorate
