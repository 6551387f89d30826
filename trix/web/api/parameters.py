"""Parameters of the API beside the settings of a search, declared in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trix.query.display.concordance import SORTS
from trix.setting import Setting
from trix.settings import SETTINGS
from trix.support.setting_types import Choice, Switch, Text, Whole
from trix.web.site.limits import RequestLimits

Parameters = Mapping[str, Setting]
"""By name in Python."""

FORMATS = ("json", "xml", "html", "text")
"""Formats of an element."""

LISTS = ("json", "jsonl", "csv", "markdown")
"""Formats of results."""

CHARACTERS = 100_000
"""Largest total length of passages, in characters."""

DEEPEST = 9
"""Most levels of titles in an outline."""

REPEATED = 20
"""How often a repeatable parameter may be given."""


def _own(*declared: Setting) -> Parameters:
    return {each.name: each for each in declared}


QUERY = _own(Setting(name="query", kind=Text("QUERY", "a query"), help='Words, +must, -not, "a phrase", or NEXI'))
TEXT = _own(
    Setting(name="text", kind=Text("TEXT", "a text"), help="Beginning of a query, whose last word is completed")
)
REGISTERS = _own(
    Setting(name="register", kind=Text("NAME", "a register"), help="Name of a register; without it, all are listed"),
    Setting(name="key", kind=Text("KEY", "a key"), help="A key, for its mentions instead of the entries"),
    Setting(name="match", kind=Text("WORDS", "words"), help="Only entries with words that begin so"),
    Setting(name="order", kind=Choice("name", "mentions"), default="name", help="Sort entries by name or by mentions"),
    Setting(name="top", kind=Whole(), default=10, help="Number of entries or mentions"),
    Setting(name="from_", kind=Whole(), default=1, help="Rank of the first"),
)
SUGGESTIONS = _own(Setting(name="top", kind=Whole(), default=10, help="Number of suggestions"))
ELEMENT = _own(
    Setting(
        name="element",
        kind=Text("ID[PATH]", "a document id with or without a path, or a label"),
        help="Element whose score to explain",
    )
)
SORT = _own(
    Setting(
        name="kwic_sort",
        kind=Choice(*SORTS),
        default="document",
        help="Sort lines by document, or by the preceding or following words",
    )
)
PASSAGES = _own(
    Setting(name="characters", kind=Whole(), default=6000, help="Total length of all passages, at most, in characters"),
    Setting(
        name="around",
        kind=Whole(),
        implied="none",
        help="Add paragraphs before and after each passage, up to N characters, at most a quarter of characters",
    ),
    Setting(name="sentences", kind=Switch(), default=True, help="Cut long passages after a sentence, or after a word"),
)
OUTLINE = _own(Setting(name="depth", kind=Whole(), default=2, help="Levels of titles in the outline"))
FORMAT = _own(
    Setting(
        name="format",
        kind=Choice(*FORMATS),
        implied="from the header Accept, else json",
        help="Format of the element",
    ),
    Setting(name="highlight", kind=Text("QUERY", "a query"), help="Mark the words of this query, in xml and text"),
    Setting(
        name="phrases",
        kind=Choice("content", "exact"),
        default="content",
        help="Match phrases for marking as in a search",
    ),
    Setting(name="raw", kind=Switch(), default=False, help="Return the text to which offsets refer"),
)
RESULTS = _own(
    Setting(
        name="format", kind=Choice(*LISTS), implied="from the header Accept, else json", help="Format of the results"
    )
)
CITATION = _own(
    Setting(
        name="format",
        kind=Choice("csl", "text", "bibtex", "ris"),
        implied="from the header Accept, else csl",
        help="Format of the citation; csl is CSL-JSON",
    ),
    Setting(
        name="quotation", kind=Text("TEXT", "a text"), help="Passage to quote, instead of the beginning of the text"
    ),
    Setting(name="accessed", kind=Text("DATE", "a date"), help="Date of access, as 2026-11-28"),
)
LEVEL = _own(
    Setting(
        name="level",
        kind=Text("LEVEL", "a level"),
        help="Describe a granularity level instead of the index",
    )
)

SEARCH: Parameters = SETTINGS
"""The settings of a search."""


def wire(name: str) -> str:
    """Return the name of a parameter in a URL, without the underscore that avoids keywords of Python.

    >>> wire("lambda_"), wire("per_document")
    ('lambda', 'per_document')
    """
    return name.strip("_")


def greatest(name: str, limits: RequestLimits) -> int | None:
    """Return the greatest value of a parameter under the limits; None if they do not bound it."""
    numbers = {"top": limits.page, "from_": limits.depth, "characters": CHARACTERS, "around": CHARACTERS // 4}
    return {**numbers, "depth": DEEPEST}.get(name)


def without(parameters: Parameters, names: Iterable[str]) -> Parameters:
    """Return parameters except some."""
    return {name: each for name, each in parameters.items() if name not in names}
