"""Which chapters the handbook has, in which order, and what each is called."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lxml import etree

from trix.errors import UsageError, did_you_mean
from trix.handbook import ARTICLES

CONTENTS = Path(__file__).parent / "contents.toml"


@dataclass(frozen=True)
class Chapter:
    """An article.

    Attributes
    ----------
    name
        Of its file, without the ending; the document id in the index of the handbook.
    part
        Title of the part that it belongs to.
    """

    name: str
    part: str

    @property
    def path(self) -> Path:
        """Return its file."""
        return ARTICLES / f"{self.name}.xml"

    @cached_property
    def root(self) -> Any:
        """Return its root element."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        return etree.parse(str(self.path), parser).getroot()

    @property
    def title(self) -> str:
        """Return its title."""
        return plain(self.root.find("front/article-meta/title-group/article-title"))

    @property
    def abstract(self) -> str:
        """Return its abstract."""
        return plain(self.root.find("front/article-meta/abstract"))


def plain(element: Any) -> str:
    """Return the text of an element on one line.

    >>> plain(etree.fromstring("<p>a\\n <b>b</b>c </p>"))
    'a bc'
    """
    return " ".join("".join(element.itertext()).split())


def chapters() -> list[Chapter]:
    """Return all chapters in order."""
    parts = tomllib.loads(CONTENTS.read_text(encoding="utf-8"))["part"]
    return [Chapter(name, part["title"]) for part in parts for name in part["chapters"]]


def find(name: str) -> Chapter | None:
    """Return the chapter of a name, written with blanks or dashes, in capitals or not; None if there is none.

    >>> find("Dewey labels").name, find("xquery")
    ('dewey-labels', None)
    """
    wanted = name.strip().casefold().replace(" ", "-").removesuffix(".xml")
    return next((chapter for chapter in chapters() if chapter.name == wanted), None)


def chapter(name: str) -> Chapter:
    """Return the chapter of a name.

    Raises
    ------
    UsageError
        There is none.
    """
    found = find(name)
    if found is None:
        hint = did_you_mean(name, (known.name for known in chapters()))
        raise UsageError(f"{name}: no such chapter of the handbook{hint}")
    return found
