"""Hooks of MkDocs: pages from outside docs/, the handbook, the navigation, and links between all of them."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import etree
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from scripts.parts.site import pages
from trix.handbook import html
from trix.handbook.contents import Chapter, chapters, plain

PLACES = pages.places()
SOURCES = {goal: source for source, goal in PLACES.items()}
CHAPTERS = {f"handbook/{chapter.name}.md": chapter for chapter in chapters()}
HANDBOOK = "handbook/index.md"
STYLE = Path(__file__).parent / "site.css"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation."""
    known = [goal for goal in PLACES.values() if goal.endswith(".md")]
    sections = [{title: _pages(names, known)} for title, names in pages.NAVIGATION.items()]
    parts = [
        {part: [f"handbook/{chapter.name}.md" for chapter in members]}
        for part, members in groupby(chapters(), lambda chapter: chapter.part)
    ]
    handbook = {"Handbook": [HANDBOOK, *parts, "handbook/assessments.md"]}
    config.nav = ["index.md", sections[0], handbook, *sections[1:]]
    return config


def _pages(names: str, known: list[str]) -> list[str]:
    found = []
    for name in names.split():
        if name.endswith("*"):
            folder = sorted(each for each in known if each.startswith(name[:-1]))
            found += sorted(folder, key=lambda each: not each.endswith("README.md"))
        else:
            found.append(f"{name}.md")
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is not in docs/; docs/README.md is the page of contents, and the README is the home page."""
    files.remove(next(file for file in files if file.src_uri == "README.md"))
    for source, goal in PLACES.items():
        if files.get_file_from_path(goal) is None:
            content: dict[str, Any] = {"abs_src_path": str(pages.ROOT / source)}
            files.append(File.generated(config, goal, **({"content": ""} if goal in CHAPTERS else content)))
    files.append(File.generated(config, HANDBOOK, content=_contents()))
    files.append(File.generated(config, "site.css", abs_src_path=str(STYLE)))
    return files


def _contents() -> str:
    lines = [f"# {html.TITLE}", "The chapters are XML articles, and the collection that `trix demo` runs on."]
    for part, members in groupby(chapters(), lambda chapter: chapter.part):
        lines.append(f"## {part}")
        lines.append("\n".join(f"- [{chapter.title}]({chapter.name}.md): {chapter.abstract}" for chapter in members))
    return "\n\n".join(lines) + "\n"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to where their targets are in the site."""
    source = SOURCES.get(page.file.src_uri)
    return pages.linked(markdown, source, PLACES, pages.repository()) if source else markdown


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give a chapter its text; titles of its sections are listed beside it and found by the search."""
    chapter = CHAPTERS.get(page.file.src_uri)
    if chapter is None:
        return content
    page.title = chapter.title
    page.toc, made = _chapter(chapter)
    return made


def _chapter(chapter: Chapter) -> tuple[TableOfContents, str]:
    root = etree.Element("div")
    root.extend(html.content(chapter))
    found: list[AnchorLink] = []
    for section in root.iter("section"):
        heading = next((child for child in section if str(child.tag) in ("h2", "h3", "h4")), None)
        if heading is None or not section.get("id"):
            continue
        heading.set("id", section.attrib.pop("id"))
        for anchor in heading.findall("a[@class='anchor']"):
            heading.remove(anchor)
        link = AnchorLink(plain(heading), heading.get("id"), int(heading.tag[1]))
        (found[-1].children if link.level > 2 and found else found).append(link)
    text = "".join(etree.tostring(child, method="html", encoding="unicode") for child in root)
    return TableOfContents(found), text
