"""Word offsets: folded words of a text, each with its range of characters.

Folding changes lengths: ``ﬁ`` becomes two characters, ``e`` and an accent one, soft hyphens vanish. Text is therefore
cut into *clusters*, runs of characters that fold independently of their neighbours. A word reaches from its first
cluster to its last.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from trix.indexer.words.characters import INVISIBLE, fold, is_word_character

_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_CHUNK = re.compile(r"\S+")
_PLAIN = re.compile(r"[\x00-\x7f–—‘’“”…±×−•≤≥]*")
"""ASCII, plus punctuation that is never part of a word."""


def is_plain(text: str) -> bool:
    """Whether words are exactly the runs of ASCII letters and digits.

    >>> is_plain("A tree-lined road …"), is_plain("Müller")
    (True, False)
    """
    return _PLAIN.fullmatch(text) is not None


def locate_words(text: str, join: str = "") -> Iterator[tuple[str, int, int]]:
    """Yield (folded word, begin, end); the words are those of `split_words`.

    Parameters
    ----------
    text
        Character data of one content element.
    join
        Extra characters that vanish inside words.

    Examples
    --------
    >>> list(locate_words("The Coﬀee\u00adhouse, ½"))
    [('the', 0, 3), ('coffeehouse', 4, 15), ('1', 17, 18), ('2', 17, 18)]
    """
    if not join and is_plain(text):
        for word in _ASCII_WORD.finditer(text):
            yield word.group().lower(), word.start(), word.end()
        return
    for chunk in _CHUNK.finditer(text):  # white space never folds together with its neighbours
        if is_plain(chunk.group()) and not any(character in chunk.group() for character in join):
            for word in _ASCII_WORD.finditer(text, chunk.start(), chunk.end()):
                yield word.group().lower(), word.start(), word.end()
        else:
            yield from locate_folded(chunk.group(), range(chunk.start(), chunk.end()), join)


def locate_folded(text: str, places: Sequence[int], join: str) -> Iterator[tuple[str, int, int]]:
    """Yield (folded word, begin, end) of a text, given the offset of each character."""
    word = ""
    begin = end = 0
    # A cluster may fold to several characters; all of them share its offsets.
    for cluster, first, last in _clusters(text, places, join):
        for character in fold(cluster):
            if is_word_character(character):
                begin = begin if word else first
                word += character
                end = last + 1
            else:
                if _has_base(word):
                    yield word, begin, end
                word = ""
    if _has_base(word):
        yield word, begin, end


def _has_base(word: str) -> bool:
    """Whether a word has a letter or number, not only marks."""
    # A word of marks alone is none.
    return any(unicodedata.category(character)[0] in "LN" for character in word)


def _clusters(text: str, places: Sequence[int], join: str) -> Iterator[tuple[str, int, int]]:
    """Yield (characters, first offset, last offset) of each cluster, without invisible characters."""
    cluster, first, last = "", 0, 0
    for character, place in zip(text, places, strict=True):
        if character in INVISIBLE or character in join:
            continue
        if cluster and _begins(character):
            yield cluster, first, last
            cluster = ""
        first = first if cluster else place
        cluster += character
        last = place
    if cluster:
        yield cluster, first, last


@lru_cache(maxsize=1 << 14)
def _begins(character: str) -> bool:
    """Whether a character never composes with the one before it, in any of its normal forms."""
    forms = (character, unicodedata.normalize("NFKC", character), fold(character))
    return all(_is_starter(form[0]) for form in forms if form)


def _is_starter(character: str) -> bool:
    # Besides marks, only vowels and final consonants of Korean syllables compose with the character before.
    later_jamo = "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff"
    return not later_jamo and unicodedata.category(character)[0] != "M" and not unicodedata.combining(character)
