"""Sets of topics and judgements as folders: written by makers, read by the measurements.

A set is a folder with

- ``set.toml``: ``name``, ``kind`` (``silver`` or ``human``), ``profile`` (a preset, or a file in the folder),
  ``level``, ``measure`` (``ap`` or ``rr``), ``source`` (one sentence on how it was made), ``collection`` (the folder
  of the XML, unless that is ``xml`` in the folder), and ``stem`` (``porter`` unless given);
- ``topics.tsv``: id TAB words;
- ``qrels.txt``: topic 0 DOC/PATH grade.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from trix.datasets.silver.words import SilverTopic, drawn
from trix.errors import TrixError
from trix.eval.measures.core.registry import Measure, parse_measure

KINDS, MEASURES = ("silver", "human"), {"ap": "AP", "rr": "RR"}


@dataclass(frozen=True, kw_only=True)
class Set:
    """The description of a set and the folder that it is in."""

    folder: Path
    name: str
    kind: str
    profile: str
    level: str
    measure: str
    source: str
    collection: str = "xml"
    stem: str = "porter"

    @property
    def xml(self) -> Path:
        """The folder of the collection."""
        return (self.folder / self.collection).resolve()

    @property
    def profile_or_file(self) -> str:
        """The profile as `trix.build` takes it."""
        file = self.folder / self.profile
        return str(file.resolve()) if file.is_file() else self.profile

    @property
    def as_measure(self) -> Measure:
        """The measure of the evaluator."""
        return parse_measure(MEASURES[self.measure])

    def topics(self, most: int | None = None) -> dict[str, str]:
        """Return topic id -> words, or the first drawn ones of them, in the order of the file."""
        lines = (self.folder / "topics.tsv").read_text(encoding="utf-8").splitlines()
        found = dict(line.split("\t", 1) for line in lines if line.strip())
        return {key: found[key] for key in drawn(list(found), most or len(found))}

    def qrels(self) -> dict[str, dict[str, int]]:
        """Return topic id -> unit -> grade."""
        found: dict[str, dict[str, int]] = {}
        for line in (self.folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
            if line.strip():
                topic, _, rest = line.split(maxsplit=2)
                unit, grade = rest.rsplit(maxsplit=1)
                found.setdefault(topic, {})[unit] = int(grade)
        return found


def read_set(folder: Path) -> Set:
    """Read the description of a set.

    Raises
    ------
    TrixError
        Something of it is missing or wrong.
    """
    file = folder / "set.toml"
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise TrixError(f"{file}: {error}") from None
    known = {field.name for field in fields(Set)} - {"folder"}
    needed = known - {"collection", "stem"}
    if lacking := sorted(needed - set(given)):
        raise TrixError(f"{file}: expected {', '.join(lacking)}")
    found = Set(folder=folder, **{name: str(value) for name, value in given.items() if name in known})
    if found.kind not in KINDS or found.measure not in MEASURES:
        raise TrixError(
            f"{file}: expected kind {' or '.join(KINDS)} and measure {' or '.join(MEASURES)}; "
            f"got {found.kind} and {found.measure}"
        )
    for path in (folder / "topics.tsv", folder / "qrels.txt", found.xml):
        if not path.exists():
            raise TrixError(f"{path}: not there; the set {found.name} needs it")
    return found


def read_sets(folder: Path) -> list[Set]:
    """Read all sets in the subfolders of a folder, by name.

    Raises
    ------
    TrixError
        There is none, or one is wrong.
    """
    files = sorted(folder.glob("*/set.toml"))
    if not files:
        raise TrixError(f"{folder}: no set is there; a set is a subfolder with a set.toml")
    return [read_set(file.parent) for file in files]


def write_set(folder: Path, topics: Sequence[SilverTopic], described: Mapping[str, str], profile: str = "") -> Set:
    """Write a set into a folder; `profile` is the text of a profile of its own.

    Parameters
    ----------
    folder
        Where the set goes.
    topics
        Its topics, in order.
    described
        The keys of ``set.toml``.
    profile
        The text of ``profile.toml``, if the set has a profile of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    given = {"name": folder.name, **described, **({"profile": "profile.toml"} if profile else {})}
    if profile:
        (folder / "profile.toml").write_text(profile, encoding="utf-8")
    lines = [f"{number}\t{topic.words}\n" for number, topic in enumerate(topics, 1)]
    (folder / "topics.tsv").write_text("".join(lines), encoding="utf-8")
    judged = [f"{number} 0 {unit} 1\n" for number, topic in enumerate(topics, 1) for unit in sorted(topic.units)]
    (folder / "qrels.txt").write_text("".join(judged), encoding="utf-8")
    text = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in given.items())
    (folder / "set.toml").write_text(text, encoding="utf-8")
    return read_set(folder)


def shown(topics: Sequence[SilverTopic]) -> Iterator[str]:
    """Yield a line that tells how many topics and judgements there are."""
    yield f"{len(topics)} topics, {sum(len(topic.units) for topic in topics)} judgements"
