"""Home page, list of documents, error page and sitemap of a static site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote, urlencode
from xml.sax.saxutils import escape

from trix.api.index import Index
from trix.publish.document import common
from trix.web.pages.home import Entrance, Home, by_title, document_row, home
from trix.web.pages.templates import Pages

LISTED = 500
"""Documents on a page of the list."""


def home_page(pages: Pages, index: Index) -> str:
    """Return the home page, which is also the page of results."""
    of_server = home(index)
    examples = [(query, f"./?{urlencode({'q': query})}") for query, _ in of_server.examples if query[:1] != "/"]
    entrances = [
        Entrance(each.name, [(text, many, f".{at.removeprefix('/documents')}") for text, many, at in each.values])
        for each in of_server.entrances
        if not each.whole
    ]
    return pages.text("search.html", home=Home(examples, entrances), totals=index.files.totals, **common("./"))


def list_pages(pages: Pages, index: Index, addresses: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield name and HTML of each page of the list of documents by title."""
    order, initials = by_title(index)
    letters: dict[str, str] = {}
    begun: dict[int, str] = {}
    for place, number in enumerate(order.tolist()):
        letter = initials[number]
        if letter not in letters:
            begun[place] = f"letter-{len(letters) + 1}"
            letters[letter] = f"{_list_name(place // LISTED)}#{begun[place]}"
    for first in range(0, max(order.size, 1), LISTED):
        rows = [document_row(index, each, addresses[each]) for each in order[first : first + LISTED].tolist()]
        yield (
            _list_name(first // LISTED),
            pages.text(
                "documents.html",
                listed=rows, many=int(order.size), first=first + 1, last=first + len(rows), letter="",
                letters=list(letters.items()), whole=_list_name(0), chosen=[],
                anchors={place - first: name for place, name in begun.items()},
                before=_list_name(first // LISTED - 1) if first else "",
                after=_list_name(first // LISTED + 1) if first + LISTED < order.size else "",
                **common("./"),
            ),
        )  # fmt: skip


def _list_name(number: int) -> str:
    return f"documents-{number + 1}.html" if number else "documents.html"


def missing_page(pages: Pages, url: str) -> str:
    """Return the page for addresses that lead nowhere; its links need the address of the site, since it has none."""
    return pages.text("error.html", said=pages.say("not_found"), **common(url or "./"))


def sitemap(url: str, paths: Sequence[str]) -> str:
    """Return a sitemap of pages.

    >>> print(sitemap("https://example.org/a/", ["read/x.html"]), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <url><loc>https://example.org/a/read/x.html</loc></url>
    </urlset>
    """
    rows = "".join(f"<url><loc>{escape(url + quote(path, '/~'))}</loc></url>\n" for path in paths)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{rows}</urlset>\n"
    )
