"""The site: a served index with its title, theme, limits and token."""

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
from trix.web.site.limits import RequestLimits
from trix.web.site.throttle import Throttle

T = TypeVar("T")

RESTING = 30.0
"""Seconds before an unreachable URL is checked again for a newer commit."""


class Site:
    """A served index.

    Parameters
    ----------
    index
        The index; the site must be its only user.
    limits
        Limits of requests.
    token
        Secret that requests must carry; None for a public site.
    theme
        Folder whose templates and files override those of the same name.
    title
        Title of the site; by default that of `[collection]` in the profile, or the name of the index.
    description
        Sentence for the home page; by default that of the profile.

    Attributes
    ----------
    damaged : str
        Fault of the newest commit while an older one is served; empty if there is none.
    """

    def __init__(
        self, index: Index, *, limits: RequestLimits | None = None, token: str | None = None, theme: Path | None = None,
        title: str = "", description: str = "",
    ) -> None:  # fmt: skip
        self._index = index
        self._changing = threading.Lock()
        self.limits = limits or RequestLimits()
        self.token = token
        self.theme = theme
        said = index.files.profile.collection
        self.description = description or said.get("description", "")
        self.title = title or said.get("title", "") or ", ".join(index.files.short_names)
        self.damaged = ""
        self._resting = 0.0
        self.throttle = Throttle(self.limits)

    @property
    def index(self) -> Index:
        """The index at its newest commit; the returned object stays at this commit.

        A request takes it once, so that its answer comes from one commit. This is cheap while the index does not
        change. If an index at a URL is unreachable, the current copy is served, and the URL is not tried for a while.
        """
        with self._changing:
            if time.monotonic() < self._resting:
                return self._index
            newer = copy.copy(self._index)  # shares everything except what `refresh` replaces
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
        """Return an identifier of the commit of an index, for ETags and cache keys."""
        said = [
            (each.number, [entry.name for entry in each.segments])
            for each in (opened.commit for opened in index.files.opened)
        ]
        return hashlib.sha256(repr(said).encode()).hexdigest()[:16]

    @property
    def role_tables(self) -> list[Path]:
        """The theme's table of roles, if it has one."""
        tables = [] if self.theme is None else [self.theme / "roles.toml"]
        return [path for path in tables if path.is_file()]

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call in a thread within the limits and return its value, see `Throttle`."""
        return await self.throttle(call)
