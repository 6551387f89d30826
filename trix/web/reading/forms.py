"""Rendering of links, images, formulas, signatures and attributes, for which one HTML tag is not enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Protocol
from urllib.parse import quote

from markupsafe import escape

from trix.query.display.prose import plain_value
from trix.support.element_path import in_words, local
from trix.support.setting_types import whole
from trix.web.reading.roles import Roles, names

_MATH_TAGS = names(
    """
    math mi mn mo ms mtext mspace mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup
    msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mlabeledtr semantics
    """
)

_MATH_ATTRIBUTES = names(
    """
    mathvariant display displaystyle scriptlevel stretchy fence separator accent accentunder largeop movablelimits
    form lspace rspace width height depth linethickness columnalign rowalign columnspan rowspan open close
    separators notation
    """
)


def math(node: Any) -> str:
    """Return a formula.

    >>> from lxml import etree
    >>> math(etree.fromstring("<math onclick='x()'><mi href='javascript:y'>a</mi><script>z</script></math>"))
    '<math><mi>a</mi></math>'
    """
    if not isinstance(node.tag, str):
        return ""
    tag = node.tag.rpartition("}")[2]
    if tag not in _MATH_TAGS:
        return ""
    attributes = "".join(
        f' {name}="{escape(value[:40])}"' for name, value in node.attrib.items() if name in _MATH_ATTRIBUTES
    )
    inside = str(escape(node.text or ""))
    for child in node:
        inside += math(child) + str(escape(child.tail or ""))
    return f"<{tag}{attributes}>{inside}</{tag}>"


_SAFE = re.compile(r"(?:https?://|mailto:)[^\s\"'<>]+", re.IGNORECASE)
_REFERENCE = ("rid", "linkend", "target", "ref", "link", "idref", "reference-id", "sectionRef")
_ADDRESS = ("href", "url", "target", "src", "identifier")
_IMAGE = ("href", "fileref", "src", "url")
_LONGEST_NUMBER = 20


class RenderingLike(Protocol):
    """The part of `Rendering` that this module needs."""

    @property
    def image(self) -> Callable[[str], str]:
        """Returns the URL of an image."""

    @property
    def around(self) -> str:
        """Prefix of URLs inside the document."""


class Page(Protocol):
    """The part of `trix.web.reading.html.Html` that this module needs."""

    @property
    def roles(self) -> Roles:
        """The roles of tags."""

    @property
    def dress(self) -> RenderingLike:
        """Images, and URLs inside the document."""

    def inside(self, node: Any, role: str) -> str:
        """Render the content of an element."""


def link(page: Page, node: Any) -> str:
    """Render a link if its target is allowed, else its text."""
    address = next((value for name in _ADDRESS if (value := attribute(node, name))), "")
    inside = page.inside(node, "link")
    out = "out"
    if not inside and _SAFE.fullmatch(address):
        inside, out = str(escape(address)), "out made"
    if address.startswith("#"):
        return f'<a href="{_inside(page, address[1:])}">{inside}</a>'
    if _SAFE.fullmatch(address):
        return f'<a class="{out}" rel="noreferrer noopener nofollow" href="{escape(address)}">{inside}</a>'
    return f"<span>{inside}</span>" if inside else ""


def reference(page: Page, node: Any) -> str:
    """Render a reference inside the document."""
    target = next((value for name in _REFERENCE if (value := attribute(node, name))), "")
    if _SAFE.fullmatch(target) or (not target and _SAFE.fullmatch(attribute(node, "href"))):
        return link(page, node)
    inside = page.inside(node, "reference")
    wanted = target.split()[0].lstrip("#") if target.split() else ""
    made = ""
    if not inside and wanted:
        if any(page.roles.of(each)[0] == "person" for each in node.iterancestors()):
            return ""  # the numbers of addresses and notes, which stand below the names
        inside, made = str(escape(f"[{wanted}]")), ' class="made"'
    if not wanted or "/" in wanted or ":" in wanted:
        return f"<span>{inside}</span>"
    return f'<a{made} href="{_inside(page, wanted)}">{inside}</a>'


def _inside(page: Page, wanted: str) -> str:
    return str(escape(f"{page.dress.around}id={quote(wanted, safe='')}"))


def image(page: Page, node: Any) -> str:
    """Render an image if it exists, with the text in it."""
    name = next((value for each in _IMAGE if (value := attribute(node, each))), "")
    address = page.dress.image(name) if name else ""
    inside = page.inside(node, "image")
    if not address:
        return f'<span class="note">{inside}</span>' if inside.strip() else ""
    told = attribute(node, "alt") or _near_text(node)
    return f'<img loading="lazy" src="{escape(address)}" alt="{escape(told)}">{inside}'


def page(page: Page, node: Any) -> str:
    """Render the number of a page that begins here."""
    return page_sign(_page_number(node) or _text(node))


def page_sign(number: str) -> str:
    """Render the number of a page; empty without one."""
    return f'<span class="page">{escape(number[:_LONGEST_NUMBER])}</span>' if number.strip() else ""


def page_around(node: Any) -> str | None:
    """Return the number of a page that is all of an element, as in some schemas; None where a page begins here.

    >>> from lxml import etree
    >>> [page_around(etree.fromstring(xml)) for xml in ("<pb n='3'/>", "<page>3</page>", "<page n='3'>3</page>")]
    [None, None, None]
    >>> page_around(etree.fromstring("<page n='3'><p>The text of it.</p></page>"))
    '3'
    """
    number, text = _page_number(node), _text(node)
    is_more = text not in ("", number) and (number or len(text) > _LONGEST_NUMBER)
    return number if is_more else None


def _text(node: Any) -> str:
    return " ".join("".join(node.itertext()).split())


def _page_number(node: Any) -> str:
    return next((value for name in ("n", "N", "REF") if (value := attribute(node, name))), "")


def formula(page: Page, node: Any) -> str:
    """Render a formula, followed by searchable text in it that is not MathML, such as its source in TeX."""
    made, rest = math(node), " ".join(_beside_math(node).split())
    return f'{made} <span class="beside made">{escape(rest)}</span> ' if rest and page.roles.is_found(node) else made


def _beside_math(node: Any) -> str:
    """Return the text that `math` leaves out."""
    if not isinstance(node.tag, str):
        return ""
    if node.tag.rpartition("}")[2] not in _MATH_TAGS:
        return f" {''.join(node.itertext())} "
    return "".join(map(_beside_math, node))


def gap(page: Page, node: Any) -> str:
    """Render the sign of a gap, and its description."""
    said = page.inside(node, "gap").strip()
    return f'<span class="gap">…{" " if said else ""}{said}</span>'


def line_break(page: Page, node: Any) -> str:
    """Render a line break, and the content of the element, which is empty in most schemas."""
    return f"<br>{page.inside(node, 'break')}"


def parameter(page: Page, node: Any) -> str:
    """Render the name of an argument, with a sign if the function changes it."""
    return ("&amp;" if attribute(node, "role") == "reference" else "") + page.inside(node, "inline")


def void(page: Page, node: Any) -> str:
    """Render an element that stands for no arguments, or for no value."""
    before = next(node.itersiblings("*", preceding=True), None)
    no_arguments = before is not None and local(before).lower() in ("methodname", "function")
    return ("()" if no_arguments else '<span class="made">void</span>') + page.inside(node, "inline")


FORMS: dict[str, Callable[[Page, Any], str]] = {
    "link": link,
    "reference": reference,
    "image": image,
    "page": page,
    "math": formula,
    "gap": gap,
    "break": line_break,
    "parameter": parameter,
    "void": void,
}
"""Role -> function that renders it."""


def attribute(node: Any, name: str) -> str:
    """Return the value of an attribute by its local name, in any namespace."""
    value = node.get(name)
    if value is None:
        value = next((text for key, text in node.attrib.items() if key.rpartition("}")[2].lower() == name.lower()), "")
    return str(value).strip()


_SHOWN_SO = {"page": ("n", "N"), "field": ("label", "type")}
"""Role -> attributes that it shows in its own way."""


class IndexedAttributes:
    """The indexed attributes of a part, whose values a search can find.

    Parameters
    ----------
    paths
        Of all elements of the part.

    Examples
    --------
    >>> from lxml import etree
    >>> found = IndexedAttributes(["/doc[1]", "/doc[1]/fig[1]/@alt"])
    >>> found.html(etree.fromstring("<fig alt='A ship'/>"), "figure", "/doc[1]/fig[1]")
    '<span class="attribute"><span class="label made">Alt:</span> A ship</span> '
    >>> found.are_in("/doc[1]/"), found.are_in("/doc[1]/p")
    (True, False)
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = {}
        for path in paths:
            above, _, name = path.rpartition("/@")
            if above:
                self._names.setdefault(above, []).append(name)

    def are_in(self, path: str) -> bool:
        """Whether there are attributes whose path has this prefix."""
        return any(each.startswith(path) for each in self._names)

    def html(self, node: Any, role: str, path: str) -> str:
        """Render the attributes of an element with their names, except those that its role shows in its own way."""
        said = [name for name in self._names.get(path, ()) if name not in _SHOWN_SO.get(role, ())]
        return "".join(
            f'<span class="attribute"><span class="label made">{escape(in_words(name))}:</span> '
            f"{escape(plain_value(attribute(node, name)).strip())}</span> "
            for name in said
        )


def spans(node: Any) -> str:
    """Return the attributes for columns and rows of a cell, from HTML or CALS."""
    made = ""
    columns, rows = attribute(node, "colspan"), attribute(node, "rowspan")
    if not rows and (more := whole(attribute(node, "morerows"))) is not None:
        rows = str(more + 1)
    first, last = (whole(re.sub(r"\D", "", attribute(node, name))) for name in ("namest", "nameend"))
    if not columns and first is not None and last is not None and last > first:
        columns = str(last - first + 1)
    for name, value in (("colspan", columns), ("rowspan", rows)):
        if 1 < (whole(value) or 0) < 1000:
            made += f' {name}="{value}"'
    return made


def numbered(node: Any) -> bool:
    """Whether a list is numbered."""
    kind = (attribute(node, "list-type") or attribute(node, "type") or attribute(node, "style")).lower()
    return kind in ("order", "ordered", "number", "numbered", "numbers", "alpha-lower", "roman-lower") or local(
        node
    ).lower() in ("steps", "procedure")


def _near_text(node: Any) -> str:
    """Return the description of an image from beside it: alternative text, or caption of the figure."""
    for near in (node, node.getparent()):
        if near is None:
            continue
        for child in near.iter("{*}alt-text", "{*}textobject", "{*}caption", "{*}label"):
            if text := " ".join("".join(child.itertext()).split()):
                return text[:200]
    return ""


# -- signatures of functions: what the markup leaves to the page between their parts ---------------------------------

SIGNS = {"argument": ("(", ", ", ")"), "alternative": ("", "|", ""), "default": (" = ", "", "")}
"""Role -> signs before the first of a row, between two, and after the last."""


def signs(roles: Roles, node: Any, role: str) -> tuple[str, str]:
    """Return the signs before and after a part of a signature."""
    if role not in SIGNS:
        return "", ""
    first, between, last = SIGNS[role]
    before = between if _role(roles, _near(node, False)) == role else first
    after = "" if _role(roles, _near(node, True)) == role else last
    if role == "argument":
        if attribute(node, "rep") == "repeat":
            after = "..." + after
        elif attribute(node, "choice") == "opt" and not any(roles.of(each)[0] == "default" for each in node):
            before, after = before + "[", "]" + after
    return before, after


def space(roles: Roles, node: Any) -> str:
    """Return the white space after a part of a signature: none before signs and at the end."""
    after = _near(node, True)
    return "" if after is None or _role(roles, after) in ("void", *SIGNS) else " "


def _near(node: Any, after: bool) -> Any:
    """Return the next element beside a node, or the one before it."""
    return next(node.itersiblings("*", preceding=not after), None)


def _role(roles: Roles, node: Any) -> str:
    return "" if node is None else roles.of(node)[0]


def leads(roles: Roles, node: Any) -> bool:
    """Whether a number stands directly before a heading."""
    following = node.getnext()
    is_next = following is not None and isinstance(following.tag, str) and not (node.tail or "").strip()
    return is_next and _role(roles, following) == "heading"
