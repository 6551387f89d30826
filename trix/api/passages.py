"""Passages for programs that read: a search whose results are cut to so much text."""

from __future__ import annotations

from typing import Any

from trix.api.answers import Answers
from trix.errors import UsageError
from trix.query.display.passages import Bounds, Gatherer, Passages
from trix.query.display.viewer import SourceView
from trix.query.options import Options
from trix.settings import SearchSettings
from trix.support.kinds import Kind, Switch, Whole


def passages(
    now: Answers, query: str, characters: int, around: int, sentences: bool, options: SearchSettings, notices: list[str]
) -> Passages:
    """Return passages, see `trix.api.index.Index.passages`; `notices` gets what comes to light on sources."""
    characters = _checked("characters", characters, Whole())
    around = 0 if around == 0 else _checked("around", around, Whole())
    sentences = _checked("sentences", sentences, Switch())
    given: Any = {name: value for name, value in options.items() if value is not None or name == "size"}
    top = Options.of(**given).top if "top" in given else None
    given |= {"size": given.get("size") or f"150:{_longest(characters)}", "top": None}
    asked = Options.of(**given)
    bounds = Bounds(characters, asked.size.high if asked.size else None, around, sentences, top)
    results = now.search(query, asked, now.searcher.notices(asked))
    if not isinstance(results.view, SourceView):
        return Passages([], results)  # nothing matches
    return Gatherer(now.viewer, results.view.highlighter, bounds, notices).gather(results)


def _longest(characters: int) -> int:
    """Return how long one passage may be: a third of all, but a paragraph at least and some of them at the most.

    >>> _longest(500), _longest(2000), _longest(6000), _longest(50_000)
    (500, 1200, 2000, 3000)
    """
    return max(150, min(characters, max(1200, min(characters // 3, 3000))))


def _checked(name: str, value: Any, kind: Kind) -> Any:
    try:
        return kind.take(value)
    except ValueError as error:
        raise UsageError(str(error), field=name, got=value) from None
