"""Tables of spelling variants: words that the index replaces by another, in documents and queries.

One entry a line: ``chuse = choose``, or several words at once: ``chuse, chuze = choose``. A ``#`` starts a comment.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath

from trix.errors import FormatError, UsageError
from trix.indexer.words.analyzer import split_words
from trix.support.input_files import read_input_text

Given = str | PathLike[str] | Mapping[str, str] | None


def read_variants(given: Given) -> dict[str, str]:
    """Read a table of variants, folded and sorted: each word with its replacement.

    Parameters
    ----------
    given
        Path of a file, or the table itself; None is an empty table.

    Raises
    ------
    UsageError
        The file cannot be read, or an entry is wrong.

    Examples
    --------
    >>> read_variants({"Chuse": "choose", "musick": "music"})
    {'chuse': 'choose', 'musick': 'music'}
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        rows = [(f"{old} = {new}", [old], new) for old, new in given.items()]
    else:
        try:
            lines = read_input_text(fspath(given)).splitlines()
        except FormatError as error:
            raise UsageError(f"the table of variants {error.reason}", field="variants", got=fspath(given)) from None
        rows = []
        for number, line in enumerate(lines, 1):
            left, equals, right = line.partition("#")[0].partition("=")
            if left.strip() or equals:
                rows.append((f"{fspath(given)}:{number}", left.split(","), right if equals else ""))
    found: dict[str, str] = {}
    where: dict[str, str] = {}
    for place, left_words, right in rows:
        new = _word(right, place)
        for old in (_word(word, place) for word in left_words):
            if found.get(old, new) != new:
                raise _fault(f"{old} is already replaced by {found[old]} at {where[old]}; remove one of the two", place)
            found[old], where[old] = new, place
    # Replacement is a single step, so a replacement must not be replaced itself.
    for old, new in found.items():
        if found.get(new, new) != new:
            raise _fault(f"{new} is itself replaced by {found[new]}; write {old} = {found[new]}", where[old])
    return {old: new for old, new in sorted(found.items()) if old != new}


def _word(text: str, place: str) -> str:
    words = split_words(text)
    if len(words) != 1:
        raise _fault(f"expected WORD = WORD, such as chuse = choose; {text.strip()!r} is not one word", place)
    return words[0]


def _fault(reason: str, place: str) -> UsageError:
    return UsageError(f"{place}: {reason}", field="variants")
