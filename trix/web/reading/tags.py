"""HTML tag and class of each role, depending on the context and the content of an element."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trix.web.reading.roles import INLINE

_TAG = re.compile(r"<[^>]*>")

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
    "beside": "span", "field": "div", "record": "div", "signature": "div", "argument": "span", "alternative": "span",
    "default": "span",
}  # fmt: skip
"""Role -> tag."""

CLASSES = {
    "block": "", "section": "", "paragraph": "", "through": "", "list": "", "ordered": "", "item": "", "terms": "",
    "term-group": "", "table": "", "row": "", "cell": "", "inline": "", "bold": "", "italic": "", "sup": "", "sub": "",
    "argument": "", "alternative": "", "default": "", "details": "",
}  # fmt: skip
"""Role -> class, if it is not the role itself."""

TABLE = {"table", "table-head", "table-body", "table-foot", "row"}
"""Roles that contain only parts of a table."""

LINES = ("span", "small", "b", "i", "u", "q", "code", "sup", "sub", "")
"""Inline tags."""

OF_TEXT = ("p", "span", "small", "b", "i", "u", "q", "code", "sup", "sub", "pre", "h2", "h3", "h4", "h5", "h6", "dt")
"""Tags that cannot contain blocks."""

LEFT_TO_RIGHT = ("code", "monospace", "signature")
"""Roles that are written from left to right in any language."""

SECTIONS = {"section", "references"}
"""Roles that can have a heading."""

OF_FIGURES = {"figure", "caption", "table-wrap", "table", "note", "admonition", "list", "ordered", "terms", "formula",
               "stanza", "speech", "block", "quote", "item", "clause", "list-block", "reference-item"}  # fmt: skip
"""Roles whose headings are not headings of the page."""


FOLDED = {"section", "block", "references", "list", "ordered", "terms", "record", "table-wrap", "table", "note",
          "small", "clause", "admonition"}  # fmt: skip
"""Roles of parts that are folded if the profile makes them non-returnable."""


def tag_of(role: str, above: Sequence[str], *, has_blocks: bool, is_element: bool, is_placed: bool) -> str:
    """Return the tag of an element; empty if it has none.

    Parameters
    ----------
    role
        Of the element; of a heading its tag.
    above
        The roles of the elements around it, the outermost first.
    has_blocks
        Whether blocks are in it.
    is_element
        Whether the index has it as an element.
    is_placed
        Whether it is a passage, which needs a tag.

    Examples
    --------
    >>> [tag_of("item", above, has_blocks=False, is_element=True, is_placed=False) for above in (["list"], [])]
    ['li', 'div']
    """
    tag = {"title": "div"}.get(role) or (role if role[:1] == "h" and role[1:].isdigit() else TAGS.get(role, "span"))
    last = above[-1] if above else ""
    if not has_blocks and _is_in_line(last):
        tag = {"speaker": "span", "stage": "span", "closing": "span", "term": "span"}.get(role, tag)
    if role in TABLE | {"cell", "head-cell"} and role != "table" and "table" not in above:
        tag = "div"
    if role == "item" and last not in ("list", "ordered"):
        tag = "div"
    if role in ("term", "definition") and "terms" not in above:
        tag = "div" if role == "definition" else "span"
    if role == "caption" and last == "figure":
        tag = "figcaption"
    if role == "field":
        tag = "div" if is_element else "span"
    if (has_blocks and tag in OF_TEXT) or (is_placed and not tag):
        tag = "div"
    return tag


def _is_in_line(role: str) -> bool:
    return role in INLINE or role in ("paragraph", "line", "heading", "cell", "item", "clause")


def inner(made: str) -> str:
    """Return the content of the outermost tag of a piece of HTML."""
    begin, end = made.find(">"), made.rfind("<")
    return made[begin + 1 : end] if made.startswith("<") and 0 <= begin < end else made


def is_glued(piece: str) -> bool:
    """Whether a piece of HTML ends without white space before the next word."""
    return bool(piece) and not piece[-1].isspace() and piece[-1] not in "([“‘" and not piece.endswith("<br>")


def has_text(made: str) -> bool:
    """Whether a piece of HTML has text, or an image.

    >>> has_text("<div><b> </b></div>"), has_text("<b>x</b>"), has_text("<p><img src='a.png'></p>")
    (False, True, True)
    """
    return "<img" in made or bool(_TAG.sub("", made).strip())
