"""One test of many questions asks all of them, and says of which one it failed."""

from __future__ import annotations

import inspect

import pytest

from tests.each import for_each


def test_each_thing_is_asked_with_the_fixtures_and_a_failure_names_it() -> None:
    asked = []

    @for_each("number", [1, 2, 3], lambda number: f"no. {number}")
    def small(number: int, limit: int) -> None:
        asked.append(number)
        assert number < limit

    assert list(inspect.signature(small).parameters) == ["limit"]
    small(limit=4)
    assert asked == [1, 2, 3]
    with pytest.raises(AssertionError) as raised:
        small(limit=2)
    assert raised.value.__notes__ == ["number: no. 2"]


def test_of_nothing_nothing_can_be_asked() -> None:
    with pytest.raises(AssertionError, match="nothing to ask of: path"):
        for_each("path", [])
