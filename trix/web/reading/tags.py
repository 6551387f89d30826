"""Tags and classes of HTML by role, and the sets of roles and tags that nesting depends on."""

from __future__ import annotations

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
    "beside": "span", "signature": "div", "argument": "span", "alternative": "span", "default": "span",
}  # fmt: skip
"""Role -> tag."""

CLASSES = {
    "block": "", "section": "", "paragraph": "", "through": "", "list": "", "ordered": "", "item": "", "terms": "",
    "term-group": "", "table": "", "row": "", "cell": "", "inline": "", "bold": "", "italic": "", "sup": "", "sub": "",
    "argument": "", "alternative": "", "default": "",
}  # fmt: skip
"""Role -> class, where that is not the role."""

TABLE = {"table", "table-head", "table-body", "table-foot", "row"}
"""Roles that hold nothing but parts of a table."""

LINES = ("span", "small", "b", "i", "u", "q", "code", "sup", "sub", "")
"""Tags of parts of a line."""

OF_TEXT = ("p", "span", "small", "b", "i", "u", "q", "code", "sup", "sub", "pre", "h2", "h3", "h4", "h5", "h6", "dt")
"""Tags that hold no blocks."""

LEFT_TO_RIGHT = ("code", "monospace", "signature")
"""Roles that are written from left to right in any language."""

SECTIONS = {"section", "references"}
"""Roles that a heading is the heading of."""

OF_FIGURES = {"figure", "caption", "table-wrap", "table", "note", "admonition", "list", "ordered", "terms", "formula",
               "stanza", "speech", "block", "quote", "item", "clause", "list-block", "reference-item"}  # fmt: skip
"""Roles whose headings are no headings of the page."""
