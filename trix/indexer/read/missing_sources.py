"""Notice on documents with unreadable sources, which grows as results are displayed."""

from __future__ import annotations

from threading import Lock

from trix.errors import SourceError

NAMED = 3
"""Documents that the notice names."""


class MissingSources:
    """Notice about changed or missing sources of one index.

    Examples
    --------
    >>> missing, notices = MissingSources(), ["another"]
    >>> for doc in "abab":
    ...     missing.add(doc, SourceError("the source has changed", f"{doc}.xml"), notices)
    >>> notices
    ['another', 'no snippets for results in a, b: a.xml: the source has changed']
    """

    def __init__(self) -> None:
        self._documents: dict[str, SourceError] = {}
        self._last = ""
        self._saying = Lock()

    def add(self, document: str, error: SourceError, notices: list[str]) -> None:
        """Add a document to the notice; start a new one if the notice was removed."""
        with self._saying:
            self._add(document, error, notices)

    def _add(self, document: str, error: SourceError, notices: list[str]) -> None:
        if self._last not in notices:
            self._documents.clear()
        if document in self._documents:
            return
        self._documents[document] = error
        named, more = list(self._documents)[:NAMED], len(self._documents) - NAMED
        which = ", ".join(named) + (f" and {more:,} more document{'s'[: more > 1]}" if more > 0 else "")
        first = next(iter(self._documents.values()))
        notice = f"no snippets for results in {which}: {first}"
        if self._last in notices:
            notices[notices.index(self._last)] = notice
        else:
            notices.append(notice)
        self._last = notice
