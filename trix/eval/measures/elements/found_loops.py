"""Compiled twin of `trix.eval.measures.elements.found.walk_plain`: how many ideal elements were seen, rank by rank.

From rank to rank few ideals change, and what is asked at a change is the distribution over all others. Time is halved
again and again: a half is entered with the product of all ideals that do not change in it, so that what is left at a
single change is the product of all others. Each ideal's factor (1 - p + p z) is multiplied in once a level: a
logarithm of the number of changes where the plain twin has the number of uncertain ideals, and never a division or a
difference, so that every probability is right relative to itself.
"""

from __future__ import annotations

import numpy as np

from trix.support.backend import kernel

TINY = 1e-40
"""Probabilities below it at either end of a distribution are left out: they cannot change a result."""


@kernel
def multiply(d, lo, hi, a, b):  # type: ignore[no-untyped-def]
    """Multiply the polynomial d[lo..hi] by (a z + b) in place; return where it begins and ends."""
    low = d[lo]
    d[lo] = low * b
    for s in range(lo + 1, hi + 1):
        high = d[s]
        d[s] = high * b + low * a
        low = high
    d[hi + 1] = low * a
    hi += 1
    while hi > lo and d[hi] < TINY:
        hi -= 1
    while lo < hi and d[lo] < TINY:
        lo += 1
    return lo, hi


@kernel
def _cut(first, end, edges, rank):  # type: ignore[no-untyped-def]
    """Return where to halve a node: between two ranks, unless it lies in one."""
    middle = (first + end) // 2
    cut = middle
    while cut > first and rank[edges[cut] - 1] == rank[edges[cut]]:
        cut -= 1
    if cut > first:
        return cut
    cut = middle
    while cut < end and rank[edges[cut] - 1] == rank[edges[cut]]:
        cut += 1
    return middle if cut == end else cut


@kernel
def walk(t, o, rank, which, before, after, edges, exact):  # type: ignore[no-untyped-def]
    """Return the columns of `trix.eval.measures.elements.found.Sums`.

    Parameters
    ----------
    t, o
        Number of ideals and of ranks.
    rank, which, before, after
        (n,) the changes, by rank: at which rank which ideal's P(x in S) goes from what to what.
    edges
        Where the units begin into which time is cut, and n: single changes, or (exact) the changes of a rank.
    exact
        See `trix.eval.measures.elements.found.discovery`.
    """
    news, consulted, effort, tail = np.zeros(t), np.zeros(t), np.zeros(t), np.zeros(t + 1)
    p, mark = np.zeros(t), np.full(t, -1, np.int64)
    D, E, miss = np.zeros(t + 2), np.zeros(t + 2), np.zeros(t + 2)
    depths = 4 + 3 * int(np.ceil(np.log2(len(edges) + 1)))  # two cuts halve a node, within a rank one
    products = np.zeros((depths, t + 2))  # of the ideals that do not change in the node of each depth
    firsts, ends, halves = np.zeros(depths, np.int64), np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    los, his, certains = np.zeros(depths, np.int64), np.zeros(depths, np.int64), np.zeros(depths, np.int64)
    products[0, 0] = 1.0
    ends[0] = len(edges) - 1
    depth = 0 if len(rank) else -1
    last, lo, hi, stamp = 0, 0, 0, -1
    while depth >= 0:
        first, end, half = firsts[depth], ends[depth], halves[depth]
        base, b_lo, b_hi, certain = products[depth], los[depth], his[depth], certains[depth]
        if end - first > 1:
            if half == 2:
                depth -= 1
                continue
            halves[depth] += 1
            middle = _cut(first, end, edges, rank)
            here, there = (
                (first, middle) if half == 0 else (middle, end),
                (middle, end) if half == 0 else (first, middle),
            )
            stamp += 1
            for c in range(edges[here[0]], edges[here[1]]):
                mark[which[c]] = stamp
            depth += 1
            product = products[depth]
            for s in range(b_lo, b_hi + 1):
                product[s] = base[s]
            for c in range(edges[there[0]], edges[there[1]]):
                x = which[c]
                if mark[x] != stamp:
                    mark[x] = stamp
                    if p[x] == 1.0:
                        certain += 1
                    elif p[x] > 0.0:
                        b_lo, b_hi = multiply(product, b_lo, b_hi, p[x], 1.0 - p[x])
            firsts[depth], ends[depth], halves[depth] = here[0], here[1], 0
            los[depth], his[depth], certains[depth] = b_lo, b_hi, certain
            continue
        depth -= 1
        start, stop = edges[first], edges[end]
        i = rank[start]
        if start == 0 or rank[start - 1] != i:  # F_{i-1} with all changes up to the rank before
            lo, hi = b_lo, b_hi
            for s in range(lo, hi + 1):
                D[s] = base[s]
            for c in range(start, stop):
                if before[c] > 0.0:
                    lo, hi = multiply(D, lo, hi, before[c], 1.0 - before[c])
            if last:
                _reach(D, lo, hi, certain, last, tail, effort)
            for s in range(lo, min(hi, t - 1 - certain) + 1):
                consulted[s + certain] += (i - last) * D[s]
            last = i
            for s in range(lo, hi + 1):
                miss[s] = 1.0
        closes = stop == len(rank) or rank[stop] != i
        if exact:
            e_lo, e_hi = b_lo, b_hi
            for s in range(lo, hi + 1):
                E[s] = 0.0
            for s in range(e_lo, e_hi + 1):
                E[s] = base[s]
            for c in range(start, stop):
                e_lo, e_hi = multiply(E, e_lo, e_hi, before[c], 1.0 - after[c])
            for s in range(lo, min(hi, t - 1 - certain) + 1):
                news[s + certain] += D[s] - E[s]
        else:
            grown = after[start] - before[start]
            for s in range(max(lo, b_lo), min(hi, b_hi) + 1):
                miss[s] *= 1.0 - min(grown * base[s] / D[s], 1.0)
            if closes:
                for s in range(lo, min(hi, t - 1 - certain) + 1):
                    news[s + certain] += D[s] * (1.0 - miss[s])
        if closes:
            c = stop - 1
            while c >= 0 and rank[c] == i:
                p[which[c]] = after[c]
                c -= 1
    D[0] = 1.0
    lo, hi, certain = 0, 0, 0
    for x in range(t):
        if p[x] == 1.0:
            certain += 1
        elif p[x] > 0.0:
            lo, hi = multiply(D, lo, hi, p[x], 1.0 - p[x])
    if last:
        _reach(D, lo, hi, certain, last, tail, effort)
    final = np.zeros(t + 1)
    for s in range(lo, hi + 1):
        final[s + certain] = D[s]
    for s in range(t):
        consulted[s] += (o - last) * final[s]
    return news, consulted, effort, final


@kernel
def _reach(D, lo, hi, certain, i, tail, effort):  # type: ignore[no-untyped-def]
    """Take in P(F_i >= r), and the effort that its growth at rank i is worth."""
    r = certain + lo
    while r > 0 and tail[r] < 1.0:
        effort[r - 1] += r / i * (1.0 - tail[r])
        tail[r] = 1.0
        r -= 1
    reached = 0.0
    for s in range(hi, lo, -1):
        reached += D[s]
        r = s + certain
        effort[r - 1] += r / i * (reached - tail[r])
        tail[r] = reached
