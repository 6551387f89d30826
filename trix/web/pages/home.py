"""Home page and list of documents: example queries, fields, documents from A to Z."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, product
from typing import Any, NamedTuple

import numpy as np

from trix.api.index import Index
from trix.errors import TrixError, UsageError
from trix.query.options import Options
from trix.support.arrays import Ints
from trix.support.collation import first_letter, sort_key
from trix.web.pages.found import facet_fields, told, with_dash
from trix.web.pages.registers import frequent, register_address
from trix.web.pages.server import RequestContext
from trix.web.pages.state import SearchState, document_address
from trix.web.reading.direction import direction

LOOKED_AT = 40
"""Documents whose titles are used for examples."""

FIELDS, VALUES = 4, 8
"""Fields on the home page, and values of each."""

LISTED = 100
"""Documents on a page of the list."""

_LONG = 5
"""Shortest word in an example."""

OTHERS = "#"
"""Heading of documents whose titles do not begin with a letter."""


class Entrance(NamedTuple):
    """A field or register on the home page: frequent values, each with a count and a URL, and the URL of all."""

    name: str
    values: list[tuple[str, int, str]]
    whole: str = ""


class Home(NamedTuple):
    """Content of the home page."""

    examples: list[tuple[str, str]]
    entrances: list[Entrance]


def home(index: Index) -> Home:
    """Return the content of the home page of an index."""
    registers = [
        Entrance(name, values, register_address(name))
        for name in index.registers()
        if (values := frequent(index, name))
    ]
    return Home([(query, SearchState(query).address()) for query in examples(index)], [*_entrances(index), *registers])


def examples(index: Index) -> list[str]:
    """Return queries that have results: a word, a phrase, and a word in elements of a tag."""
    titles = index.files.titles
    many = len(titles)
    words, pairs = dict[str, None](), dict[str, None]()
    for place in range(0, many, max(1, many // LOOKED_AT)):
        of_title = [word.strip(".,:;!?()[]\"'") for word in titles[place].split()]
        long = [word if len(word) >= _LONG and word.isalpha() else "" for word in of_title]
        words.update(dict.fromkeys(sorted((word.lower() for word in long if word), key=len)[-1:]))
        pairs.update((f'"{one} {other}"'.lower(), None) for one, other in pairwise(long) if one and other)
    word = next(iter(words), "")
    paths = [f"//{tag}[about(., {each})]" for tag, each in product(_of_parts(index), list(words)[:FIELDS])]
    kinds: Sequence[Sequence[str]] = ([word], list(pairs)[:VALUES], paths[: 2 * VALUES], list(words)[1:2])
    found = [next((query for query in some if _has_answers(index, query)), "") for some in kinds]
    return [query for query in found if query][:3]


def _of_parts(index: Index) -> Iterator[str]:
    """Yield tags of elements that have several parts, the frequent ones first."""
    files = index.files
    for tag, _ in sorted(files.counts_of("tags").items(), key=lambda each: -each[1])[:LOOKED_AT]:
        some = np.array([*islice(files.tagged(tag), LOOKED_AT)], np.int32)
        files.elements.structure_of_elements(some)
        inside = tag[:1].isalpha() and bool((files.elements.parent[some] >= 0).all())  # no document's element
        if inside and files.elements.contents[some].mean() > 2:
            yield tag


def _has_answers(index: Index, query: str) -> bool:
    try:
        return bool(query) and len(index.search(query, top=1)) > 0
    except TrixError:
        return False


def document_facets(index: Index) -> list[str]:
    """Return the fields of documents among `trix.web.pages.found.facet_fields`."""
    return [name for name in facet_fields(index) if name not in index.fields.of_elements]


def _entrances(index: Index) -> Iterator[Entrance]:
    """Yield the fields whose values several documents share, with the most frequent values."""
    for name in document_facets(index)[:FIELDS]:
        column = index.fields[name]
        documents = np.bincount(column.codes, minlength=len(column.values))
        values = [(str(column.rule.plain(column.values[at])), int(documents[at])) for at in _greatest(documents)]
        if column.ranges:
            held = [np.isin(column.codes, np.arange(each.begin, each.end)) for each in column.ranges]
            values = [
                (each.text, int(np.unique(column.documents[is_in]).size))
                for each, is_in in zip(column.ranges, held, strict=True)
            ]
        addresses = [SearchState(facets=((name, value),)).address("/documents") for value, _ in values]
        written = [with_dash(value) if column.ranges else value for value, _ in values]
        rows = zip(written, values, addresses, strict=True)
        yield Entrance(name, [(text, many, address) for text, (_, many), address in rows if many])


def _greatest(counts: Ints) -> list[int]:
    chosen: list[int] = np.argsort(-counts, kind="stable")[:VALUES].tolist()
    return chosen


class DocumentRow(NamedTuple):
    """A document in the list."""

    title: str
    address: str
    direction: str
    fields: tuple[str, ...]


def documents_page(context: RequestContext) -> Any:
    """Return a page of the list of documents by title: all, those with selected values, or those of a letter."""
    index, asked = context.index, context.asked
    order, letters = context.server.once(((context.commit, "order"), lambda: by_title(index)))
    options = Options.of(**asked.options())
    if options.where is not None:
        order = order[index.now.searcher.restriction.documents(options.where, options.accents)[order]]
    there = dict.fromkeys(letters[number] for number in order.tolist())
    letter = context.given("letter")
    if letter and letter not in there:
        raise UsageError("no title begins with it", field="letter", got=letter[:20])
    if letter:
        order = np.array([number for number in order.tolist() if letters[number] == letter], np.int64)
    first = asked.start - 1
    files, shown = index.files, order[first : first + LISTED].tolist()
    listed = [document_row(index, number, document_address(files.ids[number])) for number in shown]
    return context.page(
        "documents.html",
        listed=listed, many=int(order.size), first=first + 1, last=first + len(listed), letter=letter,
        letters=[(each, asked.address("/documents", start=1, letter=each)) for each in there],
        whole=asked.address("/documents", start=1),
        chosen=[(name, value, asked.with_facet(name, value).address("/documents")) for name, value in asked.facets],
        before=asked.address("/documents", start=max(1, asked.start - LISTED), letter=letter) if first else "",
        after=asked.address("/documents", start=asked.start + LISTED, letter=letter)
        if first + LISTED < order.size
        else "",
    )  # fmt: skip


def _name(index: Index, number: int) -> str:
    return " ".join(index.files.titles[number].split()) or index.files.ids[number]


def document_row(index: Index, number: int, address: str) -> DocumentRow:
    """Return a document as a row of the list."""
    name = _name(index, number)
    return DocumentRow(name, address, direction(name), told(index.fields.of(number)))


def by_title(index: Index) -> tuple[Ints, list[str]]:
    """Return the documents sorted by title (ignoring case, accents and signs), and the letter of each."""
    keys = [sort_key(_name(index, number)) for number in range(len(index))]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return np.array(order, np.int64), [first_letter(key, OTHERS) for key in keys]
