"""Posting lists as docs/spec/format.md writes them, an integer at a time."""

from __future__ import annotations

from collections.abc import Mapping


def varint(value: int) -> bytes:
    """Return the bytes of an integer: seven bits each, low bits first, the top bit says that more follow."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def coded(postings: Mapping[int, int]) -> bytes:
    """Return a posting list: gaps doubled, plus 1 where tf > 1; then tf - 2."""
    out, last = b"", 0
    for content in sorted(postings):
        tf = postings[content]
        out += varint(2 * (content - last) + (tf > 1)) + (varint(tf - 2) if tf > 1 else b"")
        last = content
    return out
