"""The place: the index that is served, the bounds of a request, who may ask."""

from __future__ import annotations

import copy
import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from trix.api.index import Index
from trix.errors import IndexError_, SourceError
from trix.web.place.asking import Asking
from trix.web.place.limits import Limits

T = TypeVar("T")

RESTING = 30.0
"""Seconds after which the service of a URL that did not answer is asked again for a newer commit."""


class Place:
    """An index that is served.

    Parameters
    ----------
    index
        What is served; one that the place keeps for itself.
    limits
        Of each request, and of all together.
    token
        What those who ask have to know; None where anybody may.
    theme
        A folder whose templates and files take the place of those of the same name.
    title
        What the place is called; else as the profile says in `[collection]`, or as the index is called.
    description
        A sentence on what is here, for the home page; else that of the profile.

    Attributes
    ----------
    damaged : str
        What is wrong with the newest commit, while an older one goes on answering; empty if nothing is.
    """

    def __init__(
        self, index: Index, *, limits: Limits | None = None, token: str | None = None, theme: Path | None = None,
        title: str = "", description: str = "",
    ) -> None:  # fmt: skip
        self._index = index
        self._changing = threading.Lock()
        self.limits = limits or Limits()
        self.token = token
        self.theme = theme
        said = index.files.profile.collection
        self.description = description or said.get("description", "")
        self.title = title or said.get("title", "") or ", ".join(index.files.short_names)
        self.damaged = ""
        self._resting = 0.0
        self.asking = Asking(self.limits)

    @property
    def index(self) -> Index:
        """The index as of its newest commit; it stays at this commit, however long it is held.

        A request takes it once and uses it to its end, so that no answer is made from half of one commit and half of
        another. It costs next to nothing while the index does not change. Where the service of an index at a URL does
        not answer, the copy here goes on answering, and the service is left alone for a while.
        """
        with self._changing:
            if time.monotonic() < self._resting:
                return self._index
            newer = copy.copy(self._index)  # shares everything but what `refresh` puts in its place
            try:
                if newer.refresh():
                    self._index = newer
                self.damaged = ""
            except IndexError_ as error:
                self.damaged = str(error)
            except SourceError:
                self._resting = time.monotonic() + RESTING
            return self._index

    def commit_of(self, index: Index) -> str:
        """Return what tells the commit that an index shows from all others of it: for ETags and addresses of parts."""
        said = [
            (each.number, [entry.name for entry in each.segments])
            for each in (opened.commit for opened in index.files.opened)
        ]
        return hashlib.sha256(repr(said).encode()).hexdigest()[:16]

    async def ask(self, call: Callable[[], T]) -> T:
        """Return what a call returns that may take long, from a thread and within the limits; see `Asking`."""
        return await self.asking(call)
