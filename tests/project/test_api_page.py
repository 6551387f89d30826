"""docs/api.md says all of every public name, as it is now."""

from __future__ import annotations

import trix
from scripts.parts.docs import api as api_page
from tests.each import for_each
from tests.paths import ROOT

ALL = [*api_page.public(), *api_page.beside()]


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "api.md").read_text(encoding="utf-8") == api_page.page(), "run scripts/docs api"


@for_each("documented", ALL, lambda documented: documented.name)
def test_each_parameter_attribute_and_method_is_documented(documented: api_page.Documented) -> None:
    assert list(api_page.undocumented(documented)) == []


def test_each_public_name_and_its_methods_have_a_heading() -> None:
    headings = {line.lstrip("#").strip() for line in api_page.page().splitlines() if line.startswith("#")}
    assert {f"trix.{name}" for name in trix.__all__ if name != "__version__"} <= headings
    assert {"Index.search", "Index.rescore", "Results.to_frame", "Run.scored_docs", "Qrels.from_grades"} <= headings


def test_what_is_left_out_is_noticed() -> None:
    def bare(told: int, untold: int, *, beside: int = 0, **rest: int) -> None:
        """Do something `beside`.

        Parameters
        ----------
        told
            A number.
        """

    class Empty:
        def method(self) -> None: ...

        @property
        def value(self) -> int:
            """Return a number."""
            return 1

    Empty.__module__ = "trix.x"
    assert list(api_page.undocumented(api_page.Documented("bare", bare))) == ["bare: untold", "bare: rest"]
    assert list(api_page.undocumented(api_page.Documented("Empty", Empty))) == [
        "Empty: no docstring", "Empty.method: no docstring",
    ]  # fmt: skip
    assert "    untold: int,\n    *,\n    beside: int = 0," in api_page.signature("a_rather_long_name_" * 4, bare)


def test_an_example_is_fenced_and_literals_have_one_kind_of_quotes() -> None:
    assert api_page.prose("``a`` is `b`.\n\n>>> 1\n1") == "`a` is `b`.\n\n```text\n>>> 1\n1\n```"
    assert api_page.in_a_line(type("X", (), {"__doc__": "Two\nlines.\n\n>>> 1\n1"})) == "Two lines."
