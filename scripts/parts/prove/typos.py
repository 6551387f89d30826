"""Queries made of a title: with one typo, and with half of the words; the same for the same title."""

from __future__ import annotations

import random
import re
from string import ascii_lowercase

LETTERS = 5
"""Letters of a word that may have a typo, at least."""

_WORD = re.compile(rf"[^\W\d_]{{{LETTERS},}}")


def with_typo(title: str) -> str:
    """Return a title with one letter swapped, left out, put in or replaced in one long word, if it has one."""
    draw = random.Random(f"typo {title}")
    words = list(_WORD.finditer(title))
    if not words:
        return title
    chosen = draw.choice(words)
    word = changed(chosen[0], draw)
    return title[: chosen.start()] + word + title[chosen.end() :]


def changed(word: str, draw: random.Random) -> str:
    """Return a word with one change, which is another word.

    >>> changed("house", random.Random(1)) != "house"
    True
    """
    while True:
        place, letter = draw.randrange(1, len(word)), draw.choice(ascii_lowercase)
        made = draw.choice((
            word[: place - 1] + word[place] + word[place - 1] + word[place + 1 :],
            word[:place] + word[place + 1 :],
            word[:place] + letter + word[place:],
            word[:place] + letter + word[place + 1 :],
        ))  # fmt: skip
        if made.casefold() != word.casefold():
            return made


def with_half(title: str) -> str:
    """Return half of the words of a title, rounded up, in their order."""
    words = title.split()
    kept = random.Random(f"half {title}").sample(range(len(words)), (len(words) + 1) // 2)
    return " ".join(words[place] for place in sorted(kept))
