"""Templates and words of pages, which the folder of a theme can override."""

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

from trix.support.lru_cache import LruFunction
from trix.web.reading import marks
from trix.web.reading.direction import LTR, RTL, direction, isolated, of_language, phrases
from trix.web.site.percent import printable
from trix.web.site.site import Site

HERE = Path(__file__).resolve().parent.parent
"""Folder with ``templates``, ``static`` and ``words.toml``, as a theme may have them."""


_KEPT = 64
"""Size of the cache of rendered parts."""


@dataclass(frozen=True)
class Drawing:
    """Part of pages that is cached by a key.

    Parameters
    ----------
    template
        Name of the template.
    key
        What its values depend on.
    values
        Returns the values, called if the part is not cached.
    """

    template: str
    key: Hashable
    values: Callable[[], Mapping[str, Any]] = field(compare=False)


class Pages:
    """Renderer of the pages of a site.

    Parameters
    ----------
    site
        The site with title and theme.

    Attributes
    ----------
    drawn : LruFunction[Drawing, Markup]
        Cache of rendered parts.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
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
            place=site.title,
            description=site.description,
            direction=direction,
            page_direction=self.direction,
            root="/",
            policy="",
            is_published=False,
            anchors={},
        )
        self.drawn = LruFunction(self._drawn, _KEPT)

    def load(self) -> None:
        """Compile all templates, which takes longer than rendering."""
        for name in self._environment.list_templates():
            self._environment.get_template(name)

    @property
    def folders(self) -> list[Path]:
        """Folders of templates and files, in order of precedence."""
        return [*([self._site.theme] if self._site.theme else []), HERE]

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The words of the pages."""
        found: dict[str, str] = {}
        for folder in reversed(self.folders):
            if (path := folder / "words.toml").is_file():
                found.update(tomllib.loads(path.read_text(encoding="utf-8")))
        return found

    def say(self, name: str, **values: Any) -> str:
        """Return words of the pages, formatted with values; numbers get commas."""
        text = self.words[name]
        return text.format(**{key: number(value) for key, value in values.items()}) if values else text

    def direction(self) -> str:
        """Return the direction of the words of the pages."""
        return of_language(self.words["language"]) or LTR

    def text(self, template: str, **values: Any) -> str:
        """Render a template."""
        return self._environment.get_template(template).render(**values)

    def _drawn(self, drawing: Drawing) -> Markup:
        return Markup(self.text(drawing.template, **drawing.values()))

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Render a page as a response."""
        return HTMLResponse(printable(self.text(template, **values)), status)


def number(value: Any) -> str:
    """Format integers with commas, and anything else as text."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def plain_notice(text: str) -> str:
    """Reword a notice of the library for a page, where settings have no backticks."""
    return text.replace("; `quiet_parts` returns them", "").replace("`", "").replace("per_document", "per document")


def marked(text: str, ranges: list[tuple[int, int]], way: str = RTL) -> Markup:
    """Put ``<mark>`` around ranges of a text; right-to-left words in left-to-right text are isolated.

    >>> marked("a < b", [(4, 5)])
    Markup('a &lt; <mark>b</mark>')
    """
    return Markup(marks.marked(text, ranges, isolated=phrases(text) if way == LTR else ()))
