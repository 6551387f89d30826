"""The files of an index are what docs/spec/format.md says: read here by the letter, with none of the engine's code."""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
import zstandard
from pyroaring import BitMap

import trix

PROFILE = 'values = ["b"]\n[links]\ntarget = "//@to"\n'
DOCUMENTS = {
    "a": '<a id="1"><p>tree trees <b>life</b></p><p>of the tree</p><q to="b">edit</q></a>',
    "b": "<a><p>distance</p></a>",
    "c": "<a><p>tree edit</p><p>naïve</p></a>",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of two segments, with a deleted document in the first."""
    folder = tmp_path_factory.mktemp("format")
    (folder / "p.toml").write_text(PROFILE)
    for name, text in DOCUMENTS.items():
        (folder / ("docs" if name < "c" else "more")).mkdir(exist_ok=True)
        (folder / ("docs" if name < "c" else "more") / f"{name}.xml").write_text(text, encoding="utf-8")
    how: dict[str, Any] = {"profile": folder / "p.toml", "stem": "none", "stop": "none", "positions": True}
    trix.build(folder / "docs", folder / "i", jobs=1, store=True, **how)
    with trix.write(folder / "i", merge=False) as writer:
        writer.add(folder / "more")
        writer.delete("b")
    return folder / "i"


def commit_of(folder: Path) -> dict[str, Any]:
    newest = max(folder.glob("commit-*.msgpack"))
    data = newest.read_bytes()
    assert newest.with_suffix(".copy").read_bytes() == data
    assert data[:12] == b"TRIX commit\n"
    assert data[12:28] == hashlib.blake2b(data[28:], digest_size=16).digest()
    record: dict[str, Any] = msgpack.unpackb(data[28:])
    assert newest.name == f"commit-{record['number']:06}.msgpack"
    return record


def segment_of(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the sections and the facts of a segment, all checksums verified."""
    data = path.read_bytes()
    begin, size, digest = struct.unpack("<QQ16s", data[-32:])
    directory = data[begin : begin + size]
    assert begin + size + 32 == len(data) and data.startswith(b"TRIX segment\n")
    assert hashlib.blake2b(directory, digest_size=16).digest() == digest == bytes.fromhex(path.stem)
    record = msgpack.unpackb(directory)
    pages = [zlib.crc32(data[at : min(at + 4096, begin)]) for at in range(0, begin, 4096)]
    assert np.frombuffer(record["pages"], "<u4").tolist() == pages
    sections: dict[str, Any] = {}
    last = 13
    for name, (first, size, dtype, columns) in sorted(record["sections"].items(), key=lambda item: item[1][0]):
        assert first % 16 == 0 and not any(data[last:first]) and 0 <= first - last < 16
        last = first + size
        own = data[first:last]
        sections[name] = np.frombuffer(own, dtype).reshape(-1, columns or 1) if dtype else own
    assert last == begin
    return sections, record["facts"]


def column(section: bytes, span: list[Any]) -> Any:
    return np.frombuffer(zstandard.ZstdDecompressor().decompress(section[span[0] : span[1]]), f"<{span[2]}")


def ends_of(sections: dict[str, Any], name: str) -> list[int]:
    planes = zstandard.ZstdDecompressor().decompress(sections[f"{name}.widths"])
    count = len(planes) // 4
    widths = [sum(planes[plane * count + number] << 8 * plane for plane in range(4)) for number in range(count)]
    return [int(end) for end in np.cumsum(widths)]


def strings(sections: dict[str, Any], name: str) -> list[str]:
    ends = ends_of(sections, name)
    return [sections[name][begin:end].decode() for begin, end in zip([0, *ends], ends, strict=False)]


def varints(data: bytes) -> list[int]:
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    return found


def lists(sections: dict[str, Any], name: str) -> list[list[int]]:
    ends = ends_of(sections, name)
    return [varints(sections[name][begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]


def postings(values: list[int]) -> list[tuple[int, int]]:
    found, content, at = [], 0, 0
    while at < len(values):
        content += values[at] >> 1
        several = values[at] & 1
        found.append((content, values[at + 1] + 2 if several else 1))
        at += 1 + several
    return found


def test_the_commit(folder: Path) -> None:
    commit = commit_of(folder)
    assert commit["format"] == 4
    assert set(commit) == {"format", "number", "settings", "segments", "origins", "skipped"}
    words = {"stem", "stop", "stopwords", "accents", "language", "variants"}
    assert set(commit["settings"]) == {"profile", "positions", "store", "max_elements", "max_bytes", *words}
    live = {"documents", "elements", "content_elements", "tokens", "xml_bytes"}
    for name, size, totals, _ in commit["segments"]:
        assert (folder / f"{name}.segment").stat().st_size == size
        assert totals.keys() == live
    assert [list(BitMap.deserialize(deleted)) if deleted else [] for *_, deleted in commit["segments"]] == [[1], []]
    assert commit["origins"]["collections"] == [str(folder.parent / name) for name in ("docs", "more")]
    assert commit["skipped"] == []


def test_the_sections_of_a_segment(folder: Path) -> None:
    sections, facts = segment_of(folder / f"{commit_of(folder)['segments'][0][0]}.segment")
    assert facts["totals"]["documents"] == 2
    assert strings(sections, "documents.id") == ["a", "b"]
    assert sections["documents.by_id"].ravel().tolist() == [0, 1]
    assert sections["documents"][:, :2].tolist() == [[0, 0], [4, 3]]
    assert strings(sections, "sources.path") == ["a.xml", "b.xml"]
    for number, (begin, end, place) in enumerate(sections["copies.places"].tolist()):
        frame = zstandard.ZstdDecompressor().decompress(sections["copies"][begin:end])
        size, crc, offset = sections["sources"][number].tolist()
        text = frame[place : place + size]
        assert text.decode() == DOCUMENTS["ab"[number]]
        assert (zlib.crc32(text), offset) == (crc, -1)
    (element, content, document, spans), end = facts["blocks"]
    assert (element, content, document) == (0, 0, 0) and end[:3] == [6, 4, 2] and end[3] == {}
    columns = {name: column(sections[f"elements.{name}"], spans[name]).tolist() for name in ("up", "depth", "contents")}
    assert columns == {"up": [0, 1, 2, 3, 0, 1], "depth": [0, 1, 1, 1, 0, 1], "contents": [3, 1, 1, 1, 1, 1]}
    tags = {
        name: BitMap.deserialize(column(sections["tags"], [*span[:2], "u1"]).tobytes())
        for name, span in facts["tags"].items()
    }
    assert sum(len(found) for found in tags.values()) == facts["totals"]["elements"]
    assert [len(tags[name]) for name in facts["tags"]] == [span[2] for span in facts["tags"].values()]


def test_keys_postings_and_positions(folder: Path) -> None:
    sections, facts = segment_of(folder / f"{commit_of(folder)['segments'][0][0]}.segment")
    keys = strings(sections, "keys")
    assert keys == ["distance", "edit", "life", "of", "the", "tree", "trees"]
    found = dict(zip(keys, map(postings, lists(sections, "postings")), strict=True))
    assert found == {"distance": [(3, 1)], "edit": [(2, 1)], "life": [(0, 1)], "of": [(1, 1)], "the": [(1, 1)],
                     "tree": [(0, 1), (1, 1)], "trees": [(0, 1)]}  # fmt: skip
    positions = dict(zip(keys, lists(sections, "positions"), strict=True))
    assert positions["trees"] == [1] and positions["life"] == [2] and positions["tree"] == [0, 2]
    assert facts["totals"]["keys"] == 7 and facts["totals"]["postings"] == 8


def test_the_plain_spellings_of_words(folder: Path) -> None:
    sections, _ = segment_of(folder / f"{commit_of(folder)['segments'][1][0]}.segment")
    assert strings(sections, "keys") == ["edit", "naïve", "tree"]  # which are the words, as nothing is stemmed
    assert "words" not in sections
    (end,) = sections["words.fold.ends"].ravel().tolist()
    assert zstandard.ZstdDecompressor().decompress(sections["words.fold"][:end]) == b"naive"
    assert [postings(each) for each in lists(sections, "words.fold.of")] == [[(1, 1)]]
    assert len(sections["words.keep.ends"]) == 0 and sections["words.keep"] == b""


def test_links_and_states(folder: Path) -> None:
    name = commit_of(folder)["segments"][0][0]
    sections, facts = segment_of(folder / f"{name}.segment")
    steps, ways = (column(sections["links"], span).astype(int) for span in facts["links"]["spans"])
    first = sections["documents"][1, 0]
    sources = np.cumsum(steps)
    assert (facts["links"]["count"], facts["links"]["open"]) == (1, 0)
    assert (sources + ways).tolist() == [first] and 0 < sources[0] < first
    spans = facts["blocks"][0][3]
    assert column(sections["links.names"], spans["links.names"]).tobytes() == b"b"
    assert column(sections["links.names"], spans["links.ids"]).tobytes() == b"1"
    assert column(sections["links.names"], spans["links.counts"]).tolist() == [0, 1, 1, 0, 0, 0]
    data = (folder / f"{name}.states").read_bytes()
    assert struct.unpack("<I", data[:4])[0] == zlib.crc32(data[4:])
    files = [(folder.parent / "docs" / f"{each}.xml").stat() for each in "ab"]
    assert msgpack.unpackb(data[4:]) == [[file.st_mtime_ns, file.st_size] for file in files]
