"""Templates and words of the pages; a theme's folder can replace any of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.responses import HTMLResponse

from trix.support.recent import Recent
from trix.web.place.percent import printable
from trix.web.place.place import Place
from trix.web.reading import marks
from trix.web.reading.direction import LTR, RTL, direction, isolated, of_language, phrases

HERE = Path(__file__).resolve().parent.parent
"""The folder with ``templates``, ``static`` and ``words.toml``, which a theme's folder may have as well."""


_KEPT = 64
"""Parts of pages that are kept."""


@dataclass(frozen=True)
class Drawing:
    """A part of many pages, the same on all that share a key.

    Parameters
    ----------
    template
        What is filled.
    key
        What its values depend on.
    values
        Gives them, where the part has to be made.
    """

    template: str
    key: Hashable
    values: Callable[[], Mapping[str, Any]] = field(compare=False)


class Pages:
    """Makes pages of a place.

    Parameters
    ----------
    place
        Its title and theme.

    Attributes
    ----------
    drawn : Recent[Drawing, Markup]
        Gives parts of pages that are made once and kept.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        folders = [folder / "templates" for folder in self.folders]
        self._environment = Environment(
            loader=FileSystemLoader(folders),
            autoescape=select_autoescape(default=True, default_for_string=True),
            undefined=StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(marked=marked, number=number, plain=plain_notice, isolated=isolated)
        self._environment.globals.update(
            say=self.say,
            place=place.title,
            description=place.description,
            direction=direction,
            page_direction=self.direction,
        )
        self.drawn = Recent(self._drawn, _KEPT)

    def load(self) -> None:
        """Make all templates ready, which takes longer than to fill one."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    @property
    def folders(self) -> list[Path]:
        """Where templates and files are looked for, in order."""
        return [*([self._place.theme] if self._place.theme else []), HERE]

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The words of the pages."""
        found: dict[str, str] = {}
        for folder in reversed(self.folders):
            if (path := folder / "words.toml").is_file():
                found.update(tomllib.loads(path.read_text(encoding="utf-8")))
        return found

    def say(self, name: str, **values: Any) -> str:
        """Return words of the pages, with values put in; numbers are written with commas."""
        text = self.words[name]
        return text.format(**{key: number(value) for key, value in values.items()}) if values else text

    def direction(self) -> str:
        """Return the direction of the words of the pages."""
        return of_language(self.words["language"]) or LTR

    def text(self, template: str, **values: Any) -> str:
        """Return a filled template."""
        return self._environment.get_template(template).render(**values)

    def _drawn(self, drawing: Drawing) -> Markup:
        return Markup(self.text(drawing.template, **drawing.values()))

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page as an answer."""
        return HTMLResponse(printable(self.text(template, **values)), status)


def number(value: Any) -> str:
    """Return a number as people write it, and anything else as it is."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def plain_notice(text: str) -> str:
    """Reword a notice of the library for a page, where settings have no backticks."""
    return text.replace("; `quiet_parts` returns them", "").replace("`", "").replace("per_document", "per document")


def marked(text: str, ranges: list[tuple[int, int]], way: str = RTL) -> Markup:
    """Return a text with ``<mark>`` around ranges; words from right to left in one from left to right are isolated.

    >>> marked("a < b", [(4, 5)])
    Markup('a &lt; <mark>b</mark>')
    """
    return Markup(marks.marked(text, ranges, isolated=phrases(text) if way == LTR else ()))
