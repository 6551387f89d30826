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
    hashes: Any,
    ends: Any,
    arena: Any,
    count: int,
) -> Any:
    """Number the raw tokens of ``codes[read:]`` until the text or the room for new tokens ends.

    Twin: `trix.indexer.words.interner.DictInterner`. Returns (where reading stopped, numbers written, tokens known).
    """
    size = codes.size
    mask = slots.size - 1
    at = read
    while at < size:
        code = codes[at]
        kind = classes[code] if code < 65536 else 1
        if kind == 0:
            at += 1
            continue
        begin = at
        value = np.uint64(14695981039346656037)
        if kind == 2:
            value = (value ^ np.uint64(code)) * np.uint64(1099511628211)
            at += 1
        else:
            while kind == 1:
                value = (value ^ np.uint64(code)) * np.uint64(1099511628211)
                at += 1
                if at == size:
                    break
                code = codes[at]
                kind = classes[code] if code < 65536 else 1
        value ^= value >> np.uint64(29)
        value *= np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(32)
        length = at - begin
        slot = np.int64(value & np.uint64(mask))
        while True:
            number = slots[slot] - 1
            if number < 0:
                break
            if hashes[number] == value and ends[number + 1] - ends[number] == length:
                start = ends[number]
                same = True
                for i in range(length):
                    if arena[start + i] != codes[begin + i]:
                        same = False
                        break
                if same:
                    break
            slot = (slot + 1) & mask
        if number < 0:
            if count == hashes.size:
                return begin, written, count
            number = count
            start = ends[count]
            for i in range(length):
                arena[start + i] = codes[begin + i]
            ends[count + 1] = start + length
            hashes[count] = value
            count += 1
            slots[slot] = count
        numbers[written] = number
        written += 1
    return at, written, count


@kernel
def fill_slots(slots: Any, hashes: Any, count: int) -> None:
    """Enter the known tokens into an empty table of slots."""
    mask = slots.size - 1
    for number in range(count):
        slot = np.int64(hashes[number] & np.uint64(mask))
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = number + 1


@kernel
def find_sentence_ends(codes: Any, first: int, kinds: Any, abbreviations: Any) -> Any:
    """Return where sentences end; twin: `trix.indexer.words.sentences.sentence_ends`.

    Bits of `kinds`: 1 letter or number, 2 letter, 4 letter that is no small one, 8 white space, 16 closing, 32 opening,
    64 closing behind a wide mark, 128 mark that ends a sentence; wide marks are those beyond U+3000.
    """
    ends = np.empty(1024, np.int64)
    count = 0
    at = first
    while at < codes.size:
        if not kinds[codes[at]] & 128:
            at += 1
            continue
        stop = at
        at += 1
        place = at
        if codes[stop] >= 0x3000:
            while place < codes.size and kinds[codes[place]] & 64:
                place += 1
        else:
            while place < codes.size and kinds[codes[place]] & 16:
                place += 1
            space = place
            while place < codes.size and kinds[codes[place]] & 8:
                place += 1
            ahead = place
            while ahead < codes.size and kinds[codes[ahead]] & 32:
                ahead += 1
            if place == space or ahead == codes.size or not kinds[codes[ahead]] & 4:
                continue
            at = place
            if codes[stop] == 46 and _is_abbreviation(codes, stop, kinds, abbreviations):
                continue
        at = place
        if count == ends.size:
            longer = np.empty(2 * count, np.int64)
            longer[:count] = ends
            ends = longer
        ends[count] = place
        count += 1
    return ends[:count]


@kernel
def _is_abbreviation(codes: Any, stop: int, kinds: Any, abbreviations: Any) -> Any:
    """Tell whether a single letter or an abbreviation stands before a full stop."""
    begin = stop
    packed = np.int64(0)
    shift = 0
    while begin > 0 and stop - begin < 8 and kinds[codes[begin - 1]] & 1:
        begin -= 1
        letter = np.int64(codes[begin])
        if 65 <= letter <= 90:
            letter += 32
        packed |= (letter if letter < 128 else 255) << shift
        shift += 8
    if begin > 0 and (kinds[codes[begin - 1]] & 1 or codes[begin - 1] == 95):  # the word begins before
        return False
    if stop - begin == 1:
        return kinds[codes[begin]] & 2 > 0
    return (abbreviations == packed).any()
