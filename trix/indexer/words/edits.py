"""Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours between two words.

No substring is edited twice. `near_words` of `trix.core.words` compares a word with a whole table.
"""

from __future__ import annotations

MOST = 2
"""Largest distance that a query may allow."""


def edits_between(a: str, b: str) -> int:
    """Return the distance of two words, literally by the definition.

    >>> edits_between("recieve", "receive"), edits_between("slavry", "slavery"), edits_between("ca", "abc")
    (1, 1, 3)
    """
    # rows[i][j]: distance of the first i letters of a and the first j letters of b.
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            least = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            # Two neighbours that changed places cost one edit.
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                least = min(least, rows[i - 2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
