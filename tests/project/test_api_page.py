"""docs/api says all of every public name, as it is now, each on one page."""

from __future__ import annotations

import trix
from scripts.parts.docs import api as api_page
from tests.each import for_each

ALL = [*api_page.public(), *(each for topic in api_page.TOPICS.values() for each in api_page.beside(topic))]


def test_the_pages_are_up_to_date() -> None:
    written = {page.name: page.read_text(encoding="utf-8") for page in api_page.TARGET.glob("*.md")}
    assert written == api_page.pages(), "run scripts/docs api"


@for_each("documented", ALL, lambda documented: documented.name)
def test_each_parameter_attribute_and_method_is_documented(documented: api_page.Documented) -> None:
    assert list(api_page.undocumented(documented)) == []


def test_each_public_name_and_its_methods_have_one_heading() -> None:
    lines = [line for text in api_page.pages().values() for line in text.splitlines() if line.startswith("#")]
    headings = [line.lstrip("#").strip() for line in lines]
    methods = {f"Index.{each.name}" for each in api_page.members(trix.Index) if not api_page.is_value(each.thing)}
    wanted = {f"trix.{name}" for name in trix.__all__ if name != "__version__"} | methods
    wanted |= {"Results.to_frame", "Run.scored_docs", "Qrels.from_grades"}
    assert {name: headings.count(name) for name in wanted} == dict.fromkeys(wanted, 1)


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
