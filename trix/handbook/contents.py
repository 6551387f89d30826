"""Chapters of the handbook, with their order and titles."""

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
    """A chapter: one article.

    Attributes
    ----------
    name
        Name of its file without the ending; its document id in the index of the handbook.
    part
        Title of its part of the handbook.
    """

    name: str
    part: str

    @property
    def path(self) -> Path:
        return ARTICLES / f"{self.name}.xml"

    @cached_property
    def root(self) -> Any:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        return etree.parse(str(self.path), parser).getroot()

    @property
    def title(self) -> str:
        return plain(self.root.find("front/article-meta/title-group/article-title"))

    @property
    def abstract(self) -> str:
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
    """Return the chapter with the given name, in any case, with blanks or dashes; None if there is none.

    >>> find("Dewey labels").name, find("xquery")
    ('dewey-labels', None)
    """
    wanted = name.strip().casefold().replace(" ", "-").removesuffix(".xml")
    return next((chapter for chapter in chapters() if chapter.name == wanted), None)


def chapter(name: str) -> Chapter:
    """Return the chapter with the given name.

    Raises
    ------
    UsageError
        There is no such chapter.
    """
    found = find(name)
    if found is None:
        hint = did_you_mean(name, (known.name for known in chapters()))
        raise UsageError(f"{name}: no such chapter of the handbook{hint}")
    return found
