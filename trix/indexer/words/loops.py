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

    A slot holds the print of a token and its number plus one. The print of a token of up to seven characters below 256
    is these characters, so most tokens are known by looking at one place; that of any other is a hash with its highest
    bit set.
    """
    size = codes.size
    mask = slots.shape[0] - 1
    at = read
    while at < size:
        code = codes[at]
        kind = classes[code] if code < 65536 else 1
        if kind == 0:
            at += 1
            continue
        begin = at
        packed = np.uint64(0)
        value = np.uint64(14695981039346656037)
        every = np.uint64(0)
        if kind == 2:
            packed = every = np.uint64(code)
            value = (value ^ np.uint64(code)) * np.uint64(1099511628211)
            at += 1
        else:
            while kind == 1:
                packed = (packed << np.uint64(8)) | np.uint64(code)
                every |= np.uint64(code)
                value = (value ^ np.uint64(code)) * np.uint64(1099511628211)
                at += 1
                if at == size:
                    break
                code = codes[at]
                kind = classes[code] if code < 65536 else 1
        length = at - begin
        short = length < 8 and every < 256
        value ^= value >> np.uint64(29)
        value *= np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(32)
        slot = np.int64(value & np.uint64(mask))
        own = packed if short else value | np.uint64(0x8000000000000000)
        while True:
            number = np.int64(slots[slot, 1]) - 1
            if number < 0:
                break
            if slots[slot, 0] == own:
                if short:
                    break
                if ends[number + 1] - ends[number] == length:
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
            if count == prints.shape[0]:
                return begin, written, count
            number = np.int64(count)
            start = ends[count]
            for i in range(length):
                arena[start + i] = codes[begin + i]
            ends[count + 1] = start + length
            prints[count, 0] = own
            prints[count, 1] = value
            count += 1
            slots[slot, 0] = own
            slots[slot, 1] = np.uint64(count)
        numbers[written] = number
        written += 1
    return at, written, count


@kernel
def number_keys(tokens: Any, keys: Any, words: Any, seen: Any, text: int) -> Any:
    """Number the keys and the words of a text; twin: `trix.indexer.words.analyzer.KeyTable.number_with_words`.

    Parameters
    ----------
    tokens
        Its raw tokens by number.
    keys, words
        Of each raw token its key and its word; -1: it has none, -2: it is a boundary, less: it is not so simple.
    seen, text
        The number of this text, and of the last text that held each raw token.

    Returns
    -------
    tuple
        Whether all tokens are simple, the keys, how many are behind each boundary, and the distinct words.
    """
    numbers, counts = np.empty(tokens.size, np.int32), np.empty(tokens.size, np.int64)
    distinct = np.empty(tokens.size, np.int32)
    written = held = pieces = begin = 0
    for token in tokens:
        key = keys[token]
        if key >= 0:
            numbers[written] = key
            written += 1
            if seen[token] != text:
                seen[token] = text
                distinct[held] = words[token]
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
    """Enter the known tokens, of each of which the print and the hash are given, into an empty table of slots."""
    mask = slots.shape[0] - 1
    for number in range(count):
        slot = np.int64(prints[number, 1] & np.uint64(mask))
        while slots[slot, 1] != 0:
            slot = (slot + 1) & mask
        slots[slot, 0] = prints[number, 0]
        slots[slot, 1] = np.uint64(number + 1)


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
