"""The sets that are made of the collections beside the checkout: a line a set."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scripts.parts.bench.common import DATA
from scripts.parts.prove import ready
from scripts.parts.prove.sets import Set, write_set
from trix.datasets.silver import captions, citations, headings
from trix.datasets.silver.words import FEWEST, SilverTopic

PHP_LEVEL = (
    "minor:varlistentry+sect1+sect2+sect3+sect4+section+refentry+chapter+appendix+reference+preface+book+article"
)


@dataclass(frozen=True)
class Maker:
    """How one set is made.

    Parameters
    ----------
    archive
        The archive of the collection, below the data, without its suffix.
    folder
        The folder in it that is indexed.
    topics
        Makes topics of the folder.
    level, measure, source, profile, kind, stem
        See `scripts.parts.prove.sets`; `profile` is a preset, or the text of a profile.
    """

    archive: str
    folder: str
    topics: Callable[[Path], Sequence[SilverTopic]]
    level: str
    measure: str
    source: str
    profile: str
    kind: str = "silver"
    stem: str = "porter"

    @property
    def packed(self) -> Path:
        """The archive."""
        return DATA / f"{self.archive}.tar.xz"

    def make(self, folder: Path, unpacked: Path) -> tuple[Set | None, int]:
        """Write the set into a folder; return it and how many topics there are, None where too few are.

        Parameters
        ----------
        folder
            Where the set goes.
        unpacked
            Where collections are unpacked, one folder each.
        """
        xml = self.unpack(unpacked)
        topics = self.topics(xml)
        if len(topics) < FEWEST:
            return None, len(topics)
        described = {
            "kind": self.kind, "level": self.level, "measure": self.measure, "source": self.source,
            "collection": str(xml), "stem": self.stem,
        }  # fmt: skip
        text = self.profile if "\n" in self.profile else ""
        if not text:
            described["profile"] = self.profile
        return write_set(folder, topics, described, text), len(topics)

    def unpack(self, unpacked: Path) -> Path:
        """Return the folder of the XML."""
        return (unpacked_once(self.packed, unpacked) / self.folder).resolve()


def unpacked_once(packed: Path, folder: Path) -> Path:
    """Return where an archive is unpacked, which is done where it is not yet; its one folder has its name."""
    place = folder / packed.name.partition(".")[0]
    if not place.exists():
        scratch = place.with_name(f".{place.name}.{os.getpid()}")
        with tarfile.open(packed) as archive:
            archive.extractall(scratch, filter="data")
        (scratch / place.name).rename(place)
        scratch.rmdir()
    return place


def of_citations(archive: str, folder: str) -> Maker:
    """Titles of cited works."""
    source = "Titles of works cited by 6 paragraphs of 3 articles at least ask for the paragraphs that cite them."
    return Maker(
        f"collections/{archive}", folder, citations.topics, citations.LEVEL, "ap", source, citations.PROFILE
    )  # fmt: skip


def of_captions(archive: str, folder: str) -> Maker:
    """Titles of figures."""
    source = "Titles of figures, or first sentences of captions, ask for the paragraphs that refer to the figure."
    return Maker(f"collections/{archive}", folder, captions.topics, citations.LEVEL, "ap", source, captions.PROFILE)


def of_headings(archive: str, folder: str, schema: str, stem: str = "porter") -> Maker:
    """Headings of sections, which are not in what is searched."""
    kind = headings.KINDS[schema]
    source = f"Each {kind.heading} that occurs once asks for its section, without the {kind.heading}."
    return Maker(
        f"collections/{archive}", folder, partial(headings.topics, kind=kind), kind.level, "rr", source, kind.profile,
        stem=stem,
    )  # fmt: skip


def of_links(archive: str, folder: str) -> Maker:
    """Link texts of the PHP manual, which are beside the collections."""
    source = "Texts of links ask for the element that the link leads to."
    there = DATA / "silver" / "php"
    return Maker(f"collections/{archive}", folder, lambda _: ready.topics(there), PHP_LEVEL, "rr", source, "docbook")


def of_people(archive: str, folder: str) -> Maker:
    """Questions whose answers doctors have marked."""
    source = (
        "Outcome, intervention and comparator of a question ask for the paragraphs with the span marked by doctors."
    )
    return Maker(
        f"human/{archive}", folder, lambda xml: ready.topics(xml.parent), "//p[not(.//p)]", "ap", source, "jats",
        "human",
    )  # fmt: skip


# Without a set: the plays of DraCor, whose headings are numbers of acts and scenes but for 17 in English and fewer in
# German; Perseus, where 37 are more than the number of a book; Shakespeare, which has no headings.
MAKERS: dict[str, Maker] = {
    "elife-citations": of_citations("medium-jats-elife", "elife"),
    "elife-captions": of_captions("medium-jats-elife", "elife"),
    "europepmc-citations": of_citations("medium-jats-europepmc-sample", "europepmc"),
    "europepmc-captions": of_captions("medium-jats-europepmc-sample", "europepmc"),
    "php-links": of_links("odd-docbook-php", ""),
    "gnome-titles": of_headings("odd-mallard-gnome", "C", "mallard"),
    "gnome-titles-de": of_headings("odd-mallard-gnome", "de", "mallard", "auto"),
    "rfc-names": of_headings("odd-rfcxml", "", "rfc"),
    "uslm-headings": of_headings("odd-uslm", "", "uslm"),
    "canada-notes": of_headings("odd-laws-canada-sample", "eng", "canada"),
    "canada-notes-fr": of_headings("odd-laws-canada-sample", "fra", "canada", "auto"),
    "tcp-heads": of_headings("odd-tcp-evans-ecco-sample", "", "tcp"),
    "eltec-heads": of_headings("odd-tei-eltec-eng-sample", "", "tei"),
    "evidence-inference": of_people("evidence-inference", "articles"),
}
