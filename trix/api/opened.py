"""An index as it is opened: its newest commit, until it is told to look for a newer one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Self

from trix.api.answers import Answers
from trix.indexer.commit.remote import newest_here
from trix.indexer.read.damage import or_damaged
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.live import open_commit


class Opened:
    """The commit that is shown, and what answers from it; what can be asked is said by `Index`."""

    @or_damaged
    def __init__(
        self, path: str | PathLike[str] | Sequence[str | PathLike[str]],
        answers: Callable[[IndexFiles, list[str]], Answers] = Answers,
    ) -> None:  # fmt: skip
        self._answers = answers
        files = IndexFiles(path)
        self.notices: list[str] = []
        self.now = answers(files, self.notices)

    @property
    def files(self) -> IndexFiles:
        """The files of the commit that is shown."""
        return self.now.files

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the documents in memory; mapped files close with the object."""
        self.now.viewer.forget()

    @or_damaged
    def refresh(self) -> bool:
        """Take the newest commit; return whether there was a newer one. It costs next to nothing when there was none.

        What was found before goes on showing the older one.

        Raises
        ------
        IndexError_
            The newest commit is damaged; the index stays as it was.
        """
        files = self.files
        opened = [
            open_commit(path, known) if newest_here(path) != known.commit.number else known
            for path, known in zip(files.paths, files.opened, strict=True)
        ]
        if all(new is known for new, known in zip(opened, files.opened, strict=True)):
            return False
        newer = IndexFiles(files.paths, opened)
        self.now = self._answers(newer, self.notices)  # at once: who is being answered goes on with the older one
        return True

    def __len__(self) -> int:
        return len(self.files)

    def __repr__(self) -> str:
        totals = self.files.totals
        return f"<Index {self.files.path!r}, {totals['documents']:,} documents, {totals['elements']:,} elements>"
