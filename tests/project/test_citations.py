"""Every citation leads to a section of the specification in docs/spec, or to an entry of the bibliography."""

from __future__ import annotations

import re
from functools import cache

from tests.paths import ROOT

SPEC = ROOT / "docs" / "spec"
PAGES = {page.stem.upper(): page for page in SPEC.glob("*.md") if page.stem != "README"}
FILES = sorted(
    path
    for folder in ("trix", "tests", "scripts")
    for path in (ROOT / folder).rglob("*.py")
    if path.name != "test_citations.py"  # which cites what is not there
)

ENTRY = re.compile(r"^\| \[([^\]]+)\] \|", re.MULTILINE)
HEADING = re.compile(r"^##+ (\d+(?:\.\d+)?)\.? ", re.MULTILINE)
BRACKETS = re.compile(r"\[([^\[\]\n]{1,120})\]")
YEARS = re.compile(r"[A-Z][\w&.\- ]* (?:[A-Z]+ )?(?:19|20)\d\d\b")
PAPER = re.compile(r"(?:I{1,3}|IV|VI{0,2}|D|JK\d\d|KL\d\d|PRUM)(?=$|[,; ])")


@cache
def keys() -> set[str]:
    """Return the keys of the bibliography."""
    return set(ENTRY.findall((ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")))


@cache
def sections(page: str) -> set[str]:
    """Return the numbers of a page's sections."""
    return set(HEADING.findall(PAGES[page].read_text(encoding="utf-8")))


def citations(text: str) -> list[str]:
    """Return the citations of a module: what stands between brackets, parted at semicolons, and begins like one."""
    found = []
    for inside in BRACKETS.findall(text):
        for part in (part.strip() for part in inside.split(";")):
            page = re.match(r"[A-Z]{4,}\b", part)
            if (page and page[0] in PAGES) or YEARS.match(part) or PAPER.match(part) or part.startswith("DESIGN"):
                found.append(part)
    return found


@cache
def fault(citation: str) -> str | None:
    """Return what is wrong with a citation, None if nothing is."""
    page = re.match(r"[A-Z]{4,}\b", citation)
    if page is None or page[0] not in PAGES:
        named = YEARS.match(citation) or PAPER.match(citation)
        if named is None:
            return "neither a page of docs/spec nor a paper"
        return None if named[0] in keys() else f"no entry [{named[0]}] in docs/bibliography.md"
    numbers = re.findall(r"\d+(?:\.\d+)?", re.split(r"[A-Z]{2,}", citation[len(page[0]) :])[0])
    known = sections(page[0])
    if not numbers or numbers[0] not in known:
        return f"no such section of docs/spec/{PAGES[page[0]].name}"
    text = PAGES[page[0]].read_text(encoding="utf-8")
    for number in numbers[1:]:  # another section, or an item of the list in the section before
        if number not in known and not re.search(rf"^{number}\. ", text, re.MULTILINE):
            return f"neither a section nor an item {number} in docs/spec/{PAGES[page[0]].name}"
    return None


def test_every_citation_of_a_module_leads_somewhere() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: [{citation}]: {fault(citation)}"
        for path in FILES
        for citation in citations(path.read_text(encoding="utf-8"))
        if fault(citation)
    ]
    assert wrong == []


def test_a_citation_that_leads_nowhere_is_found() -> None:
    module = "See [RETRIEVAL, section 99], [INEX 5.4; Nobody 1999], [IV, eq. 2], list[int], d[II]."
    assert citations(module) == ["RETRIEVAL, section 99", "INEX 5.4", "Nobody 1999", "IV, eq. 2", "II"]
    assert [fault(citation) is None for citation in citations(module)] == [False, True, False, True, True]


def test_the_specification_is_cited_page_by_page() -> None:
    cited = {citation.split(",")[0].split(" ")[0] for path in FILES for citation in citations(path.read_text("utf-8"))}
    assert set(PAGES) <= cited
