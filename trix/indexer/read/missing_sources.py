"""One notice on all documents whose sources can no longer be read; it grows while results are looked at."""

from __future__ import annotations

from threading import Lock

from trix.errors import SourceError

NAMED = 3
"""Documents that the notice names."""


class MissingSources:
    """The notice of one index on sources that have changed or gone.

    Examples
    --------
    >>> missing, notices = MissingSources(), ["another"]
    >>> for doc in "abab":
    ...     missing.add(doc, SourceError("the source has changed", f"{doc}.xml"), notices)
    >>> notices
    ['another', 'results have no snippets where they lie in a, b: a.xml: the source has changed']
    """

    def __init__(self) -> None:
        self._documents: dict[str, SourceError] = {}
        self._said = ""
        self._saying = Lock()

    def add(self, document: str, error: SourceError, notices: list[str]) -> None:
        """Add a document to the notice; where the notice has been removed, a new one begins."""
        with self._saying:
            self._add(document, error, notices)

    def _add(self, document: str, error: SourceError, notices: list[str]) -> None:
        if self._said not in notices:
            self._documents.clear()
        if document in self._documents:
            return
        self._documents[document] = error
        named, more = list(self._documents)[:NAMED], len(self._documents) - NAMED
        which = ", ".join(named) + (f" and {more:,} more document{'s'[: more > 1]}" if more > 0 else "")
        first = next(iter(self._documents.values()))
        said = f"results have no snippets where they lie in {which}: {first}"
        if self._said in notices:
            notices[notices.index(self._said)] = said
        else:
            notices.append(said)
        self._said = said
