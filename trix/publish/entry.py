"""Entry of the search files: numbers of the chain, table of all other files, facets [SITE, section 3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trix.api.index import Index
from trix.publish.inverted import inverted
from trix.publish.pack import FOLDER, SearchFiles, json_bytes, varints
from trix.publish.units import Units, in_titles, titles_of
from trix.query.context.words import TitlesAbove
from trix.query.matching.section_titles import SectionTitles
from trix.query.options import Options
from trix.support.arrays import Mask
from trix.web.pages.found import with_dash
from trix.web.pages.home import document_facets

VERSION = 1
"""Version of the format, which the script of the site must know."""

ENTRY = f"{FOLDER}/index.json"


def write_entry(
    index: Index,
    units: Units,
    titles: SectionTitles,
    paths: Sequence[str],
    texts: Mapping[int, str],
    out: SearchFiles,
    words: Mapping[str, str],
) -> None:
    """Write the files of the collection as a whole, and the entry that names them.

    Parameters
    ----------
    index
        The index.
    units, titles
        Its units and titles.
    paths
        Path of each document's page.
    texts
        Document -> name of its file, for those with text.
    out
        Takes the files.
    words
        The words of the pages.
    """
    files = index.files
    options = Options.of(preset="static")
    (form,) = options.context.forms
    assert isinstance(form, TitlesAbove), "the chain of the preset is that of the script"
    table = inverted(files, units, titles_of(files, units, titles), out)
    there = sorted(texts)
    entry = {
        "N": files.totals["content_elements"],
        "C": files.totals["tokens"],
        "mu": options.mu,
        "factor": form.f,
        "most": options.per_document,
        "rows": out.put(rows_bytes(units, in_titles(files, units, titles))),
        "documents": out.put(json_bytes([[paths[each], texts[each]] for each in there])),
        "words": table.words,
        "postings": table.postings,
        "facets": [[name, out.put(json_bytes(_facet(index, name, there)))] for name in document_facets(index)],
        "stop": sorted(files.analyzer.stopwords),
        "join": files.profile.join_characters,
        "say": {name: words[name] for name in _SAID},
    }
    out[ENTRY] = json_bytes({"format": VERSION, "entry": out.put(json_bytes(entry))})


_SAID = (
    "none", "none_hint", "corrected", "as_typed", "refine", "take_away", "more_values", "map", "passage_size",
    "first_passage", "next_passage", "to_beginning", "back_to_results", "passage_of", "passages_here",
    "one_passage_here", "no_passage_here", "next_page", "results", "loading", "key_up", "published_count",
    "published_count_one", "published_failed", "published_looked", "page_before",
)  # fmt: skip
"""Words of the pages that the script shows."""


def rows_bytes(units: Units, in_title: Mask) -> bytes:
    """Return the rows as varints: their number, the kind of each, and its keys.

    The kind is 8 times the number of levels between the row and a child of the row before it. To this are added 4 for
    a row in a title, 2 for a quiet row, and 1 for a row that may be a result.
    """
    depth = np.zeros(units.parent.size, np.int64)
    for row, parent in enumerate(units.parent.tolist()):  # parents come first
        depth[row] = depth[parent] + 1 if parent >= 0 else 0
    levels = 1 - np.diff(depth, prepend=-1)
    kinds = 8 * levels + 4 * in_title + 2 * units.is_quiet + units.is_returned
    return varints([units.parent.size]) + varints(kinds.astype(np.int64)) + varints(units.keys)


def _facet(index: Index, name: str, documents: Sequence[int]) -> dict[str, Any]:
    """Return a field: its values as shown, and the numbers of the values of each document."""
    column = index.fields[name]
    begin = column.starts.tolist()
    codes = [column.codes[begin[each] : begin[each] + int(column.counts[each])].tolist() for each in documents]
    if not column.ranges:
        plain = [str(column.rule.plain(value)) for value in column.values]
        return {"values": [[value, value] for value in plain], "documents": codes, "ranges": False}
    spans = [(each.begin, each.end) for each in column.ranges]
    ranged = [
        [number for number, (low, high) in enumerate(spans) if any(low <= code < high for code in own)] for own in codes
    ]
    values = [[each.text, with_dash(each.text)] for each in column.ranges]
    return {"values": values, "documents": ranged, "ranges": True}
