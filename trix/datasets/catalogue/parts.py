"""Reader of a prepared folder: elements as documents, topics and judgements, for the tools of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from trix.datasets.catalogue.prepare import ELEMENTS, TOPICS, read_description
from trix.datasets.sources.trees import Element, document_id, parsed, paths, tag, text, xml_files
from trix.errors import UsageError, did_you_mean
from trix.support.output import usable

_LOWERMOST = re.compile(r"minor:[\w+-]+")


class UnitText(NamedTuple):
    """An element of the judged level.

    Attributes
    ----------
    id
        Document id and path.
    text
        Its text, with single blanks.
    """

    id: str
    text: str


class PreparedPart:
    """A part of a prepared data set.

    Parameters
    ----------
    folder
        The prepared folder.
    name
        Name of the part; may be left out if there is one only.

    Raises
    ------
    UsageError
        The folder was not prepared by Trix, or it has no such part.
    """

    def __init__(self, folder: str | PathLike[str], name: str | None = None) -> None:
        self.folder = Path(fspath(folder))
        described = read_description(folder)
        names = [part["name"] for part in described["parts"]]
        if name is None and len(names) > 1:
            raise UsageError(f"{folder}: name one of the parts {', '.join(names)}")
        if name is not None and name not in names:
            raise UsageError(f"{folder}: no part {name}; known are {', '.join(names)}{did_you_mean(name, names)}")
        self.name: str = names[0] if name is None else name
        self.data_set: str = described["name"]
        self.level: str = described["level"]
        self.documents = self.folder / described["parts"][names.index(self.name)]["documents"]

    def __repr__(self) -> str:
        return f"PreparedPart({str(self.folder)!r}, {self.name!r})"

    @cached_property
    def topics(self) -> dict[str, str]:
        """Topic id -> query."""
        return dict(line.split("\t", 1) for line in self._lines(TOPICS))

    @cached_property
    def judgements(self) -> list[tuple[str, str, int]]:
        """Topic id, document id and path, and grade."""
        rows = []
        for line in self._lines(ELEMENTS):
            topic, _, rest = line.split(" ", 2)
            unit, grade = rest.rsplit(" ", 1)
            rows.append((topic, unit, int(grade)))
        return rows

    def units(self) -> Iterator[UnitText]:
        """Yield the elements of the judged level in the order of the documents."""
        for file in xml_files(self.documents):
            doc, root = document_id(file, self.documents), parsed(file)
            places = paths(root)
            for element in at_level(root, self.level):
                yield UnitText(doc + places[element], text(element))

    def _lines(self, name: str) -> list[str]:
        file = self.folder / self.name / name
        with usable(file):
            return [line for line in file.read_text(encoding="utf-8").split("\n") if line]


def parts(folder: str | PathLike[str]) -> list[PreparedPart]:
    """Return all parts of a prepared folder.

    Raises
    ------
    UsageError
        The folder was not prepared by Trix.
    """
    return [PreparedPart(folder, part["name"]) for part in read_description(folder)["parts"]]


def at_level(root: Element, level: str) -> list[Element]:
    """Return the elements of a level in document order: a path, or ``minor:TAG+TAG`` for the lowermost of some tags.

    >>> from lxml import etree
    >>> root = etree.fromstring("<a><s><s><p/></s></s><s><p/></s></a>")
    >>> [paths(root)[each] for each in at_level(root, "minor:s")]
    ['/a[1]/s[1]/s[1]', '/a[1]/s[2]']
    >>> len(at_level(root, "//s[not(.//s)]/p"))
    2
    """
    if not _LOWERMOST.fullmatch(level):
        found: list[Element] = root.xpath(level)
        return found
    tags = set(level.removeprefix("minor:").split("+"))
    there = [each for each in root.iter() if tag(each) in tags]
    above = {id(over) for each in there for over in each.iterancestors()}
    return [each for each in there if id(each) not in above]
