"""Printed numbers, and computed ones beside them."""

from __future__ import annotations

import pytest

from trix.papers.base.printed import DIFFERENT, ComparedTable, Printed, number_of, printed_rows

PRINTED = Printed(
    label="table 7",
    title="MAP",
    head=("run", "MAP", "diff"),
    rows=printed_rows("""
        base | 0.106 ?
        root | 0.152 0.046**
    """),
)


def test_a_value_has_the_decimals_of_the_printed_one_and_stands_beside_it() -> None:
    table = ComparedTable(PRINTED, {"base": [0.10649, 1.0], "root": [0.15, 0.0464]}).table(marks=False)
    assert table.title == "Table 7. MAP: here (printed)"
    assert table.rows == [["base", "0.106 (0.106)", "1.000 (?)"], ["root", "0.150 (0.152)", "0.046 (0.046**)"]]


def test_only_differences_beyond_rounding_are_marked() -> None:
    table = ComparedTable(PRINTED, {"base": [0.10649, 1.0], "root": [0.15, 0.0464]}).table(marks=True)
    marked = [[DIFFERENT in cell for cell in row] for row in table.rows]
    assert marked == [[False, False, False], [False, True, False]], "nothing is said of an unreadable number"


def test_rows_of_either_side_alone_are_shown() -> None:
    table = ComparedTable(PRINTED, {"new": [float("nan"), 0.5]}).table(marks=True)
    assert table.rows == [
        ["new", "-", "0.500"],
        ["base", "- (0.106)", ""],
        ["root", "- (0.152)", "- (0.046**)"],
    ]


@pytest.mark.parametrize(
    ("cell", "value"), [("+26.4***", 26.4), ("-0.008*", -0.008), (".5", 0.5), ("4,528,958", 4528958)]
)
def test_a_printed_number_is_parsed(cell: str, value: float) -> None:
    found = number_of(cell)
    assert found is not None and found.value == value


def test_rows_of_different_length_are_an_error() -> None:
    with pytest.raises(ValueError, match="a: 2, b: 1 cells"):
        printed_rows("a | 1 2\nb | 1")
