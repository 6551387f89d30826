"""How many edits lie between two words: a letter put in, left out or replaced, or two neighbours that changed places.

This is the optimal string alignment distance, in which no stretch of letters is edited twice. `near_words` of
`trix.core.words` compares a word with all words of a table.
"""

from __future__ import annotations

MOST = 2
"""Edits that can be asked for."""


def edits_between(a: str, b: str) -> int:
    """Return how many edits lie between two words, literally by the definition.

    >>> edits_between("recieve", "receive"), edits_between("slavry", "slavery"), edits_between("ca", "abc")
    (1, 1, 3)
    """
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            least = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                least = min(least, rows[i - 2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
