"""Transformer and data sets for PyTerrier pipelines (the extra ``pyterrier``)::

    import pyterrier as pt
    from trix.integrations.pyterrier import Retriever

    best = Retriever("articles.index", context="vertical:f=0.25", strategy="focused")
    best.search("tree edit distance")
    pt.Experiment([best, best % 10], topics, qrels, ["map"])

    data = PreparedDataset("meetings", "test")       # made by: trix datasets prepare qmsum QMSum.zip meetings
    pt.Experiment([best], data.get_topics(), data.get_qrels(), ["map"])

Without PyTerrier a `Retriever` is a plain object with ``transform`` and ``search``, and a `PreparedDataset` one with
the methods of its data sets. pandas is always needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from trix.api.batch import Run
from trix.api.index import Index
from trix.datasets.catalogue.parts import PreparedPart
from trix.errors import UsageError
from trix.settings import SearchSettings
from trix.support.extras import pandas

if TYPE_CHECKING:

    class Transformer:
        """PyTerrier's, or a plain object."""

else:
    try:
        from pyterrier import Transformer
    except ImportError:
        Transformer = object

COLUMNS = ("qid", "query", "docno", "score", "rank", "doc", "path")
"""Columns of the result of `Retriever.transform`; docno is document id and path, ranks start at 0 as in PyTerrier."""


class Retriever(Transformer):
    """PyTerrier transformer from queries to ranked elements.

    Parameters
    ----------
    index
        The folder of an index, or an open `trix.Index`.
    options
        Options of ``Index.run``; by default 1500 results per query.

    Raises
    ------
    TrixError
        The index cannot be opened, or an option is wrong.
    """

    def __init__(self, index: str | PathLike[str] | Index, **options: Unpack[SearchSettings]) -> None:
        super().__init__()
        self.index = index if isinstance(index, Index) else Index(index)
        self.options = options
        self.index.run({}, **options)  # reports wrong options now, not in the middle of an experiment

    def transform(self, queries: Any) -> Any:
        """Return the ranked elements of all queries.

        Parameters
        ----------
        queries : pandas.DataFrame
            Frame with the columns ``qid`` and ``query``; further columns are kept.

        Returns
        -------
        pandas.DataFrame
            A row per element: the columns of the queries, and docno, score, rank (from 0), doc, path.

        Raises
        ------
        UsageError
            A column is missing, or a query id appears twice.
        """
        import pandas as pd

        missing = [name for name in ("qid", "query") if name not in queries.columns]
        if missing:
            names = ", ".join(map(str, queries.columns)) or "none"
            raise UsageError(f"queries: expected the columns qid and query; {' and '.join(missing)} missing in {names}")
        twice = queries["qid"][queries["qid"].duplicated()]
        if len(twice):
            raise UsageError(f"queries: the query id {twice.iloc[0]} appears twice")
        asked = [(str(number), str(query)) for number, query in enumerate(queries["query"])]
        run: Run = self.index.run(asked, **self.options)
        carried = queries.drop(columns=[name for name in COLUMNS[2:] if name in queries.columns])
        rows = [row for row, _ in asked for _ in range(len(run[row]))]
        found = pd.DataFrame(
            {
                "docno": [doc + path for r in run.values() for doc, path in zip(r.docs, r.paths, strict=True)],
                "score": [score for r in run.values() for score in r.run_scores.tolist()],
                "rank": [rank for r in run.values() for rank in range(len(r))],
                "doc": [doc for r in run.values() for doc in r.docs],
                "path": [path for r in run.values() for path in r.paths],
            }
        )
        left = carried.iloc[[int(row) for row in rows]].reset_index(drop=True)
        joined = pd.concat([left, found], axis=1)
        return joined.astype({"score": "float64", "rank": "int64"})

    def search(self, query: str, qid: str = "1") -> Any:
        """Return the ranked elements of one query, in the form of `transform`."""
        import pandas as pd

        return self.transform(pd.DataFrame([[qid, query]], columns=["qid", "query"]))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"Retriever({self.index.files.path!r}{options})"


class PreparedDataset:
    """Part of a prepared data set, with the methods of the data sets of PyTerrier.

    Parameters
    ----------
    folder
        A folder that ``trix datasets prepare`` made.
    part
        Name of the part; may be left out if there is one only.

    Raises
    ------
    UsageError
        The folder was not prepared by Trix, or it has no such part.
    """

    def __init__(self, folder: str | PathLike[str], part: str | None = None) -> None:
        self.part = PreparedPart(folder, part)

    def get_corpus_iter(self, verbose: bool = True) -> Iterator[dict[str, str]]:
        """Yield the elements of the judged level as ``docno``, document id and path, and ``text``.

        Parameters
        ----------
        verbose
            Accepted, since PyTerrier passes it, and ignored.
        """
        for unit in self.part.units():
            yield {"docno": unit.id, "text": unit.text}

    def get_topics(self, variant: str | None = None) -> Any:
        """Return a frame with the columns ``qid`` and ``query``; there is one variant only."""
        return pandas().DataFrame(list(self.part.topics.items()), columns=["qid", "query"])

    def get_qrels(self, variant: str | None = None) -> Any:
        """Return a frame with the columns ``qid``, ``docno`` and ``label``; there is one variant only."""
        return pandas().DataFrame(self.part.judgements, columns=["qid", "docno", "label"])

    def __repr__(self) -> str:
        return f"PreparedDataset({str(self.part.folder)!r}, {self.part.name!r})"
