"""Packed tables of strings and lists of numbers, written: titles, their words, plain spellings of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trix.indexer.commit.sections import SectionWriter
from trix.indexer.store.strings import encode_numbers, encode_packed, encode_widths


def write_packed(sections: SectionWriter, name: str, strings: Sequence[str]) -> None:
    """Write a packed table of sorted strings without line breaks."""
    data, ends = encode_packed(strings)
    sections.file(name).write(data)
    sections.array(f"{name}.ends", ends)


def write_listed(sections: SectionWriter, name: str, listed: Mapping[str, Sequence[int]]) -> None:
    """Write a packed table of the same with ascending numbers for each, which stand in a section beside it."""
    write_packed(sections, name, [*listed])
    coded, sizes = encode_numbers(listed.values())
    sections.file(f"{name}.of").write(coded)
    sections.file(f"{name}.of.widths").write(encode_widths(sizes))
