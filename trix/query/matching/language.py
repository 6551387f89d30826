"""Language of a query in a multilingual collection, which decides its stop list.

*Of* is a stop word in English and a rare word in French texts; *war* is a content word in English and a stop word in
German. If a word is stopped in some languages only, the other words decide: a query is in the language of most
elements that hold them.
"""

from __future__ import annotations

from collections.abc import Sequence

from trix.indexer.store.files import IndexFiles

MOST = 1000
"""Largest number of elements examined per word, evenly spread."""

MAJORITY = 0.5
"""Share of the words above which the query is in a language."""


def language_of_query(words: Sequence[str], index: IndexFiles) -> str:
    """Return the language of a query; empty if it does not matter or is unclear.

    Parameters
    ----------
    words
        Its folded words.
    index
        The index.
    """
    chains = {language: index.chains.of(language) for language in (index.chains.language, *index.languages)}
    stopped = {word: [chain.key(word) is None for chain in chains.values()] for word in dict.fromkeys(words)}
    # All languages agree on each word, so the language changes nothing.
    if all(all(each) or not any(each) for each in stopped.values()):
        return ""
    # A word votes with one vote in all, split by where it occurs: frequent words must not outvote rare ones.
    votes: dict[str, float] = dict.fromkeys(chains, 0.0)
    voting = [word for word, each in stopped.items() if not any(each)]
    for word in voting:
        times = {language: _times(str(chain.key(word)), language, index) for language, chain in chains.items()}
        total = sum(times.values())
        for language in times if total else ():
            votes[language] += times[language] / total
    most = max(votes, key=lambda language: votes[language])
    return most if votes[most] > MAJORITY * sum(votes.values()) else ""


def _times(key: str, language: str, index: IndexFiles) -> int:
    """Estimate how many content elements in a language hold a key, from a sample of its postings."""
    contents = index.postings(key)[0]
    # Evenly spread, since a collection often has its languages one after another.
    contents = contents[:: contents.size // MOST + 1]
    index.elements.structure_of_contents(contents)
    elements = index.elements.of_content[contents]
    return int(index.in_language(elements, language).sum())
