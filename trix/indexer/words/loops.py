"""The compiled loops of the interner; each names its plain twin."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def intern_tokens(
    codes: Any,
    read: int,
    numbers: Any,
    written: int,
    classes: Any,
    slots: Any,
    prints: Any,
    ends: Any,
    arena: Any,
    count: int,
) -> Any:
    """Number the raw tokens of ``codes[read:]`` until the text or the room for new tokens ends.

    Twin: `trix.indexer.words.interner.DictInterner`. Returns (where reading stopped, numbers written, tokens known).

    A slot holds half of a token's hash, and its number plus one. The print of a token of up to fifteen characters below
    128 is these characters, so most tokens are known by looking at one place more, and those that come often stand
    together; that of any other is its hash and `_LONG`.
    """
    size = codes.size
    mask = np.uint64(slots.size - 1)
    at = read
    spots, cut_prints, hashes = (
        np.empty((_BLOCK, 2), np.int64),
        np.empty((_BLOCK, 2), np.uint64),
        np.empty(_BLOCK, np.uint64),
    )
    while at < size:
        cut = 0
        while at < size and cut < _BLOCK:
            code = codes[at]
            kind = classes[code] if code < 65536 else 1
            if kind == 0:
                at += 1
                continue
            begin = at
            at += 1
            last = every = np.uint64(code)
            first = value = np.uint64(0)
            if kind == 1:
                while at < size:
                    code = codes[at]
                    if code < 65536 and classes[code] != 1:
                        break
                    last = (last << np.uint64(8)) | np.uint64(code)
                    every |= np.uint64(code)
                    at += 1
                    if (at - begin) & 7 == 0:
                        value = (value ^ first) * _ODD
                        value ^= value >> np.uint64(29)
                        first = last
                        last = np.uint64(0)
            value = _hashed(value ^ first, last)
            if at - begin > 15 or every > 127:
                last, first = value, _LONG
            spots[cut, 0], spots[cut, 1] = begin, at
            cut_prints[cut, 0], cut_prints[cut, 1] = last, first
            hashes[cut] = value
            cut += 1
        for token in range(cut):
            value = hashes[token]
            last, first = cut_prints[token, 0], cut_prints[token, 1]
            slot = value & mask
            while True:
                held = slots[slot]
                number = np.int64(held & _NUMBER) - 1
                if number < 0:
                    break
                if (held ^ value) <= _NUMBER and prints[number, 0] == last and prints[number, 1] == first:
                    if first != _LONG:
                        break
                    begin = spots[token, 0]
                    length = spots[token, 1] - begin
                    start = ends[number]
                    if ends[number + 1] - start == length:
                        i = 0
                        while i < length and arena[start + i] == codes[begin + i]:
                            i += 1
                        if i == length:
                            break
                slot = (slot + np.uint64(1)) & mask
            if number < 0:
                begin = spots[token, 0]
                length = spots[token, 1] - begin
                if count == prints.shape[0]:
                    return begin, written, count
                number = np.int64(count)
                start = ends[count]
                for i in range(length):
                    arena[start + i] = codes[begin + i]
                ends[count + 1] = start + length
                prints[count, 0] = last
                prints[count, 1] = first
                count += 1
                slots[slot] = (value & ~_NUMBER) | np.uint64(count)
            numbers[written] = number
            written += 1
    return at, written, count


_BLOCK = 512
"""Tokens that are cut before they are looked up: what they need of memory is then fetched for several at once."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
_LONG = np.uint64(1 << 63)
_NUMBER = np.uint64((1 << 32) - 1)


@kernel
def _hashed(value: Any, last: Any) -> Any:
    value = (value * _ODD ^ last) * _ODD
    return value ^ (value >> np.uint64(32))


@kernel
def number_keys(tokens: Any, known: Any, text: int) -> Any:
    """Number the keys and the words of a text; twin: `trix.indexer.words.analyzer.KeyTable.number_with_words`.

    Parameters
    ----------
    tokens
        Its raw tokens by number.
    known
        Of each raw token its key, its word, and the last text that held it. A key of -1: it has none, -2: it is a
        boundary, less: it is not so simple.
    text
        The number of this text.

    Returns
    -------
    tuple
        Whether all tokens are simple, the keys, how many are behind each boundary, and the distinct words.
    """
    numbers, counts = np.empty(tokens.size, np.int32), np.empty(tokens.size, np.int64)
    distinct = np.empty(tokens.size, np.int32)
    written = held = pieces = begin = 0
    for token in tokens:
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
            return False, numbers, counts, distinct
    if pieces:
        counts[pieces - 1] = written - begin
    return True, numbers[:written].copy(), counts[:pieces].copy(), distinct[:held].copy()


@kernel
def fill_slots(slots: Any, prints: Any, count: int) -> None:
    """Enter the known tokens, of which the prints are given, into an empty table of slots."""
    mask = np.uint64(slots.size - 1)
    for number in range(count):
        last, first = prints[number, 0], prints[number, 1]
        value = last if first == _LONG else _hashed(first, last)
        slot = value & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = (value & ~_NUMBER) | np.uint64(number + 1)


@kernel
def cut_sentences(codes: Any, roles: Any, abbreviations: Any, marked: Any, owner: Any) -> Any:
    """Put a boundary (1) before each sentence of a text in which one stands before each content element.

    Twin: `trix.indexer.words.sentences.mark_sentences`.

    Parameters
    ----------
    codes
        The text.
    roles
        Of each character, bits: it stops a sentence, closes a quotation, is white, opens a quotation, begins a
        sentence; it stops one without white space behind it, closes a quotation there; is of a word; is a letter.
    abbreviations
        Small letters, a byte each, as a number; ascending.
    marked, owner
        To fill: the text, and of each piece behind a boundary the content element that it is in.

    Returns
    -------
    tuple
        How many characters and pieces there are.
    """
    written = 0
    pieces = 0
    content = -1
    end = -1  # of a sentence
    at = 0
    while at < codes.size:
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
        if role & 33 == 0 or at <= end or content < 0:
            continue
        if role & 1:
            behind = at
            while behind < codes.size and roles[codes[behind]] & 2:
                behind += 1
            first = behind
            while behind < codes.size and roles[codes[behind]] & 4:
                behind += 1
            begin = behind
            while begin < codes.size and roles[codes[begin]] & 8:
                begin += 1
            if (
                behind > first
                and begin < codes.size
                and roles[codes[begin]] & 16
                and (code != 46 or not _abbreviated(codes, at - 1, roles, abbreviations))
            ):
                end = behind
        else:
            end = at
            while end < codes.size and roles[codes[end]] & 64:
                end += 1
    if end == codes.size and pieces:
        marked[written] = 1
        written += 1
        owner[pieces] = content
        pieces += 1
    return written, pieces


@kernel
def _abbreviated(codes: Any, stop: Any, roles: Any, abbreviations: Any) -> Any:
    """Tell whether the word before a full stop is a single letter or an abbreviation."""
    begin = stop
    packed = np.int64(0)
    shift = 0
    plain = 1
    while begin > 0 and roles[codes[begin - 1]] & 128:
        begin -= 1
        if stop - begin > 7:
            return False
        code = np.int64(codes[begin])
        plain &= int(code < 128)
        packed |= (code + 32 if 65 <= code <= 90 else code) << shift
        shift += 8
    if stop == begin or (begin > 0 and codes[begin - 1] == 95):  # _
        return False
    if stop - begin == 1 and roles[codes[begin]] & 256:
        return True
    if plain:
        for known in abbreviations:
            if known == packed:
                return True
    return False
