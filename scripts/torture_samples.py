"""What is tortured: small collections of articles, made from a seed, and indexes of every make."""

from __future__ import annotations

import random
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from torture_asker import Answer, Asker

ROOT = Path(__file__).resolve().parent.parent
OLD = ROOT / "tests" / "data" / "format-2.zip"
WORDS = ["lamp", "oil", "storm", "keeper", "rope", "ladder", "harbour", "fog", "bell", "tide", "anchor", "signal", "stone", "stairs", "window", "glass", "night", "watch", "ship", "crew", "captain", "log", "weather", "island", "gull", "wave", "rock", "shore", "beacon", "light"]


def article(number: int, chance: random.Random, size: int = 2) -> str:
    """Return an article with a year, sections, attributes, a list, links to its own sections, a namespace."""

    def text(low: int = 8, high: int = 40) -> str:
        return " ".join(
            chance.choices(WORDS, [1 / (place + 2) for place in range(len(WORDS))], k=chance.randint(low, high))
        )

    sections = "".join(
        f'<sec id="s{place}" sec-type="{chance.choice(WORDS)}"><title>{text(2, 5)}</title>'
        + "".join(f"<p>{text()} <xref ref-type=\"sec\" rid=\"s{chance.randint(1, size)}\">see</xref> <b>{text(1, 3)}</b></p>" for _ in range(3))
        + f"<list><list-item><p>{text(3, 9)}</p></list-item><list-item><p>{text(3, 9)}</p></list-item></list></sec>"
        for place in range(1, size + 1)
    )  # fmt: skip
    return (
        f"<article><front><article-meta><title-group><article-title>Keeper {number} {text(2, 6)}</article-title>"
        f"</title-group><pub-date><year>{2000 + number % 25}</year></pub-date><abstract><p>{text()}</p></abstract>"
        f'</article-meta></front><body xmlns:m="http://example.org/m">{sections}<p>n{number} <m:math>x</m:math></p></body>'
        "</article>"
    )


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
    backends
        Those to ask under.
    sound
        What it answers, by backend, as long as nobody harmed it.
    is_old
        Whether it is of format 2.
    """

    name: str
    path: Path
    backends: tuple[str, ...]
    sound: dict[str, dict[str, Answer]]
    is_old: bool = False

    def learn(self, asker: Asker) -> Sample:
        """Ask the index before it is harmed."""
        for backend in self.backends:
            self.sound[backend] = asker.answers(self.path, backend)
            faults = [f"{name}: {text}" for name, (kind, text) in self.sound[backend].items() if kind != "right"]
            if faults:
                raise SystemExit(f"torture: the sound index {self.name} fails: {faults[0]}")
        return self


def samples(folder: Path, seed: int, backends: tuple[str, ...], asker: Asker, documents: int = 24) -> list[Sample]:
    """Make an index of one segment, one with a history, and one of format 2."""
    import trix

    files = collection(folder / "files", range(documents), seed)
    trix.build(files, folder / "whole.index", profile="jats", positions=True, store=True, jobs=1)
    history(folder / "lived.index", files)
    made = [Sample("one segment", folder / "whole.index", backends, {})]
    made.append(Sample("several segments", folder / "lived.index", backends, {}))
    with zipfile.ZipFile(OLD) as archive:
        archive.extractall(folder / "old")
    made.append(Sample("format 2", folder / "old" / "golden.index", backends, {}, is_old=True))
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
