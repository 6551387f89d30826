"""What is tortured: small collections of articles, made from a seed, and indexes of every make."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from scripts.parts.torture.asker import Answer, Asker

ROOT = Path(__file__).resolve().parents[3]
WORDS = (
    *(
        "lamp",
        "oil",
        "storm",
        "keeper",
        "rope",
        "ladder",
        "harbour",
        "fog",
        "bell",
        "tide",
        "anchor",
        "signal",
        "stone",
    ),
    *("stairs", "window", "glass", "night", "watch", "ship", "crew", "captain", "log", "weather", "island", "gull"),
)
_WEIGHTS = [1 / (place + 2) for place in range(len(WORDS))]


def article(number: int, chance: random.Random, size: int = 2) -> str:
    """Return an article with a year, sections, attributes, a list, links to its own sections, a namespace."""

    def text(low: int = 8, high: int = 40) -> str:
        return " ".join(chance.choices(WORDS, _WEIGHTS, k=chance.randint(low, high)))

    def paragraph() -> str:
        link = f'<xref ref-type="sec" rid="s{chance.randint(1, size)}">see</xref>'
        return f"<p>{text()} {link} <b>{text(1, 3)}</b></p>"

    def section(place: int) -> str:
        head = f'<sec id="s{place}" sec-type="{chance.choice(WORDS)}"><title>{text(2, 5)}</title>'
        items = "".join(f"<list-item><p>{text(3, 9)}</p></list-item>" for _ in range(2))
        return f"{head}{''.join(paragraph() for _ in range(3))}<list>{items}</list></sec>"

    title = f"<title-group><article-title>Keeper {number} {text(2, 6)}</article-title></title-group>"
    year = f"<pub-date><year>{2000 + number % 25}</year></pub-date>"
    front = f"<front><article-meta>{title}{year}<abstract><p>{text()}</p></abstract></article-meta></front>"
    sections = "".join(section(place) for place in range(1, size + 1))
    body = f'<body xmlns:m="http://example.org/m">{sections}<p>n{number} <m:math>x</m:math></p></body>'
    return f"<article>{front}{body}</article>"


def collection(folder: Path, numbers: range, seed: int, size: int = 2) -> Path:
    """Write articles; the same for the same seed. Return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        chance = random.Random(f"{seed} {number}")
        (folder / f"d{number:03}.xml").write_text(article(number, chance, size), "utf-8")
    return folder


def changed(folder: Path, seed: int) -> None:
    """Change a collection as the days do: every fifth article is another one, every seventh is gone, some are new."""
    for path in sorted(folder.iterdir()):
        number = int(path.stem[1:])
        if number % 5 == 0:
            path.write_text(article(number, random.Random(f"changed {seed} {number}")), "utf-8")
        elif number % 7 == 0:
            path.unlink()
    collection(folder, range(500, 506), seed)


@dataclass
class Sample:
    """An index to be tortured.

    Attributes
    ----------
    name
        What it is called in reports.
    path
        Its folder.
    sound
        What it answers, as long as nobody harmed it.
    """

    name: str
    path: Path
    sound: dict[str, Answer]

    def learn(self, asker: Asker) -> Sample:
        """Ask the index before it is harmed."""
        self.sound |= asker.answers(self.path)
        faults = [f"{name}: {text}" for name, (kind, text) in self.sound.items() if kind != "right"]
        if faults:
            raise SystemExit(f"torture: the sound index {self.name} fails: {faults[0]}")
        return self


def samples(folder: Path, seed: int, asker: Asker, documents: int = 24) -> list[Sample]:
    """Make an index of one segment, and one with a history."""
    import trix

    files = collection(folder / "files", range(documents), seed)
    trix.build(files, folder / "whole.index", profile="jats", positions=True, store=True, jobs=1)
    history(folder / "lived.index", files)
    made = [Sample("one segment", folder / "whole.index", {})]
    made.append(Sample("several segments", folder / "lived.index", {}))
    return [sample.learn(asker) for sample in made]


def history(path: Path, files: Path) -> None:
    """Make an index of five segments, of which documents are deleted, replaced, and given from memory."""
    from trix.indexer.change.writer import Writer

    paths = sorted(files.glob("*.xml"))
    step = -(-len(paths) // 4)
    with Writer(path, profile="jats", positions=True, merge=False, jobs=1) as writer:
        for at in range(0, len(paths), step):
            writer.add([str(each) for each in paths[at : at + step]])
            writer.commit()
        writer.delete([each.stem for each in paths[1::6]])
        writer.add_document(article(900, random.Random("memory")), id="memory")
        writer.add(paths[0], replace=True)


def copied(source: Path, target: Path) -> Path:
    """Copy an index to a place where there is none."""
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(source, target))
