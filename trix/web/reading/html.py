"""Renderer of a stretch of a document as HTML, with a fixed set of tags and attributes.

No markup of the document gets through: tags are chosen by role, and attributes are generated. Hostile XML becomes
text, and only http, https and mailto URLs become links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from markupsafe import escape

from trix.indexer.languages.labels import XML_LANG
from trix.support.deadline import check
from trix.support.element_path import in_words, local
from trix.web.reading.direction import AUTO, LTR, RTL, direction_of, is_phrase, phrases
from trix.web.reading.document import OpenDocument
from trix.web.reading.drawer import MARK, Drawer, Fold, Folds, has_drawer
from trix.web.reading.forms import (
    FORMS,
    SIGNS,
    IndexedAttributes,
    attribute,
    leads,
    numbered,
    page_around,
    page_sign,
    signs,
    space,
    spans,
)
from trix.web.reading.marks import marked, marked_piece
from trix.web.reading.passages import Borders, PlacedPassage, Rendering
from trix.web.reading.places import Signs, around_place
from trix.web.reading.records import Records
from trix.web.reading.tags import (
    CLASSES,
    FOLDED,
    LEFT_TO_RIGHT,
    LINES,
    SECTIONS,
    TABLE,
    TAGS,
    has_text,
    inner,
    is_glued,
    tag_of,
)
from trix.web.reading.titles import Titles

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

_Place = tuple[str, int, list[Any], list[Any]]
"""Position of an element: its path, its depth, and the ancestors of the borders of the stretch."""


class Html:
    """Renderer of one stretch.

    Parameters
    ----------
    opened
        The document.
    dress
        Marks, passages, images, words.
    direction
        Of the page around it; that of the document unless it is given.
    """

    def __init__(self, opened: OpenDocument, dress: Rendering, direction: str = "") -> None:
        self._opened, self.roles, self.dress = opened, opened.roles, dress
        self._join = opened.now.files.profile.join_characters
        self._drawer, self._signs = Drawer(), Signs(opened.now.files.profile)
        self._fold: Fold | None = None  # of the element that was made last
        self._folded = 0  # folded elements around
        self._records, self._titles = Records(self.roles), Titles(opened)
        self._later: list[str] = []  # what waits for the end of its table
        self._attributed = IndexedAttributes(dress.names)
        self._last = -1  # the indexed element that was begun last
        self._arrowed: set[int] = set()  # passages
        self._form: _Place = "", 0, [], []
        self._form_blocks = False
        self._direction, self._language = (
            direction or opened.direction,
            opened.language,
        )  # of the parent of the next element

    def stretch(self, start: list[Any], end: list[Any]) -> str:
        """Render from one element to before another, each given with its ancestors from the root."""
        root = start[0]
        return self._element(root, f"/{local(root)}[1]", 0, (), start, end)[0]

    def inside(self, node: Any, role: str) -> str:
        """Render the content of the element that a function of `FORMS` is rendering."""
        path, depth, start, end = self._form
        made, self._form_blocks = self._children(node, path, depth, (role,), start, end)
        return made

    # -- an element -------------------------------------------------------------------------------------------------

    def _element(
        self, node: Any, path: str, depth: int, above: tuple[str, ...], start: list[Any], end: list[Any]
    ) -> tuple[str, bool]:
        """Render an element; return the HTML, and whether it is a block.

        `start` and `end` are the ways to the borders of the stretch, as far as they lead through this element.
        """
        element = self.dress.names.get(path, (-1, ""))[0]
        self._last = max(self._last, element)
        role = self._records.role(node, self.roles.placed(node, element >= 0, depth, above), above)
        sign = self._signs.before(node, role)
        at = path, depth, start, end
        if role in ("hide", "document-title"):
            if element not in self.dress.holding or (role == "hide" and not self.roles.folds):
                made, is_block = self._hidden(node, role, at, above)
                return sign + made, is_block
            role = "details"
        number = page_around(node) if role == "page" and self.roles.is_found(node) else None
        if role == "page" and self._attributed.are_in(f"{path}/"):
            number = number or attribute(node, "n")
        if number is not None:
            role = self.roles.guessed(node, element >= 0, above)
        if sign and element < 0 and not len(node) and not node.text and role not in FORMS:
            return sign, False
        if role in FORMS:
            made, is_block = ("", False) if sign and role == "page" else self._formed(node, role, element, at)
            return self._said(node, "" if "<img" in made else role, at) + made + sign, is_block
        is_folded = role in FOLDED and element in self._opened.quiet and not self._folded and bool(above)
        self._folded += is_folded or role == "details"
        made, is_block = self._filled(node, role, at, above, sign or page_sign(number or ""))
        self._folded -= is_folded or role == "details"
        if is_folded and made:
            title = self._titles.of(node)
            self._fold = Fold(title or in_words(local(node)), self._is_open(element, made), is_titled=bool(title))
        return made, is_block

    def _is_open(self, element: int, made: str) -> bool:
        """Whether a fold is open, since it contains a word of the query or the schema is unknown."""
        return element in self.dress.holding or MARK in made or not self.roles.folds

    def _hidden(self, node: Any, role: str, at: _Place, above: tuple[str, ...]) -> tuple[str, bool]:
        """Render an element with a hidden role: empty, or small text if the schema is unknown.
        What a search finds in it is put into the drawer of its section.
        """
        if role == "document-title":
            if self._titles.says_more(node):
                return self._filled(node, "heading", at, above)
            return self._said(node, "", at), False
        if not self.roles.is_found(node) and not self._attributed.are_in(at[0]):
            return "", False
        if self.roles.folds and "hide" not in above:
            if (made := self._filled(node, "block", at, (*above, "hide"))[0]).strip():
                self._drawer.put(local(node), made)
            return "", False
        role = self.roles.guessed(node, at[0] in self.dress.names, above)
        made, is_block = self._filled(node, "beside" if role == "inline" else role, at, above)
        return (f" {made} " if made else ""), is_block

    def _filled(self, node: Any, role: str, at: _Place, above: tuple[str, ...], begun: str = "") -> tuple[str, bool]:
        """Render an element with its content, after generated text at its beginning."""
        path, depth, start, end = at
        element, label = self.dress.names.get(path, (-1, ""))
        level = sum(each in SECTIONS for each in above)
        around, drawer = (self._direction, self._language), self._drawer
        self._drawer = Drawer() if has_drawer(role, depth) else drawer
        turned = self._turn(node, role)
        inside, has_blocks = self._children(node, path, depth, (*above, role), start, end)
        begun += self._said(node, role, at, above)
        if not start and inside.strip():
            begun, has_blocks = self._begun(node, role, level, begun, has_blocks)
        inside = begun + inside
        if drawer is not self._drawer:
            closed, self._drawer = self._drawer.html(self.dress.words), drawer
            inside, has_blocks = inside + closed, has_blocks or bool(closed)
        self._direction, self._language = around
        if role == "heading" and element not in self.dress.holding and self._titles.says_title(node, element):
            return begun, False
        if role == "heading":
            role = self._titles.role(node, above, level) if inside.strip() else "inline"
            inside = inside.strip()
        return self._wrapped(node, role, inside, has_blocks, element, label, above, turned)

    def _turn(self, node: Any, role: str) -> str:
        """Set language and direction to those of an element; return its direction if it differs from outside."""
        named = node.get(XML_LANG)
        self._language = self._language if named is None else named
        if role in LEFT_TO_RIGHT:
            own = LTR
        elif named or (TAGS.get(role, "p") not in LINES and role not in TABLE - {"table"}):
            own = direction_of(node.itertext(), self._language)
        else:
            own = RTL if self._direction == LTR and is_phrase(node) else AUTO
        if own in (AUTO, self._direction):
            return ""
        self._direction = own
        return own

    def _said(self, node: Any, role: str, at: _Place, above: tuple[str, ...] = ()) -> str:
        """Render the indexed attributes of an element; those inside a table follow the table."""
        made = "" if len(at[2]) > 1 else self._attributed.html(node, role, at[0])  # one is the element itself
        if made and role in TABLE and (role == "table" or "table" in above):
            self._later.append(made)
            return ""
        return made

    def _begun(self, node: Any, role: str, level: int, begun: str, has_blocks: bool) -> tuple[str, bool]:
        """Render the generated beginning of an element: the label of a field, or a title that is not in its text."""
        if role == "field" and (label := self._records.label(node)):
            return f'{begun}<span class="label made">{escape(label)}:</span> ', has_blocks
        title = self._titles.unwritten(node) if role in ("section", "record") else ""
        if title and role == "section":
            tag = f"h{min(6, level + 2)}"
            return f'{begun}<{tag} class="{tag} made">{escape(title)}</{tag}>', True
        if role == "record":
            label = title or self._records.label(node)
            return f'{begun}<div class="title made">{escape(label)}</div>' if label else begun, True
        return begun, has_blocks

    def _formed(self, node: Any, role: str, element: int, at: _Place) -> tuple[str, bool]:
        """Render an element with the function of its role, and the arrows of passages in it."""
        around, self._form, self._form_blocks, arrows = self._form, at, False, len(self._arrowed)
        made = FORMS[role](self, node)
        self._form, is_block = around, self._form_blocks
        if role in ("link", "reference") and len(self._arrowed) > arrows:
            made = inner(made)  # arrows are links, and no link is inside another
        if element not in self.dress.holding:
            return made, is_block
        after, is_block = self._opened.after(element), is_block or role in ("image", "math")
        for first, placed in self.dress.passages.placed.items():
            if first == element:
                made = self._run(first, placed, made, is_block)
            elif element < first < after and first not in self._arrowed:  # the form hides these passages
                made += self._run(first, placed, "", is_block)
        return made, is_block

    def _run(self, first: int, placed: PlacedPassage, inside: str, is_block: bool) -> str:
        """Wrap a passage without an HTML tag of its own, or with one that it shares with other passages."""
        tag, label = "div" if is_block else "span", f' id="{placed.label}"' if placed.begins else ""
        attributes = f'{label} class="passage s{placed.strength}"{placed.number}'
        return f"<{tag}{attributes}>{inside}{self._arrows(first, placed)}</{tag}>"

    def _arrows(self, first: int, placed: PlacedPassage) -> str:
        self._arrowed.add(first)
        return self.dress.arrows(placed.place) if placed.ends else ""

    def _wrapped(
        self, node: Any, role: str, inside: str, has_blocks: bool, element: int, label: str, above: tuple[str, ...],
        turned: str,
    ) -> tuple[str, bool]:  # fmt: skip
        """Wrap the content of an element in its tag."""
        placed = self.dress.passages.placed.get(element)
        tag = tag_of(role, above, has_blocks=has_blocks, is_element=element >= 0, is_placed=placed is not None)
        if not tag and turned and inside:
            tag = "div" if has_blocks else "span"
        is_block = tag not in LINES
        if role == "list" and numbered(node):
            tag = "ol"
        if role in ("person", "keyword", "name"):
            inside = inside.strip()
        if role == "reference-item" and (anchor := attribute(node, "anchor")):
            inside = f'<span class="label made">[{escape(anchor)}]</span> {inside}'
        if not tag:
            return inside, has_blocks
        classes = [CLASSES.get(role, role)]
        if role == "field" and not self._records.label(node):
            classes.append("again")
        if role == "paragraph" and tag == "div":
            classes = ["paragraph"]
        arrows = ""
        if placed:
            classes += ["passage", f"s{placed.strength}"]
            label = label if placed.begins else ""
            arrows = self._arrows(element, placed)
        attributes = self._attributes(node, label if is_block or placed else "", classes, placed, turned)
        if arrows and tag in ("tr", "tbody", "thead", "tfoot"):
            at = max(inside.rfind("</td>"), inside.rfind("</th>"))
            if at >= 0:  # a row has no room but in its cells
                inside = inside[:at] + arrows + inside[at:]
            else:
                self._later.append(arrows)
            arrows = ""
        if tag in ("ul", "ol", "dl"):
            return f"<{tag}{attributes}>{inside}</{tag}>{arrows}", True
        if tag == "details":
            if not (placed or has_text(inside)):
                return "", False
            self._fold = Fold.about(local(node), self._is_open(element, inside))
            return (f"<div{attributes}>{inside}{arrows}</div>" if attributes else inside + arrows), True
        if tag == "table":
            waiting, self._later = "".join(self._later), []
            name = escape(self.dress.words.get("table", "Table"))
            made = f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table{attributes}>'
            return f"{made}{inside}</table></div>{waiting}{arrows}", True
        if not is_block and not inside and not placed:
            return "", False
        return f"<{tag}{attributes}>{inside}{arrows}</{tag}>", is_block

    def _attributes(
        self, node: Any, label: str, classes: Iterable[str], placed: PlacedPassage | None, turned: str
    ) -> str:
        made = f' id="{label}"' if label else ""
        if named := " ".join(filter(None, classes)):
            made += f' class="{named}"'
        made += placed.number if placed else ""
        language = node.get(XML_LANG)
        if language and _LANGUAGE.fullmatch(language):
            made += f' lang="{language}"'
        if turned:
            made += f' dir="{turned}"'
        if self.roles.of(node)[0] in ("cell", "head-cell"):
            made += spans(node)
        return made

    # -- children ---------------------------------------------------------------------------------------------------

    def _children(
        self, node: Any, path: str, depth: int, above: tuple[str, ...], start: list[Any], end: list[Any]
    ) -> tuple[str, bool]:
        first = start[depth + 1] if depth + 1 < len(start) and start[depth] is node else None
        last = end[depth + 1] if depth + 1 < len(end) and end[depth] is node else None
        pieces = [self._text(node, "text")] if first is None else []
        has_blocks, number, before_block = False, "", False
        seen: dict[str, int] = {}
        inside = first is None
        structural = above[-1] in TABLE and "table" in above
        runs = self.dress.passages.runs.get(self.dress.names.get(path, (-1, ""))[0], ())
        borders, folds = Borders(), Folds(self.dress.words)
        between = not (node.text or "").strip()
        check()
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
                before, begin = self._last, len(pieces)
                made, block = self._element(
                    child, f"{path}/{name}[{seen[name]}]", depth + 1, above,
                    start if child is first else [], end if child is last else [],
                )  # fmt: skip
                role, separates = self.roles.of(child)
                fold, self._fold = self._fold, None
                if role == "number" and leads(self.roles, child) and self._last not in self.dress.passages.placed:
                    number = f'<span class="number">{inner(made)}</span> '
                elif number and role == "heading" and "<" in made:
                    cut = made.index(">") + 1
                    pieces.append(made[:cut] + number + made[cut:])
                    number = ""
                else:
                    apart = separates and not block and between and role not in SIGNS
                    if apart and made and pieces and is_glued(pieces[-1]) and not before_block:
                        pieces.append(" ")
                    opening, closing = signs(self.roles, child, role) if made else ("", "")
                    pieces += [number, opening, f"{made}{closing}"]
                    number = ""
                    if fold:
                        folds.put(len(pieces) - 1, fold, pieces)
                has_blocks, before_block = has_blocks or block, block
                if self._last > before:
                    borders.child(self._last, begin, len(pieces))
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
        folds.close(pieces)
        if structural:
            self._later += [self._run(first, self.dress.passages.placed[first], "", True) for first in runs]
            return "".join(pieces), has_blocks
        limit = len(pieces)
        for first in reversed(runs):
            placed = self.dress.passages.placed[first]
            begin, stop = borders.run(first, placed.last, limit)
            pieces[begin:stop] = [self._run(first, placed, "".join(pieces[begin:stop]), has_blocks)]
            limit = begin
        return "".join(pieces), has_blocks

    def _text(self, node: Any, slot: str) -> str:
        """Escape a text of a node, with words of the query marked."""
        text = getattr(node, slot) or ""
        isolated = phrases(text, inside=True) if self._direction == LTR else ()
        words, place = (of.get((node, slot), ()) for of in (self.dress.marks, self.dress.place))
        write = partial(marked_piece, text, words, self._join, isolated)
        return around_place(text, place, write, self._signs) if place else marked(text, words, self._join, isolated)
