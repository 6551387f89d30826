"""State of the search page, parsed from its URL and written to URLs: query, settings, view.

The URL has the whole state, so that Back works and links can be shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote_plus, urlencode

from trix.errors import UsageError
from trix.settings import SETTINGS
from trix.web.site.limits import RequestLimits
from trix.web.site.percent import printable, quoted

VIEWS = ("documents", "flat", "concordance")
"""Results by document, results by passage, or a concordance."""

PAGE = 15
"""Default number of results on a page."""

_LINES = 50
"""Lines of a concordance on a page."""

_NAMES = ("like",)
"""Parameters with document ids, which need not be UTF-8."""

FIND = "find."
"""Prefix of parameters that search the values of a field, before its name."""

_OURS = ("q", "view", "in", "from", "top", "facet", "group", "kwic")


@dataclass(frozen=True)
class SearchState:
    """State of the search page.

    Attributes
    ----------
    query
        As typed.
    view
        One of `VIEWS`.
    facets
        Selected values: pairs of a field and a value.
    start
        Rank of the first result of the page.
    top
        Number of results on a page.
    kwic
        Order of a concordance.
    settings
        Other settings of the search, by name, as text.
    finds
        Searches among the values of fields: pairs of a field and words.
    limits
        Limits of the site.
    """

    query: str = ""
    view: str = VIEWS[0]
    facets: tuple[tuple[str, str], ...] = ()
    start: int = 1
    top: int = 0
    kwic: str = "document"
    settings: Mapping[str, str] = field(default_factory=dict)
    finds: tuple[tuple[str, str], ...] = ()
    limits: RequestLimits = field(default=RequestLimits(), compare=False, repr=False)

    @property
    def anything(self) -> bool:
        """Whether there is a query, or `like` in its place."""
        return bool(self.query.strip() or "like" in self.settings)

    @property
    def page(self) -> int:
        """Number of results on a page."""
        return self.top or (_LINES if self.view == "concordance" else PAGE)

    def options(self) -> dict[str, Any]:
        """Return the settings of the search, as `Index.search` takes them.

        Raises
        ------
        UsageError
            One of them is wrong.
        """
        options = {name: SETTINGS[name].read(text) for name, text in self.settings.items()}
        if "expand" in options:
            self.limits.check_feedback(options["expand"], "expand")
        filters = [_held(self.facets)] if self.facets else []
        if written := self.settings.get("where", "").strip():
            filters.append(f"({written})" if filters else written)
        if filters:
            options["where"] = " and ".join(filters)
        return options

    def address(self, path: str = "/", *, fragment: str = "", **changes: Any) -> str:
        """Return the URL of this state with changed attributes or further parameters.

        >>> SearchState("tree edit", facets=(("year", "2014"),)).address(view="flat")
        '/?q=tree+edit&view=flat&in=year%3A2014'
        """
        own = {name: changes.pop(name) for name in list(changes) if name in self.__dataclass_fields__}
        state = replace(self, **own) if own else self
        more = [f"{name}={_value(str(value))}" for name, value in changes.items() if value not in (None, "")]
        parameters = "&".join([state.encoded, *more] if state.encoded else more)
        return path + (f"?{parameters}" if parameters else "") + (f"#{fragment}" if fragment else "")

    def leading(self, path: str, name: str) -> str:
        """Return the URL of this state up to the value of one more parameter.

        >>> SearchState("tree edit").leading("/why", "unit")
        '/why?q=tree+edit&unit='
        """
        return f"{path}?{self.encoded}&{name}=" if self.encoded else f"{path}?{name}="

    @cached_property
    def encoded(self) -> str:
        """Encoded parameters of the state, cached since a page has hundreds of URLs."""
        pairs: list[tuple[str, str]] = [("q", self.query)] if self.query else []
        if self.view != VIEWS[0]:
            pairs.append(("view", self.view))
        pairs += [("in", f"{name}:{value}") for name, value in self.facets]
        pairs += [(FIND + name, words) for name, words in self.finds]
        pairs += [(name, text) for name, text in self.settings.items() if text != ""]
        if self.kwic != "document":
            pairs.append(("kwic", self.kwic))
        if self.top:
            pairs.append(("top", str(self.top)))
        if self.start > 1:
            pairs.append(("from", str(self.start)))
        return urlencode(pairs, errors="surrogateescape")

    def narrowed_to(self, name: str, value: str) -> str:
        """Return the URL of this state with one more value of a field selected.

        >>> SearchState("tree edit", settings={"model": "bm25"}).narrowed_to("year", "2014")
        '/?q=tree+edit&model=bm25&in=year%3A2014'
        """
        parameters = self.encoded
        return f"/?{parameters}&{_narrowed(name, value)}" if parameters else f"/?{_narrowed(name, value)}"

    def of_nothing(self) -> SearchState:
        """Return this state without query and selected values, for a new search with the same settings."""
        return replace(self.with_setting("spelling", ""), query="", facets=(), finds=(), start=1)

    def with_facet(self, name: str, value: Any) -> SearchState:
        """Return this state with a value of a field toggled."""
        pair = (name, str(value))
        chosen = tuple(each for each in self.facets if each != pair)
        return replace(self, facets=chosen if pair in self.facets else (*self.facets, pair), start=1)

    def with_setting(self, name: str, text: str) -> SearchState:
        """Return this state with one setting changed; an empty text removes it."""
        settings = {**self.settings, name: text}
        return replace(self, settings={key: value for key, value in settings.items() if value}, start=1)

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """Hidden fields with which a form keeps this state."""
        pairs = [("view", self.view)] if self.view != VIEWS[0] else []
        pairs += [("in", f"{name}:{value}") for name, value in self.facets]
        pairs += [(FIND + name, words) for name, words in self.finds]
        return [*pairs, *((name, text) for name, text in self.settings.items() if name != "like")]


@lru_cache(maxsize=1 << 12)
def _narrowed(name: str, value: str) -> str:
    return urlencode([("in", f"{name}:{value}")])


def _held(facets: Iterable[tuple[str, str]]) -> str:
    """Return the filter for selected values: any value of a field, and all fields.

    >>> _held([("year", "2014"), ("year", "2015"), ("journal", "eLife")])
    'year in ("2014", "2015") and journal = "eLife"'
    """
    by_field: dict[str, list[str]] = {}
    for name, value in facets:
        by_field.setdefault(name, []).append('"' + value.replace('"', '""') + '"')
    return " and ".join(
        f"{name} = {values[0]}" if len(values) == 1 else f"{name} in ({', '.join(values)})"
        for name, values in by_field.items()
    )


def read(pairs: Sequence[tuple[str, str]], limits: RequestLimits, fields: Iterable[str] = ()) -> SearchState:
    """Parse the parameters of a URL; unknown ones are ignored.

    Raises
    ------
    UsageError
        One is wrong, or exceeds a limit.
    """
    for name, text in pairs:
        if len(text) > limits.query:
            raise UsageError(f"expected at most {limits.query:,} characters", field=name, got=f"{len(text):,}")
    pairs = [(name, text if name in _NAMES else printable(text)) for name, text in pairs]
    given = dict(pairs)
    view = given.get("view", VIEWS[0])
    settings = {
        name: given[name] if name in _NAMES else given[name].strip()
        for name in SETTINGS
        if name not in _OURS and name != "from_" and given.get(name, "").strip()
    }
    facets = tuple(
        dict.fromkeys(
            (name, value)
            for key, text in pairs
            if key == "in" and (name := text.partition(":")[0]) in fields and (value := text.partition(":")[2])
        )
    )
    finds = {key.removeprefix(FIND): text.strip() for key, text in pairs if key.startswith(FIND)}
    return SearchState(
        query=given.get("q", "").strip(),
        view=view if view in VIEWS else VIEWS[0],
        facets=facets,
        finds=tuple((name, words) for name, words in finds.items() if words and name in fields),
        start=_number(given.get("from", ""), "from_", limits.depth, 1),
        top=_number(given.get("top", ""), "top", limits.page, 0),
        kwic=given.get("kwic", "") if given.get("kwic", "") in ("left", "right") else "document",
        settings=settings,
        limits=limits,
    )


def _number(text: str, name: str, most: int, default: int) -> int:
    if not text:
        return default
    value = SETTINGS[name].read(text)
    if value is None or value > most:
        raise UsageError(f"expected a whole number from 1 to {most:,}", field=name, got=text)
    return int(value)


def document_address(doc: str, asked: SearchState | None = None, *, fragment: str = "", **more: Any) -> str:
    """Return the URL of a document.

    >>> document_address("plays/hamlet", SearchState("to be"), fragment="1.2")
    '/read/plays/hamlet?q=to+be#1.2'
    """
    return (asked or _NOTHING).address(_path_of(doc), fragment=fragment, **more)


_NOTHING = SearchState()


@lru_cache(maxsize=1 << 12)
def _path_of(doc: str) -> str:
    return "/read/" + quoted(doc, "/~:@!$'()*+,;=")


def _value(text: str) -> str:
    return quote_plus(text, errors="surrogateescape")
