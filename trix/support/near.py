"""Which known name a mistyped one is most like, and the words in which it is offered: the same in every message."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return `` (did you mean X?)`` for the known name most like the word, nothing where none is like it.

    It can follow the word as well as the list of what was expected.

    >>> did_you_mean("trix205", ["trix2004", "trix2005", "bm25"])
    ' (did you mean trix2005?)'
    >>> did_you_mean("x", ["bm25"])
    ''
    """
    return offer(next(iter(nearest(word, known, likeness)), ""))


def offer(name: str) -> str:
    """Return the words that offer a name; nothing for an empty one.

    >>> offer("old.index"), offer("")
    (' (did you mean old.index?)', '')
    """
    return f" (did you mean {name}?)" if name else ""


def nearest(word: str, known: Iterable[str], likeness: float = 0.6, most: int = 1) -> list[str]:
    """Return the known names like the word, the most alike first; upper and lower case are the same.

    Parameters
    ----------
    word
        As it was typed.
    known
        What there is.
    likeness
        From 0 (anything) to 1 (the same letters).
    most
        How many names are wanted.

    Examples
    --------
    >>> nearest("ndgc", ["nDCG", "MAP"]), nearest("sections", ["section", "sec", "p"], most=2)
    (['nDCG'], ['section'])
    """
    from difflib import get_close_matches  # only a mistake needs it

    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    return [folded[near] for near in get_close_matches(word.casefold(), folded, most, likeness)]
