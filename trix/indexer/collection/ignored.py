"""Files that match no pattern: how many of each ending, and which endings are those of XML.

Of each ending some files are looked at: the 1st, 2nd, 4th, 8th and so on. So a folder of any size costs a few dozens of
short reads.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Iterable
from shlex import quote

from trix.indexer.collection.beginnings import is_xml
from trix.indexer.collection.globs import Globs, counted

_MOST = 400
"""Files that are looked at in all."""

_SHOWN = 6
"""Endings that a message names."""

_ASIDE = frozenset((".svg", ".xsl", ".xslt", ".xsd", ".rng", ".sch"))
"""Endings of images, stylesheets and schemas, which are XML and lie beside documents."""


class Ignored:
    """Counts the files that match no pattern.

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
        """Whether the next file of an ending is to be looked at."""
        number = self.counts[ending] + 1
        return number & (number - 1) == 0 and self._looked.total() < _MOST

    def add(self, ending: str, begin: Callable[[], bytes] | None) -> None:
        """Count a file; `begin` gives its first bytes, where these can be had."""
        if begin is not None and self.wants(ending):
            self._looked[ending] += 1
            self._xml[ending] += is_xml(begin())
        self.counts[ending] += 1

    def update(self, other: Ignored) -> None:
        """Add the files of another count."""
        self.counts.update(other.counts)
        self._looked.update(other._looked)
        self._xml.update(other._xml)

    def clear(self) -> None:
        """Forget all."""
        for each in (self.counts, self._looked, self._xml):
            each.clear()

    def of_xml(self) -> dict[str, int]:
        """Return the endings of which half the files that were looked at, or more, are XML; with their files."""
        most = [ending for ending, count in self._looked.items() if 2 * self._xml[ending] >= count]
        return {ending: self.counts[ending] for ending in sorted(most, key=lambda each: (-self.counts[each], each))}

    def held(self) -> str:
        """Say, for an error, what a folder holds in place of documents, and which patterns read what is XML."""
        if not self.counts:
            return "see `glob`"
        found = self.of_xml()
        if not found:
            return f"it holds {counted(self.counts)}; see `glob`"
        chosen = [ending for ending in found if ending not in _ASIDE] or [*found]
        return f"it holds {counted(self.counts)}; {patterns(chosen[:_SHOWN])} reads the XML"

    def notice(self, globs: Globs, read: Iterable[str]) -> str:
        """Return a notice where more XML is ignored than is read, else nothing.

        Parameters
        ----------
        globs
            The patterns. Patterns that a user chose are meant as they are.
        read
            The endings of what is read, one a file.
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
    """Return the arguments that read the files of some endings, as they are typed.

    >>> patterns([".page", ".d ita"])
    "`glob` '*.page' `glob` '*.d ita'"
    """
    return " ".join(f"`glob` {quote('*' + glob.escape(ending))}" for ending in endings)
