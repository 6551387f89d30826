"""A stretch of a document as HTML: a fixed set of tags and attributes, everything else as text.

Nothing of the document's markup gets through: tags are chosen by role, and attributes are made here. What hostile XML
says is text, and an address in it is a link only if it leads to http, https or mailto.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import escape

from trix.indexer.languages.labels import XML_LANG
from trix.web.reading.direction import AUTO, LTR, direction_of
from trix.web.reading.forms import FORMS, attribute, numbered, spans
from trix.web.reading.marks import Marks
from trix.web.reading.opened import Opened
from trix.web.reading.roles import INLINE, local
from trix.web.reading.signatures import SIGNS, signs, space

TAGS = {
    "section": "section", "through": "", "block": "div", "paragraph": "p", "list": "ul", "ordered": "ol", "item": "li",
    "terms": "dl", "term-group": "div", "term": "dt", "definition": "dd", "table": "table", "table-wrap": "div",
    "table-head": "thead", "table-body": "tbody", "table-foot": "tfoot", "row": "tr", "head-cell": "th", "cell": "td",
    "caption": "div", "figure": "figure", "note": "small", "admonition": "aside", "quote": "blockquote", "line": "div",
    "stanza": "div", "speech": "div", "speaker": "div", "stage": "div", "code": "pre", "monospace": "code",
    "bold": "b", "italic": "i", "underline": "u", "sup": "sup", "sub": "sub", "small-caps": "span", "quoted": "q",
    "formula": "div", "name": "span", "references": "section", "reference-item": "div", "citation": "div",
    "people": "div", "person": "span", "small": "div", "keywords": "div", "keyword": "span", "closing": "div",
    "clause": "div", "label": "span", "number": "span", "inline": "span", "details": "details", "list-block": "div",
    "signature": "div", "argument": "span", "alternative": "span", "default": "span",
}  # fmt: skip
"""Role -> tag."""

_CLASSES = {
    "block": "", "section": "", "paragraph": "", "through": "", "list": "", "ordered": "", "item": "", "terms": "",
    "term-group": "", "table": "", "row": "", "cell": "", "inline": "", "bold": "", "italic": "", "sup": "", "sub": "",
    "argument": "", "alternative": "", "default": "",
}  # fmt: skip

_BEGINNING = 4_000
"""Characters of a document in which its title may be said again."""

_TABLE = {"table", "table-head", "table-body", "table-foot", "row"}
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_LINES = ("span", "small", "b", "i", "u", "q", "code", "sup", "sub", "")
"""Tags of parts of a line."""
_OF_TEXT = ("p", "span", "small", "b", "i", "u", "q", "code", "sup", "sub", "pre", "h2", "h3", "h4", "h5", "h6", "dt")
"""Tags that hold no blocks."""
_LEFT_TO_RIGHT = ("code", "monospace", "signature")
"""Roles that are written from left to right in any language."""
_SECTIONS = {"section", "references"}
_OF_FIGURES = {"figure", "caption", "table-wrap", "table", "note", "admonition", "list", "ordered", "terms", "formula",
               "stanza", "speech", "block", "quote", "item", "clause", "list-block", "reference-item"}  # fmt: skip


@dataclass(frozen=True)
class Dress:
    """What a stretch of HTML is made with, beside the document itself.

    Attributes
    ----------
    marks
        Where words of the query stand.
    names
        Path -> (element, label) of the indexed elements of the stretch.
    passages
        Element -> (place in the chain from 1, strength).
    holding
        Elements that hold passages, and passages.
    arrows
        Gives the arrows at the end of a passage, by its place in the chain.
    image
        Gives the address of an image by what the document calls it; empty if it is not there.
    words
        Words of the page.
    """

    marks: Marks = field(default_factory=dict)
    names: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    passages: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    holding: frozenset[int] | set[int] = frozenset()
    arrows: Callable[[int], str] = lambda _: ""
    image: Callable[[str], str] = lambda _: ""
    words: Mapping[str, str] = field(default_factory=dict)
    around: str = ""


class Html:
    """Makes the HTML of one stretch.

    Parameters
    ----------
    opened
        The document.
    dress
        Marks, passages, images, words.
    direction
        Of the page around it; that of the document unless it is given.
    """

    def __init__(self, opened: Opened, dress: Dress, direction: str = "") -> None:
        self._opened, self.roles, self.dress = opened, opened.roles, dress
        self._join = opened.now.files.profile.join_characters
        self._later: list[str] = []  # arrows that wait for the end of their table
        self._direction, self._language = (
            direction or opened.direction,
            opened.language,
        )  # of what is around the next element

    def stretch(self, start: list[Any], end: list[Any]) -> str:
        """Return what stands from one element to before another, both given by the elements from the root to them."""
        root = start[0]
        return self._element(root, f"/{local(root)}[1]", 0, (), start, end)[0]

    def inside(self, node: Any, role: str) -> str:
        """Return what is inside an element that is no indexed one."""
        return self._children(node, "", 0, (role,), [], [])[0]

    # -- an element -------------------------------------------------------------------------------------------------

    def _element(
        self, node: Any, path: str, depth: int, above: tuple[str, ...], start: list[Any], end: list[Any]
    ) -> tuple[str, bool]:
        """Return the HTML of an element, and whether it is a block.

        `start` and `end` are the ways to the borders of the stretch, as far as they lead through this element.
        """
        role, _ = self.roles.of(node)
        element, label = self.dress.names.get(path, (-1, ""))
        if not role:
            role = self._guessed(node, element, above)
        if role in ("hide", "document-title"):
            if element not in self.dress.holding:
                return "", False
            role = "details"
        special = FORMS.get(role)
        if special is not None and (made := special(self, node)) is not None:
            return made, role == "formula"
        level = sum(each in _SECTIONS for each in above)
        around = self._direction, self._language
        turned = self._turn(node, role)
        inside, has_blocks = self._children(node, path, depth, (*above, role), start, end)
        self._direction, self._language = around
        if role == "heading" and element not in self.dress.holding and self._says_title(node, element):
            return "", False
        if role == "heading":
            role, inside = self._heading(role, inside, above, level), inside.strip()
        return self._wrapped(node, role, inside, has_blocks, element, label, above, turned)

    def _turn(self, node: Any, role: str) -> str:
        """Set language and direction to those of an element; return its direction if it is another than around it."""
        named = node.get(XML_LANG)
        self._language = self._language if named is None else named
        if role in _LEFT_TO_RIGHT:
            own = LTR
        elif named or (TAGS.get(role, "p") not in _LINES and role not in _TABLE - {"table"}):
            own = direction_of(node.itertext(), self._language)
        else:
            return ""
        if own in (AUTO, self._direction):
            return ""
        self._direction = own
        return own

    def _guessed(self, node: Any, element: int, above: tuple[str, ...]) -> str:
        """Return the role of a tag that nobody named: a block where the index has it as an element, else a line's."""
        if any(each in INLINE or each in ("paragraph", "heading", "line", "cell") for each in above[-1:]):
            return "inline"
        if element < 0:
            return "through" if len(node) and not (node.text or "").strip() else "inline"
        return "section" if self._has_heading(node) else "block"

    def _has_heading(self, node: Any) -> bool:
        return any(isinstance(child.tag, str) and self.roles.of(child)[0] == "heading" for child in node[:3])

    def _says_title(self, node: Any, element: int) -> bool:
        """Whether a heading at the beginning repeats the title above the page."""
        if element < 0 or self._opened.start(element) > _BEGINNING:
            return False
        return " ".join("".join(node.itertext()).split()).casefold() == self._opened.title.casefold()

    def _heading(self, role: str, inside: str, above: tuple[str, ...], level: int) -> str:
        if not inside.strip():
            return "inline"
        if any(each in _OF_FIGURES for each in above[-2:]) or level == 0:
            return "title"
        return f"h{min(6, level + 1)}"

    def _wrapped(
        self, node: Any, role: str, inside: str, has_blocks: bool, element: int, label: str, above: tuple[str, ...],
        turned: str,
    ) -> tuple[str, bool]:  # fmt: skip
        """Put an element's tag around its inside."""
        tag = {"title": "div"}.get(role) or (role if role[:1] == "h" and role[1:].isdigit() else TAGS.get(role, "span"))
        number, strength = self.dress.passages.get(element, (0, 0))
        if role in ("note", "speaker", "stage", "label", "term", "closing") and _within_line(above) and not has_blocks:
            tag = {"speaker": "span", "stage": "span", "closing": "span", "term": "span"}.get(role, tag)
        if role in _TABLE | {"cell", "head-cell"} and role != "table" and not any(each == "table" for each in above):
            tag = "div"
        if role == "item" and not (above and above[-1] in ("list", "ordered")):
            tag = "div"
        if role in ("term", "definition") and not any(each == "terms" for each in above):
            tag = "div" if role == "definition" else "span"
        if role == "caption" and above and above[-1] == "figure":
            tag = "figcaption"
        if has_blocks and tag in _OF_TEXT:
            tag = "div"
        if not tag and turned and inside:
            tag = "div" if has_blocks else "span"
        is_block = tag not in _LINES
        if role == "list" and numbered(node):
            tag = "ol"
        if role in ("person", "keyword", "name"):
            inside = inside.strip()
        if role == "reference-item" and (anchor := attribute(node, "anchor")):
            inside = f'<span class="label made">[{escape(anchor)}]</span> {inside}'
        if not tag and (number or not inside):
            tag = "div" if number else ""
        if not tag:
            return inside, has_blocks
        classes = [_CLASSES.get(role, role)]
        if role == "paragraph" and tag == "div":
            classes = ["paragraph"]
        if number:
            classes += ["passage", f"s{strength}"]
            arrows = self.dress.arrows(number)
            if tag in ("table", "tr", "tbody", "thead", "tfoot") or (role in ("cell", "head-cell")):
                self._later.append(arrows)
            elif tag in ("ul", "ol", "dl"):
                return f"<{tag}{self._attributes(node, label, classes, number, turned)}>{inside}</{tag}>{arrows}", True
            else:
                inside += arrows
        if tag == "details":
            summary = escape(self._summary(node))
            is_open = " open" if element in self.dress.holding else ""
            attributes = f"{self._attributes(node, label, classes, number, turned)}{is_open}"
            return f"<details{attributes}><summary>{summary}</summary>{inside}</details>", True
        if tag == "table":
            waiting, self._later = "".join(self._later), []
            name = escape(self.dress.words.get("table", "Table"))
            made = f"<table{self._attributes(node, label, classes, number, turned)}>{inside}</table>"
            return f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{made}</div>{waiting}', True
        if not is_block and not inside:
            return "", False
        attributes = self._attributes(node, label if is_block or number else "", classes, number, turned)
        return f"<{tag}{attributes}>{inside}</{tag}>", is_block

    def _attributes(self, node: Any, label: str, classes: Iterable[str], number: int, turned: str) -> str:
        made = f' id="{label}"' if label else ""
        if named := " ".join(filter(None, classes)):
            made += f' class="{named}"'
        if number:
            made += f' data-n="{number}" tabindex="-1"'
        language = node.get(XML_LANG)
        if language and _LANGUAGE.fullmatch(language):
            made += f' lang="{language}"'
        if turned:
            made += f' dir="{turned}"'
        if self.roles.of(node)[0] in ("cell", "head-cell"):
            made += spans(node)
        return made

    def _summary(self, node: Any) -> str:
        return self.dress.words.get("about_document", "About this document")

    # -- what is inside ---------------------------------------------------------------------------------------------

    def _children(
        self, node: Any, path: str, depth: int, above: tuple[str, ...], start: list[Any], end: list[Any]
    ) -> tuple[str, bool]:
        first = start[depth + 1] if depth + 1 < len(start) and start[depth] is node else None
        last = end[depth + 1] if depth + 1 < len(end) and end[depth] is node else None
        pieces = [self._text(node, "text")] if first is None else []
        has_blocks, number, before_block = False, "", False
        seen: dict[str, int] = {}
        inside = first is None
        structural = above[-1] in _TABLE
        between = not (node.text or "").strip()
        for child in node:
            name = local(child)
            if child is last:
                first_of_last = depth + 2 < len(end)
                if not first_of_last:
                    break
            if name:
                seen[name] = seen.get(name, 0) + 1
            if child is first:
                inside = True
            if inside and name:
                made, block = self._element(
                    child, f"{path}/{name}[{seen[name]}]", depth + 1, above,
                    start if child is first else [], end if child is last else [],
                )  # fmt: skip
                role, separates = self.roles.of(child)
                if role == "number" and self._leads(child):
                    number = f'<span class="number">{_inner(made)}</span> '
                elif number and role == "heading" and "<" in made:
                    cut = made.index(">") + 1
                    pieces.append(made[:cut] + number + made[cut:])
                    number = ""
                else:
                    apart = separates and not block and between and role not in SIGNS
                    if apart and made and pieces and _glued(pieces[-1]) and not before_block:
                        pieces.append(" ")
                    before, after = signs(self.roles, child, role) if made else ("", "")
                    pieces += [number, before, f"{made}{after}"]
                    number = ""
                has_blocks, before_block = has_blocks or block, block
            if child is last:
                break
            if inside and (tail := self._text(child, "tail")):
                if above[-1] == "signature" and not tail.strip():
                    pieces.append(space(self.roles, child))
                elif not structural:
                    pieces.append(tail)
                    between = between and not tail.strip()
                elif tail.strip():
                    self._later.append(tail)
        pieces.append(number)
        return "".join(pieces), has_blocks

    def _leads(self, node: Any) -> bool:
        """Whether a number stands directly before a heading."""
        following = node.getnext()
        return (
            following is not None and isinstance(following.tag, str) and not (node.tail or "").strip()
            and self.roles.of(following)[0] == "heading"
        )  # fmt: skip

    def _text(self, node: Any, slot: str) -> str:
        """Return a text of a node, escaped, with the query's words marked."""
        text = getattr(node, slot)
        if not text:
            return ""
        ranges = self.dress.marks.get((node, slot))
        if not ranges:
            return str(escape(self._shown(text)))
        pieces, at = [], 0
        for low, high in ranges:
            pieces += [str(escape(self._shown(text[at:low]))), "<mark>"]
            pieces += [str(escape(self._shown(text[low:high]))), "</mark>"]
            at = high
        return "".join([*pieces, str(escape(self._shown(text[at:])))])

    def _shown(self, text: str) -> str:
        """Return a text without the characters that the profile joins words at."""
        for character in self._join:
            text = text.replace(character, "")
        return text


def _within_line(above: tuple[str, ...]) -> bool:
    return any(
        each in INLINE or each in ("paragraph", "line", "heading", "cell", "item", "clause") for each in above[-1:]
    )


def _inner(made: str) -> str:
    """Return what is inside the outermost tag of a piece of HTML."""
    begin, end = made.find(">"), made.rfind("<")
    return made[begin + 1 : end] if made.startswith("<") and 0 <= begin < end else made


def _glued(piece: str) -> bool:
    """Whether the next word would stand against this piece."""
    return bool(piece) and not piece[-1].isspace() and piece[-1] not in "([“‘" and not piece.endswith("<br>")
