"""Statistics of files that match no pattern, and which of their extensions are XML.

The 1st, 2nd, 4th, 8th, .. file of each extension is inspected, so a folder of any size costs some dozen short reads.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Iterable
from shlex import quote

from trix.indexer.collection.first_bytes import is_xml
from trix.indexer.collection.globs import Globs, counted

_MOST = 400
"""Largest total number of inspected files."""

_SHOWN = 6
"""Extensions that a message names."""

_ASIDE = frozenset((".svg", ".xsl", ".xslt", ".xsd", ".rng", ".sch"))
"""Extensions of images, stylesheets and schemas, which are XML but no documents."""


class Ignored:
    """Counts files that match no pattern.

    Attributes
    ----------
    counts : Counter[str]
        How many there are of each ending.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._looked: Counter[str] = Counter()
        self._xml: Counter[str] = Counter()

    def wants(self, ending: str) -> bool:
        """Whether to inspect the next file with an extension."""
        number = self.counts[ending] + 1
        # Powers of two have a single bit.
        return number & (number - 1) == 0 and self._looked.total() < _MOST

    def add(self, ending: str, begin: Callable[[], bytes] | None) -> None:
        """Count a file; `begin` returns its first bytes, if available."""
        if begin is not None and self.wants(ending):
            self._looked[ending] += 1
            self._xml[ending] += is_xml(begin())
        self.counts[ending] += 1

    def update(self, other: Ignored) -> None:
        self.counts.update(other.counts)
        self._looked.update(other._looked)
        self._xml.update(other._xml)

    def clear(self) -> None:
        for each in (self.counts, self._looked, self._xml):
            each.clear()

    def of_xml(self) -> dict[str, int]:
        """Return the extensions whose inspected files are at least half XML, with their number of files."""
        most = [ending for ending, count in self._looked.items() if 2 * self._xml[ending] >= count]
        return {ending: self.counts[ending] for ending in sorted(most, key=lambda each: (-self.counts[each], each))}

    def described(self) -> str:
        """Describe, for an error, the files of a folder without documents, and the patterns that would read its XML."""
        if not self.counts:
            return "see `glob`"
        found = self.of_xml()
        if not found:
            return f"it has {counted(self.counts)}; see `glob`"
        chosen = [ending for ending in found if ending not in _ASIDE] or [*found]
        return f"it has {counted(self.counts)}; {patterns(chosen[:_SHOWN])} reads the XML"

    def notice(self, globs: Globs, read: Iterable[str]) -> str:
        """Return a notice if more XML is ignored than read, else an empty string.

        Parameters
        ----------
        globs
            Patterns; those that a user chose are never questioned.
        read
            Extension of each file that is read.
        """
        found = {ending: count for ending, count in self.of_xml().items() if ending and ending not in _ASIDE}
        of_read = Counter(read)
        if not globs.are_usual or sum(found.values()) <= of_read.total():
            return ""
        typed = patterns([*sorted(filter(None, of_read)), *[*found][:_SHOWN]])
        return (
            f"more XML is ignored than read: {counted(found)}, beside {counted(of_read)} that "
            f"{'is' if of_read.total() == 1 else 'are'} read; {typed} reads all of it"
        )


def patterns(endings: Iterable[str]) -> str:
    """Format the arguments that read files with some extensions, quoted for a shell.

    >>> patterns([".page", ".d ita"])
    "`glob` '*.page' `glob` '*.d ita'"
    """
    return " ".join(f"`glob` {quote('*' + glob.escape(ending))}" for ending in endings)
