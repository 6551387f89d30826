"""Pruned top-k search: the k best elements of a query of words, without scoring most of the documents that match.

The algorithm is block-max pruning with a document as block.

1. *Gather*: one pass over the document lists of the terms finds the matching documents. It sums, for each, the
   maximum impacts of its terms on its root and on any other element (Ding & Suel 2011; there blocks are runs of
   postings, here a block is a document, so blocks have different sizes as in Mallia et al. 2017).
2. *Bound*: these sums give an upper bound of what any element of a document scores in its context.
3. *Best first*: documents leave a heap in the order of their bounds, as in block-max pruning (BMP, Mallia, Suel &
   Tonellotto 2024) and anytime ranking (Mackenzie, Petri & Moffat 2022). The search ends when no bound reaches the
   k-th best rank key.
4. *Look inside*: for a document with many postings, bounds over ranges of postings show whether the postings lie close
   enough together. If not, the document is skipped without being scored.
5. *Score*: the postings of a batch of documents are lifted to their elements. Elements are weighed by the model's
   formula, put in context and filtered, and the best of them enter a heap.

Forms of context may add to a score: for query words in one sentence, in the titles above, or side by side. The most
that a document can gain is what its words give if all of them stand together. An element gains at most what the words
of its best content element give. So positions are read last, and only for elements that would be results if these
words stood in one sentence.

Terms with a minus only lower scores. Bounds leave them out (they add at most 0), and they make neither documents nor
elements candidates; where another term makes an element a candidate, they count. Boolean clauses and filters are
tested after scoring. They change no score and no bound, only the selection of results: see `Demands`.

Rank keys are scores times 10^12, rounded: scores that differ by less are ties, and the earlier element comes first.
Bounds hold for rank keys: the largest rounding error of a score is added to a bound before it is rounded.

The arrays come from files. A number that is used as an index is checked once before it is followed.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import log1p, rint, sqrt
    from cython.cimports.trix.core.steps import damaged as _damaged
    from cython.cimports.trix.core.steps import in_time
else:
    from math import log1p, sqrt

    from trix.core.steps import damaged as _damaged
    from trix.core.steps import in_time

    def rint(number):
        return float(np.rint(number))


_INFINITY = cython.declare(cython.double, float("inf"))
_LAST = cython.declare(cython.int, 2147483647)
"""More than any number of a content element."""

Number = cython.fused_type(cython.int, cython.longlong)
"""32 or 64 bits."""

# Models, see `trix.query.topk.weighing.KINDS`.
TRIX2005 = cython.declare(cython.int, 0)
BM25 = cython.declare(cython.int, 1)

# Forms of context that add what words give, see `trix.query.topk.additions`.
SENTENCE = cython.declare(cython.int, 0)
TITLES = cython.declare(cython.int, 1)
PAIRS = cython.declare(cython.int, 2)

# Ranked units: elements; documents by the score of their root without context, or by their best result.
ELEMENTS = cython.declare(cython.int, 0)
BY_ROOT = cython.declare(cython.int, 1)

# Operators of a condition, see `trix.query.topk.wanted`; numbers from 0 on are keys.
NOT = cython.declare(cython.longlong, -1)
AND = cython.declare(cython.longlong, -2)
OR = cython.declare(cython.longlong, -3)

_EVERY = cython.declare(cython.Py_ssize_t, 8)
"""Documents between two entry points into the postings, as in `trix.indexer.store.inverted.by_document`."""
_STEPS = cython.declare(cython.double, 127.0)
"""Denominator of a reach: a reach of 127 stands for kf."""
_GROUPS = cython.declare(cython.Py_ssize_t, 16)
"""Largest number of groups of postings of a document, see `_may_reach`."""
_BUCKETS = cython.declare(cython.Py_ssize_t, 256)
"""Steps into which bounds are cut to find the first documents."""
_MANY = cython.declare(cython.longlong, 8)
"""Smallest number of postings of a document for which the bounds of `_may_reach` pay."""
_ONE_ELEMENT = cython.declare(cython.longlong, 1 << 32)
"""Increment of xi_k in a packed count: kf is in the lower 32 bits, xi_k in the upper ones."""
_LOWER = cython.declare(cython.longlong, (1 << 32) - 1)
"""The lower half of a number."""
_MOST_TOGETHER = cython.declare(cython.longlong, 1 << 16)
"""Largest number of postings to which batches grow."""
_LARGE = cython.declare(cython.Py_ssize_t, 1 << 20)
"""Entries of a working array that is not kept from one query to the next."""


# -- formulas and bounds ----------------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _trix2005(
    kf: cython.double,
    xi_c: cython.double,
    xi_k: cython.double,
    idf: cython.double,
    v: cython.double,
    b: cython.double,
) -> cython.double:
    """Weight of a term in an element that holds it: kf / (kf + v((1-b) + b xi_c/xi_k)) idf."""
    length: cython.double = xi_c / max(xi_k, 1.0)
    return kf / (kf + v * ((1.0 - b) + b * length)) * idf


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _bound_trix2005(
    kf: cython.double, y: cython.double, x: cython.double, v: cython.double, b: cython.double
) -> cython.double:
    """Upper bound of a term's weight, without idf, in elements with xi_c / xi_k of at least x / y.

    It is the formula for kf occurrences, with both sides of the fraction multiplied by y to save a division.
    """
    counted: cython.double = kf * y
    return counted / (counted + v * ((1.0 - b) * y + b * x))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _bm25(
    kf: cython.double,
    dl: cython.double,
    avgdl: cython.double,
    idf: cython.double,
    k1: cython.double,
    B: cython.double,
) -> cython.double:
    """Weight of a term in an element of dl keys. It falls with dl, so the least dl gives an upper bound."""
    return kf * (k1 + 1.0) / (kf + k1 * (1.0 - B + B * dl / avgdl)) * idf


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _preferred(weight: cython.double, own: cython.bint, r: cython.double) -> cython.double:
    """Favour an element with the exact spelling over one with its stem alone, see `trix.query.term_weights`."""
    return (weight + (2.0 * r if own else 0.0)) / 3.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _in_context(
    root: cython.double,
    rest: cython.double,
    around_root: cython.double,
    around_rest: cython.double,
    least: cython.double,
    most_of: cython.double,
    stays: cython.bint,
    own: cython.bint,
    factor: cython.double,
) -> cython.double:
    """Upper bound of the contextualised score of any element of a document.

    `root` and `rest` bound the own scores of the root and of any other element; `around_root` and `around_rest` bound
    what they contribute as context. The root's share of the mean lies between `least` and `most_of`.
    """
    others: cython.double = max(rest, around_rest) if own else around_rest
    highest: cython.double = others
    if most_of > 0.0:
        highest = others + max(least * (around_root - others), most_of * (around_root - others))
    if not own:
        highest = rest + factor * max(highest, 0.0)
    elif stays:
        highest = max(highest, rest)
    return max(root, highest)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _seek(numbers: cython.const[Number][::1], at: cython.Py_ssize_t, least: cython.longlong) -> cython.Py_ssize_t:
    """Index of the first of ascending numbers that is at least `least`, by galloping from `at` (Bentley & Yao 1976)."""
    size: cython.Py_ssize_t = numbers.shape[0]
    low: cython.Py_ssize_t = at
    high: cython.Py_ssize_t = at
    step: cython.Py_ssize_t = 1
    middle: cython.Py_ssize_t
    if at > 0 and numbers[at - 1] >= least:  # it lies before
        while low > 0 and numbers[low - 1] >= least:
            high = low - 1
            low = max(low - step, 0)
            step *= 2
    else:
        while high < size and numbers[high] < least:
            low = high + 1
            high = min(high + step, size)
            step *= 2
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1.0, check=True)
def _weight_of(mask: cython.ulonglong, weights: cython.const[cython.double][::1]) -> cython.double:
    """Sum the weights of the words in a bit mask, in word order, so that it rounds as `trix.core.match` does."""
    total: cython.double = 0.0
    word: cython.Py_ssize_t = 0
    while mask:
        if mask & 1:
            total += weights[word]
        mask >>= 1
        word += 1
    return total


# -- what a query is made of ------------------------------------------------------------------------------------------


def _check_arrays(*arrays):
    """Refuse None, which a typed attribute would accept and a loop would read."""
    if any(each is None for each in arrays):
        raise TypeError("expected an array, found None")


@cython.final
@cython.cclass
class CachedPostings:
    """Document lists and coded postings of cached terms, see `trix.query.term_cache.lists.ListColumns`.

    Lists are checked when they enter the cache: documents ascend and exist, each has postings, and these begin inside
    the coded bytes. The bytes themselves are checked when they are decoded.
    """

    coded: cython.const[cython.uchar][::1]
    rows: cython.const[cython.int][:, ::1]
    entries: cython.const[cython.longlong][:, ::1]
    inside: cython.longlong[::1]

    def __init__(self, coded, rows, entries, inside):
        _check_arrays(coded, rows, entries, inside)
        self.coded, self.rows, self.entries, self.inside = coded, rows, entries, inside
        if self.rows.shape[1] != 4 or self.entries.shape[1] != 2 or self.inside.shape[0] != self.rows.shape[0]:
            raise ValueError("columns of a cache of terms have other shapes")
        if self.entries.shape[0] * _EVERY < self.rows.shape[0]:
            raise ValueError("columns of a cache of terms have other shapes")


@cython.final
@cython.cclass
class DocumentColumns:
    """Columns by document: first element, first content element, number of content elements, maximum depth, block.

    The block is that of the element table in which the document lies.
    """

    first_elements: cython.const[cython.longlong][::1]
    first_contents: cython.const[cython.longlong][::1]
    contents: cython.const[cython.longlong][::1]
    deepest: cython.const[cython.uchar][::1]
    block_of: cython.const[cython.longlong][::1]

    def __init__(self, first_elements, first_contents, contents, deepest, block_of):
        _check_arrays(deepest)
        self.first_elements = np.ascontiguousarray(first_elements, np.int64)
        self.first_contents = np.ascontiguousarray(first_contents, np.int64)
        self.contents = np.ascontiguousarray(contents, np.int64)
        self.deepest = deepest
        self.block_of = np.ascontiguousarray(block_of, np.int64)
        n = self.first_elements.shape[0]
        for size in (
            self.first_contents.shape[0],
            self.contents.shape[0],
            self.deepest.shape[0],
            self.block_of.shape[0],
        ):
            if size != n:
                raise ValueError("columns of documents have different sizes")


@cython.final
@cython.cclass
class ElementTable:
    """Columns of the element table, see `trix.indexer.store.elements.Elements`.

    Parameters
    ----------
    content_rows, rows
        The table's columns.
    running, length
        Running sums of keys, and characters of elements; empty if the query needs neither.
    is_there : tuple of (n_blocks,) ndarrays of bool
        For each needed column, the blocks that are decompressed. Other threads may add blocks.
    """

    content_rows: cython.const[cython.int][:, ::1]
    rows: cython.const[cython.int][:, ::1]
    running: cython.const[cython.int][:, ::1]
    length: cython.const[cython.int][::1]
    structured: cython.const[cython.uchar][::1]
    summed: cython.const[cython.uchar][::1]
    printable: cython.const[cython.uchar][::1]

    def __init__(self, content_rows, rows, running, length, is_there):
        _check_arrays(content_rows, rows, running, length)
        self.content_rows, self.rows, self.running, self.length = content_rows, rows, running, length
        structured, summed, printable = is_there
        self.structured = structured.view(np.uint8)
        self.summed = summed.view(np.uint8)
        self.printable = printable.view(np.uint8)
        if self.content_rows.shape[1] != 3 or self.rows.shape[1] != 4 or self.running.shape[1] != 2:
            raise ValueError("columns of the element table have other shapes")
        if self.length.shape[0] not in (0, self.rows.shape[0]):
            raise ValueError("columns of the element table have different sizes")

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def has(self, block: cython.Py_ssize_t) -> cython.int:
        """Whether all needed columns of a block are decompressed."""
        return (
            self.structured[block]
            and (self.running.shape[0] == 0 or self.summed[block])
            and (self.length.shape[0] == 0 or self.printable[block])
        )

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def is_summed(self, block: cython.Py_ssize_t) -> cython.int:
        """Whether the sums of keys of a block are decompressed."""
        return self.summed[block]


@cython.final
@cython.cclass
class CompiledModel:
    """A scoring model's parameters and the numbers of one query.

    Parameters
    ----------
    kind, letters, tables, divisor, unit, logs_of
        See `trix.query.topk.weighing.Weighing.numbers`.
    idf, r
        Inverse frequency by key; spelling preference r by term, see `trix.query.term_weights`.

    Attributes
    ----------
    unit
        Units in which an occurrence is counted: 1 if places have no weights.
    has_logs
        Whether logarithms are looked up by counts. Otherwise ``logs`` has a factor by key, bounds use the compiled
        logarithm, and scores use those that ``logs_of`` returns.
    """

    kind: cython.int
    v: cython.double
    b: cython.double
    share: cython.double
    k1: cython.double
    B: cython.double
    avgdl: cython.double
    divisor: cython.double
    unit: cython.double
    logs: cython.const[cython.double][::1]
    starts: cython.const[cython.longlong][::1]
    lengths: cython.const[cython.double][::1]
    idf: cython.const[cython.double][::1]
    r: cython.const[cython.double][::1]
    has_logs: cython.bint
    logs_of = cython.declare(object)

    def __init__(self, kind, letters, tables, divisor, unit, logs_of, idf, r):
        _check_arrays(*tables, idf, r)
        self.kind, self.divisor, self.unit, self.logs_of = kind, divisor, unit, logs_of
        self.v, self.b, self.share, self.k1, self.B, self.avgdl = letters
        self.logs, self.starts, self.lengths = tables
        self.idf, self.r = idf, r
        self.has_logs = logs_of is None
        if self.kind > BM25 and (self.starts.shape[0] if self.has_logs else self.logs.shape[0]) < self.idf.shape[0]:
            raise ValueError("a key has no logarithms")

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1.0, check=True)
    def of_lengths(self, t: cython.Py_ssize_t, kf: cython.longlong, dl: cython.longlong) -> cython.double:
        """Weight of a key in an element of dl keys under a model that reads lengths, or an upper bound of it."""
        counted: cython.double = cython.cast(cython.double, kf) / self.unit
        if self.kind == BM25:
            return _bm25(counted, cython.cast(cython.double, dl), self.avgdl, self.idf[t], self.k1, self.B)
        if self.has_logs:
            return max(self.logs[self.starts[t] + kf] + self.lengths[dl], 0.0)
        # Logarithms of different libraries differ in the last bits.
        return max(log1p(counted * self.logs[t]) * (1.0 + 1e-12) + self.lengths[dl], 0.0)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)  # arithmetic alone
    def signed(self, weight: cython.double, sign: cython.longlong) -> cython.double:
        """Apply a term's prefix to its weight."""
        if sign == 0:
            return weight
        if sign < 0:
            return -weight
        return sqrt(weight) if self.kind == TRIX2005 else weight * 2.0


@cython.final
@cython.cclass
class Terms:
    """Terms that are weighed together: those of the query, or the word pairs of a form of context.

    Parameters
    ----------
    key_of, sign, own_of, weight
        By term: its key, its prefix (1, 0 or -1), the key of its exact spelling (-1: none), its weight.
    keys
        Number of keys.
    """

    key_of: cython.const[cython.longlong][::1]
    sign: cython.const[cython.longlong][::1]
    own_of: cython.const[cython.longlong][::1]
    weight: cython.const[cython.double][::1]
    size: cython.Py_ssize_t

    def __init__(self, key_of, sign, own_of, weight, keys: cython.Py_ssize_t):
        term: cython.Py_ssize_t
        _check_arrays(key_of, sign, own_of, weight)
        self.key_of, self.sign, self.own_of, self.weight = key_of, sign, own_of, weight
        self.size = self.key_of.shape[0]
        if not self.size == self.sign.shape[0] == self.own_of.shape[0] == self.weight.shape[0]:
            raise ValueError("columns of terms have different sizes")
        for term in range(self.size):
            if not (0 <= self.key_of[term] < keys and -1 <= self.own_of[term] < keys):
                raise ValueError("a term has no key")


@cython.final
@cython.cclass
class CompiledQuery:
    """Terms of a query and the rows of their document lists.

    Parameters
    ----------
    whole, real
        See `trix.query.topk.weighing.query_numbers`.
    models
        `Weighing.numbers` of the model and of the model of the context.
    implied : sequence of int
        Keys of word pairs. Elements with such a pair always have a query term without a minus, too.
    content_weight : (n_contents,) ndarray of int32
        Weight of an occurrence by content element, in units; empty if all weigh the same.
    heaviest
        The largest of these weights, 1 if all weigh the same.

    Attributes
    ----------
    spans
        By key, the first row of its list and the row after the last; bytes, which are not used here.
    main
        The terms.
    holds
        By key, whether a term without a minus has it: its holders are candidates.
    holds_all
        Whether all keys have one.
    model, around
        The model, and the model of the context.
    """

    spans: cython.const[cython.longlong][:, ::1]
    main: Terms
    holds: cython.uchar[::1]
    holds_all: cython.bint
    keys: cython.Py_ssize_t
    model: CompiledModel
    around: CompiledModel
    content_weight: cython.const[cython.int][::1]
    heaviest: cython.longlong

    def __init__(self, whole, real, models, implied, content_weight, heaviest):
        keys: cython.Py_ssize_t = whole[0]
        ends: cython.Py_ssize_t = 1 + 4 * keys
        key: cython.Py_ssize_t
        terms: cython.Py_ssize_t = (whole.size - ends) // 3
        term: cython.Py_ssize_t
        self.keys = keys
        self.spans = whole[1:ends].reshape(keys, 4)
        self.main = Terms(
            whole[ends : ends + terms], whole[ends + terms : ends + 2 * terms], whole[ends + 2 * terms :],
            real[:terms], keys,
        )  # fmt: skip
        _check_arrays(content_weight)
        self.content_weight, self.heaviest = content_weight, heaviest
        idf = real[3 * terms : 3 * terms + keys]
        self.model = CompiledModel(*models[0], idf, real[terms : 2 * terms])
        self.around = self.model
        if models[1] is not models[0] or real[terms : 2 * terms].any():
            self.around = CompiledModel(*models[1], real[3 * terms + keys :], real[2 * terms : 3 * terms])
        if real.size != 3 * terms + 2 * keys:
            raise ValueError("real: expected three numbers of each term, and two of each key")
        self.holds = np.zeros(keys, np.uint8)
        for term in range(terms):
            if self.main.sign[term] >= 0:
                self.holds[self.main.key_of[term]] = 1
                if self.main.own_of[term] >= 0:  # holders of this spelling hold the term
                    self.holds[self.main.own_of[term]] = 1
        for key in implied:
            self.holds[key] = 1
        self.holds_all = bool(np.asarray(self.holds).all())


@cython.final
@cython.cclass
class Demands:
    """Boolean clauses and filters: conditions on elements beside the terms that are scored.

    Parameters
    ----------
    keys
        Number of keys of the query.
    groups : (n, keys) ndarray of bool
        A candidate holds all keys of at least one group. No groups: no such condition.
    program : ndarray of int64
        Condition on returned candidates in postfix order: numbers of keys, which are true for elements that hold them,
        `NOT`, `AND` and `OR`; empty for none.
    admits : callable or None
        Receives ascending candidate numbers and returns those that may be returned.
    """

    groups: cython.const[cython.uchar][:, ::1]
    program: cython.const[cython.longlong][::1]
    stack: cython.uchar[::1]
    admits = cython.declare(object, visibility="readonly")
    selects: cython.bint

    def __init__(self, keys: cython.Py_ssize_t, groups, program, admits):
        depth: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        _check_arrays(program)
        self.groups, self.program, self.admits = groups.view(np.uint8), program, admits
        self.selects = self.program.shape[0] > 0 or admits is not None
        self.stack = np.zeros(self.program.shape[0] + 1, np.uint8)
        if self.groups.shape[0] and self.groups.shape[1] != keys:
            raise ValueError("groups: expected a flag for each key")
        for at in range(self.program.shape[0]):  # so that it can run without checks
            if not OR <= self.program[at] < keys:
                raise ValueError("program: there is no such key")
            depth += 1 if self.program[at] >= 0 else 0 if self.program[at] == NOT else -1
            if depth < 1:
                raise ValueError("program: an operator lacks what it joins")
        if self.program.shape[0] and depth != 1:
            raise ValueError("program: expected one condition")

    # Safe without checks: the program was run once on depths alone; rows are as long as there are keys.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(check=False)
    def holds(self, counts: cython.const[cython.longlong][:, ::1], i: cython.Py_ssize_t) -> cython.bint:
        """Evaluate the program for an element, given its counts by key."""
        depth: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        step: cython.longlong
        for at in range(self.program.shape[0]):
            step = self.program[at]
            if step >= 0:
                self.stack[depth] = counts[i, step] > 0
                depth += 1
            elif step == NOT:
                self.stack[depth - 1] = not self.stack[depth - 1]
            else:
                depth -= 1
                if step == AND:
                    self.stack[depth - 1] = self.stack[depth - 1] and self.stack[depth]
                else:
                    self.stack[depth - 1] = self.stack[depth - 1] or self.stack[depth]
        return self.stack[0] != 0

    # Safe without checks: as in `holds`; `places` has a number for each document and key.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(check=False)
    def may_hold(self, places: cython.const[cython.int][::1], first: cython.Py_ssize_t) -> cython.bint:
        """Whether any element of a document may meet the demands, given the keys of the whole document.

        NOT is true here: an element may lack any key that its document has.
        """
        depth: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        t: cython.Py_ssize_t
        step: cython.longlong
        found: cython.bint = self.groups.shape[0] == 0
        for at in range(self.groups.shape[0]):
            if found:
                break
            found = True
            for t in range(self.groups.shape[1]):
                if self.groups[at, t] and places[first + t] < 0:
                    found = False
                    break
        if not found or self.program.shape[0] == 0:
            return found
        for at in range(self.program.shape[0]):
            step = self.program[at]
            if step >= 0:
                self.stack[depth] = places[first + step] >= 0
                depth += 1
            elif step == NOT:
                self.stack[depth - 1] = 1
            else:
                depth -= 1
                if step == AND:
                    self.stack[depth - 1] = self.stack[depth - 1] and self.stack[depth]
                else:
                    self.stack[depth - 1] = self.stack[depth - 1] or self.stack[depth]
        return self.stack[0] != 0


@cython.final
@cython.cclass
class PathContext:
    """Context along the path to the root, or none.

    Parameters
    ----------
    numbers
        Sums, head, tail, middle, shared, tail_wins, own and factor, see `path_scores`. Empty sums: no context.
    apart
        Whether context has a scoring model of its own.
    roots_only
        Whether the root is the only ancestor that counts.
    bound
        See `trix.query.context.path_weights.shares_of_root`: least and greatest share of the root by depth, whether a
        score may stay as it is, whether the element is in the mean, the factor of the mean.
    """

    sums: cython.const[cython.double][::1]
    head: cython.const[cython.double][::1]
    tail: cython.const[cython.double][::1]
    middle: cython.double
    shared: cython.bint
    tail_wins: cython.bint
    own: cython.bint
    factor: cython.double
    apart: cython.bint
    roots_only: cython.bint
    least: cython.const[cython.double][::1]
    most_of: cython.const[cython.double][::1]
    stays: cython.const[cython.uchar][::1]
    bound_own: cython.bint
    bound_factor: cython.double

    def __init__(self, numbers, apart, roots_only, bound):
        _check_arrays(*numbers[:3], *bound[:2])
        self.sums, self.head, self.tail = numbers[0], numbers[1], numbers[2]
        self.middle, self.shared, self.tail_wins, self.own, self.factor = numbers[3:]
        self.apart, self.roots_only = apart, roots_only
        self.least, self.most_of, self.stays = bound[0], bound[1], bound[2].view(np.uint8)
        self.bound_own, self.bound_factor = bound[3:]
        if not 0 < self.least.shape[0] == self.most_of.shape[0] == self.stays.shape[0]:
            raise ValueError("shares of the root have different sizes")


@cython.final
@cython.cclass
class CompiledForm:
    """A form of context that adds to scores: f times a share of the query's words, or f times a score of word pairs.

    Parameters
    ----------
    kind
        `SENTENCE`, `TITLES` or `PAIRS`.
    f
        The factor, 0 or more.
    weights, everything
        For shares: the weight of each query word, in order, and their sum.
    titles : tuple of ndarrays
        For titles: the columns of `trix.query.matching.section_titles.SectionTitles`.
    documents : tuple of ndarrays
        For titles: by word, the documents with a title that holds it.
    terms, model
        For pairs: the pairs and their model.
    own
        For titles: whether an element's own titles count like those above it.
    """

    kind: cython.int
    f: cython.double
    weights: cython.const[cython.double][::1]
    everything: cython.double
    title_begin: cython.const[cython.int][::1]
    title_end: cython.const[cython.int][::1]
    title: cython.const[cython.int][::1]
    above: cython.const[cython.int][::1]
    child: cython.const[cython.int][::1]
    documents = cython.declare(object)
    terms: Terms
    model: CompiledModel
    own: cython.bint

    def __init__(self, kind, f, weights, everything, titles, documents, terms, model, own=False):
        _check_arrays(weights, *titles)
        self.kind, self.f, self.weights, self.everything, self.own = kind, f, weights, everything, own
        self.title_begin, self.title_end, self.title, self.above, self.child = (
            np.ascontiguousarray(column, np.int32) for column in titles
        )
        self.terms, self.documents = terms, documents
        if model is not None:
            self.model = CompiledModel(*model)
        if self.kind == PAIRS and (terms is None or model is None):
            raise ValueError("expected pairs and their model")
        if self.kind != PAIRS and not self.everything > 0.0:
            raise ValueError("expected words that count for something")
        if self.title_begin.shape[0] != self.title_end.shape[0]:
            raise ValueError("columns of titles have different sizes")
        if not self.title.shape[0] == self.above.shape[0] == self.child.shape[0]:
            raise ValueError("columns of titles have different sizes")


@cython.final
@cython.cclass
class Additions:
    """The additive forms of context, in order, and the query words that they use.

    Parameters
    ----------
    forms : list of CompiledForm word_key : (n_words,) ndarray of int64
        Key of each word; at most 64 words.
    sentences
        Callable: word number to its ascending sentences, in content elements with several. The upper half of a number
        is the content element, the lower half the sentence in it.
    counts
        Callable: content elements to their rows in `trix.query.matching.query_words.SentenceStarts`.
    """

    forms = cython.declare(object)
    size: cython.Py_ssize_t
    words: cython.Py_ssize_t
    word_key: cython.const[cython.longlong][::1]
    has_sentences: cython.bint
    has_words: cython.bint
    sentences = cython.declare(object)
    counts = cython.declare(object)

    def __init__(self, forms, word_key, sentences, counts):
        _check_arrays(word_key)
        self.forms, self.word_key, self.sentences, self.counts = forms, word_key, sentences, counts
        self.size, self.words = len(forms), self.word_key.shape[0]
        self.has_sentences = self.has_words = False
        one: CompiledForm
        for one in forms:
            self.has_sentences = self.has_sentences or one.kind == SENTENCE
            self.has_words = self.has_words or one.kind != PAIRS
            if one.kind != PAIRS and one.weights.shape[0] != self.words:
                raise ValueError("expected a weight of each word")
        if self.words > 64:
            raise ValueError("expected 64 words at the most")


@cython.final
@cython.cclass
class CompiledSelection:
    """Which scored elements are returned.

    Parameters
    ----------
    overlap
        Whether results may overlap.
    most
        Results of one document in the head; 0 for no limit, and no head.
    limit
        Results of one document in all; 0 for no limit.
    documents
        Ranked units: `ELEMENTS`, documents `BY_ROOT`, or documents by their best result.
    returnable
        Whether non-returnable parts are left out; the elements that begin such a part and those that end one,
        ascending; the bounds of returned sizes, in characters.
    """

    overlap: cython.bint
    most: cython.int
    limit: cython.Py_ssize_t
    documents: cython.int
    filtered: cython.bint
    begins: cython.const[cython.int][::1]
    ends: cython.const[cython.int][::1]
    low: cython.double
    high: cython.double

    def __init__(self, overlap, most, limit, documents, returnable):
        self.overlap, self.most, self.limit, self.documents = overlap, most, limit, documents
        self.filtered, begins, ends, self.low, self.high = returnable
        self.begins, self.ends = np.ascontiguousarray(begins, np.int32), np.ascontiguousarray(ends, np.int32)


# -- the best results -------------------------------------------------------------------------------------------------


@cython.final
@cython.cclass
class _Heap:
    """The best results so far: a binary heap in a structure of arrays, with the worst result on top.

    The order is by rank key, descending; ties go to the earlier element.
    """

    size: cython.Py_ssize_t
    room: cython.Py_ssize_t
    keys: cython.double[::1]
    elements: cython.longlong[::1]
    scores: cython.double[::1]
    own: cython.double[::1]

    def __init__(self, room: cython.Py_ssize_t):
        self.size, self.room = 0, room
        self.keys, self.elements = np.empty(room), np.empty(room, np.int64)
        self.scores, self.own = np.empty(room), np.empty(room)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.boundscheck(False)  # the first of a full heap, which has room for one
    @cython.exceptval(check=False)
    def takes(self, key: cython.double, element: cython.longlong) -> cython.bint:
        """Whether an element would enter the heap: there is room, or it beats the worst result."""
        if self.size < self.room:
            return True
        if self.room == 0:
            return False
        return key > self.keys[0] or (key == self.keys[0] and element < self.elements[0])

    # Safe without checks: places are below `size`, which is at most the room of the arrays.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def put(self, key: cython.double, element: cython.longlong, score: cython.double, own: cython.double) -> cython.int:
        """Insert an element that `takes` accepts, in place of the worst if the heap is full."""
        at: cython.Py_ssize_t
        above: cython.Py_ssize_t
        if self.size == self.room:
            self.sink(self.size, key, element, score, own)
            return 0
        # Sift up: better results than the new one move down.
        at = self.size
        while at > 0:
            above = (at - 1) >> 1
            if self.keys[above] < key or (self.keys[above] == key and self.elements[above] > element):
                break
            self.keys[at], self.elements[at] = self.keys[above], self.elements[above]
            self.scores[at], self.own[at] = self.scores[above], self.own[above]
            at = above
        self.keys[at], self.elements[at], self.scores[at], self.own[at] = key, element, score, own
        self.size += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)  # as in `put`
    @cython.exceptval(check=False)
    def sink(
        self,
        size: cython.Py_ssize_t,
        key: cython.double,
        element: cython.longlong,
        score: cython.double,
        own: cython.double,
    ) -> cython.void:
        """Replace the top of a heap of `size` results and restore the heap order."""
        at: cython.Py_ssize_t = 0
        below: cython.Py_ssize_t
        other: cython.Py_ssize_t
        while True:
            below = 2 * at + 1
            if below >= size:
                break
            other = below + 1
            if other < size and (
                self.keys[other] < self.keys[below]
                or (self.keys[other] == self.keys[below] and self.elements[other] > self.elements[below])
            ):
                below = other
            if key < self.keys[below] or (key == self.keys[below] and element > self.elements[below]):
                break
            self.keys[at], self.elements[at] = self.keys[below], self.elements[below]
            self.scores[at], self.own[at] = self.scores[below], self.own[below]
            at = below
        self.keys[at], self.elements[at], self.scores[at], self.own[at] = key, element, score, own

    def in_order(self):
        """Sort in place and return elements, scores and scores without context, best first. The heap order is lost."""
        last: cython.Py_ssize_t
        key: cython.double
        element: cython.longlong
        score: cython.double
        own: cython.double
        for last in range(self.size - 1, 0, -1):
            key, element, score, own = self.keys[last], self.elements[last], self.scores[last], self.own[last]
            self.keys[last], self.elements[last] = self.keys[0], self.elements[0]
            self.scores[last], self.own[last] = self.scores[0], self.own[0]
            self.sink(last, key, element, score, own)
        elements = np.asarray(self.elements)[: self.size].astype(np.int32)
        return elements, np.asarray(self.scores)[: self.size].copy(), np.asarray(self.own)[: self.size].copy()


# -- the search -------------------------------------------------------------------------------------------------------


@cython.final
@cython.cclass
class Search:
    """Searcher of one index with reusable working arrays. Each thread needs one of its own.

    Parameters
    ----------
    documents
        Columns by document.
    """

    # What a query is about.
    documents: DocumentColumns
    postings: CachedPostings
    query: CompiledQuery
    context: PathContext
    additions: Additions
    form: CompiledForm
    n_forms: cython.Py_ssize_t
    table: ElementTable
    selection: CompiledSelection
    demands: Demands
    impacts: cython.const[cython.float][:, ::1]
    admitted: cython.const[cython.uchar][::1]
    factors: cython.double[:, ::1]
    rounding: cython.double
    slack: cython.double
    deadline: cython.double
    results: _Heap
    head: _Heap
    matched: cython.longlong
    returnable: cython.longlong
    last_key: cython.double
    last_element: cython.longlong
    skipped = cython.declare(cython.longlong, visibility="readonly")
    # Documents that hold any term: of each its postings, its row in the list of each key (-1: it is not there), the
    # most that its root and any other element can have by themselves and as context, and that forms can add to any; its
    # bound as a rank key.
    slot: cython.int[::1]
    found: cython.int[::1]
    held: cython.longlong[::1]
    places: cython.int[::1]
    root: cython.double[::1]
    rest: cython.double[::1]
    around_root: cython.double[::1]
    keys_of_root: cython.longlong[::1]
    around_rest: cython.double[::1]
    extra: cython.double[::1]
    key: cython.double[::1]
    queue: cython.int[::1]
    buckets: cython.longlong[::1]
    n: cython.Py_ssize_t
    waiting: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    # The documents that are scored together, and their postings: those of key t in document c begin at
    # ``starts[c * (keys + 1) + t]``.
    chosen: cython.int[::1]
    starts: cython.longlong[::1]
    contents: cython.int[::1]
    tf: cython.int[::1]
    begins: cython.longlong[:, ::1]
    count: cython.Py_ssize_t
    size: cython.Py_ssize_t
    # Groups of the postings of one document.
    kf_until: cython.longlong[:, ::1]
    xi_until: cython.longlong[:, ::1]
    first: cython.longlong[::1]
    last: cython.longlong[::1]
    shortest: cython.longlong[::1]
    cursor: cython.longlong[::1]
    ranges: cython.longlong[:, ::1]
    # The elements that hold postings.
    merged: cython.int[::1]
    place: cython.int[::1]
    rows_of: cython.int[:, ::1]
    final: cython.int[::1]
    merged_size: cython.Py_ssize_t
    opened: cython.Py_ssize_t
    touched: cython.int
    open_element: cython.int[::1]
    open_place: cython.int[::1]
    path: cython.int[::1]
    element: cython.int[::1]
    parent: cython.int[::1]
    depth: cython.int[::1]
    xi_c: cython.int[::1]
    dl: cython.longlong[::1]
    counts: cython.longlong[:, ::1]
    s: cython.double[::1]
    around: cython.double[::1]
    scores: cython.double[::1]
    path_of: cython.double[::1]
    prefix: cython.double[::1]
    keep: cython.uchar[::1]
    lowest: cython.uchar[::1]
    missing: cython.double[::1]
    rank_key: cython.double[::1]
    sort_key: cython.double[::1]
    order: cython.int[::1]
    other_order: cython.int[::1]
    marks: cython.uchar[::1]
    # What forms add: of each merged content element which words it holds, and from where to where its sentences have
    # slots (-1: it has none), in which the words of each are noted; of each form what it adds to each element, or the
    # most of it; of each element which words the titles above it hold, and on the way to that those of the titles in
    # it, of those in any of its children, and in two of them; where its nearest candidate stands; whether it has to be
    # known exactly.
    word_mask: cython.ulonglong[::1]
    slot_of: cython.int[::1]
    slot_end: cython.int[::1]
    added: cython.double[:, ::1]
    upper: cython.double[::1]
    titles_here: cython.ulonglong[::1]
    titles_once: cython.ulonglong[::1]
    titles_twice: cython.ulonglong[::1]
    titles_above: cython.ulonglong[::1]
    moved: cython.int[::1]
    needed: cython.uchar[::1]
    slots: cython.ulonglong[::1]
    is_bounded: cython.bint

    def __init__(self, documents: DocumentColumns):
        self.documents = documents
        self.slot = np.zeros(documents.first_elements.shape[0], np.int32)
        self.buckets = np.zeros(_BUCKETS, np.int64)
        self.first, self.last, self.shortest = (np.empty(_GROUPS, np.int64) for _ in range(3))
        self.ranges = np.empty((8 * _GROUPS, 4), np.int64)
        self.open_element, self.open_place = np.empty(257, np.int32), np.empty(257, np.int32)
        self.path, self.path_of, self.prefix = np.empty(257, np.int32), np.zeros(257), np.zeros(258)
        self.results, self.head = _Heap(10), _Heap(0)
        self.n_forms = 0
        self.kf_until = np.zeros((_GROUPS + 1, 0), np.int64)
        self._forget(True)

    def first_results(
        self, postings: CachedPostings, impacts: cython.const[cython.float][:, ::1], query: CompiledQuery,
        context: PathContext, additions: Additions, table: ElementTable, selection: CompiledSelection,
        demands: Demands, admitted, rooms,
        few: cython.longlong, together: cython.longlong, roundings, deadline: cython.double,
    ):  # fmt: skip
        """Score documents until no other document can have one of the first results.

        If a needed block of the element table is not decompressed, no results are returned.

        Parameters
        ----------
        postings, impacts
            Lists of the terms, and the maximum impacts of their rows; empty if these are not cached.
        query, context, additions, table, selection
            The compiled query, its contexts, the element table, and the selection of results.
        demands
            Boolean clauses and filters.
        admitted : (n_documents,) ndarray of bool or None
            Documents that may have results; None for all.
        rooms
            Number of results, and of results in the head.
        few, together
            With at most `few` postings, all documents are scored. `together` is the least number of postings scored in
            a batch; four times as many if `demands` has a callable, since each call is costly.
        roundings
            Rounding error of scores: a relative and an absolute one.
        deadline
            Deadline of the work, see `trix.support.deadline`; infinity: never checked.

        Returns
        -------
        missing : ndarray
            Documents whose blocks have to be decompressed first; empty if there are results.
        results : tuple of ndarrays
            Elements, scores, and scores without context, best first.
        counts : tuple
            Number of scored candidates that meet all demands, number of returnable ones, whether these are all.

        Raises
        ------
        IndexError
            The index is damaged.
        TooLongError
            The deadline has passed.
        """
        self.postings, self.impacts, self.query, self.context = postings, impacts, query, context
        self.table, self.selection, self.deadline = table, selection, deadline
        self.rounding, self.slack = roundings
        self.demands, self.additions = demands, additions
        # Roots that are ranked by their own scores have no context.
        self.n_forms = 0 if selection.documents == BY_ROOT else additions.size
        self.admitted = np.zeros(0, np.uint8) if admitted is None else admitted.view(np.uint8)
        if admitted is not None and self.admitted.shape[0] != self.slot.shape[0]:
            raise ValueError("admitted: expected one of each document")
        self.results = self.results if self.results.room == rooms[0] else _Heap(rooms[0])
        self.head = self.head if self.head.room == rooms[1] else _Heap(rooms[1])
        self.results.size = self.head.size = 0
        self.matched = self.returnable = self.skipped = 0
        everything: cython.bint = False
        complete: cython.bint = False
        try:
            self._prepare()
            with cython.nogil:
                self._hold()
                everything = self._order(few)
                if everything:
                    together = few + 1
                complete = self._search(everything, together)
            chosen = np.asarray(self.chosen)[: self.count].copy()
        finally:
            self._clear()
        if not complete:
            return chosen, (), (0, 0, False)
        is_all = everything or self.results.size < self.results.room
        results = self.results.in_order()
        if self.head.room:
            results = followed(self.head.in_order(), results)
        return chosen[:0], results, (self.matched, self.returnable, is_all)

    # -- working arrays --

    @cython.cfunc
    @cython.exceptval(-1)
    def _prepare(self) -> cython.int:
        """Allocate the columns by document."""
        keys: cython.Py_ssize_t = self.query.keys
        most: cython.Py_ssize_t = 0
        t: cython.Py_ssize_t
        term: cython.Py_ssize_t
        model: CompiledModel = self.query.model
        terms: Terms = self.query.main
        for term in range(self.additions.words):
            if not 0 <= self.additions.word_key[term] < keys:
                raise ValueError("a word has no key")
        for t in range(keys):
            if not 0 <= self.query.spans[t, 0] <= self.query.spans[t, 1] <= self.postings.rows.shape[0]:
                raise ValueError("spans: a list lies outside of the cache")
            if self.query.holds[t]:
                most += self.query.spans[t, 1] - self.query.spans[t, 0]
        if self.impacts.shape[0] and self.impacts.shape[1] != 2:
            raise ValueError("impacts: expected two of each row")
        most = min(most, self.slot.shape[0])
        if most > self.found.shape[0]:
            room = max(most, 2 * self.found.shape[0])
            self.found, self.queue = np.empty(room, np.int32), np.empty(room, np.int32)
            self.held, self.key = np.empty(room, np.int64), np.empty(room)
            self.root, self.rest, self.around_root, self.around_rest, self.extra = (np.empty(room) for _ in range(5))
            self.keys_of_root = np.empty(room, np.int64)
        if self.places.shape[0] < most * keys:
            self.places = np.empty(max(most * keys, 2 * self.places.shape[0]), np.int32)
        if self.kf_until.shape[1] != keys:
            self.kf_until = np.zeros((_GROUPS + 1, keys), np.int64)
            self.xi_until = np.zeros((_GROUPS + 1, keys), np.int64)
            self.cursor, self.begins = np.empty(keys, np.int64), np.empty((keys, 3), np.int64)
            self.factors = np.zeros((keys, 2))
            self.counts = np.empty((self.element.shape[0], keys), np.int64)
        # What the impacts of each key are multiplied by, and the square roots of these.
        for t in range(keys):
            self.factors[t, 0] = self.factors[t, 1] = 0.0
        if self.impacts.shape[0]:
            for term in range(terms.size):
                t = terms.key_of[term]
                if terms.sign[term] < 0:
                    continue
                if terms.sign[term]:
                    self.factors[t, 1] += terms.weight[term] * sqrt(model.idf[t]) / model.divisor
                else:
                    self.factors[t, 0] += terms.weight[term] * model.idf[t] / model.divisor
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _clear(self) -> cython.int:
        """Release the query, and working arrays that are too large to keep."""
        i: cython.Py_ssize_t
        for i in range(self.n):  # nothing but what an error left
            self.slot[self.found[i]] = 0
        self.n = 0
        self.postings = self.query = self.table = self.demands = self.additions = self.form = None
        self._forget(False)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _forget(self, every: cython.bint) -> cython.int:
        """Replace working arrays by small ones: those that have become too large, or all of them."""
        if every or self.found.shape[0] > _LARGE:
            self.found, self.queue, self.held = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64)
            self.key, self.root, self.rest = np.empty(0), np.empty(0), np.empty(0)
            self.around_root, self.around_rest, self.extra = np.empty(0), np.empty(0), np.empty(0)
            self.keys_of_root = np.empty(0, np.int64)
        if every or self.places.shape[0] > 4 * _LARGE:
            self.places = np.empty(0, np.int32)
        if every or self.contents.shape[0] > _LARGE:
            self.contents, self.tf, self.place = (np.empty(1024, np.int32) for _ in range(3))
            self.merged, self.final, self.rows_of = (
                np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty((1024, 4), np.int32),
            )  # fmt: skip
        if every or self.chosen.shape[0] > _LARGE:
            self.chosen, self.starts = np.empty(64, np.int32), np.empty(0, np.int64)
        if every or self.element.shape[0] > _LARGE:
            self._element_room(4096)
        if every or self.word_mask.shape[0] > _LARGE:
            self.word_mask, self.slots = np.empty(0, np.uint64), np.empty(0, np.uint64)
            self.slot_of, self.slot_end = np.empty(0, np.int32), np.empty(0, np.int32)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _element_room(self, room: cython.Py_ssize_t) -> cython.int:
        self.element, self.parent, self.depth, self.xi_c = (np.empty(room, np.int32) for _ in range(4))
        self.order, self.other_order, self.dl = (
            np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64),
        )  # fmt: skip
        self.s, self.around, self.scores = (np.empty(room) for _ in range(3))
        self.missing, self.rank_key, self.sort_key = (np.empty(room) for _ in range(3))
        self.keep, self.lowest, self.marks = (np.empty(room, np.uint8) for _ in range(3))
        self.counts = np.empty((room, self.kf_until.shape[1]), np.int64)
        self.added, self.upper = np.empty((0, room)), np.empty(0)  # made where forms ask for them
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _word_room(self) -> cython.int:
        """Allocate what additive forms need for the elements of the batch."""
        room: cython.Py_ssize_t = self.element.shape[0]
        if self.word_mask.shape[0] < self.merged_size:
            with cython.gil:
                size = self.place.shape[0]
                self.word_mask = np.empty(size, np.uint64)
                self.slot_of, self.slot_end = np.empty(size, np.int32), np.empty(size, np.int32)
        if self.added.shape[0] < self.n_forms or self.upper.shape[0] < room:
            with cython.gil:
                self.added, self.upper = np.empty((self.n_forms, room)), np.empty(room)
                self.titles_here, self.titles_once, self.titles_twice, self.titles_above = (
                    np.empty(room, np.uint64) for _ in range(4)
                )
                self.moved, self.needed = np.empty(room, np.int32), np.empty(room, np.uint8)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _take_form(self, k: cython.Py_ssize_t) -> cython.int:
        """Make form k the current one."""
        with cython.gil:
            self.form = self.additions.forms[k]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _posting_room(self, size: cython.Py_ssize_t) -> cython.int:
        """Grow the arrays of postings to `size`, keeping their content."""
        if size <= self.contents.shape[0]:
            return 0
        with cython.gil:
            room = 2 * size
            for name in ("contents", "tf"):
                longer = np.empty(room, np.int32)
                if name == "contents":
                    longer[: self.size] = np.asarray(self.contents)[: self.size]
                    self.contents = longer
                else:
                    longer[: self.size] = np.asarray(self.tf)[: self.size]
                    self.tf = longer
            self.place, self.merged, self.final = (np.empty(room, np.int32) for _ in range(3))
            self.rows_of = np.empty((room, 4), np.int32)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _document_room(self) -> cython.int:
        """Grow the arrays of the batch by one document."""
        width: cython.Py_ssize_t = self.query.keys + 1
        if self.count < self.chosen.shape[0] and (self.count + 1) * width <= self.starts.shape[0]:
            return 0
        with cython.gil:
            room = max(2 * self.count, 64)
            chosen, starts = np.empty(room, np.int32), np.empty(room * width, np.int64)
            chosen[: self.count] = np.asarray(self.chosen)[: self.count]
            starts[: self.count * width] = np.asarray(self.starts)[: self.count * width]
            self.chosen, self.starts = chosen, starts
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _in_time(self) -> cython.int:
        """Raise `TooLongError` if the deadline has passed."""
        if self.deadline < _INFINITY:
            in_time()
        return 0

    # -- hold and bound --

    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _hold(self) -> cython.int:
        """Gather the admitted documents that hold a term, and sum their maximum impacts.

        Afterwards ``slot[d]`` is the position of document d among them, counted from 1; 0 for others.

        Safe without bounds checks: spans lie inside the cache (see `_prepare`), and documents are compared with the
        size of the index before they are looked up. No document is entered twice, so there is room for all.
        """
        rows: cython.const[cython.int][:, ::1] = self.postings.rows
        impacts: cython.const[cython.float][:, ::1] = self.impacts
        slot: cython.int[::1] = self.slot
        places: cython.int[::1] = self.places
        held: cython.longlong[::1] = self.held
        root: cython.double[::1] = self.root
        rest: cython.double[::1] = self.rest
        keys: cython.Py_ssize_t = self.query.keys
        has_impacts: cython.bint = impacts.shape[0] > 0
        holds: cython.bint
        turn: cython.Py_ssize_t
        all_admitted: cython.bint = self.admitted.shape[0] == 0
        n: cython.Py_ssize_t = 0
        t: cython.Py_ssize_t
        k: cython.Py_ssize_t
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        d: cython.Py_ssize_t
        once: cython.double
        rooted: cython.double
        here: cython.double
        whole: cython.double
        # The keys that hold documents come first; the others are looked up in these documents.
        for turn in range(2 * keys):
            t = turn if turn < keys else turn - keys
            holds = turn < keys
            if holds != (self.query.holds[t] != 0):
                continue
            once, rooted = self.factors[t, 0], self.factors[t, 1]
            if has_impacts and self.query.spans[t, 1] > impacts.shape[0]:
                return _damaged()
            for row in range(self.query.spans[t, 0], self.query.spans[t, 1]):
                d = rows[row, 0]
                if not 0 <= d < slot.shape[0]:
                    return _damaged()
                at = slot[d] - 1
                if at < 0:
                    if not holds or not (all_admitted or self.admitted[d]):
                        continue
                    at = n
                    n += 1
                    slot[d] = cython.cast(cython.int, n)
                    self.n = n
                    self.found[at], held[at] = cython.cast(cython.int, d), 0
                    root[at] = rest[at] = 0.0
                    for k in range(keys):
                        places[at * keys + k] = -1
                places[at * keys + t] = cython.cast(cython.int, row)
                held[at] += rows[row, 1]
                if has_impacts and holds:
                    here, whole = impacts[row, 0], impacts[row, 1]
                    rest[at] += here * once
                    root[at] += whole * once
                    if rooted != 0.0:
                        rest[at] += sqrt(here) * rooted
                        root[at] += sqrt(whole) * rooted
            self._in_time()
        if self.demands.groups.shape[0] or self.demands.program.shape[0]:
            self._drop()
        return 0

    # Safe without checks: places before `n` are filled, and kept results move only towards the front.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _drop(self) -> cython.int:
        """Drop documents in which no element can meet the demands."""
        keys: cython.Py_ssize_t = self.query.keys
        kept: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(self.n):
            if not self.demands.may_hold(self.places, i * keys):
                self.slot[self.found[i]] = 0
                continue
            self.slot[self.found[i]] = cython.cast(cython.int, kept + 1)
            self.found[kept], self.held[kept] = self.found[i], self.held[i]
            self.root[kept], self.rest[kept] = self.root[i], self.rest[i]
            for k in range(keys):
                self.places[kept * keys + k] = self.places[i * keys + k]
            kept += 1
        self.n = kept
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _order(self, few: cython.longlong) -> cython.int:
        """Compute upper bounds of documents and queue them; return whether few enough match to score them all."""
        i: cython.Py_ssize_t
        reached: cython.longlong = 0
        for i in range(self.n):
            reached += self.held[i]
        if reached <= few:
            for i in range(self.n):
                self.key[i] = _INFINITY
        else:
            self._bound()
        for i in range(self.n):
            self.slot[self.found[i]] = 0
        self._enqueue(4 * self.results.room + 64)
        return reached <= few

    # Safe without checks: there is room for all documents that `_hold` found; depths are cut to the table.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _bound(self) -> cython.int:
        """Compute the largest rank key that each document can reach, or its root alone without context."""
        i: cython.Py_ssize_t
        d: cython.Py_ssize_t
        to: cython.Py_ssize_t
        highest: cython.double
        around_root: cython.double
        around_rest: cython.double
        apart: cython.bint = self.context.apart
        by_impacts: cython.bint = self.impacts.shape[0] > 0
        by_root: cython.bint = self.selection.documents == BY_ROOT
        last: cython.Py_ssize_t = self.context.least.shape[0] - 1
        if apart or not by_impacts or self.n_forms:
            self._measure_roots()
        if self.n_forms:
            self._bound_additions()
        if not by_impacts:
            self._add_bounds(self.query.main, self.query.model, self.root, self.rest)
        if apart:
            for i in range(self.n):
                self.around_root[i] = self.around_rest[i] = 0.0
            self._add_bounds(self.query.main, self.query.around, self.around_root, self.around_rest)
        for i in range(self.n):
            d = self.found[i]
            to = min(cython.cast(cython.Py_ssize_t, self.documents.deepest[d]), last)
            around_root = self.around_root[i] if apart else self.root[i]
            around_rest = self.around_rest[i] if apart else self.rest[i]
            if self.context.roots_only and self.context.bound_own:
                around_rest = self.rest[i]
            if by_root:
                highest = self.root[i]
            else:
                highest = _in_context(
                    self.root[i], self.rest[i], around_root, around_rest,
                    self.context.least[to], self.context.most_of[to], self.context.stays[to],
                    self.context.bound_own, self.context.bound_factor,
                )  # fmt: skip
                if self.n_forms:
                    highest += self.extra[i]
            self.key[i] = rint((highest * (1.0 + self.rounding) + self.slack) * 1e12)
        return 0

    # Safe without checks: there is room for all documents that `_hold` found; `table.has` says which content elements
    # are known.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _measure_roots(self) -> cython.int:
        """Look up the number of keys of each root; 0 if its block is not decompressed.

        One pass for all terms: each look-up reads another place of the table.
        """
        running: cython.const[cython.int][:, ::1] = self.table.running
        i: cython.Py_ssize_t
        d: cython.Py_ssize_t
        first: cython.Py_ssize_t
        for i in range(self.n):
            d = self.found[i]
            self.keys_of_root[i] = 0
            if running.shape[0] and self.documents.contents[d] and self.table.has(self.documents.block_of[d]):
                first = self.documents.first_contents[d]
                self.keys_of_root[i] = running[first + self.documents.contents[d] - 1, 1] - running[first, 0]
        return 0

    # Safe without checks: rows of cached lists are documents of the index; there is room for all documents that `_hold`
    # found; keys of terms are below `keys`, see `Terms`; where logarithms are looked up, counts are compared.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _add_bounds(
        self, terms: Terms, model: CompiledModel, root: cython.double[::1], rest: cython.double[::1]
    ) -> cython.int:
        """Add the upper bounds of own scores: of the root of each document, and of any other element.

        The loop goes list by list, since the rows of a list are contiguous.
        """
        term: cython.Py_ssize_t
        t: cython.Py_ssize_t
        own_key: cython.Py_ssize_t
        row: cython.Py_ssize_t
        i: cython.Py_ssize_t
        d: cython.Py_ssize_t
        n: cython.longlong
        dl: cython.longlong
        least: cython.longlong
        counted: cython.double
        most: cython.double
        whole: cython.double
        times: cython.double
        sign: cython.longlong
        has_own: cython.bint
        longest: cython.longlong = model.lengths.shape[0] - 1
        looked_up: cython.bint = model.kind > BM25 and model.has_logs
        logs: cython.const[cython.double][::1] = model.logs
        lengths: cython.const[cython.double][::1] = model.lengths
        begin: cython.longlong = 0
        heaviest: cython.longlong = self.query.heaviest
        for term in range(terms.size):
            t, times, sign = terms.key_of[term], terms.weight[term], terms.sign[term]
            own_key = terms.own_of[term]
            if looked_up:
                begin = model.starts[t]
            if sign < 0:  # where an element lacks the term, nothing is taken away
                continue
            for row in range(self.query.spans[t, 0], self.query.spans[t, 1]):
                d = self.postings.rows[row, 0]
                i = self.slot[d] - 1
                if i < 0:
                    continue
                n = self.postings.rows[row, 3]
                if model.kind == TRIX2005:
                    counted = cython.cast(cython.double, n) / model.unit
                    most = _bound_trix2005(counted, self.postings.rows[row, 2], _STEPS, model.v, model.share)
                    whole = _bound_trix2005(
                        counted, self.postings.rows[row, 1],
                        cython.cast(cython.double, self.documents.contents[d]), model.v, model.b,
                    )  # fmt: skip
                    most, whole = most * model.idf[t], whole * model.idf[t]
                else:
                    # An element has no fewer keys than occurrences; the root as many as are known.
                    least = n if heaviest == 1 else n // heaviest
                    dl = max(least, self.keys_of_root[i])
                    if looked_up:
                        if begin + n >= logs.shape[0] or n < 0:
                            return _damaged()
                        most = max(logs[begin + n] + lengths[min(least, longest)], 0.0)
                        whole = max(logs[begin + n] + lengths[min(dl, longest)], 0.0)
                    elif model.kind == BM25:
                        counted = cython.cast(cython.double, n) / model.unit
                        most = _bm25(
                            counted, cython.cast(cython.double, least), model.avgdl, model.idf[t], model.k1, model.B
                        )
                        whole = _bm25(
                            counted, cython.cast(cython.double, dl), model.avgdl, model.idf[t], model.k1, model.B
                        )
                    else:
                        most = model.of_lengths(t, n, min(least, longest))
                        whole = model.of_lengths(t, n, min(dl, longest))
                if model.r[term] > 0.0:
                    has_own = own_key >= 0 and self.places[i * self.query.keys + own_key] >= 0
                    most, whole = _preferred(most, has_own, model.r[term]), _preferred(whole, has_own, model.r[term])
                rest[i] += model.signed(most, sign) * times
                root[i] += model.signed(whole, sign) * times
            self._in_time()
        for i in range(self.n):
            root[i], rest[i] = root[i] / model.divisor, rest[i] / model.divisor
        return 0

    # Safe without checks: there is room for all documents that `_hold` found; `_prepare` has compared keys of words.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _bound_additions(self) -> cython.int:
        """Compute the most that additive forms can give an element of each document: the gain of all its words and
        pairs.
        """
        keys: cython.Py_ssize_t = self.query.keys
        words: cython.Py_ssize_t = self.additions.words
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        w: cython.Py_ssize_t
        p: cython.Py_ssize_t
        held: cython.double
        titled: cython.const[cython.int][::1]
        for i in range(self.n):
            self.extra[i] = 0.0
        for k in range(self.n_forms):
            self._take_form(k)
            if self.form.kind == PAIRS:
                for i in range(self.n):
                    self.around_root[i] = self.around_rest[i] = 0.0
                self._add_bounds(self.form.terms, self.form.model, self.around_root, self.around_rest)
                for i in range(self.n):
                    self.extra[i] += self.form.f * max(self.around_root[i], self.around_rest[i])
                continue
            if self.form.kind == TITLES:
                for w in range(words):
                    with cython.gil:
                        titled = self.form.documents[w]
                    held = self.form.f * (self.form.weights[w] / self.form.everything)
                    for p in range(titled.shape[0]):
                        if not 0 <= titled[p] < self.slot.shape[0]:
                            return _damaged()
                        i = self.slot[titled[p]] - 1
                        if i >= 0:
                            self.extra[i] += held
                continue
            for i in range(self.n):
                held = 0.0
                for w in range(words):
                    if self.places[i * keys + self.additions.word_key[w]] >= 0:
                        held += self.form.weights[w]
                self.extra[i] += self.form.f * (held / self.form.everything)
        return 0

    # -- best first --

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _enqueue(self, many: cython.Py_ssize_t) -> cython.int:
        """Queue all documents: a heap of somewhat more than `many` of the best bounds; the others lie after it.

        Few documents are popped as a rule, so only the best are heapified. A histogram of the bounds gives the least
        bound of these. The others enter when the heap is empty.
        """
        n: cython.Py_ssize_t = self.n
        i: cython.Py_ssize_t
        cut: cython.Py_ssize_t = 0
        above: cython.longlong
        end: cython.Py_ssize_t = n
        highest: cython.double = 0.0
        by: cython.double = 0.0
        for i in range(n):
            highest = max(highest, self.key[i])
        if n > 2 * many and 0.0 < highest < _INFINITY:
            by = (_BUCKETS - 1) / highest
            for i in range(_BUCKETS):
                self.buckets[i] = 0
            for i in range(n):
                self.buckets[cython.cast(cython.Py_ssize_t, max(self.key[i], 0.0) * by)] += 1
            cut, above = _BUCKETS - 1, self.buckets[_BUCKETS - 1]
            while above < many:
                cut -= 1
                above += self.buckets[cut]
        self.waiting = 0
        for i in range(n):
            if cut == 0 or cython.cast(cython.Py_ssize_t, max(self.key[i], 0.0) * by) >= cut:
                self.queue[self.waiting] = cython.cast(cython.int, i)
                self.waiting += 1
            else:
                end -= 1
                self.queue[end] = cython.cast(cython.int, i)
        self.behind = n - self.waiting
        return self._heapify()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _refill(self, last_key: cython.double) -> cython.int:
        """Heapify those of the other documents whose bounds reach a rank key."""
        at: cython.Py_ssize_t
        i: cython.int
        for at in range(self.n - self.behind, self.n):
            i = self.queue[at]
            if self.key[i] >= last_key:
                self.queue[self.waiting] = i
                self.waiting += 1
        self.behind = 0
        return self._heapify()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _heapify(self) -> cython.int:
        at: cython.Py_ssize_t
        for at in range(self.waiting // 2 - 1, -1, -1):
            self._sink(at)
        return 0

    # Safe without checks: places are below `waiting`, and the queue holds numbers below n.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(check=False)
    def _sink(self, at: cython.Py_ssize_t) -> cython.void:
        """Move a document down until none below it has a higher bound; ties are in document order."""
        document: cython.int = self.queue[at]
        below: cython.Py_ssize_t
        while True:
            below = 2 * at + 1
            if below >= self.waiting:
                break
            if below + 1 < self.waiting and self._goes_first(self.queue[below + 1], self.queue[below]):
                below += 1
            if self._goes_first(document, self.queue[below]):
                break
            self.queue[at] = self.queue[below]
            at = below
        self.queue[at] = document

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.boundscheck(False)  # as in `_sink`
    @cython.exceptval(check=False)
    def _goes_first(self, one: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        return self.key[one] > self.key[other] or (
            self.key[one] == self.key[other] and self.found[one] < self.found[other]
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _set_threshold(self) -> cython.int:
        """Set the rank key and element that a new result must beat: the last of all results, or of the head.

        If only the head is wanted, its last result is no better than the last of all.
        """
        self.last_key, self.last_element = -_INFINITY, 0
        if self.results.size == self.results.room and self.results.room:  # none of an index without elements
            self.last_key, self.last_element = self.results.keys[0], self.results.elements[0]
        if self.head.room == 0:
            return 0
        if self.head.size < self.head.room:
            self.last_key, self.last_element = -_INFINITY, 0
        elif self.head.keys[0] < self.last_key or (
            self.head.keys[0] == self.last_key and self.head.elements[0] > self.last_element
        ):
            self.last_key, self.last_element = self.head.keys[0], self.head.elements[0]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _search(self, everything: cython.bint, together: cython.longlong) -> cython.int:
        """Pop documents and score them in batches until no bound reaches the threshold.

        Returns 0 if blocks of the element table are missing; the batch then lists their documents.
        """
        best: cython.Py_ssize_t
        d: cython.Py_ssize_t
        c: cython.Py_ssize_t
        turns: cython.longlong = 0
        while True:
            self._set_threshold()
            self.count = self.size = 0
            while self.size < together:
                if self.waiting == 0:
                    if self.behind == 0:
                        break
                    self._refill(self.last_key)
                    continue
                best = self.queue[0]
                d = self.found[best]
                # All documents that wait have bounds no greater, or come after: once one has no result, none has.
                if self.key[best] < self.last_key or (
                    self.key[best] == self.last_key and self.documents.first_elements[d] > self.last_element
                ):
                    self.waiting = self.behind = 0
                    break
                self.waiting -= 1
                self.queue[0] = self.queue[self.waiting]
                self._sink(0)
                self._document_room()
                self._posting_room(self.size + self.held[best])
                c = self.size
                self._read_document(best)
                if (
                    not everything
                    and self.held[best] >= _MANY
                    and self.last_key > 0.0
                    and self.selection.documents != BY_ROOT
                    and not self._may_reach(best)
                ):
                    self.size = c  # skipped: its postings are overwritten by the next
                    self.skipped += 1
                    continue
                self.chosen[self.count] = cython.cast(cython.int, d)
                self.count += 1
            if self.count == 0:
                return 1
            if self.demands.admits is None:
                together = max(together // 4, min(together, 256))
            else:
                together = min(4 * together, max(together, _MOST_TOGETHER))
            for c in range(self.count):
                if not self.table.has(self.documents.block_of[self.chosen[c]]):
                    return 0
            self._score()
            turns += 1
            if turns & 15 == 0:
                self._in_time()

    # Safe without checks except on read bytes: ``starts`` and the postings have room, see `_document_room` and
    # `_posting_room`; ``places`` are rows of the cache; where bytes are read, that is compared with their number.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _read_document(self, best: cython.Py_ssize_t) -> cython.int:
        """Decode the postings of a document, list after list, after those of the batch so far."""
        coded: cython.const[cython.uchar][::1] = self.postings.coded
        rows: cython.const[cython.int][:, ::1] = self.postings.rows
        contents: cython.int[::1] = self.contents
        tf: cython.int[::1] = self.tf
        begins: cython.longlong[:, ::1] = self.begins
        weight: cython.const[cython.int][::1] = self.query.content_weight
        weighted: cython.bint = weight.shape[0] > 0
        keys: cython.Py_ssize_t = self.query.keys
        base: cython.Py_ssize_t = self.count * (keys + 1)
        end: cython.Py_ssize_t = coded.shape[0]
        size: cython.Py_ssize_t = self.size
        t: cython.Py_ssize_t
        k: cython.Py_ssize_t
        row: cython.Py_ssize_t
        entered: cython.Py_ssize_t
        at: cython.Py_ssize_t
        byte: cython.longlong
        value: cython.longlong
        more: cython.longlong
        last: cython.longlong
        inside: cython.longlong
        shift: cython.int
        # Where the postings begin is looked up for all lists before any is read: the lists lie far apart, so
        # fetching them together hides the latency of memory.
        for t in range(keys):
            row = self.places[best * keys + t]
            if row >= 0:
                entered = row - (row & (_EVERY - 1))
                if row > entered and self.postings.inside[row] == 0:
                    self._look_inside(entered, row)
                inside = self.postings.inside[row] if row > entered else 0
                at = self.postings.entries[entered >> 3, 0] + (inside >> 32)
                begins[t, 0], begins[t, 1] = at, self.postings.entries[entered >> 3, 1] + (inside & _LOWER)
                if not 0 <= at < end:
                    return _damaged()
                begins[t, 2] = coded[at]
        self.starts[base] = size
        for t in range(keys):
            row = self.places[best * keys + t]
            if row >= 0:
                at, last = begins[t, 0], begins[t, 1]
                for k in range(rows[row, 1]):
                    if at >= end:
                        return _damaged()
                    byte = cython.cast(cython.longlong, coded[at])
                    at += 1
                    value = byte & 127
                    shift = 0
                    while byte > 127:
                        shift += 7
                        if at >= end or shift > 56:
                            return _damaged()
                        byte = cython.cast(cython.longlong, coded[at])
                        at += 1
                        value |= (byte & 127) << shift
                    more = 1
                    if value & 1:  # the count follows
                        if at >= end:
                            return _damaged()
                        byte = cython.cast(cython.longlong, coded[at])
                        at += 1
                        more = byte & 127
                        shift = 0
                        while byte > 127:
                            shift += 7
                            if at >= end or shift > 56:
                                return _damaged()
                            byte = cython.cast(cython.longlong, coded[at])
                            at += 1
                            more |= (byte & 127) << shift
                        more += 2
                    last += value >> 1
                    if weighted:
                        if not 0 <= last < weight.shape[0] or more * weight[last] > _LAST:
                            return _damaged()
                        more *= weight[last]
                    contents[size], tf[size] = cython.cast(cython.int, last), cython.cast(cython.int, more)
                    size += 1
            self.starts[base + t + 1] = size
        self.size = size
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _look_inside(self, entered: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.int:
        """Record where the postings of the rows after a group's first begin, up to one row.

        Each entry packs two numbers into one 64-bit word: bytes and content elements after those of the first row.
        Other threads that read the same cache see both or neither, so no lock is needed.
        """
        coded: cython.const[cython.uchar][::1] = self.postings.coded
        first: cython.Py_ssize_t = self.postings.entries[entered >> 3, 0]
        at: cython.Py_ssize_t = first
        passed: cython.longlong = 0
        other: cython.Py_ssize_t
        k: cython.Py_ssize_t
        byte: cython.longlong
        value: cython.longlong
        shift: cython.int
        for other in range(entered, row):
            for k in range(self.postings.rows[other, 1]):
                byte = cython.cast(cython.longlong, coded[at])
                at += 1
                value = byte & 127
                shift = 0
                while byte > 127:
                    shift += 7
                    if shift > 56:
                        return _damaged()
                    byte = cython.cast(cython.longlong, coded[at])
                    at += 1
                    value |= (byte & 127) << shift
                if value & 1:
                    while coded[at] > 127:
                        at += 1
                    at += 1
                passed += value >> 1
            if passed > _LOWER or at - first > _LAST:
                return _damaged()
            self.postings.inside[other + 1] = (cython.cast(cython.longlong, at - first) << 32) | passed
        return 0

    # -- look closer --

    # Safe without checks: the document is one that `_hold` found; depths are cut to the table; a pair of ranges is
    # halved at most eight times and leaves two others waiting each time, for which there is room.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _may_reach(self, best: cython.Py_ssize_t) -> cython.int:
        """Whether any element of a document can reach the threshold, bounded over ranges of its postings.

        Postings are cut into groups, in order. The postings of an element lie in a range of groups. So it has at most
        the occurrences in that range, and at least the text between the range's ends. Ranges are bounded jointly:
        those that begin in groups p and end in groups q. A pair below the threshold is discarded; any other is halved,
        down to single ranges.
        """
        d: cython.Py_ssize_t = self.found[best]
        to: cython.Py_ssize_t = min(
            cython.cast(cython.Py_ssize_t, self.documents.deepest[d]), self.context.least.shape[0] - 1
        )
        has_sums: cython.bint = (
            self.table.running.shape[0] > 0 and self.table.is_summed(self.documents.block_of[d]) != 0
        )
        root: cython.double = self.root[best]
        around_root: cython.double = self.around_root[best] if self.context.apart else root
        around_rest: cython.double = self.around_rest[best] if self.context.apart else 0.0
        groups: cython.Py_ssize_t = self._group(has_sums)
        waiting: cython.Py_ssize_t = 1
        p: cython.longlong
        p_last: cython.longlong
        q: cython.longlong
        q_last: cython.longlong
        low: cython.longlong
        high_q: cython.longlong
        total: cython.double
        others: cython.double
        high: cython.double
        self.ranges[0, 0], self.ranges[0, 1], self.ranges[0, 2], self.ranges[0, 3] = 0, groups - 1, 0, groups - 1
        while waiting:
            waiting -= 1
            p, p_last = self.ranges[waiting, 0], self.ranges[waiting, 1]
            q, q_last = self.ranges[waiting, 2], self.ranges[waiting, 3]
            total = self._bound_range(p, p_last, q, q_last, has_sums)
            others = around_rest
            if (self.context.roots_only and self.context.bound_own) or not self.context.apart:
                others = total
            high = _in_context(
                root, total, around_root, others,
                self.context.least[to], self.context.most_of[to], self.context.stays[to],
                self.context.bound_own, self.context.bound_factor,
            )  # fmt: skip
            if self.n_forms:
                high += self.extra[best]
            if rint((high * (1.0 + self.rounding) + self.slack) * 1e12) < self.last_key:
                continue
            if p == p_last and q == q_last:
                return 1
            low, high_q = (p + p_last) >> 1, (q + q_last) >> 1
            if p == q and p_last == q_last:
                # The same groups twice: both in the first half, both in the second, or from the one to the other.
                self._wait(waiting, p, low, p, low)
                self._wait(waiting + 1, low + 1, p_last, low + 1, p_last)
                self._wait(waiting + 2, p, low, low + 1, p_last)
                waiting += 3
            elif p_last - p >= q_last - q:
                self._wait(waiting, p, low, q, q_last)
                self._wait(waiting + 1, low + 1, p_last, q, q_last)
                waiting += 2
            else:
                self._wait(waiting, p, p_last, q, high_q)
                self._wait(waiting + 1, p, p_last, high_q + 1, q_last)
                waiting += 2
        return 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def _wait(
        self,
        at: cython.Py_ssize_t,
        p: cython.longlong,
        p_last: cython.longlong,
        q: cython.longlong,
        q_last: cython.longlong,
    ) -> cython.int:
        self.ranges[at, 0], self.ranges[at, 1], self.ranges[at, 2], self.ranges[at, 3] = p, p_last, q, q_last
        return 0

    # Safe without checks: ranges are of groups that `_group` made, which compared content elements with the sums of
    # keys; keys of terms are below `keys`, see `CompiledQuery`; `CompiledModel.of_lengths` checks what counts lead to.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1.0, check=True)
    def _bound_range(
        self,
        p: cython.longlong,
        p_last: cython.longlong,
        q: cython.longlong,
        q_last: cython.longlong,
        has_sums: cython.bint,
    ) -> cython.double:
        """Upper bound of own scores of elements whose postings begin in groups p to p_last and end in groups q to
        q_last.
        """
        model: cython.int = self.query.model.kind
        term: cython.Py_ssize_t
        t: cython.Py_ssize_t
        own_key: cython.Py_ssize_t
        group: cython.longlong
        n: cython.longlong
        holders: cython.longlong
        dl: cython.longlong
        between: cython.longlong = 0
        apart: cython.double = 1.0
        one: cython.double
        total: cython.double = 0.0
        # No element has less text than lies between the end of the first range and the begin of the second.
        if q > p_last:
            apart = cython.cast(cython.double, self.first[q] - self.last[p_last] + 1)
            if has_sums:
                between = self.table.running[self.first[q], 1] - self.table.running[self.last[p_last], 0]
        elif has_sums:
            between = self.shortest[p]
            for group in range(p + 1, q_last + 1):
                between = min(between, self.shortest[group])
        for term in range(self.query.main.size):
            t = self.query.main.key_of[term]
            holders = self.xi_until[q_last + 1, t] - self.xi_until[p, t]
            n = self.kf_until[q_last + 1, t] - self.kf_until[p, t]
            if holders == 0 or self.query.main.sign[term] < 0:
                continue
            if n == 0:  # it stands where it counts for nothing
                one = 0.0
            elif model == TRIX2005:
                one = (
                    _bound_trix2005(
                        cython.cast(cython.double, n) / self.query.model.unit, cython.cast(cython.double, holders),
                        max(apart, cython.cast(cython.double, holders)), self.query.model.v, self.query.model.b,
                    )
                    * self.query.model.idf[t]
                )  # fmt: skip
            else:
                dl = max(n // self.query.heaviest, between)
                if model != BM25:
                    dl = min(dl, self.query.model.lengths.shape[0] - 1)
                one = self.query.model.of_lengths(t, n, dl)
            if self.query.model.r[term] > 0.0:
                own_key = self.query.main.own_of[term]
                one = _preferred(
                    one,
                    own_key >= 0 and self.kf_until[q_last + 1, own_key] > self.kf_until[p, own_key],
                    self.query.model.r[term],
                )
            total += self.query.model.signed(one, self.query.main.sign[term]) * self.query.main.weight[term]
        return total / self.query.model.divisor

    # Safe without checks: one cursor is moved a step for each posting, so none leaves those of the document, whatever
    # they say; groups are below `_GROUPS`; content elements are compared with the sums of keys.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _group(self, has_sums: cython.bint) -> cython.Py_ssize_t:
        """Cut the postings of the last document into groups; return their number.

        For each group: running sums of counts at its end, first and last content element, fewest keys of a content
        element.
        """
        contents: cython.int[::1] = self.contents
        tf: cython.int[::1] = self.tf
        starts: cython.longlong[::1] = self.starts
        cursor: cython.longlong[::1] = self.cursor
        kf_until: cython.longlong[:, ::1] = self.kf_until
        xi_until: cython.longlong[:, ::1] = self.xi_until
        keys: cython.Py_ssize_t = self.query.keys
        base: cython.Py_ssize_t = self.count * (keys + 1)
        size: cython.Py_ssize_t = starts[base + keys] - starts[base]
        groups: cython.Py_ssize_t = min(size, _GROUPS)
        group: cython.Py_ssize_t = -1
        done: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        t: cython.Py_ssize_t
        here: cython.Py_ssize_t
        content: cython.longlong
        for t in range(keys):
            cursor[t] = starts[base + t]
        for i in range(size):
            here, content = 0, _LAST
            for t in range(keys):
                if cursor[t] < starts[base + t + 1] and contents[cursor[t]] < content:
                    here, content = t, contents[cursor[t]]
            if i == done:
                group += 1
                for t in range(keys):
                    kf_until[group + 1, t] = kf_until[group, t]
                    xi_until[group + 1, t] = xi_until[group, t]
                self.first[group], self.shortest[group] = content, _LAST
                done = (group + 1) * size // groups
            kf_until[group + 1, here] += tf[cursor[here]]
            xi_until[group + 1, here] += 1
            self.last[group] = content
            if has_sums:
                if not 0 <= content < self.table.running.shape[0]:
                    return _damaged()
                self.shortest[group] = min(
                    self.shortest[group],
                    cython.cast(cython.longlong, self.table.running[content, 1] - self.table.running[content, 0]),
                )
            cursor[here] += 1
        return groups

    # -- score --

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _score(self) -> cython.int:
        """Score the matching elements of the batch and keep the best of them."""
        self._merge()
        self._open()
        self._count_upwards()
        if self.n_forms and self.additions.has_words:
            self._hold_words()
        if not self.query.holds_all or self.demands.groups.shape[0]:
            self._keep_candidates()
        self._weigh(self.query.main, self.query.model, self.s, 255)
        if self.context.sums.shape[0]:
            if self.context.apart:
                self._weigh(self.query.main, self.query.around, self.around, 0 if self.context.roots_only else 255)
                _by_path(
                    self.depth[: self.opened], self.s, self.around, self.context.head, self.context.tail,
                    self.context.sums, self.context.middle, self.context.shared, self.context.tail_wins,
                    self.context.own, self.context.factor, self.path_of, self.prefix, self.scores,
                )  # fmt: skip
            else:
                _by_path(
                    self.depth[: self.opened], self.s, self.s, self.context.head, self.context.tail,
                    self.context.sums, self.context.middle, self.context.shared, self.context.tail_wins,
                    self.context.own, self.context.factor, self.path_of, self.prefix, self.scores,
                )  # fmt: skip
        else:
            self.scores[: self.opened] = self.s[: self.opened]
        if self.n_forms:
            self._add_forms()
        self._choose_returnable()
        if self.n_forms and self.additions.has_sentences:
            self._add_sentences()
        if self.selection.documents == ELEMENTS:
            return self._keep_elements()
        return self._keep_documents()

    # Safe without checks: cursors stay inside the postings of their document and key, of which there are as many as
    # places in ``merged`` and ``place``; each of them gets its place, or the merge ends as damaged; contents are looked
    # up in `_open` only after they are compared.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _merge(self) -> cython.int:
        """Merge the postings of each document into distinct content elements, with the place of each posting among
        them.
        """
        keys: cython.Py_ssize_t = self.query.keys
        contents: cython.int[::1] = self.contents
        place: cython.int[::1] = self.place
        merged: cython.int[::1] = self.merged
        starts: cython.longlong[::1] = self.starts
        cursor: cython.longlong[::1] = self.cursor
        c: cython.Py_ssize_t
        t: cython.Py_ssize_t
        base: cython.Py_ssize_t
        held: cython.int = 0
        content: cython.int
        following: cython.int
        here: cython.int
        for c in range(self.count):
            base = c * (keys + 1)
            content = _LAST
            for t in range(keys):
                cursor[t] = starts[base + t]
                if cursor[t] < starts[base + t + 1]:
                    content = min(content, contents[cursor[t]])
            while content != _LAST:
                following = _LAST
                for t in range(keys):
                    if cursor[t] < starts[base + t + 1]:
                        here = contents[cursor[t]]
                        if here == content:
                            place[cursor[t]] = held
                            cursor[t] += 1
                            if cursor[t] < starts[base + t + 1]:
                                here = contents[cursor[t]]
                            else:
                                here = _LAST
                        following = min(following, here)
                merged[held] = content
                held += 1
                if following <= content:  # postings that do not ascend
                    return _damaged()
                content = following
            for t in range(keys):
                if cursor[t] < starts[base + t + 1]:  # a number that is no content element's ended the merge
                    return _damaged()
        self.merged_size = held
        return 0

    # Safe without checks: content elements and elements are compared with the sizes of their tables before they are
    # looked up, levels with 0 and 255; there is room for as many elements as the depths of all content elements say.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _open(self) -> cython.int:
        """List the elements on the paths from the root to the merged content elements, each once, in document order.

        For each element: its number, the index of its parent, its depth, its content elements. For each merged content
        element: its index in the list.
        """
        content_rows: cython.const[cython.int][:, ::1] = self.table.content_rows
        rows: cython.const[cython.int][:, ::1] = self.table.rows
        merged: cython.int[::1] = self.merged
        own: cython.int[:, ::1] = self.rows_of
        final: cython.int[::1] = self.final
        open_element: cython.int[::1] = self.open_element
        open_place: cython.int[::1] = self.open_place
        path: cython.int[::1] = self.path
        held: cython.Py_ssize_t = self.merged_size
        room: cython.Py_ssize_t = held
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        level: cython.Py_ssize_t
        steps: cython.Py_ssize_t
        step: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        up: cython.int
        touched: cython.int = 0
        # The rows lie far apart. Loads that do not wait for each other overlap, so each level is fetched for all
        # before the tree is walked: a walk alone would wait for memory at every step.
        for i in range(held):
            if not 0 <= merged[i] < content_rows.shape[0]:
                return _damaged()
            own[i, 0], own[i, 1] = content_rows[merged[i], 0], content_rows[merged[i], 1]
            own[i, 2] = content_rows[merged[i], 2]
            if not (0 <= own[i, 0] < rows.shape[0] and own[i, 1] < rows.shape[0] and 0 <= own[i, 2] <= 255):
                return _damaged()
            room += own[i, 2]
        for i in range(held):
            own[i, 3] = rows[own[i, 1], 0] if own[i, 1] >= 0 else -1
        for i in range(held):
            if 0 <= own[i, 3] < rows.shape[0]:
                touched |= rows[own[i, 3], 0]
        self.touched = touched
        if room > self.element.shape[0]:
            with cython.gil:
                self._element_room(2 * room)
        element: cython.int[::1] = self.element
        parent: cython.int[::1] = self.parent
        depth: cython.int[::1] = self.depth
        xi_c: cython.int[::1] = self.xi_c
        for i in range(256):
            open_element[i] = -1
        for i in range(held):
            # Up from the content element to the first ancestor that is open; then down again.
            x, level = own[i, 1], own[i, 2] - 1
            steps = 0
            while x >= 0:
                if level < 0 or x >= rows.shape[0]:
                    return _damaged()
                if open_element[level] == x:
                    break
                path[steps] = cython.cast(cython.int, x)
                steps += 1
                x = rows[x, 0]
                level -= 1
            if x < 0 and level != -1:
                return _damaged()
            up = open_place[level] if x >= 0 else -1
            for step in range(steps - 1, -1, -1):
                x = path[step]
                level += 1
                open_element[level], open_place[level] = cython.cast(cython.int, x), cython.cast(cython.int, n)
                element[n], parent[n] = cython.cast(cython.int, x), up
                depth[n], xi_c[n] = cython.cast(cython.int, level), rows[x, 3]
                up = cython.cast(cython.int, n)
                n += 1
            element[n], parent[n], depth[n], xi_c[n] = own[i, 0], up, own[i, 2], 1
            final[i] = cython.cast(cython.int, n)
            n += 1
        self.opened = n
        return 0

    # Safe without checks: places are those that `_merge` and `_open` made; what tables say is compared.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _count_upwards(self) -> cython.int:
        """Sum kf and xi_k of each key over the descendants of each element, and the element's keys if they matter."""
        rows: cython.const[cython.int][:, ::1] = self.table.rows
        running: cython.const[cython.int][:, ::1] = self.table.running
        counts: cython.longlong[:, ::1] = self.counts
        parent: cython.int[::1] = self.parent
        final: cython.int[::1] = self.final
        place: cython.int[::1] = self.place
        tf: cython.int[::1] = self.tf
        starts: cython.longlong[::1] = self.starts
        keys: cython.Py_ssize_t = self.query.keys
        n: cython.Py_ssize_t = self.opened
        c: cython.Py_ssize_t
        t: cython.Py_ssize_t
        p: cython.Py_ssize_t
        i: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        end: cython.Py_ssize_t
        for i in range(n):
            for t in range(keys):
                counts[i, t] = 0
        for c in range(self.count):
            for t in range(keys):
                for p in range(starts[c * (keys + 1) + t], starts[c * (keys + 1) + t + 1]):
                    counts[final[place[p]], t] = cython.cast(cython.longlong, tf[p]) + _ONE_ELEMENT
        for i in range(n - 1, -1, -1):
            if parent[i] >= 0:
                for t in range(keys):
                    counts[parent[i], t] += counts[i, t]
        if running.shape[0]:
            for i in range(n):
                begin = rows[self.element[i], 2]
                end = begin + self.xi_c[i] - 1
                if not 0 <= begin <= end < running.shape[0]:
                    return _damaged()
                self.dl[i] = running[end, 1] - running[begin, 0]
        return 0

    # Safe without checks: kept elements and their parents move only towards the front.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _keep_candidates(self) -> cython.int:
        """Drop elements without a term without a minus, or without all jointly required terms.

        A parent holds what its children hold, so the candidates are closed under ancestors.
        """
        keys: cython.Py_ssize_t = self.query.keys
        groups: cython.Py_ssize_t = self.demands.groups.shape[0]
        kept: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        group: cython.Py_ssize_t
        t: cython.Py_ssize_t
        k: cython.Py_ssize_t
        found: cython.bint
        moves: cython.bint = self.n_forms > 0 and self.additions.has_words
        for i in range(self.opened):
            found = False
            for t in range(keys):
                if groups == 0 and self.query.holds[t] and self.counts[i, t] > 0:
                    found = True
                    break
            for group in range(groups):
                found = True
                for t in range(keys):
                    if self.demands.groups[group, t] and self.counts[i, t] == 0:
                        found = False
                        break
                if found:
                    break
            self.other_order[i] = cython.cast(cython.int, kept) if found else -1
            if moves:
                self.moved[i] = cython.cast(cython.int, kept)
                if not found:
                    self.moved[i] = self.moved[self.parent[i]] if self.parent[i] >= 0 else -1
            if not found:
                continue
            if moves:
                for k in range(self.n_forms):
                    self.added[k, kept] = self.added[k, i]
            self.element[kept], self.depth[kept], self.xi_c[kept] = self.element[i], self.depth[i], self.xi_c[i]
            self.parent[kept] = self.other_order[self.parent[i]] if self.parent[i] >= 0 else -1
            self.dl[kept] = self.dl[i]
            for t in range(keys):
                self.counts[kept, t] = self.counts[i, t]
            kept += 1
        self.opened = kept
        return 0

    # Safe without checks: elements are below `opened`, keys of terms below `keys`, see `CompiledQuery`; tables that
    # are looked up by counts are looked up by `CompiledModel.of_lengths`, which checks.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _weigh(self, terms: Terms, model: CompiledModel, s: cython.double[::1], deepest: cython.int) -> cython.int:
        """Compute own scores; 0 below the depth `deepest`, which no form reads."""
        counts: cython.longlong[:, ::1] = self.counts
        depth: cython.int[::1] = self.depth
        xi_c: cython.int[::1] = self.xi_c
        v: cython.double = model.v
        b: cython.double = model.b
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        term: cython.Py_ssize_t
        t: cython.Py_ssize_t
        own: cython.Py_ssize_t
        kf: cython.longlong
        one: cython.double
        idf: cython.double
        times: cython.double
        r: cython.double
        sign: cython.longlong
        for i in range(n):
            s[i] = 0.0
        for term in range(terms.size):
            t, times, sign = terms.key_of[term], terms.weight[term], terms.sign[term]
            own, r, idf = max(terms.own_of[term], 0), model.r[term], model.idf[t]
            if model.kind > BM25 and not model.has_logs:
                self._take_logs(model, t)
            for i in range(n):
                if counts[i, t] == 0 or depth[i] > deepest:
                    continue
                kf = counts[i, t] & _LOWER
                if kf == 0:  # it stands where it counts for nothing
                    one = 0.0
                elif model.kind == TRIX2005:
                    one = _trix2005(
                        cython.cast(cython.double, kf) / model.unit,
                        xi_c[i],
                        cython.cast(cython.double, counts[i, t] >> 32),
                        idf,
                        v,
                        b,
                    )
                elif model.kind == BM25 or model.has_logs:
                    one = model.of_lengths(t, kf, self.dl[i])
                else:
                    one = max(self.missing[i] + model.lengths[self.dl[i]], 0.0)
                if r > 0.0:
                    one = _preferred(one, counts[i, own] > 0, r)
                s[i] += model.signed(one, sign) * times
        for i in range(n):
            s[i] /= model.divisor
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _take_logs(self, model: CompiledModel, t: cython.Py_ssize_t) -> cython.int:
        """Compute logarithms of a key's counts, where counts exceed the table."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.opened
        with cython.gil:
            logs: cython.const[cython.double][::1] = model.logs_of(t, np.asarray(self.counts)[:n, t] & _LOWER)
        for i in range(n):
            self.missing[i] = logs[i]
            if not 0 <= self.dl[i] < model.lengths.shape[0]:
                return _damaged()
        return 0

    # -- what words add --

    # Safe without checks: as in `_merge` and `_open`; `_prepare` has compared keys of words.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _hold_words(self) -> cython.int:
        """Compute the word mask of each merged content element, and the most that forms can add to each element.

        That is the share of the titles above, plus the share of the best content element: no sentence holds more
        words.
        """
        self._word_room()
        keys: cython.Py_ssize_t = self.query.keys
        n: cython.Py_ssize_t = self.opened
        c: cython.Py_ssize_t
        w: cython.Py_ssize_t
        t: cython.Py_ssize_t
        p: cython.Py_ssize_t
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(self.merged_size):
            self.word_mask[i] = 0
        for c in range(self.count):
            for w in range(self.additions.words):
                t = self.additions.word_key[w]
                for p in range(self.starts[c * (keys + 1) + t], self.starts[c * (keys + 1) + t + 1]):
                    self.word_mask[self.place[p]] |= cython.cast(cython.ulonglong, 1) << w
        for i in range(n):
            self.moved[i] = cython.cast(cython.int, i)
        for k in range(self.n_forms):
            self._take_form(k)
            if self.form.kind == TITLES:
                self._hold_titles(self.form)
                for i in range(n):
                    self.added[k, i] = _weight_of(self.titles_above[i], self.form.weights)
            elif self.form.kind == SENTENCE:
                for i in range(n):
                    self.added[k, i] = 0.0
                for i in range(self.merged_size):
                    self.added[k, self.final[i]] = _weight_of(self.word_mask[i], self.form.weights)
                for i in range(n - 1, -1, -1):
                    if self.parent[i] >= 0:
                        self.added[k, self.parent[i]] = max(self.added[k, self.parent[i]], self.added[k, i])
        return 0

    # Safe without checks: places are those that `_merge` and `_open` made; what `_seek` gives is compared; columns of
    # titles have equal sizes, see `CompiledForm`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _hold_titles(self, form: CompiledForm) -> cython.int:
        """Compute the words in the titles above each element, or in its own too, like `trix.core.match.titles_above`.

        A title is above all children of an element but the one that leads to it. So three masks are kept: words of one
        child, words of any child, and words of at least two. Any child has another child that holds a word of the last
        mask.
        """
        n: cython.Py_ssize_t = self.opened
        pairs: cython.Py_ssize_t = form.child.shape[0]
        none: cython.Py_ssize_t = _seek(form.child, 0, 0)  # pairs before this one have no child
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        pair: cython.Py_ssize_t
        place: cython.Py_ssize_t = 0
        found: cython.Py_ssize_t
        mask: cython.ulonglong
        for i in range(n):
            self.titles_here[i] = self.titles_once[i] = self.titles_twice[i] = self.titles_above[i] = 0
        for i in range(self.merged_size):
            mask = self.word_mask[i]
            if mask == 0:
                continue
            at = _seek(form.title_begin, at, self.merged[i] + 1)
            if at == 0 or form.title_end[at - 1] <= self.merged[i]:
                continue
            # Up from the content element: the title, and what leads to it.
            x = self.final[i]
            while x >= 0:
                place = _seek(form.child, place, self.element[x])
                pair = place
                while pair < pairs and form.child[pair] == self.element[x]:
                    if form.title[pair] == at - 1:
                        self.titles_here[x] |= mask
                    pair += 1
                x = self.parent[x]
            # What it stands before: an element that is not above it, so that it is looked for.
            pair = self._first_of_title(form, none, at - 1)
            while pair < none and form.title[pair] == at - 1:
                found = self._place_of(form.above[pair], self.final[i])
                if found >= 0:
                    self.titles_once[found] |= mask
                    self.titles_twice[found] |= mask
                pair += 1
        for i in range(n):
            if self.titles_here[i] and self.parent[i] >= 0:
                x = self.parent[i]
                self.titles_twice[x] |= self.titles_once[x] & self.titles_here[i]
                self.titles_once[x] |= self.titles_here[i]
        for i in range(n):
            x = self.parent[i]
            if x >= 0:
                self.titles_above[i] = (
                    self.titles_above[x] | self.titles_twice[x] | (self.titles_once[x] & ~self.titles_here[i])
                )
        if form.own:  # titles are above the children; parents pass on inherited titles only, so this is last
            for i in range(n):
                self.titles_above[i] |= self.titles_once[i]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def _first_of_title(
        self, form: CompiledForm, end: cython.Py_ssize_t, title: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Index of the first pair of this title, or of a later one, among the first `end` pairs."""
        low: cython.Py_ssize_t = 0
        middle: cython.Py_ssize_t
        while low < end:
            middle = (low + end) >> 1
            if form.title[middle] < title:
                low = middle + 1
            else:
                end = middle
        return low

    # Safe without checks: places are below `opened`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(check=False)
    def _place_of(self, element: cython.int, near: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Index of an element that comes after a listed one of the same document; -1 if it is not listed."""
        at: cython.Py_ssize_t = near
        while at < self.opened and (at == near or self.parent[at] >= 0) and self.element[at] < element:
            at += 1
        if at < self.opened and self.element[at] == element:
            return at
        return -1

    # Safe without checks: places are below `opened`, for which `_word_room` has made room.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _add_forms(self) -> cython.int:
        """Add the gains of all forms to scores, in order; for sentences their upper bound.

        Scores are then bounds, and the scores along the path are in ``upper``.
        """
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        self._word_room()
        for i in range(n):
            self.upper[i] = self.scores[i]
        for k in range(self.n_forms):
            self._take_form(k)
            if self.form.kind == PAIRS:
                self._weigh(self.form.terms, self.form.model, self.around, 255)
                for i in range(n):
                    self.added[k, i] = self.form.f * self.around[i]
            else:
                for i in range(n):
                    self.added[k, i] = self.form.f * (self.added[k, i] / self.form.everything)
            for i in range(n):
                self.scores[i] += self.added[k, i]
        return 0

    # Safe without checks: as in `_add_forms`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _add_sentences(self) -> cython.int:
        """Read positions for elements that may be among the results, and make their scores exact."""
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        self._discard()
        for i in range(n):
            self.needed[i] = self.keep[i]
        if not self._cut_sentences():
            return 0
        for i in range(n):
            self.scores[i] = self.upper[i]
        for k in range(self.n_forms):
            self._take_form(k)
            if self.form.kind == SENTENCE:
                self._find_best_sentences(k)
            for i in range(n):
                self.scores[i] += self.added[k, i]
        return 0

    # Safe without checks: places are below `opened`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(check=False)
    def _discard(self) -> cython.void:
        """Discard elements whose score, or its bound, is below the threshold."""
        i: cython.Py_ssize_t
        key: cython.double
        for i in range(self.opened):
            if self.keep[i]:
                key = rint(self.scores[i] * 1e12)
                self.keep[i] = key > self.last_key or (key == self.last_key and self.element[i] < self.last_element)

    # Safe without checks: places are those that `_merge`, `_open` and `_keep_candidates` made; content elements were
    # compared with the table, which has as many rows as sentences are counted for.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _cut_sentences(self) -> cython.int:
        """Compute the word mask of each sentence, for needed content elements where it is not trivial.

        It is trivial with one word, or with one sentence. Returns whether any is not.
        """
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        w: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.longlong
        count: cython.longlong = 0
        mask: cython.ulonglong
        every: cython.ulonglong = 0
        bit: cython.ulonglong
        low: cython.longlong
        spans: cython.const[cython.longlong][:, ::1]
        found: cython.const[cython.longlong][::1]
        for i in range(self.opened):  # a needed element needs its whole subtree
            if self.parent[i] >= 0 and self.needed[self.parent[i]]:
                self.needed[i] = 1
        for i in range(self.merged_size):
            mask = self.word_mask[i]
            x = self.moved[self.final[i]]
            self.slot_of[i] = -1
            if mask and mask & (mask - 1) and x >= 0 and self.needed[x]:
                self.slot_of[i] = 0
                count += 1
        if count == 0:
            return 0
        with cython.gil:
            chosen = np.asarray(self.merged[: self.merged_size])[np.asarray(self.slot_of[: self.merged_size]) == 0]
            spans = self.additions.counts(chosen)
        count = 0
        for i in range(self.merged_size):
            if self.slot_of[i] < 0:
                continue
            if not self.merged[i] < spans.shape[0]:
                return _damaged()
            low = spans[self.merged[i], 1] - spans[self.merged[i], 0]
            self.slot_of[i] = -1
            if low > _LAST - count:
                return _damaged()
            if low > 0:
                self.slot_of[i] = cython.cast(cython.int, count)
                count += low
                self.slot_end[i] = cython.cast(cython.int, count)
                every |= self.word_mask[i]
        if count == 0:
            return 0
        if count > self.slots.shape[0]:
            with cython.gil:
                self.slots = np.empty(2 * count, np.uint64)
        for slot in range(count):
            self.slots[slot] = 0
        for w in range(self.additions.words):
            bit = cython.cast(cython.ulonglong, 1) << w
            if not every & bit:
                continue
            with cython.gil:
                found = self.additions.sentences(w)
            at = 0
            for i in range(self.merged_size):
                if self.slot_of[i] < 0 or not self.word_mask[i] & bit:
                    continue
                at = _seek(found, at, cython.cast(cython.longlong, self.merged[i]) << 32)
                while at < found.shape[0] and found[at] >> 32 == self.merged[i]:
                    slot = found[at] & _LOWER
                    if slot >= self.slot_end[i] - self.slot_of[i]:
                        return _damaged()
                    self.slots[self.slot_of[i] + slot] |= bit
                    at += 1
        return 1

    # Safe without checks: as in `_cut_sentences`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _find_best_sentences(self, k: cython.Py_ssize_t) -> cython.int:
        """Compute the gain of form k for each needed element: the share of its best sentence."""
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        held: cython.double
        for i in range(n):
            self.added[k, i] = 0.0
        for i in range(self.merged_size):
            x = self.moved[self.final[i]]
            if x < 0:
                continue
            held = 0.0
            if self.slot_of[i] < 0:
                held = _weight_of(self.word_mask[i], self.form.weights)
            else:
                for slot in range(self.slot_of[i], self.slot_end[i]):
                    held = max(held, _weight_of(self.slots[slot], self.form.weights))
            self.added[k, x] = max(self.added[k, x], held)
        for i in range(n - 1, -1, -1):
            if self.parent[i] >= 0:
                self.added[k, self.parent[i]] = max(self.added[k, self.parent[i]], self.added[k, i])
        for i in range(n):
            self.added[k, i] = self.form.f * (self.added[k, i] / self.form.everything)
        return 0

    # -- filter and keep --

    # Safe without checks: places are below `opened`; `_open` has compared elements with the rows of the table, and
    # there are as many lengths, if any, see `ElementTable`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _choose_returnable(self) -> cython.int:
        """Mark elements in returnable parts and within the bounds of sizes."""
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        begin: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        enough: cython.double
        characters: cython.double
        few: cython.bint
        for i in range(n):
            self.keep[i] = 1
        if self.selection.filtered:
            self._leave_out()
        # Where there are enough results nothing is counted any more: few elements are asked for.
        few = self.last_key > -_INFINITY and self.table.length.shape[0] == 0 and self.selection.documents != BY_ROOT
        if few and self.demands.selects:
            self._discard()
        if self.demands.selects:
            self._admit(few)
        else:
            self.matched += n
        for i in range(n):
            if self.keep[i]:
                self.returnable += 1
        if self.table.length.shape[0] == 0:
            return 0
        # Of each document those that miss the window least: none where one is inside, else the nearest.
        while begin < n:
            end, enough = begin, _INFINITY
            while end < n and (end == begin or self.parent[end] >= 0):
                characters = max(cython.cast(cython.double, self.table.length[self.element[end]]), 1.0)
                self.missing[end] = _INFINITY
                if self.keep[end]:
                    self.missing[end] = max(self.selection.low / characters, characters / self.selection.high)
                enough = min(enough, self.missing[end])
                end += 1
            enough = max(enough, 1.0)
            for i in range(begin, end):
                self.keep[i] = self.missing[i] <= enough and self.missing[i] < _INFINITY
            begin = end
        return 0

    # Safe without checks: places are below `opened`; there are as many answers as elements asked for.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _admit(self, few: cython.bint) -> cython.int:
        """Keep elements that meet the demands and count all of them, or `few`, which are kept."""
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        has_program: cython.bint = self.demands.program.shape[0] > 0
        marks: cython.uchar[::1] = self.marks
        for i in range(n):
            marks[i] = not has_program or self.demands.holds(self.counts, i)
        if self.demands.admits is not None:
            with cython.gil:
                # Documents come in the order of their bounds, so that of elements is not that of the index.
                chosen = np.flatnonzero(np.asarray(self.keep)[:n] != 0) if few else np.arange(n)
                elements = np.asarray(self.element)[chosen]
                order = np.argsort(elements, kind="stable")
                found = np.zeros(n, np.bool_)
                if order.size:
                    found[chosen[order]] = self.demands.admits(elements[order])
                admitted: cython.const[cython.uchar][::1] = found.view(np.uint8)
                for i in range(n):
                    marks[i] = marks[i] and admitted[i]
        for i in range(n):
            if marks[i]:  # counted by ones: uncompiled, a byte would make the sum one
                self.matched += 1
            self.keep[i] = self.keep[i] and marks[i]
        return 0

    # Safe without checks: places are below `opened`, parents before their children; what `_seek` gives is compared.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _leave_out(self) -> cython.int:
        """Drop elements in non-returnable parts, and elements whose matches lie in such parts alone."""
        n: cython.Py_ssize_t = self.opened
        i: cython.Py_ssize_t
        at_begin: cython.Py_ssize_t = 0
        at_end: cython.Py_ssize_t = 0
        begins: cython.const[cython.int][::1] = self.selection.begins
        ends: cython.const[cython.int][::1] = self.selection.ends
        for i in range(n):
            self.lowest[i] = 1  # at first: that no element is below
        # Down: an element inherits from its parent, unless it begins such a part, or ends one.
        for i in range(n):
            at_begin, at_end = _seek(begins, at_begin, self.element[i]), _seek(ends, at_end, self.element[i])
            if at_begin < begins.shape[0] and begins[at_begin] == self.element[i]:
                self.keep[i] = 0
            elif self.parent[i] >= 0 and not (at_end < ends.shape[0] and ends[at_end] == self.element[i]):
                self.keep[i] = self.keep[self.parent[i]]
            if self.parent[i] >= 0:
                self.lowest[self.parent[i]] = 0
        # Up: what has no returnable lowest element below it goes.
        for i in range(n):
            self.lowest[i] = self.lowest[i] and self.keep[i]
        for i in range(n - 1, -1, -1):
            if self.lowest[i] and self.parent[i] >= 0:
                self.lowest[self.parent[i]] = 1
            self.keep[i] = self.keep[i] and self.lowest[i]
        return 0

    # Safe without checks: places are below `opened`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _keep_elements(self) -> cython.int:
        """Put elements that beat the threshold into the results and the head.

        Overlap is local to a document. Any element that could exclude one above the threshold is above it, too, so
        each document is filtered by itself.
        """
        n: cython.Py_ssize_t = self.opened
        begin: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        count: cython.Py_ssize_t
        taken: cython.int
        limit: cython.Py_ssize_t = self.selection.limit
        ranked: cython.bint = not self.selection.overlap or self.selection.most != 0 or limit != 0
        while begin < n:
            end, count = begin, 0
            while end < n and (end == begin or self.parent[end] >= 0):
                if self.keep[end]:
                    self.rank_key[end] = rint(self.scores[end] * 1e12)
                    if self.rank_key[end] > self.last_key or (
                        self.rank_key[end] == self.last_key and self.element[end] < self.last_element
                    ):
                        self.order[count] = cython.cast(cython.int, end)
                        count += 1
                end += 1
            if count > 1 and ranked:
                self._sort(count)
            if not self.selection.overlap and count > 1:
                count = self._filter_overlap(count, begin, end)
            if limit:
                count = min(count, limit)
            taken = 0
            for i in range(count):
                x = self.order[i]
                if self.results.takes(self.rank_key[x], self.element[x]):
                    self.results.put(self.rank_key[x], self.element[x], self.scores[x], self.s[x])
                if taken < self.selection.most:
                    taken += 1
                    if self.head.takes(self.rank_key[x], self.element[x]):
                        self.head.put(self.rank_key[x], self.element[x], self.scores[x], self.s[x])
            begin = end
        return 0

    # Safe without checks: places in the order are below `count`, and what it holds is below `opened`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _sort(self, count: cython.Py_ssize_t) -> cython.int:
        """Sort the first `count` by rank key, best first, stably: insertion sort of runs, then merging."""
        order: cython.int[::1] = self.order
        other: cython.int[::1] = self.other_order
        keys: cython.double[::1] = self.sort_key
        other_keys: cython.double[::1] = self.missing
        key: cython.double
        run: cython.Py_ssize_t = 8
        low: cython.Py_ssize_t
        middle: cython.Py_ssize_t
        high: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        x: cython.int
        for i in range(count):
            keys[i] = self.rank_key[order[i]]
        for low in range(0, count, 8):
            for i in range(low + 1, min(low + 8, count)):
                x, key = order[i], keys[i]
                j = i
                while j > low and keys[j - 1] < key:
                    order[j], keys[j] = order[j - 1], keys[j - 1]
                    j -= 1
                order[j], keys[j] = x, key
        while run < count:
            low = 0
            while low < count:
                middle, high = min(low + run, count), min(low + 2 * run, count)
                i, j = low, middle
                for k in range(low, high):
                    if j >= high or (i < middle and keys[i] >= keys[j]):
                        other[k], other_keys[k] = order[i], keys[i]
                        i += 1
                    else:
                        other[k], other_keys[k] = order[j], keys[j]
                        j += 1
                low = high
            order[:count] = other[:count]
            keys[:count] = other_keys[:count]
            run *= 2
        return 0

    # Safe without checks: as in `_sort`; parents are places before their children, see `_open`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _filter_overlap(
        self, count: cython.Py_ssize_t, begin: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Drop elements with a kept ancestor or descendant; return the number that is left.

        Marks are closed upwards, and the subtrees of kept elements are disjoint: the work is linear in the document.
        """
        kept: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        other: cython.Py_ssize_t
        for i in range(begin, end):
            self.marks[i] = 0
        for i in range(count):
            x = self.order[i]
            if self.marks[x]:
                continue
            self.order[kept] = cython.cast(cython.int, x)
            kept += 1
            other = x
            while other >= 0 and not self.marks[other]:
                self.marks[other] = 1
                other = self.parent[other]
            other = x + 1
            while other < end and self.depth[other] > self.depth[x]:
                self.marks[other] = 1
                other += 1
        return kept

    # Safe without checks: places are below `opened`.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1)
    def _keep_documents(self) -> cython.int:
        """Put the roots of documents with a returnable element into the results.

        Their rank keys come from their own scores without context, or from their best returnable element.
        """
        n: cython.Py_ssize_t = self.opened
        begin: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        best: cython.double
        key: cython.double
        any_kept: cython.bint
        while begin < n:
            end, best, any_kept = begin, -_INFINITY, False
            while end < n and (end == begin or self.parent[end] >= 0):
                if self.keep[end]:
                    any_kept, best = True, max(best, self.scores[end])
                end += 1
            if any_kept:
                key = rint((self.s[begin] if self.selection.documents == BY_ROOT else best) * 1e12)
                if self.results.takes(key, self.element[begin]):
                    self.results.put(key, self.element[begin], self.scores[begin], self.s[begin])
            begin = end
        return 0


def followed(head, every):
    """Concatenate the head and the other results, column by column; return as many rows as `every` has."""
    n = every[0].size
    rest = ~(every[0][:, None] == head[0]).any(axis=1)  # for ten of a head quicker than np.isin
    return tuple(np.concatenate([first, others[rest]])[:n] for first, others in zip(head, every, strict=True))


# -- scores of all candidates -----------------------------------------------------------------------------------------


# Safe without checks: depths are compared with the sizes of the tables before they are looked up.
@cython.cfunc
@cython.nogil
@cython.boundscheck(False)
@cython.exceptval(-1)
def _by_path(
    depth: cython.const[cython.int][::1],
    s: cython.const[cython.double][::1],
    around: cython.const[cython.double][::1],
    head: cython.const[cython.double][::1],
    tail: cython.const[cython.double][::1],
    sums: cython.const[cython.double][::1],
    middle: cython.double,
    shared: cython.bint,
    tail_wins: cython.bint,
    own: cython.bint,
    f: cython.double,
    path: cython.double[::1],
    prefix: cython.double[::1],
    out: cython.double[::1],
) -> cython.int:
    """Contextualise elements by their path, in one pass in document order.

    ``path[k]`` is the score of the open ancestor of depth k, ``prefix[k]`` the weighted sum above depth k. The part of
    a sum that does not depend on the path's end is carried down instead of being summed again. An element enters its
    own sum with its own score, and the sums below it with `around`.
    """
    n: cython.Py_ssize_t = depth.shape[0]
    heads: cython.Py_ssize_t = head.shape[0]
    tails: cython.Py_ssize_t = tail.shape[0]
    deepest: cython.Py_ssize_t = min(sums.shape[0], path.shape[0], prefix.shape[0] - 1)
    i: cython.Py_ssize_t
    d: cython.Py_ssize_t
    k: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    turn: cython.Py_ssize_t
    score: cython.double
    total: cython.double
    share: cython.double
    mean: cython.double
    weight: cython.double
    prefix[0] = 0.0
    for i in range(n):
        d, score = depth[i], s[i]
        if not 0 <= d < deepest:
            return _damaged()
        weight = head[d] if d < heads else middle
        path[d] = score
        prefix[d + 1] = prefix[d] + weight * score
        if sums[d] == 0.0:
            out[i] = score
            path[d] = around[i]
            prefix[d + 1] = prefix[d] + weight * around[i]
            continue
        # Weights: the head from the root down, the tail from the end of the path up, the middle between them.
        stop = d + 1 if own else d
        turn = d + 1 - tails
        if not tail_wins:
            turn = max(turn, min(heads, stop))
        turn = min(max(turn, 0), stop)
        if shared and turn > heads:
            total = prefix[heads]
            share = middle / (d - 2) if d > 2 else middle
            for k in range(heads, turn):
                total += share * path[k]
        else:
            total = prefix[turn]
        for k in range(turn, stop):
            total += tail[d - k] * path[k]
        mean = total / sums[d] + 0.0  # negative weights would make -0 of 0
        out[i] = mean if own else score + f * mean
        path[d] = around[i]
        prefix[d + 1] = prefix[d] + weight * around[i]
    return 0


def path_scores(
    depth: cython.const[cython.int][::1],
    s: cython.const[cython.double][::1],
    around: cython.const[cython.double][::1],
    head: cython.const[cython.double][::1],
    tail: cython.const[cython.double][::1],
    sums: cython.const[cython.double][::1],
    middle: cython.double,
    shared: cython.bint,
    tail_wins: cython.bint,
    own: cython.bint,
    f: cython.double,
):
    """Contextualise scores by the path to the root.

    Parameters
    ----------
    depth, s, around : (n,) ndarrays
        For elements in document order: depth, own score, and the score that counts for elements below.
    head, tail, sums, middle, shared, tail_wins
        See `trix.query.context.path_weights.PathWeights`; sums of weights by depth.
    own, f
        Whether an element is in the mean of its path; if not, the factor of the mean.

    Returns
    -------
    (n,) ndarray of float64
    """
    path: cython.double[::1] = np.zeros(sums.shape[0])
    prefix: cython.double[::1] = np.zeros(sums.shape[0] + 1)
    out = np.empty(depth.shape[0])
    scores: cython.double[::1] = out
    if s.shape[0] != depth.shape[0] or around.shape[0] != depth.shape[0]:
        raise ValueError("expected a score of each element")
    with cython.nogil:
        _by_path(depth, s, around, head, tail, sums, middle, shared, tail_wins, own, f, path, prefix, scores)
    return out


def trix2005(kf, xi_c, xi_k, idf: cython.double, v: cython.double, b: cython.double):
    """Weights of one term by trix2005, (n,) float64 [V, eq. 1; IV, eq. 4]."""
    n: cython.Py_ssize_t = kf.size
    counts: cython.const[cython.double][::1] = np.ascontiguousarray(kf, np.float64)
    contents: cython.const[cython.double][::1] = np.ascontiguousarray(xi_c, np.float64)
    holders: cython.const[cython.double][::1] = np.ascontiguousarray(xi_k, np.float64)
    out = np.zeros(n)
    weights: cython.double[::1] = out
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            if counts[i] > 0:
                weights[i] = _trix2005(counts[i], contents[i], holders[i], idf, v, b)
    return out


def bm25(kf, dl, avgdl: cython.double, idf: cython.double, k1: cython.double, B: cython.double):
    """Weights of one term by BM25, (n,) float64."""
    n: cython.Py_ssize_t = kf.size
    counts: cython.const[cython.double][::1] = np.ascontiguousarray(kf, np.float64)
    lengths: cython.const[cython.double][::1] = np.ascontiguousarray(dl, np.float64)
    out = np.zeros(n)
    weights: cython.double[::1] = out
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            if counts[i] > 0:
                weights[i] = _bm25(counts[i], lengths[i], avgdl, idf, k1, B)
    return out


def max_impacts(
    rows: cython.const[cython.int][:, ::1],
    contents,
    v: cython.double,
    b: cython.double,
    share: cython.double,
    unit: cython.double,
    impacts: cython.float[:, ::1],
):
    """Fill in the maximum impacts of the rows of a document list under trix2005, rounded upwards.

    Parameters
    ----------
    rows
        Documents, xi_k, reach and kf of a list, see `CachedPostings`.
    contents
        Number of content elements by document.
    v, b, share
        See `trix.query.term_cache.impacts.ImpactLetters`.
    unit
        Units in which an occurrence is counted.
    impacts
        Output: the largest weight of the term, without idf, in any element but the root, and in the root.
    """
    sizes: cython.const[cython.longlong][::1] = np.ascontiguousarray(contents, np.int64)
    upwards: cython.double = 1.0 + 2.0**-23  # more than rounding to half the digits takes away
    row: cython.Py_ssize_t
    kf: cython.double
    with cython.nogil:
        for row in range(rows.shape[0]):
            kf = rows[row, 3] / unit
            impacts[row, 0] = cython.cast(cython.float, _bound_trix2005(kf, rows[row, 2], _STEPS, v, share) * upwards)
            impacts[row, 1] = cython.cast(
                cython.float,
                _bound_trix2005(kf, rows[row, 1], cython.cast(cython.double, sizes[rows[row, 0]]), v, b) * upwards,
            )
