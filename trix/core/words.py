"""Kernels of the text chain: tokens to numbers, texts to sentences, words within an edit distance.

The first two are the hottest loops of a build. Texts are code points.
"""

from itertools import pairwise

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.trix.core.steps import in_time
else:
    from trix.core.steps import in_time

_ODD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: Fibonacci hashing (Knuth, TAOCP 3, 6.4)."""
_LONG = cython.declare(cython.ulonglong, 1 << 63)
_NUMBER = cython.declare(cython.ulonglong, (1 << 32) - 1)
_ALL = cython.declare(cython.ulonglong, (1 << 64) - 1)
"""Mask of 64 bits, for uncompiled runs with Python's unlimited integers; a C compiler removes it."""
_BLOCK = cython.declare(cython.Py_ssize_t, 512)
"""Number of tokens cut before their look-up, so that their slots are fetched from memory together."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _hashed(value: cython.ulonglong, last: cython.ulonglong) -> cython.ulonglong:
    value = (((value * _ODD) & _ALL) ^ last) * _ODD & _ALL
    return value ^ (value >> 32)


@cython.final
@cython.cclass
class TokenTable:
    """Open hash table that numbers raw tokens by first occurrence.

    Its arrays are private, so their numbers need no checks.

    slots (a power of 2, twice the room for tokens)
        The upper half of a token's hash, and its number plus one; 0 for a free slot. Collisions use linear probing.
    prints (n, 2)
        Fingerprints that tell tokens apart. A token of up to 15 ASCII characters is its own fingerprint, 8 bits a
        character, in two numbers, so its characters need no comparison. Any other token has its hash and `_LONG`, and
        its characters are compared.
    ends (n + 1), arena
        The characters of all tokens, concatenated, and the end of each.

    Parameters
    ----------
    classes : (65536,) ndarray of uint8
        By character of the Basic Multilingual Plane: 0 not part of a token, 1 part of one, 2 a token by itself. All
        characters above are parts of tokens.
    """

    count = cython.declare(cython.Py_ssize_t, visibility="readonly")
    _classes: cython.const[cython.uchar][::1]
    _slots: cython.ulonglong[::1]
    _prints: cython.ulonglong[:, ::1]
    _ends: cython.longlong[::1]
    _arena: cython.uint[::1]
    # A block of tokens that are cut: where each begins and ends, its print, its hash.
    _spans: cython.longlong[:, ::1]
    _cut_prints: cython.ulonglong[:, ::1]
    _hashes: cython.ulonglong[::1]
    _cut: cython.Py_ssize_t
    _written: cython.Py_ssize_t

    def __init__(self, classes):
        if len(classes) != 0x10000:
            raise ValueError("classes: expected one of each character of the Basic Multilingual Plane")
        self.count = self._cut = self._written = 0
        self._classes = classes
        self._slots = np.zeros(1 << 16, np.uint64)
        self._prints = np.empty((1 << 15, 2), np.uint64)
        self._ends = np.zeros((1 << 15) + 1, np.int64)
        self._arena = np.empty(1 << 18, np.uint32)
        self._spans = np.empty((_BLOCK, 2), np.int64)
        self._cut_prints = np.empty((_BLOCK, 2), np.uint64)
        self._hashes = np.empty(_BLOCK, np.uint64)

    def intern(self, codes: cython.const[cython.uint][::1]):
        """Return the numbers of the raw tokens of a text, in order.

        Parameters
        ----------
        codes : ndarray of uint32
            The text.
        """
        out = np.empty(codes.shape[0], np.int32)
        numbers: cython.int[::1] = out
        at: cython.Py_ssize_t = 0
        done: cython.Py_ssize_t
        most: cython.Py_ssize_t
        self._written = 0
        while at < codes.shape[0]:
            with cython.nogil:
                at = self._cut_block(codes, at)
            if self._cut:  # room as if all tokens of the block were new
                most = self._ends[self.count] + self._spans[self._cut - 1, 1] - self._spans[0, 0]
                if most > self._arena.shape[0]:
                    self._arena = np.resize(np.asarray(self._arena), 2 * most)
            with cython.nogil:
                done = self._number_block(codes, 0, numbers)
            while done < self._cut:  # no room for the next token
                self._grow()
                with cython.nogil:
                    done = self._number_block(codes, done, numbers)
        return out[: self._written]

    def strings(self, known: cython.Py_ssize_t):
        """Return the tokens with numbers from `known` on, in order."""
        ends = (np.asarray(self._ends)[known : self.count + 1]).tolist()
        text = np.asarray(self._arena)[ends[0] : self._ends[self.count]].tobytes().decode("utf-32-le")
        return [text[a - ends[0] : b - ends[0]] for a, b in pairwise(ends)]

    # Safe without checks: `at` is below the size of the text wherever it is read, a class is looked up of characters
    # below 65,536 alone, of which there are as many, and a block is left before its arrays are full.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1, check=True)
    def _cut_block(self, codes: cython.const[cython.uint][::1], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Cut the next tokens of a text, with fingerprints and hashes; return the position after them."""
        classes: cython.const[cython.uchar][::1] = self._classes
        spans: cython.longlong[:, ::1] = self._spans
        prints: cython.ulonglong[:, ::1] = self._cut_prints
        hashes: cython.ulonglong[::1] = self._hashes
        size: cython.Py_ssize_t = codes.shape[0]
        cut: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        code: cython.uint
        kind: cython.int
        last: cython.ulonglong
        first: cython.ulonglong
        value: cython.ulonglong
        every: cython.ulonglong
        while at < size and cut < _BLOCK:
            code = codes[at]
            kind = classes[code] if code < 65536 else 1
            if kind == 0:
                at += 1
                continue
            begin = at
            at += 1
            # `last` holds the last up to 7 characters, `first` the 8 before; `value` mixes all that went before.
            last = every = cython.cast(cython.ulonglong, code)
            first = value = 0
            if kind == 1:
                while at < size:
                    code = codes[at]
                    if code < 65536 and classes[code] != 1:
                        break
                    last = ((last << 8) & _ALL) | cython.cast(cython.ulonglong, code)
                    every |= cython.cast(cython.ulonglong, code)
                    at += 1
                    if (at - begin) & 7 == 0:
                        value = ((value ^ first) * _ODD) & _ALL
                        value ^= value >> 29
                        first = last
                        last = 0
            value = _hashed(value ^ first, last)
            if at - begin > 15 or every > 127:
                last, first = value, _LONG
            spans[cut, 0], spans[cut, 1] = begin, at
            prints[cut, 0], prints[cut, 1] = last, first
            hashes[cut] = value
            cut += 1
        self._cut = cut
        return at

    # Safe without checks: places are masked to the slots; numbers in slots are below `count`, and `count` below the
    # room for tokens; the arena has room for all characters of the text, and `numbers` for as many tokens.
    @cython.cfunc
    @cython.nogil
    @cython.boundscheck(False)
    @cython.exceptval(-1, check=True)
    def _number_block(
        self, codes: cython.const[cython.uint][::1], begin_with: cython.Py_ssize_t, numbers: cython.int[::1]
    ) -> cython.Py_ssize_t:
        """Look up or enter the tokens of a block; return the number done, which is smaller if the table is full."""
        slots: cython.ulonglong[::1] = self._slots
        prints: cython.ulonglong[:, ::1] = self._prints
        ends: cython.longlong[::1] = self._ends
        arena: cython.uint[::1] = self._arena
        spans: cython.longlong[:, ::1] = self._spans
        cut_prints: cython.ulonglong[:, ::1] = self._cut_prints
        hashes: cython.ulonglong[::1] = self._hashes
        mask: cython.ulonglong = slots.shape[0] - 1
        count: cython.Py_ssize_t = self.count
        written: cython.Py_ssize_t = self._written
        token: cython.Py_ssize_t
        number: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        length: cython.Py_ssize_t
        start: cython.Py_ssize_t
        i: cython.Py_ssize_t
        slot: cython.ulonglong
        held: cython.ulonglong
        value: cython.ulonglong
        last: cython.ulonglong
        first: cython.ulonglong
        for token in range(begin_with, self._cut):
            value = cython.cast(cython.ulonglong, hashes[token])
            last = cython.cast(cython.ulonglong, cut_prints[token, 0])
            first = cython.cast(cython.ulonglong, cut_prints[token, 1])
            slot = value & mask
            while True:
                held = cython.cast(cython.ulonglong, slots[slot])
                number = cython.cast(cython.Py_ssize_t, held & _NUMBER) - 1
                if number < 0:
                    break
                if (held ^ value) <= _NUMBER and prints[number, 0] == last and prints[number, 1] == first:
                    if first != _LONG:
                        break
                    begin = spans[token, 0]
                    length = spans[token, 1] - begin
                    start = ends[number]
                    if ends[number + 1] - start == length:
                        i = 0
                        while i < length and arena[start + i] == codes[begin + i]:
                            i += 1
                        if i == length:
                            break
                slot = (slot + 1) & mask
            if number < 0:
                if count == prints.shape[0]:
                    self.count, self._written = count, written
                    return token
                begin = spans[token, 0]
                length = spans[token, 1] - begin
                number = count
                start = ends[count]
                for i in range(length):
                    arena[start + i] = codes[begin + i]
                ends[count + 1] = start + length
                prints[count, 0] = last
                prints[count, 1] = first
                count += 1
                slots[slot] = (value & ~_NUMBER) | cython.cast(cython.ulonglong, count)
            numbers[written] = cython.cast(cython.int, number)
            written += 1
        self.count, self._written = count, written
        return self._cut

    @cython.cfunc
    @cython.exceptval(-1, check=True)
    def _grow(self) -> cython.int:
        """Double the table; every token keeps its number."""
        capacity = 2 * self._prints.shape[0]
        prints, ends = np.empty((capacity, 2), np.uint64), np.zeros(capacity + 1, np.int64)
        prints[: self.count] = np.asarray(self._prints)[: self.count]
        ends[: self.count + 1] = np.asarray(self._ends)[: self.count + 1]
        self._prints, self._ends, self._slots = prints, ends, np.zeros(2 * capacity, np.uint64)
        slots: cython.ulonglong[::1] = self._slots
        own: cython.ulonglong[:, ::1] = self._prints
        mask: cython.ulonglong = slots.shape[0] - 1
        number: cython.Py_ssize_t
        value: cython.ulonglong
        last: cython.ulonglong
        first: cython.ulonglong
        slot: cython.ulonglong
        for number in range(self.count):
            last = cython.cast(cython.ulonglong, own[number, 0])
            first = cython.cast(cython.ulonglong, own[number, 1])
            value = last if first == _LONG else _hashed(first, last)
            slot = value & mask
            while slots[slot] != 0:
                slot = (slot + 1) & mask
            slots[slot] = (value & ~_NUMBER) | cython.cast(cython.ulonglong, number + 1)
        return 0


def number_keys(tokens: cython.const[cython.int][::1], known: cython.int[:, ::1], text: cython.int):
    """Map the raw tokens of a text to keys, and collect its distinct words.

    Parameters
    ----------
    tokens : (n,) ndarray of int32
        The text's raw tokens by number.
    known : (n_tokens, 4) ndarray of int32
        By raw token: its key, its word, and the last text that held it, which is updated. Key -1: it has none. Key -2:
        a boundary. Below: the caller has to look at it.
    text
        Number of this text.

    Returns
    -------
    tuple or None
        The keys, the number of keys after each boundary, and the distinct words; None if a token needs the caller.
    """
    keys, after, words = (np.empty(tokens.shape[0], kind) for kind in (np.int32, np.int64, np.int32))
    numbers: cython.int[::1] = keys
    counts: cython.longlong[::1] = after
    distinct: cython.int[::1] = words
    i: cython.Py_ssize_t
    token: cython.Py_ssize_t
    key: cython.int
    written: cython.Py_ssize_t = 0
    held: cython.Py_ssize_t = 0
    pieces: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    simple: cython.bint = True
    with cython.nogil:
        for i in range(tokens.shape[0]):
            token = tokens[i]
            key = known[token, 0]
            if key >= 0:
                numbers[written] = key
                written += 1
                if known[token, 2] != text:
                    known[token, 2] = text
                    distinct[held] = known[token, 1]
                    held += 1
            elif key == -2:
                if pieces:
                    counts[pieces - 1] = written - begin
                begin = written
                pieces += 1
            elif key < -2:
                simple = False
                break
        if pieces and simple:
            counts[pieces - 1] = written - begin
    return (keys[:written].copy(), after[:pieces].copy(), words[:held].copy()) if simple else None


# What a character can be in the end of a sentence: bits of `roles`.
_STOPS = cython.declare(cython.int, 1)
_CLOSES = cython.declare(cython.int, 2)
_WHITE = cython.declare(cython.int, 4)
_OPENS = cython.declare(cython.int, 8)
_BEGINS = cython.declare(cython.int, 16)
_STOPS_WIDE = cython.declare(cython.int, 32)
_CLOSES_WIDE = cython.declare(cython.int, 64)
_OF_WORD = cython.declare(cython.int, 128)
_LETTER = cython.declare(cython.int, 256)
_MARK = cython.declare(cython.int, 512)


def cut_sentences(
    codes: cython.const[cython.uint][::1],
    roles: cython.const[cython.ushort][::1],
    abbreviations: cython.const[cython.longlong][::1],
):
    """Insert a boundary (1) before each sentence of a text that already has one before each content element.

    Parameters
    ----------
    codes : ndarray of uint32
        The text.
    roles : ndarray of uint16
        Bits by character: stops a sentence, closes a quotation, is white space, opens a quotation, begins a sentence;
        stops one without white space after it, closes a quotation there; is a letter or a digit; is a letter; is a
        mark.
    abbreviations : ndarray of int64
        Small letters, a byte each, packed into a number.

    Returns
    -------
    marked : ndarray of uint32
        The text with boundaries.
    owner : ndarray of int64
        Content element of each piece after a boundary.
    """
    text, owners = np.empty(2 * codes.shape[0] + 1, np.uint32), np.empty(codes.shape[0] + 1, np.int64)
    marked: cython.uint[::1] = text
    owner: cython.longlong[::1] = owners
    written: cython.Py_ssize_t = 0
    pieces: cython.Py_ssize_t = 0
    content: cython.longlong = -1
    end: cython.Py_ssize_t = -1  # of a sentence
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = codes.shape[0]
    after: cython.Py_ssize_t
    first: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    role: cython.int
    code: cython.uint
    with cython.nogil:
        while at < size:
            code = codes[at]
            if at == end:
                marked[written] = 1
                written += 1
                owner[pieces] = content
                pieces += 1
            if code == 1:
                content += 1
                owner[pieces] = content
                pieces += 1
            marked[written] = code
            written += 1
            at += 1
            role = roles[code]
            if role & (_STOPS | _STOPS_WIDE) == 0 or at <= end or content < 0:
                continue
            if role & _STOPS:
                # Closing marks, white space, opening marks, and what begins a sentence.
                after = at
                while after < size and roles[codes[after]] & _CLOSES:
                    after += 1
                first = after
                while after < size and roles[codes[after]] & _WHITE:
                    after += 1
                begin = after
                while begin < size and roles[codes[begin]] & _OPENS:
                    begin += 1
                if (
                    after > first
                    and begin < size
                    and roles[codes[begin]] & _BEGINS
                    and (code != 46 or not _abbreviated(codes, at - 1, roles, abbreviations))  # a full stop
                ):
                    end = after
            else:
                end = at
                while end < size and roles[codes[end]] & _CLOSES_WIDE:
                    end += 1
        if end == size and pieces:
            marked[written] = 1
            written += 1
            owner[pieces] = content
            pieces += 1
    return text[:written], owners[:pieces]


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _abbreviated(
    codes: cython.const[cython.uint][::1],
    stop: cython.Py_ssize_t,
    roles: cython.const[cython.ushort][::1],
    abbreviations: cython.const[cython.longlong][::1],
) -> cython.int:
    """Whether the word before a full stop is an abbreviation or a single letter, which may have marks."""
    begin: cython.Py_ssize_t = stop
    packed: cython.longlong = 0
    shift: cython.int = 0
    plain: cython.bint = True
    several: cython.int = 0  # characters that are no marks
    single: cython.bint = False  # whether the first of them is a letter
    code: cython.longlong
    i: cython.Py_ssize_t
    while begin > 0 and roles[codes[begin - 1]] & (_OF_WORD | _MARK):
        begin -= 1
        if stop - begin > 7:
            return 0
        code = cython.cast(cython.longlong, codes[begin])
        if roles[code] & _MARK == 0:
            several += 1
            single = roles[code] & _LETTER != 0
        plain = plain and code < 128
        packed |= (code + 32 if 65 <= code <= 90 else code) << shift
        shift += 8
    if stop == begin or (begin > 0 and codes[begin - 1] == 95):  # _
        return 0
    if several == 1 and single:
        return 1
    if plain:
        for i in range(abbreviations.shape[0]):
            if abbreviations[i] == packed:
                return 1
    return 0


_OFTEN = cython.declare(cython.Py_ssize_t, 1 << 17)
"""Words between two looks at the deadline."""


def near_words(
    word: cython.const[cython.uint][::1],
    table: cython.const[cython.uchar][::1],
    ends: cython.const[cython.longlong][::1],
    most: cython.int,
    first_letter: cython.bint,
):
    """Find the words of a table within an edit distance of a word (optimal string alignment).

    The table is sorted, so neighbours share prefixes. The distance rows of a shared prefix are reused for the next
    word. A prefix whose row has no cell within `most` is a dead end: words that continue it are skipped.

    Parameters
    ----------
    word : (n,) ndarray of uint32
        The code points of the word.
    table : ndarray of uint8
        The words of the table in UTF-8, concatenated.
    ends : ndarray of int64
        End of each word.
    most
        Largest number of edits.
    first_letter
        Whether the first letter is fixed.

    Returns
    -------
    numbers : (k,) ndarray of int64
        Ascending.
    edits : (k,) ndarray of uint8
    """
    found, away = np.empty(ends.shape[0], np.int64), np.empty(ends.shape[0], np.uint8)
    numbers: cython.longlong[::1] = found
    edits: cython.uchar[::1] = away
    length: cython.Py_ssize_t = word.shape[0]
    # Row d compares the first d letters of a word of the table. What lies off the diagonal by more than `most` is
    # never written, and counts as too far. One row after the last possible one is always a dead end.
    matrix = np.full((length + most + 2, length + 1), most + 1, np.uint8)
    matrix[0] = np.minimum(np.arange(length + 1), most + 1)
    matrix[: most + 1, 0] = np.arange(most + 1)
    rows: cython.uchar[:, ::1] = matrix
    begun: cython.uint[::1] = np.zeros(length + most + 2, np.uint32)  # the letters to which the rows belong
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    number: cython.Py_ssize_t
    held: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t = 0  # rows that are known
    dead: cython.bint = False  # whether the last of them is a dead end
    alive: cython.bint
    shared: cython.bint
    d: cython.Py_ssize_t
    code: cython.uint
    following: cython.int
    with cython.nogil:
        for number in range(ends.shape[0]):
            if number % _OFTEN == _OFTEN - 1:
                in_time()
            end = cython.cast(cython.Py_ssize_t, ends[number])
            d, shared, alive = 0, True, True
            while alive and at < end:
                code = cython.cast(cython.uint, table[at])
                at += 1
                if code >= 0x80:
                    following = 1 if code < 0xE0 else 2 if code < 0xF0 else 3
                    code &= 0x3F >> following
                    while following > 0 and at < end and table[at] & 0xC0 == 0x80:
                        code = code << 6 | cython.cast(cython.uint, table[at] & 0x3F)
                        at += 1
                        following -= 1
                if shared and d < depth and begun[d] == code:
                    d += 1
                    alive = not (dead and d == depth)
                    continue
                shared = False
                begun[d] = code
                alive = not (first_letter and d == 0 and code != word[0]) and _row(word, begun, rows, d, most) <= most
                d += 1
                depth, dead = d, not alive
            if alive and rows[d, length] <= most:
                numbers[held] = number
                edits[held] = rows[d, length]
                held += 1
            at = end
    return found[:held].copy(), away[:held].copy()


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _row(
    word: cython.const[cython.uint][::1],
    begun: cython.const[cython.uint][::1],
    rows: cython.uchar[:, ::1],
    d: cython.Py_ssize_t,
    most: cython.int,
) -> cython.int:
    """Compute the row after row `d` of a distance matrix; return its smallest cell."""
    code: cython.uint = begun[d]
    best: cython.int = rows[d + 1, 0]
    least: cython.int
    i: cython.Py_ssize_t
    for i in range(max(1, d + 1 - most), min(word.shape[0], d + 1 + most) + 1):
        least = rows[d, i - 1] + (word[i - 1] != code)  # a letter is replaced, put in, or left out
        least = min(least, rows[d, i] + 1, rows[d + 1, i - 1] + 1)
        if i > 1 and d > 0 and word[i - 1] == begun[d - 1] and word[i - 2] == code:
            least = min(least, rows[d - 1, i - 2] + 1)  # two neighbours changed places
        least = min(least, most + 1)
        rows[d + 1, i] = cython.cast(cython.uchar, least)
        best = min(best, least)
    return best
