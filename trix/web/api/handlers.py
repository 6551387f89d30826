"""Handlers of the API: searches, documents and elements by name, state of the server."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from pathlib import PurePath
from typing import Any

from trix import __version__
from trix.api.citation import FORMATS
from trix.api.index import Index
from trix.api.records import WRITERS
from trix.api.registers import records_of
from trix.errors import UsageError
from trix.indexer.fields.facets import Facet
from trix.query.display.passages import Passages
from trix.query.display.results import Results
from trix.web.api.answer import BIBTEX, CSV, HTML, JSON, LINES, MARKDOWN, RIS, TEXT, XML, Answer
from trix.web.api.asked import Asked
from trix.web.reading.direction import LTR
from trix.web.reading.html import Html
from trix.web.reading.opened import Opened
from trix.web.reading.passages import Dress
from trix.web.reading.roles import Roles


def search(asked: Asked) -> Answer:
    """Return ranked elements."""
    results = asked.index.search(asked.get("query", ""), **asked.settings)
    media = _OF_LIST[asked.get("format", "")] if asked.get("format") else asked.wants(JSON, LINES, CSV, MARKDOWN)
    if media in (CSV, MARKDOWN):
        out = StringIO()
        WRITERS["csv" if media == CSV else "markdown"](results, out)
        return Answer(out.getvalue(), media)
    found = [{**each.to_dict(), "own": float(own)} for each, own in zip(results, results.own, strict=True)]
    if media == LINES:
        return Answer(found, LINES)
    said = {**_summary(results), "results": found, **_facets(results.facets)}
    if results.plan is not None:
        said["plan"] = results.plan.to_json()
    if results.next is not None:
        said["next"] = results.next._asdict()
    return Answer(said)


_OF_LIST = {"json": JSON, "jsonl": LINES, "csv": CSV, "markdown": MARKDOWN}


def cite(asked: Asked) -> Answer:
    """Return a citation of a document or an element, with a permanent address."""
    form = asked.get("format") or next(
        name for name, media in _OF_CITATION.items() if media == asked.wants(JSON, TEXT, BIBTEX, RIS)
    )
    cited = asked.index.cite(asked.unit, asked.get("quotation"), base=asked.base, accessed=asked.get("accessed", ""))
    return Answer(FORMATS[form](cited), _OF_CITATION[form])


_OF_CITATION = {"csl": JSON, "text": TEXT, "bibtex": BIBTEX, "ris": RIS}


def _summary(results: Results) -> dict[str, Any]:
    return {
        **_asked(results),
        "typed": results.typed,
        "matched": results.matched,
        "from": results.begin + 1,
        "seconds": round(results.seconds, 6),
        "notices": list(results.notices),
    }


def _asked(found: Results | Passages) -> dict[str, str]:
    """Return the parsed query, and its correction if there is one."""
    return {"query": found.query} | ({"corrected": found.corrected} if found.corrected else {})


def _facets(facets: Mapping[str, Facet]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the values of facets, and their ranges if they have any."""
    ranges = {name: counts.ranges() for name, counts in facets.items()}
    said = {"facets": {name: counts[:MOST_VALUES] for name, counts in facets.items()}}
    said |= {"ranges": {name: counts for name, counts in ranges.items() if counts}} if any(ranges.values()) else {}
    return {
        kind: {name: [each._asdict() for each in counts] for name, counts in of.items()} for kind, of in said.items()
    }


MOST_VALUES = 1_000
"""Values of a facet in a response, at most; the most frequent ones."""


def facets(asked: Asked) -> Answer:
    """Return counts of the values of fields in the matching documents, without results."""
    if "facet" not in asked.given:
        raise UsageError("missing; expected names of fields, as journal,year", field="facet")
    results = asked.index.search(asked.get("query", ""), **{**asked.settings, "top": 1})
    return Answer({**_asked(results), "matched": results.matched, **_facets(results.facets)})


def explain(asked: Asked) -> Answer:
    """Return how the score of an element is made up, as a tree."""
    explanation = asked.index.explain(asked.get("query", ""), asked.given["element"], **asked.settings)
    return Answer(explanation.to_json())


def passages(asked: Asked) -> Answer:
    """Return the best passages that fit a length, in reading order."""
    own = {name: asked.given[name] for name in ("characters", "around", "sentences") if name in asked.given}
    found = asked.index.passages(asked.get("query", ""), **own, **asked.settings)
    lines = [each.to_dict() for each in found]
    if asked.wants(JSON, LINES) == LINES:
        return Answer(lines, LINES)
    characters = sum(len(each.text) for each in found)
    summary = {"matched": found.matched, "characters": characters}
    return Answer({**_asked(found), **summary, "notices": list(found.notices), "passages": lines})


def concordance(asked: Asked) -> Answer:
    """Return a concordance: each occurrence of the words of a query with the words around it."""
    sort = asked.get("kwic_sort", "document")
    found = asked.index.concordance(asked.get("query", ""), kwic_sort=sort, **{"top": 10, **asked.settings})
    lines = [each._asdict() for each in found]
    if asked.wants(JSON, LINES) == LINES:
        return Answer(lines, LINES)
    corrected = {"corrected": found.corrected} if found.corrected else {}
    return Answer({**corrected, "notices": list(found.notices), "lines": lines})


def registers(asked: Asked) -> Answer:
    """Return the registers of the index, or the entries of one, or the mentions of a key."""
    index, name, key = asked.index, asked.get("register"), asked.get("key")
    first, top = asked.get("from_", 1), asked.get("top", 10)
    if name is None:
        if key is not None:
            raise UsageError("missing; expected the register of the key", field="register")
        return Answer({"registers": records_of(index.registers())})
    if name not in index.registers():
        known = ", ".join(index.registers()) or "none"
        raise UsageError(f"no such register; there are {known}", field="register", got=name)
    register = index.register(name, sort=asked.get("order", "name"), match=asked.get("match", ""))
    if key is None:
        entries = [each._asdict() for each in register[first - 1 : first - 1 + top]]
        return Answer({"register": name, "matched": len(register), "entries": entries})
    mentions = [each._asdict() for each in register.mentions(key, top, first)]
    return Answer({"register": name, "key": key, "mentions": mentions})


def suggest(asked: Asked) -> Answer:
    """Return completions of the beginning of a query: words of the index, titles of documents and sections."""
    found = asked.index.suggest(asked.given["text"], asked.get("top", 10))
    return Answer({"suggestions": [each.as_dict() for each in found]})


_OF_FORMAT = {"json": JSON, "xml": XML, "html": HTML, "text": TEXT}


def document(asked: Asked) -> Answer:
    """Return the fields of a document, its length, and the titles of its sections."""
    unit = asked.index.unit(asked.unit)
    sections = asked.index.outline(asked.unit, asked.get("depth", 2))
    said = {"id": unit.doc, "title": unit.title, "label": unit.label, "length": unit.length, "fields": unit.fields}
    return Answer({**said, "outline": [each._asdict() for each in sections]})


def element(asked: Asked) -> Answer:
    """Return an element or a whole document: its place and text, or its XML, HTML or text alone."""
    form = asked.get("format") or next(
        name for name, media in _OF_FORMAT.items() if media == asked.wants(JSON, XML, HTML, TEXT)
    )
    index, unit = asked.index, asked.unit
    marked: dict[str, Any] = {}
    if "highlight" in asked.given:
        marked = {"highlight": asked.given["highlight"], "phrases": asked.get("phrases", "content")}
    if form == "xml":
        text = index.show(unit, xml=True, **marked)
        return Answer(text, XML if text.startswith("<") else TEXT)  # an attribute, or a run of text, is no XML
    if form == "html":
        return Answer(html_of(index, unit), HTML)
    raw = asked.get("raw", False)
    text = index.show(unit, raw=raw, **marked) if raw or marked else index.prose(unit)
    if form == "text":
        return Answer(text, TEXT)
    return Answer({**index.unit(unit)._asdict(), "text": text})


def html_of(index: Index, name: str) -> str:
    """Render an element as on its page, with the sections around it."""
    unit = index.unit(name)
    opened = Opened(index, unit.doc, Roles(index.files.profile, []))
    if opened.is_empty:
        return Html(opened, Dress()).stretch([opened.document.root], [])
    element = opened.own(opened.named(unit.label)) if unit.length else opened.low
    inside = list(range(element, opened.after(element)))
    labels, paths = opened.names(inside)
    names = {path: (each, label) for path, each, label in zip(paths, inside, labels, strict=True)}
    behind, root = opened.after(element), opened.document.root
    end = opened.chain(opened.names([behind])[1][0], root) if behind < opened.high else []
    return Html(opened, Dress(names=names), LTR).stretch(opened.chain(paths[0], root), end)


TOLD = (
    "documents", "elements", "content_elements", "keys", "postings", "tokens", "xml_bytes", "index_bytes", "deleted",
    "levels", "presets", "tags",
)  # fmt: skip
"""Facts of an index that are public; the others describe the machine."""


def info(asked: Asked) -> Answer:
    """Return counts, tags, settings and fields of the index, or a description of a granularity level."""
    if "level" in asked.given:
        return Answer(dict(asked.index.info(asked.given["level"])))
    facts = asked.index.info()
    said: dict[str, Any] = {"version": __version__, "commit": asked.commit}
    said |= {name: facts[name] for name in TOLD if name in facts}
    said["settings"] = {name: _named(value) for name, value in facts["settings"].items()}
    return Answer({**said, "fields": dict(asked.index.fields.facts())})


def _named(value: Any) -> Any:
    """Return a setting, with file paths cut to the name.

    >>> _named("mine/plays.toml"), _named("porter"), _named(True)
    ('plays.toml', 'porter', True)
    """
    if isinstance(value, str | bool | int | float) or value is None:
        return PurePath(value).name if isinstance(value, str) and ("/" in value or "\\" in value) else value
    return str(value) if not isinstance(value, list | dict) else len(value)


def health(damaged: str, asked: Asked) -> Answer:
    """Return whether the server answers from its newest commit."""
    state = "damaged" if damaged else "ok"
    return Answer({"status": state, "commit": asked.commit, "documents": len(asked.index)}, kept=False)
