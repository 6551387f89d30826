"""Chapters as text for a terminal or a pipe: headings, wrapped paragraphs, lists, tables, descriptions of figures."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import groupby
from typing import Any

from trix.handbook.contents import Chapter, plain

Style = Callable[[str, str], str]
"""(text, kind: title, heading, bold, italic, code or dim) -> the text, possibly with terminal codes."""

_CODES = {"title": "1;4", "heading": "1", "bold": "1", "italic": "3", "code": "36", "dim": "2"}
_INLINE = {"bold": "bold", "italic": "italic", "monospace": "code"}
_WIDEST = 88


def no_style(text: str, kind: str) -> str:
    """Return the text unchanged."""
    return text


def terminal_style(text: str, kind: str) -> str:
    """Return the text with ANSI codes for its kind."""
    return f"\x1b[{_CODES[kind]}m{text}\x1b[0m"


def render(chapter: Chapter, width: int = 80, style: Style = no_style) -> str:
    """Format a chapter as text.

    Parameters
    ----------
    chapter
        The chapter.
    width
        Columns, at most 88, since longer lines are hard to read.
    style
        Function that marks headings, emphasis and code.
    """
    page = _TextPage(max(30, min(width, _WIDEST)), style)
    page.heading(chapter.title, "title")
    page.paragraph(chapter.root.find("front/article-meta/abstract/p"))
    page.blocks(chapter.root.find("body"))
    references = chapter.root.findall("back/ref-list/ref")
    if references:
        page.heading("References", "heading")
        for number, reference in enumerate(references, 1):
            page.item(reference, f"[{number}] ", "")
    return "\n".join(page.lines).strip("\n") + "\n"


class _TextPage:
    """Page of text to which lines are appended."""

    def __init__(self, width: int, style: Style) -> None:
        self.width, self.style = width, style
        self.lines: list[str] = []

    def gap(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def heading(self, text: str, kind: str) -> None:
        self.gap()
        self.lines += [self.style(line, kind) for line in textwrap.wrap(text, self.width)]
        self.gap()

    def paragraph(self, element: Any, indent: str = "") -> None:
        self.lines += self._wrapped(element, indent, indent)
        self.gap()

    def item(self, element: Any, mark: str, indent: str) -> None:
        self.lines += self._wrapped(element, indent + mark, indent + " " * len(mark))

    def blocks(self, parent: Any, indent: str = "", depth: int = 0) -> None:
        """Append the children of an element one below the other."""
        for child in parent:
            show = getattr(self, "_" + child.tag.replace("-", "_"), None)
            if child.tag == "sec":
                self.blocks(child, indent, depth + 1)
            elif child.tag == "title":
                self.heading(("" if depth < 2 else "  " * (depth - 1)) + plain(child), "heading")
            elif show is not None:
                show(child, indent)
                self.gap()
            else:
                self.paragraph(child, indent)

    def _list(self, element: Any, indent: str) -> None:
        for number, item in enumerate(element.findall("list-item"), 1):
            self.item(item, f"{number}. " if element.get("list-type") == "order" else "- ", indent + "  ")

    def _def_list(self, element: Any, indent: str) -> None:
        for item in element.findall("def-item"):
            self.lines.append(f"{indent}  {self.style(plain(item.find('term')), 'bold')}")
            self.item(item.find("def"), "    ", indent + "  ")

    def _code(self, element: Any, indent: str) -> None:
        self.lines += [f"{indent}    {self.style(line, 'code')}" for line in (element.text or "").splitlines()]

    def _disp_formula(self, element: Any, indent: str) -> None:
        self.lines += self._wrapped(element, indent + "    ", indent + "      ")

    def _fig(self, element: Any, indent: str) -> None:
        """Append the label, title, caption and alternative text of a picture, in square brackets."""
        description = deepcopy(element.find("caption"))
        description.text = f"[{element.findtext('label')}. "
        description.find("title").tail = ". "
        description[-1].tail = f" The picture: {plain(element.find('alt-text'))}]"
        self.item(description, "  ", indent)

    def _table_wrap(self, element: Any, indent: str) -> None:
        self._label(element, indent)
        rows = [[plain(cell) for cell in row] for row in element.iter("tr")]
        self.lines += [indent + line for line in table(rows, self.width - len(indent))]

    def _label(self, element: Any, indent: str) -> None:
        lines = textwrap.wrap(_title(element), self.width - len(indent))
        self.lines += [indent + self.style(line, "bold") for line in lines]

    def _wrapped(self, element: Any, first: str, rest: str) -> list[str]:
        """Wrap the text of an element into lines; styles continue across line ends."""
        text, kinds = _joined(_runs(element))
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        shown, at = [], 0
        for number, line in enumerate(lines):
            indent = rest if number else first
            words = line[len(indent) :]
            at = text.index(words, at)
            parts = groupby(range(at, at + len(words)), lambda place: kinds[place])
            styled = (self._styled("".join(text[place] for place in places), kind) for kind, places in parts)
            shown.append(indent + "".join(styled))
            at += len(words)
        return shown

    def _styled(self, text: str, kind: str) -> str:
        return self.style(text, kind) if kind else text


def _runs(element: Any, kind: str = "") -> Iterator[tuple[str, str]]:
    """Yield (text, style) runs of an element; an outer style overrides nested ones."""
    yield element.text or "", kind
    for child in element:
        if child.tag == "fn":
            yield f" ({plain(child)})", kind
        else:
            yield from _runs(child, kind or _INLINE.get(child.tag, ""))
        yield child.tail or "", kind


def _joined(runs: Iterable[tuple[str, str]]) -> tuple[str, list[str]]:
    """Join runs to one text with collapsed white space, and the style of each character.

    >>> _joined([(" a  b", ""), (" c ", "bold"), (" d ", "")])
    ('a b c d', ['', '', '', 'bold', 'bold', 'bold', ''])
    """
    text: list[str] = []
    kinds: list[str] = []
    for run, kind in runs:
        for character in run:
            if not character.isspace():
                text.append(character)
                kinds.append(kind)
            elif text and text[-1] != " ":
                text.append(" ")
                kinds.append(kind)
    if text and text[-1] == " ":
        del text[-1], kinds[-1]
    return "".join(text), kinds


def _title(element: Any) -> str:
    """Return label and caption of a table."""
    return f"{element.findtext('label')}. {plain(element.find('caption/p'))}"


def table(rows: list[list[str]], width: int) -> list[str]:
    r"""Format rows as lines: columns are as wide as their texts, or the widest are wrapped.

    >>> print("\n".join(table([["rule", "meaning"], ["drop", "it does not exist"]], 20)))
      rule  meaning
      ----  ------------
      drop  it does not
            exist
    """
    columns = max(map(len, rows))
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(columns)]
    room = width - 2 * columns
    while sum(widths) > room and max(widths) > 8:
        widths[widths.index(max(widths))] -= 1
    lines: list[str] = []
    for number, row in enumerate(rows):
        cells = [textwrap.wrap(cell, w) or [""] for cell, w in zip(row, widths, strict=True)]
        for k in range(max(map(len, cells))):
            parts = [(cell[k] if k < len(cell) else "").ljust(w) for cell, w in zip(cells, widths, strict=True)]
            lines.append(("  " + "  ".join(parts)).rstrip())
        if number == 0:
            lines.append("  " + "  ".join("-" * w for w in widths))
    return lines
