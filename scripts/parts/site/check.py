"""Check of the built site: every link leads to a page and a place in it, and no page loads anything from elsewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
"""Elements that make a browser load a file, and the attribute that names it."""

_CSS = re.compile(r"(?:@import\s+(?:url\()?|url\()\s*['\"]?\s*((?:https?:)?//[^'\")\s]+)")


def faults(site: Path) -> list[str]:
    """Return what is wrong with a built site, a line for each fault."""
    trees = {path: html.parse(str(path)).getroot() for path in sorted(site.rglob("*.html"))}
    ids = {path: set(tree.xpath("//@id | //a/@name")) for path, tree in trees.items()}
    found = []
    for path, tree in trees.items():
        name = path.relative_to(site)
        for tag, attribute in LOADED.items():
            for element in tree.iter(tag):
                address = element.get(attribute, "")
                if urlsplit(address).netloc:
                    found.append(f"{name}: <{tag}> loads {address}")
                elif address and not urlsplit(address).scheme and not _target(path, address, site).exists():
                    found.append(f"{name}: <{tag}> names {address}, which is not there")
        for style in tree.iter("style"):
            found += [f"{name}: <style> loads {address}" for address in _CSS.findall(style.text or "")]
        for link in tree.iter("a"):
            address = urlsplit(link.get("href", ""))
            if address.scheme or address.netloc or not link.get("href"):
                continue
            target = _target(path, address.path, site) if address.path else path
            if not target.exists():
                found.append(f"{name}: there is no {link.get('href')}")
            elif address.fragment and target in ids and unquote(address.fragment) not in ids[target]:
                found.append(f"{name}: there is no place {link.get('href')}")
        found += [
            f"{name}: a list is read as a paragraph: {text[:60]!r}"
            for text in (paragraph.text_content() for paragraph in tree.iter("p"))
            if re.search(r"\n- \S", text)
        ]
    for path in sorted(site.rglob("*.css")):
        found += [f"{path.relative_to(site)}: loads {address}" for address in _CSS.findall(path.read_text("utf-8"))]
    return found


def _target(page: Path, address: str, site: Path) -> Path:
    path = unquote(urlsplit(address).path)
    target = (site / path.lstrip("/")) if path.startswith("/") else page.parent / path
    target = target.resolve()
    return target / "index.html" if target.is_dir() else target


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    wrong = faults(folder)
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(f"site: error: {len(wrong)} faults in {folder}" if wrong else 0)
