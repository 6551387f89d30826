"""Results in a pickle: their texts are read from the index again, if it is there and as it was."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from trix.api.answers import Answers
from trix.errors import SourceError, TrixError
from trix.indexer.store.files import IndexFiles
from trix.query.display.source_view import SourceView
from trix.query.language.terms import Query
from trix.query.options import Options

Commits = tuple[tuple[int, tuple[str, ...]], ...]
"""For each folder of an index: number of the commit, and names of its segments."""


class PickledView:
    """View of unpickled results, which opens the index when a text is read.

    Parameters
    ----------
    paths, commits
        Folders and commits of the index.
    query_and_phrases
        The query whose words are marked, and its kind of phrases.
    options
        The options of the search, if it has a filter.
    has_fields
        Whether documents have fields.
    """

    def __init__(
        self, paths: tuple[str, ...], commits: Commits, query_and_phrases: tuple[Query, str], options: Options | None,
        has_fields: bool,
    ) -> None:  # fmt: skip
        self.query_and_phrases, self.options, self.has_fields = query_and_phrases, options, has_fields
        self._paths, self._commits = paths, commits

    def __reduce__(self) -> tuple[Any, ...]:
        return PickledView, (self._paths, self._commits, self.query_and_phrases, self.options, self.has_fields)

    @cached_property
    def _view(self) -> SourceView:
        try:
            files = IndexFiles(self._paths)
        except TrixError as error:
            raise SourceError(f"the index cannot be opened: {error}", ", ".join(self._paths)) from None
        if commits_of(files) != self._commits:
            raise SourceError("the index has changed since these results were pickled; search again", files.path)
        return Answers(files, []).view(self.query_and_phrases, self.options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._view, name)


def commits_of(files: IndexFiles) -> Commits:
    """Return which commits an index shows."""
    return tuple((each.commit.number, tuple(entry.name for entry in each.commit.segments)) for each in files.opened)


def view_of(view: SourceView) -> PickledView:
    """Return the pickled form of a view."""
    files = view.files
    return PickledView(
        tuple(map(str, files.paths)), commits_of(files), view.query_and_phrases, view.options, view.has_fields
    )
