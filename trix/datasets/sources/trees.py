"""XML of a collection as trees, with the document ids and paths of Trix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

Element = Any
"""An element of lxml, whose class has a private name."""


def parsed(path: Path) -> Element:
    """Return the root of a file; entities stay in the tree, and no other file is read.

    Raises
    ------
    lxml.etree.XMLSyntaxError
        The file is not well-formed.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    return etree.parse(path, parser).getroot()


def documents(folder: Path) -> Iterator[tuple[str, Element]]:
    """Yield id and root of each well-formed document, in order."""
    for path in xml_files(folder):
        try:
            yield document_id(path, folder), parsed(path)
        except etree.XMLSyntaxError:  # the index skips it as well
            continue


def xml_files(folder: Path) -> list[Path]:
    """Return the files of a collection, in order."""
    return sorted(path for path in folder.rglob("*.xml") if path.is_file())


def document_id(path: Path, folder: Path) -> str:
    """Return the id of a file."""
    return path.relative_to(folder).with_suffix("").as_posix()


def tag(element: Element) -> str:
    """Return the local name; empty for comments and processing instructions."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def named(root: Element, tags: Iterable[str]) -> Iterator[Element]:
    """Yield the elements below and at a root with one of some local names, in order."""
    wanted = frozenset(tags)
    return (element for element in root.iter() if tag(element) in wanted)


def children(element: Element, name: str) -> list[Element]:
    """Return the children with a local name."""
    return [child for child in element if tag(child) == name]


def text(element: Element | None) -> str:
    """Return the text in an element with single blanks; without comments."""
    if element is None:
        return ""
    pieces = etree.XPath("string()")(element)  # without comments
    return " ".join(str(pieces).replace("\u2223", "").split())


def path(element: Element) -> str:
    """Return the path from the root with every position written out."""
    steps = []
    for each in [element, *element.iterancestors()]:
        name = tag(each)
        same = 1 + sum(1 for sibling in each.itersiblings(preceding=True) if tag(sibling) == name)
        steps.append(f"/{name}[{same}]")
    return "".join(reversed(steps))


def paths(root: Element) -> dict[Element, str]:
    """Return the paths of all elements below and at a root, in document order, in one pass.

    >>> list(paths(etree.fromstring("<a><b/><c/><b/></a>")).values())
    ['/a[1]', '/a[1]/b[1]', '/a[1]/c[1]', '/a[1]/b[2]']
    """
    found = {root: path(root)}
    counts: dict[Element | None, Counter[str]] = {}
    for element in root.iterdescendants("*"):
        above = element.getparent()
        assert above is not None
        same = counts.setdefault(above, Counter())
        name = tag(element)
        same[name] += 1
        found[element] = f"{found[above]}/{name}[{same[name]}]"
    return found


XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

_OPERATORS = re.compile(r'["“”„‟«»＂^|*~]|(?<!\S)[-+]+|[\x00-\x1f]')
"""Characters of a question that would be operators of a query, and control characters."""


def asked(question: str) -> str:
    """Return a question as a query of one line: without quotation marks and signs that are operators.

    >>> asked('What is a "tree edit", +distance\\n in XML-trees?')
    'What is a tree edit , distance in XML-trees?'
    """
    return " ".join(_OPERATORS.sub(" ", question).split())


def flat(text: str) -> str:
    """Return a text without white space, for comparisons.

    >>> flat("a  b\\nc")
    'abc'
    """
    return "".join(text.split())


_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def allowed(text: str) -> str:
    """Return a text with a blank for each character that XML forbids.

    >>> allowed("a\\x0cb")
    'a b'
    """
    return _FORBIDDEN.sub(" ", text)
