"""The sums of PRUM over the ranks of a run: how many ideal elements a user has seen [PRUM, eq. 7, 8; INEX 5.6].

Let p be the probability that an ideal was seen. The product of (1 - p + p z) over all ideals has the distribution of
the number of seen ideals as its coefficients. From rank to rank few ideals change. A change asks for the
distribution over all *other* ideals. Dividing a factor out would lose digits, so time is halved instead:

1. A node is a stretch of changes. It holds the product over all ideals that do not change in it.
2. A node is cut in two. Each half takes its parent's product and multiplies in the ideals that change in the other half
   alone.
3. At a single change (or a single rank) the node's product is that over all other ideals.

So each factor is multiplied in once a level: the logarithm of the number of changes, and every probability is right
relative to itself.
"""

import cython
import numpy as np

if not cython.compiled:
    from math import ceil, log2
else:
    from cython.cimports.libc.math import ceil, log2

_TINY = cython.declare(cython.double, 1e-40)
"""Probabilities below this at either end of a distribution are dropped: they cannot change a result."""


@cython.final
@cython.cclass
class _Distribution:
    """The coefficients ``values[low..high]`` of a product; all others are 0."""

    values: cython.double[::1]
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t

    def __init__(self, values: cython.double[::1]):
        self.values = values
        self.low = 0
        self.high = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def reset(self) -> cython.int:
        """Become the empty product."""
        self.values[0] = 1.0
        self.low = self.high = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def multiply(self, a: cython.double, b: cython.double) -> cython.int:
        """Multiply by (a z + b), and drop tiny coefficients at both ends."""
        # In place, from the lowest coefficient up; `lower` is the old value of the one before.
        lower: cython.double = self.values[self.low]
        upper: cython.double
        s: cython.Py_ssize_t
        self.values[self.low] = lower * b
        for s in range(self.low + 1, self.high + 1):
            upper = self.values[s]
            self.values[s] = upper * b + lower * a
            lower = upper
        self.high += 1
        self.values[self.high] = lower * a
        while self.high > self.low and self.values[self.high] < _TINY:
            self.high -= 1
        while self.low < self.high and self.values[self.low] < _TINY:
            self.low += 1
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _copy(target: _Distribution, source: _Distribution) -> cython.int:
    """Copy `source` into `target`."""
    s: cython.Py_ssize_t
    for s in range(source.low, source.high + 1):
        target.values[s] = source.values[s]
    target.low = source.low
    target.high = source.high
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _cut(
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    edges: cython.const[cython.longlong][::1],
    rank: cython.const[cython.longlong][::1],
) -> cython.Py_ssize_t:
    """Choose where to split a node: between two ranks, unless the node lies within one."""
    middle: cython.Py_ssize_t = (first + end) // 2
    cut: cython.Py_ssize_t = middle
    while cut > first and rank[edges[cut] - 1] == rank[edges[cut]]:
        cut -= 1
    if cut > first:
        return cut
    cut = middle
    while cut < end and rank[edges[cut] - 1] == rank[edges[cut]]:
        cut += 1
    return middle if cut == end else cut


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _reach(
    seen: _Distribution, certain: cython.Py_ssize_t, i: cython.longlong, tail: cython.double[::1],
    effort: cython.double[::1],
) -> cython.int:  # fmt: skip
    """Add P(F_i >= r), and the effort that its growth at rank i is worth."""
    r: cython.Py_ssize_t = certain + seen.low
    s: cython.Py_ssize_t
    reached: cython.double = 0.0
    # The first r ideals are certainly seen.
    while r > 0 and tail[r] < 1.0:
        effort[r - 1] += cython.cast(cython.double, r) / i * (1.0 - tail[r])
        tail[r] = 1.0
        r -= 1
    for s in range(seen.high, seen.low, -1):
        reached += seen.values[s]
        r = s + certain
        effort[r - 1] += cython.cast(cython.double, r) / i * (reached - tail[r])
        tail[r] = reached
    return 0


def sums(
    t: cython.Py_ssize_t,
    o: cython.longlong,
    rank: cython.const[cython.longlong][::1],
    which: cython.const[cython.longlong][::1],
    before: cython.const[cython.double][::1],
    after: cython.const[cython.double][::1],
    edges: cython.const[cython.longlong][::1],
    exact: cython.bint,
):
    """Return the columns of `trix.eval.measures.elements.discovery.PrumSums`.

    Parameters
    ----------
    t, o
        Number of ideals and of ranks.
    rank, which, before, after : (n,) ndarray
        Changes, by rank: at `rank`, P(x in S) of ideal `which` goes from `before` to `after`.
    edges : ndarray
        Where the leaves of the recursion begin, and n at the end: single changes, or (exact) all changes of a rank.
    exact
        See `trix.eval.measures.elements.discovery.discovery`.
    """
    columns = np.zeros(t), np.zeros(t), np.zeros(t), np.zeros(t + 1)
    news: cython.double[::1] = columns[0]
    consulted: cython.double[::1] = columns[1]
    effort: cython.double[::1] = columns[2]
    final: cython.double[::1] = columns[3]
    tail: cython.double[::1] = np.zeros(t + 1)
    p: cython.double[::1] = np.zeros(t)
    mark: cython.longlong[::1] = np.full(t, -1, np.int64)
    miss: cython.double[::1] = np.zeros(t + 2)
    seen: _Distribution = _Distribution(np.zeros(t + 2))
    unseen: _Distribution = _Distribution(np.zeros(t + 2))
    n: cython.Py_ssize_t = rank.shape[0]
    # Two cuts halve a node; within a rank one does.
    depths: cython.Py_ssize_t = 4 + 3 * cython.cast(cython.Py_ssize_t, ceil(log2(edges.shape[0] + 1)))
    nodes: list = [_Distribution(row) for row in np.zeros((depths, t + 2))]
    # Of the node at each depth: its first edge and its end, how many halves were entered, ideals that are surely seen.
    firsts: cython.longlong[::1] = np.zeros(depths, np.int64)
    ends: cython.longlong[::1] = np.zeros(depths, np.int64)
    halves: cython.longlong[::1] = np.zeros(depths, np.int64)
    certains: cython.longlong[::1] = np.zeros(depths, np.int64)
    node: _Distribution
    half: _Distribution
    depth: cython.Py_ssize_t
    first: cython.Py_ssize_t
    end: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    here: cython.Py_ssize_t
    here_end: cython.Py_ssize_t
    there: cython.Py_ssize_t
    there_end: cython.Py_ssize_t
    certain: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    c: cython.Py_ssize_t
    s: cython.Py_ssize_t
    x: cython.Py_ssize_t
    i: cython.longlong
    last: cython.longlong = 0
    stamp: cython.longlong = -1
    grown: cython.double
    closes: cython.bint
    node = nodes[0]
    node.reset()
    ends[0] = edges.shape[0] - 1
    depth = 0 if n else -1
    while depth >= 0:
        first, end = firsts[depth], ends[depth]
        node = nodes[depth]
        certain = certains[depth]
        if end - first > 1:
            # Enter the first half, then the second; afterwards go up.
            if halves[depth] == 2:
                depth -= 1
                continue
            middle = _cut(first, end, edges, rank)
            here, here_end, there, there_end = first, middle, middle, end
            if halves[depth] == 1:
                here, here_end, there, there_end = middle, end, first, middle
            halves[depth] += 1
            depth += 1
            half = nodes[depth]
            # Multiply in the ideals that change in the other half alone. A stamp marks those that change in this half:
            # no set has to be cleared.
            with cython.nogil:
                stamp += 1
                for c in range(edges[here], edges[here_end]):
                    mark[which[c]] = stamp
                _copy(half, node)
                for c in range(edges[there], edges[there_end]):
                    x = which[c]
                    if mark[x] != stamp:
                        mark[x] = stamp
                        if p[x] == 1.0:
                            certain += 1
                        elif p[x] > 0.0:
                            half.multiply(p[x], 1.0 - p[x])
            firsts[depth], ends[depth], halves[depth], certains[depth] = here, here_end, 0, certain
            continue
        depth -= 1
        start, stop = edges[first], edges[end]
        i = rank[start]
        with cython.nogil:
            if start == 0 or rank[start - 1] != i:
                # A leaf: `node` is the product over all ideals that do not change here.
                # A new rank begins: the distribution down to the rank before it, with all changes so far.
                _copy(seen, node)
                for c in range(start, stop):
                    if before[c] > 0.0:
                        seen.multiply(before[c], 1.0 - before[c])
                if last:
                    _reach(seen, certain, last, tail, effort)
                for s in range(seen.low, min(seen.high, t - 1 - certain) + 1):
                    consulted[s + certain] += (i - last) * seen.values[s]
                last = i
                for s in range(seen.low, seen.high + 1):
                    miss[s] = 1.0
            closes = stop == n or rank[stop] != i
            if exact:
                for s in range(seen.low, seen.high + 1):
                    unseen.values[s] = 0.0
                _copy(unseen, node)
                for c in range(start, stop):
                    unseen.multiply(before[c], 1.0 - after[c])
                for s in range(seen.low, min(seen.high, t - 1 - certain) + 1):
                    news[s + certain] += seen.values[s] - unseen.values[s]
            else:
                # Discoveries of different ideals are independent: the chance of none is a product.
                grown = after[start] - before[start]
                for s in range(max(seen.low, node.low), min(seen.high, node.high) + 1):
                    miss[s] *= 1.0 - min(grown * node.values[s] / seen.values[s], 1.0)
                if closes:
                    for s in range(seen.low, min(seen.high, t - 1 - certain) + 1):
                        news[s + certain] += seen.values[s] * (1.0 - miss[s])
            if closes:
                c = stop - 1
                while c >= 0 and rank[c] == i:
                    p[which[c]] = after[c]
                    c -= 1
    # The distribution at the last rank.
    certain = 0
    with cython.nogil:
        seen.reset()
        for x in range(t):
            if p[x] == 1.0:
                certain += 1
            elif p[x] > 0.0:
                seen.multiply(p[x], 1.0 - p[x])
        if last:
            _reach(seen, certain, last, tail, effort)
        for s in range(seen.low, seen.high + 1):
            final[s + certain] = seen.values[s]
        for s in range(t):
            consulted[s] += (o - last) * final[s]
    return columns
