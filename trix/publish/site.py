"""A static site of an index: pages, search files and a manifest, written whole or not at all [SITE, section 4]."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from trix.api.index import Index
from trix.errors import UsageError
from trix.publish.document import PublishedDocument, PublishedPage, anchor_of, document_page
from trix.publish.entry import ENTRY, write_entry
from trix.publish.home import home_page, list_pages, missing_page, sitemap
from trix.publish.names import page_paths
from trix.publish.pack import SearchFiles
from trix.publish.texts import document_file, rows_of
from trix.publish.units import Units, quiet_elements, units_of
from trix.query.matching.section_titles import titles_by_profile
from trix.support.output import replace_file, usable
from trix.web.pages.templates import HERE, Pages
from trix.web.reading.roles import Roles
from trix.web.site.percent import printable
from trix.web.site.site import Site

MANIFEST = "trix-site.json"
"""File that names all files of a site, so that an update removes those that it no longer has and no others."""

OWN = Path(__file__).parent / "static"
"""Scripts of the site."""

_STATIC = ("style.css", "icon.svg", "keys.js", "drawers.js")
"""Files that a site shares with `trix serve`."""

Report = Callable[[int, int], None]


class Published(NamedTuple):
    """Result of writing a site.

    Attributes
    ----------
    documents
        Number of documents.
    files, size
        Number of files, and their bytes.
    search_files, search_size
        The same of the search files.
    written, removed
        Files that were written because they are new or different, and files that were removed.
    notices
        Parts that are left out, one line each.
    """

    documents: int
    files: int
    size: int
    search_files: int
    search_size: int
    written: int
    removed: int
    notices: tuple[str, ...]


def publish(
    index: Index,
    folder: str | PathLike[str],
    *,
    update: bool = False,
    url: str = "",
    title: str = "",
    description: str = "",
    theme: Path | None = None,
    report: Report = lambda done, many: None,
) -> Published:
    """Write an index as a static site.

    Parameters
    ----------
    index
        The index.
    folder
        Folder of the site. Without `update` it must not exist, or be empty.
    update
        Bring a site up to date: write files that differ, and remove others that an older state had.
    url
        Address of the site, for the sitemap and the page of wrong addresses.
    title, description, theme
        As for `trix.web.site.site.Site`.
    report
        Called with the number of finished documents and of all.

    Raises
    ------
    UsageError
        The folder cannot be written, holds something else, or the address is wrong.
    SourceError
        The source of a document has moved or changed.
    """
    place = Path(folder)
    if url:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise UsageError("expected an address as https://example.org/edition/", field="url", got=url)
        url = url if url.endswith("/") else f"{url}/"
    known = _manifest(place, update)
    writer = _SiteWriter(place, known)
    try:
        notices = _write(
            _SiteParts(index, Site(index, theme=theme, title=title, description=description), url), writer, report
        )
        with usable(place):
            removed = writer.finish()
    except BaseException:
        writer.abandon()
        raise
    search = [size for path, size in writer.sizes.items() if path.startswith("search/")]
    return Published(
        len(index), len(writer.sizes), sum(writer.sizes.values()), len(search), sum(search), writer.written, removed,
        tuple(notices),
    )  # fmt: skip


def _manifest(place: Path, update: bool) -> dict[str, str]:
    """Return path and checksum of the files of a site that is to be updated; empty for a new one."""
    try:
        if not place.exists() or (place.is_dir() and not any(place.iterdir())):
            return {}
        if not place.is_dir():
            raise UsageError(f"{place}: is a file; expected a folder")
        if not (place / MANIFEST).is_file():
            raise UsageError(f"{place}: holds other files and no site of trix publish; name an empty or a new folder")
        if not update:
            raise UsageError(f"{place}: a site is there; `update` brings it up to date")
        files = json.loads((place / MANIFEST).read_text(encoding="utf-8"))["files"]
        if not all(isinstance(path, str) and _is_inside(path) for path in files):
            raise ValueError
        return {str(path): str(checksum) for path, checksum in files.items()}
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{place / MANIFEST}: is damaged; publish into a new folder") from None


def _is_inside(path: str) -> bool:
    return not path.startswith("/") and "\\" not in path and ".." not in path.split("/")


class _SiteWriter:
    """Writer of a site. A new one is made beside its place and renamed; of an old one files are replaced one by one.

    Parameters
    ----------
    place
        The folder of the site.
    known
        Checksums of the files of an older state; empty for a new site.
    """

    def __init__(self, place: Path, known: dict[str, str]) -> None:
        self._place, self._known = place, known
        self._folder = place if known else place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
        self.sizes: dict[str, int] = {}
        self._checksums: dict[str, str] = {}
        self._last: dict[str, bytes] = {}
        self.written = 0

    def put(self, path: str, data: bytes | str, *, last: bool = False) -> None:
        """Write a file, unless the site has it; `last` after all others."""
        content = printable(data).encode() if isinstance(data, str) else data
        self.sizes[path], self._checksums[path] = len(content), hashlib.sha256(content).hexdigest()[:20]
        if last:
            self._last[path] = content
            return
        self._write(path, content)

    def _write(self, path: str, content: bytes) -> None:
        target = self._folder / path
        if self._known.get(path) == self._checksums.get(path, "") and target.is_file():
            return
        self.written += path != MANIFEST
        with usable(self._place):
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, content)

    def finish(self) -> int:
        """Write the manifest and the files that come last, and remove files that are gone; return their number."""
        for path, content in self._last.items():
            self._write(path, content)
        gone = [path for path in self._known if path not in self._checksums]
        for path in gone:
            (self._folder / path).unlink(missing_ok=True)
            for parent in (self._folder / path).parents:
                if parent == self._folder or any(parent.iterdir()):
                    break
                parent.rmdir()
        manifest = {"files": dict(sorted(self._checksums.items()))}
        self._write(MANIFEST, (json.dumps(manifest, indent=0, ensure_ascii=False) + "\n").encode())
        if not self._known:
            if self._place.exists():
                self._place.rmdir()  # it is empty
            os.replace(self._folder, self._place)
        return len(gone)

    def abandon(self) -> None:
        """Remove a new site that is not complete."""
        if not self._known:
            shutil.rmtree(self._folder, ignore_errors=True)


class _SiteParts:
    """What all pages of a site are made of."""

    def __init__(self, index: Index, site: Site, url: str) -> None:
        self.index, self.url = index, url
        self.docs = [index.files.ids[number] for number in range(len(index))]
        self.pages = Pages(site)
        self.roles = Roles(index.files.profile, site.role_tables)
        self.paths = page_paths(self.docs)
        self.titles = titles_by_profile(index.files)
        self.quiet = quiet_elements(index.files)
        self.units: Units = units_of(index.files, self.titles, self.quiet)

    def kind(self, tag: str) -> str:
        """Return the words for an element without a title."""
        role = "inline" if tag.startswith("#") else self.roles.by_name(tag)
        return self.pages.words.get(f"a_{role}", tag)

    def static(self) -> Iterator[tuple[str, bytes]]:
        """Yield the scripts and styles of the site; those of a theme come first."""
        for name in _STATIC:
            folders = (folder / "static" for folder in self.pages.folders)
            yield f"static/{name}", next(path for folder in folders if (path := folder / name).is_file()).read_bytes()
        for path in sorted(OWN.glob("*.js")):
            yield f"static/{path.name}", path.read_bytes()
        theme = self.pages.folders[0] / "static"
        if self.pages.folders[0] != HERE and theme.is_dir():
            for path in sorted(theme.rglob("*")):
                name = path.relative_to(theme).as_posix()
                if path.is_file() and name not in _STATIC:
                    yield f"static/{name}", path.read_bytes()


def _write(maker: _SiteParts, writer: _SiteWriter, report: Report) -> list[str]:
    """Write all files, those that lead to others last; return notices."""
    index, pages = maker.index, maker.pages
    search, texts = SearchFiles(), dict[int, str]()
    left_out = 0
    for name, data in maker.static():
        writer.put(name, data)
    for number, doc in enumerate(maker.docs):
        opened = PublishedDocument(index, doc, maker.roles)
        page = PublishedPage(opened, maker.paths[number].count("/"), pages.words)
        near = [_relative(maker.paths, number, each) for each in (number - 1, number + 1)]
        writer.put(maker.paths[number], document_page(pages, page, near, index.fields.of))
        for path, data in page.images.items():
            writer.put(path, data)
        left_out += len(page.left_out)
        if not opened.is_empty:
            first, end = rows_of(opened, maker.units)
            rows = range(first, end)
            labels = [
                anchor_of(opened, int(maker.units.element[row]), page.anchors) if maker.units.is_returned[row] else ""
                for row in rows
            ]
            made = document_file(opened, maker.units, maker.quiet, page.contents, labels, maker.kind, search)
            texts[number] = search.put(made)
        report(number + 1, len(maker.docs))
    write_entry(index, maker.units, maker.titles, maker.paths, texts, search, pages.words)
    for path, content in search.items():
        writer.put(path, content, last=path == ENTRY)
    names = []
    for name, text in list_pages(pages, index, maker.paths):
        writer.put(name, text)
        names.append(name)
    writer.put("404.html", missing_page(pages, maker.url))
    writer.put(".nojekyll", b"")
    writer.put("index.html", home_page(pages, index), last=True)
    if maker.url:
        writer.put("sitemap.xml", sitemap(maker.url, ["", *names, *maker.paths]))
        writer.put("robots.txt", f"Sitemap: {maker.url}sitemap.xml\n")
    notices = [] if maker.url else ["no sitemap: it needs the address of the site (`url`)"]
    if left_out:
        notices.append(f"{left_out:,} images in SVG are not published: they may hold scripts")
    return notices


def _relative(paths: Sequence[str], own: int, other: int) -> str:
    """Return the address of a page beside another; empty if there is none."""
    if not 0 <= other < len(paths):
        return ""
    return "../" * paths[own].count("/") + paths[other]
