"""The library's face: an open index that answers queries, runs topics, explains and shows.

    import trix
    trix.build("collection/", "my.index", profile="jats")
    with trix.open("my.index") as index:
        results = index.search('+"tree edit distance" +xml -image', context="root:1.5", top=20)
        results[0].path, results[0].score, results[0].text
"""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from trix import kernels
from trix.errors import QueryError, SourceError, UsageError
from trix.indexer.index import IndexFiles
from trix.indexer.texts import Texts
from trix.query.co import STOPPED
from trix.query.naming import Namer
from trix.query.options import Options
from trix.query.results import Result, Results
from trix.query.search import Scored, Searcher
from trix.query.snippet import snippet

if TYPE_CHECKING:
    from trix.query.explain import Explanation


class Run(dict[str, Results]):
    """The results of a batch of topics, by topic id in order.

    Attributes
    ----------
    run_id : str
    notices : list of str
    """

    def __init__(self, run_id: str = "trix") -> None:
        super().__init__()
        self.run_id = run_id
        self.notices: list[str] = []

    def to_frame(self) -> Any:
        """Return a pandas frame of all topics, see `Results.to_frame`."""
        import pandas as pd

        return pd.concat([results.to_frame(topic) for topic, results in self.items()], ignore_index=True)

    def __repr__(self) -> str:
        return f"<Run {self.run_id!r}, {len(self)} topics>"


class Index:
    """An index, open for reading.

    Parameters
    ----------
    path
        Its folder.

    Attributes
    ----------
    notices : list of str
        What came to light while texts were read: that sources have moved or changed, said once.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.files = IndexFiles(path)
        self._searcher = Searcher(self.files)
        self._namer = Namer(self.files)
        self._texts: Texts | None = None
        self._searches = 0
        self.notices: list[str] = []

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the documents in memory; mapped files close with the object."""
        self._texts = None

    def __len__(self) -> int:
        return len(self.files)

    def __repr__(self) -> str:
        totals = self.files.totals
        return f"<Index {str(self.files.path)!r}, {totals['documents']:,} documents, {totals['elements']:,} elements>"

    # -- searching --------------------------------------------------------------------------------------------------

    def search(self, query: str, **options: Any) -> Results:
        """Answer one query.

        Parameters
        ----------
        query
            A content-only query, or one in NEXI, which begins with ``/``.
        options
            See `trix.query.options.Options`; `top` is 10, None returns everything.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, or an option is wrong.
        """
        self._searches += 1
        if self._searches == 3:  # from here on the compiled loops pay for their loading
            kernels.prefer_numba()
        asked = Options.of(**options)
        return self._search(query, asked, self._searcher.notices(asked))

    def run(self, topics: Any, *, field: str = "title", run_id: str = "trix", **options: Any) -> Run:
        """Answer a batch of topics.

        Parameters
        ----------
        topics
            What `trix.read_topics` returns, a mapping topic id -> query, or pairs of them.
        field
            The field of a topic that is its query.
        run_id
            The run's name.
        options
            As for `search`; `top` is 1500 and phrases are opened, unless said otherwise.
        """
        kernels.prefer_numba()
        asked = Options.of(**{"top": 1500, "open_phrases": True, **options})
        run = Run(run_id)
        run.notices += self._searcher.notices(asked)
        notices: list[tuple[str, str]] = []
        for topic, query, year in _queries(topics, field):
            try:
                results = self._search(query, asked, lenient=True, slash_descends=year is not None and year <= 2003)
            except QueryError as error:
                notices.append((topic, str(error)))
                results = Results(query=query)
            notices += [(topic, notice) for notice in results.notices]
            run[topic] = results
        run.notices += _summed_up(notices)
        return run

    def explain(
        self, query: str, element: Result | str, *, lenient: bool = False, slash_descends: bool = False, **options: Any
    ) -> Explanation:
        """Return every number behind an element's score.

        Parameters
        ----------
        query, options
            As for `search`.
        element
            A result, a label, or a document id followed by a path.
        lenient
            Read the query as `run` reads those of topic files.
        slash_descends
            Read ``/`` in a structured query as ``//``, as `run` does in topics of 2003 and before.

        Raises
        ------
        UsageError
            There is no such element, or it does not match the query.
        """
        from trix.query.explain import explain

        asked = Options.of(**options)
        number = element.element if isinstance(element, Result) else self._element(element)
        parsed, _ = self._searcher.parse(query, asked, lenient=lenient, slash_descends=slash_descends)
        scored = self._searcher.score(parsed, asked)
        place = -1 if scored is None else int(np.searchsorted(scored.candidates.element, number))
        if scored is None or place >= len(scored.candidates) or scored.candidates.element[place] != number:
            raise UsageError(f"{element}: the element does not match the query {query}")
        if scored.structured and scored.returned is not None and not scored.returned[place]:
            raise UsageError(f"{element}: the element does not satisfy the structure of the query {query}")
        return explain(scored, place, self.files.totals["content_elements"], self._named)

    def _named(self, element: int) -> str:
        elements = np.array([element], np.int32)
        labels, paths = self._namer.names(elements, self.files.documents_of(elements))
        return f"{labels[0]} {paths[0]}"

    def _search(
        self, query: str, options: Options, notices: tuple[str, ...] = (), *, lenient: bool = False,
        slash_descends: bool = False,
    ) -> Results:  # fmt: skip
        began = time.perf_counter()
        parsed, of_query = self._searcher.parse(query, options, lenient=lenient, slash_descends=slash_descends)
        notices = (*notices, *of_query)
        scored = self._searcher.score(parsed, options)
        if scored is None:
            results = Results(query=str(parsed), notices=notices)
        else:
            results = self._results(str(parsed), scored, notices)
        results.seconds = time.perf_counter() - began
        return results

    def _results(self, query: str, scored: Scored, notices: Iterable[str]) -> Results:
        places = self._searcher.rank(scored)
        elements, files = scored.candidates.element[places], self.files
        documents = files.documents_of(elements)
        labels, paths = self._namer.names(elements, documents)
        table, tags, numbers = files.elements, files.step_tags, documents.tolist()
        ids = {number: files.ids[number] for number in set(numbers)}
        keys = {key for term in scored.query.terms if term.sign != "-" for key in term.keys}
        return Results(
            query=query,
            notices=tuple(notices),
            matched=scored.found,
            elements=elements,
            scores=scored.scores[places],
            columns=(
                numbers,
                [ids[number] for number in numbers],
                labels,
                paths,
                [tags[step] for step in table.step[elements].tolist()],
                table.start[elements].tolist(),
                table.length[elements].tolist(),
            ),
            show_text=self._text_of,
            show_snippet=lambda result: self._snippet(result, keys),
        )

    # -- showing ----------------------------------------------------------------------------------------------------

    @property
    def texts(self) -> Texts:
        """The documents' texts."""
        if self._texts is None:
            self._texts = Texts(self.files)
        return self._texts

    def _text_of(self, result: Result) -> str:
        text = self.texts.document(result.document).text
        if result.tag.startswith("@"):
            found = self._source_node(result.document, result.path)
            return str(found)
        return text[result.offset : result.offset + result.length]

    def _snippet(self, result: Result, keys: set[str]) -> str:
        """Return a result's snippet; none, and one notice, where the source is not what was indexed any more."""
        try:
            return snippet(self._line_of(result), keys, self.files.analyzer)
        except SourceError as error:
            if not self.notices:
                self.notices.append(f"results have no snippets: {error}")
            return ""

    def _line_of(self, result: Result) -> str:
        if result.tag.startswith("@"):
            return self._text_of(result)
        return self.texts.document(result.document).spaced(result.offset, result.offset + result.length)

    def show(self, unit: str, xml: bool = False) -> str:
        """Return the text, or the XML, of a document or an element.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.
        xml
            The element's XML, without what follows it, instead of its text.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        document, path = self._unit(unit)
        if xml and not path.endswith(")") and "/@" not in path and "/text()" not in path:
            found = self._source_node(document, path) if path else self.texts.document(document).root
            return etree.tostring(found, encoding="unicode", with_tail=False)
        shown = self.texts.document(document)
        if not path:
            return shown.text
        element = self._find(document, path)
        table = self.files.elements
        start = int(table.start[element])
        if "/@" in path:
            return str(self._source_node(document, path))
        return shown.text[start : start + int(table.length[element])]

    def _source_node(self, document: int, path: str) -> Any:
        """Return the lxml element or the attribute value at a path of local names."""
        node = self.texts.document(document).root
        for step in path.split("/")[2:]:
            if step.startswith("@"):
                return next((value for name, value in node.attrib.items() if name.rpartition("}")[2] == step[1:]), "")
            name, _, position = step.rstrip("]").partition("[")
            same = [c for c in node if isinstance(c.tag, str) and c.tag.rpartition("}")[2] == name]
            wanted = int(position or 1)
            if wanted > len(same):
                raise UsageError(f"{self.files.ids[document]}{path}: there is no such element in the document")
            node = same[wanted - 1]
        return node

    def _unit(self, unit: str) -> tuple[int, str]:
        """Return (document number, path or "") of a document id, with or without a path, or of a label."""
        if unit and unit.replace(".", "").isdigit() and self.files.document(unit) < 0:
            number = self._labelled(unit)
            documents = self.files.documents_of(np.array([number]))
            return int(documents[0]), self._namer.names(np.array([number], np.int32), documents)[1][0]
        at = len(unit)
        while at >= 0:
            document = self.files.document(unit[:at])
            if document >= 0:
                return document, unit[at:]
            at = unit.rfind("/", 0, at)
        raise UsageError(f"{unit}: no such document{self._similar(unit)}")

    def _similar(self, unit: str) -> str:
        ids = [self.files.ids[number] for number in range(min(len(self), 50_000))]
        close = difflib.get_close_matches(unit.partition("/article")[0], ids, n=1)
        return f" (did you mean {close[0]}?)" if close else ""

    def _element(self, unit: str) -> int:
        document, path = self._unit(unit)
        return self._find(document, path) if path else self.files.document_range(document)[0]

    def _find(self, document: int, path: str) -> int:
        """Return the number of the indexed element of a document at a path."""
        low, high = self.files.document_range(document)
        elements = np.arange(low, high, dtype=np.int32)
        paths = self._namer.names(elements, np.full(elements.size, document))[1]
        try:
            return low + paths.index(path)
        except ValueError:
            raise UsageError(
                f"{self.files.ids[document]}{path}: no such element in the index; elements below content elements "
                "have no number of their own"
            ) from None

    def _labelled(self, label: str) -> int:
        """Return the number of the indexed element with a Dewey label."""
        document = int(label.partition(".")[0]) - 1
        if not 0 <= document < len(self):
            raise UsageError(f"{label}: there is no document {document + 1}; the index holds {len(self)}")
        low, high = self.files.document_range(document)
        elements = np.arange(low, high, dtype=np.int32)
        labels = self._namer.names(elements, np.full(elements.size, document))[0]
        try:
            return low + labels.index(label)
        except ValueError:
            raise UsageError(f"{label}: no such element in the index") from None

    def info(self, level: str | None = None) -> dict[str, Any]:
        """Return counts, sizes, tags and settings, or the facts of one granularity level.

        Parameters
        ----------
        level
            A level as for `search`; its members, their tags and mean sizes, the text they cover, their overlap.

        Raises
        ------
        UsageError
            There is no such level.
        """
        if level is not None:
            return self._searcher.levels.level(level).report()
        from trix.indexer.facts import facts

        return facts(self.files)


def open_index(path: str | PathLike[str]) -> Index:
    """Open an index.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged.
    """
    return Index(path)


_SHOWN_WORDS = 12


def _summed_up(notices: Sequence[tuple[str, str]]) -> list[str]:
    """Return the notices on topics, those on stopped words in one.

    >>> of = "left out, on the stop list: "
    >>> _summed_up([("1", of + "in, the"), ("2", "query, column 3: the quote is never closed"), ("3", of + "the")])
    ['topic 2: query, column 3: the quote is never closed', '2 topics: left out, on the stop list: the (2), in (1)']
    """
    stopped = [notice for _, notice in notices if notice.startswith(STOPPED) and ";" not in notice]
    if len(stopped) < 2:
        return [f"topic {topic}: {notice}" for topic, notice in notices]
    lines = [f"topic {topic}: {notice}" for topic, notice in notices if notice not in stopped]
    words = Counter(word for notice in stopped for word in notice.removeprefix(STOPPED).split(", "))
    shown = [f"{word} ({count})" for word, count in words.most_common(_SHOWN_WORDS)]
    more = f" and {len(words) - len(shown)} more" if len(words) > len(shown) else ""
    return [*lines, f"{len(stopped)} topics: {STOPPED}{', '.join(shown)}{more}"]


def _queries(topics: Any, field: str) -> list[tuple[str, str, int | None]]:
    """Return the id, the query and the year, where it is known, of each topic."""
    if isinstance(topics, Mapping):
        return [(str(topic), str(query), None) for topic, query in topics.items()]
    return [
        (topic.id, topic.query(field), topic.year_hint)
        if hasattr(topic, "query")
        else (str(topic[0]), str(topic[1]), None)
        for topic in topics
    ]
