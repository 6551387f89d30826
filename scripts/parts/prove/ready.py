"""Sets that are there already: topics and judgements in files beside the collections."""

from __future__ import annotations

from pathlib import Path

from trix.datasets.silver.words import SilverTopic


def topics(folder: Path) -> list[SilverTopic]:
    """Return the topics of a folder with ``topics.tsv`` and ``qrels.txt``, those that have something relevant."""
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, rest = line.split(maxsplit=2)
        unit, grade = rest.rsplit(maxsplit=1)
        if int(grade) > 0:
            relevant.setdefault(topic, []).append(unit)
    lines = (folder / "topics.tsv").read_text(encoding="utf-8").splitlines()
    asked = (line.split("\t", 1) for line in lines if line.strip())
    return [SilverTopic(words, tuple(relevant[number])) for number, words in asked if number in relevant]
