"""The parameters of the interface beyond the settings of a search, declared as those are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trix.query.display.concordance import SORTS
from trix.setting import Setting
from trix.settings import SETTINGS
from trix.support.kinds import OneOf, Switch, Text, Whole
from trix.web.place.limits import Limits

Parameters = Mapping[str, Setting]
"""By name in Python."""

FORMATS = ("json", "xml", "html", "text")
"""In which an element can be had."""

LISTS = ("json", "jsonl", "csv", "markdown")
"""In which results can be had."""

CHARACTERS = 100_000
"""Of all passages together, at the most."""

DEEPEST = 9
"""Levels of titles in an outline, at the most."""

REPEATED = 20
"""How often a parameter can be given that can be repeated."""


def _own(*declared: Setting) -> Parameters:
    return {each.name: each for each in declared}


QUERY = _own(Setting(name="query", kind=Text("QUERY", "a query"), help='Words, +must, -not, "a phrase"; or NEXI'))
TEXT = _own(Setting(name="text", kind=Text("TEXT", "a text"), help="What is typed so far; its last word is completed"))
REGISTERS = _own(
    Setting(name="register", kind=Text("NAME", "a register"), help="Its entries; left out, the registers there are"),
    Setting(name="key", kind=Text("KEY", "a key"), help="Of the register: its mentions in place of the entries"),
    Setting(name="match", kind=Text("WORDS", "words"), help="Only entries in whose name or key words begin with these"),
    Setting(
        name="order", kind=OneOf("name", "mentions"), default="name", help="Order of entries: by name, or by mentions"
    ),
    Setting(name="top", kind=Whole(), default=10, help="Number of entries or mentions"),
    Setting(name="from_", kind=Whole(), default=1, help="The first of them"),
)
SUGGESTIONS = _own(Setting(name="top", kind=Whole(), default=10, help="Number of suggestions"))
ELEMENT = _own(
    Setting(
        name="element",
        kind=Text("ID[PATH]", "a document id with or without a path, or a label"),
        help="Whose score is explained",
    )
)
SORT = _own(
    Setting(
        name="kwic_sort",
        kind=OneOf(*SORTS),
        default="document",
        help="Order of the lines: of documents, or by the words before or behind",
    )
)
PASSAGES = _own(
    Setting(name="characters", kind=Whole(), default=6000, help="Characters of all passages together, at the most"),
    Setting(
        name="around",
        kind=Whole(),
        implied="none",
        help="Characters of the paragraphs before and behind each passage, at the most; up to a quarter of characters",
    ),
    Setting(name="sentences", kind=Switch(), default=True, help="Where a passage is cut: whole sentences, or words"),
)
OUTLINE = _own(Setting(name="depth", kind=Whole(), default=2, help="Levels of titles in the outline"))
FORMAT = _own(
    Setting(
        name="format",
        kind=OneOf(*FORMATS),
        implied="as the header Accept says, else json",
        help="How the element is wanted",
    ),
    Setting(name="highlight", kind=Text("QUERY", "a query"), help="A query whose words are marked in xml and text"),
    Setting(
        name="phrases", kind=OneOf("content", "exact"), default="content", help="Where words of phrases are marked"
    ),
    Setting(name="raw", kind=Switch(), default=False, help="As text: the text in which offsets count"),
)
RESULTS = _own(
    Setting(
        name="format", kind=OneOf(*LISTS), implied="as the header Accept says, else json", help="How results are wanted"
    )
)
CITATION = _own(
    Setting(
        name="format",
        kind=OneOf("csl", "text", "bibtex", "ris"),
        implied="as the header Accept says, else csl",
        help="How the citation is wanted; csl is CSL-JSON",
    ),
    Setting(name="quotation", kind=Text("TEXT", "a text"), help="What is quoted; else the beginning of the element"),
    Setting(name="accessed", kind=Text("DATE", "a date"), help="The day of the citation, as 2026-11-28"),
)
LEVEL = _own(
    Setting(
        name="level",
        kind=Text("LEVEL", "a level"),
        help="Facts of one granularity level in place of those of the index",
    )
)

SEARCH: Parameters = SETTINGS
"""The settings of a search."""


def wire(name: str) -> str:
    """Return the name of a parameter in an address: without what Python needs behind its own words.

    >>> wire("lambda_"), wire("per_document")
    ('lambda', 'per_document')
    """
    return name.strip("_")


def greatest(name: str, limits: Limits) -> int | None:
    """Return the greatest number that a parameter can be; None where its kind alone decides."""
    numbers = {"top": limits.page, "from_": limits.depth, "characters": CHARACTERS, "around": CHARACTERS // 4}
    return {**numbers, "depth": DEEPEST}.get(name)


def without(parameters: Parameters, names: Iterable[str]) -> Parameters:
    """Return parameters without some."""
    return {name: each for name, each in parameters.items() if name not in names}
