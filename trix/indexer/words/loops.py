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
