"""Prepared data sets as data sets of ir_datasets (the extra ``ir-datasets``)::

    import ir_datasets
    from trix.integrations.irds import register

    register("meetings")                    # made by: trix datasets prepare qmsum QMSum.zip meetings
    dataset = ir_datasets.load("trix/qmsum/test")
    for doc in dataset.docs_iter():
        doc.doc_id, doc.text                # an element of the judged level: document id and path, text

Documents are the elements of the level that is judged, so qrels and runs of elements fit. Names of types and attributes
are those of ir_datasets: `GenericDoc`, `GenericQuery` and `TrecQrel`.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

from trix.datasets.catalogue.parts import PreparedPart, parts
from trix.errors import UsageError
from trix.support.extras import install_hint

try:
    import ir_datasets
    from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericDoc, GenericQuery, TrecQrel
    from ir_datasets.indices import PickleLz4FullStore
except ImportError:
    raise UsageError(f"ir_datasets is missing: {install_hint('ir-datasets')}") from None

RELEVANCE = {1: "relevant"}
"""Grades and their meaning."""


class ElementDocs(BaseDocs):
    """Elements of the judged level of a part.

    Parameters
    ----------
    part
        The part.
    """

    def __init__(self, part: PreparedPart) -> None:
        self._part = part

    def docs_iter(self) -> Iterator[Any]:
        """Yield a `GenericDoc` for each element."""
        for unit in self._part.units():
            yield GenericDoc(unit.id, unit.text)

    def docs_store(self, field: str = "doc_id") -> Any:
        """Return a store of documents by their ids, written beside the prepared documents at the first use."""
        place = self._part.documents.with_name(f".{self._part.documents.name}.pklz4")
        return PickleLz4FullStore(
            path=str(place),
            init_iter_fn=self.docs_iter,
            data_cls=self.docs_cls(),
            lookup_field=field,
            index_fields=["doc_id"],
        )

    def docs_cls(self) -> Any:
        """Return the type of a document."""
        return GenericDoc

    def docs_namespace(self) -> str:
        """Return the namespace of document ids."""
        return f"trix/{self._part.data_set}"

    def docs_count(self) -> int:
        """Return the number of elements."""
        return sum(1 for _ in self._part.units())

    def docs_lang(self) -> None:
        """Return no language: a prepared folder does not name one."""


class PartQueries(BaseQueries):
    """Topics of a part.

    Parameters
    ----------
    part
        The part.
    """

    def __init__(self, part: PreparedPart) -> None:
        self._part = part

    def queries_iter(self) -> Iterator[Any]:
        """Yield a `GenericQuery` for each topic."""
        for key, words in self._part.topics.items():
            yield GenericQuery(key, words)

    def queries_cls(self) -> Any:
        """Return the type of a query."""
        return GenericQuery

    def queries_namespace(self) -> str:
        """Return the namespace of query ids."""
        return f"trix/{self._part.data_set}"

    def queries_count(self) -> int:
        """Return the number of topics."""
        return len(self._part.topics)

    def queries_lang(self) -> None:
        """Return no language: a prepared folder does not name one."""


class ElementQrels(BaseQrels):
    """Relevant elements of a part.

    Parameters
    ----------
    part
        The part.
    """

    def __init__(self, part: PreparedPart) -> None:
        self._part = part

    def qrels_iter(self) -> Iterator[Any]:
        """Yield a `TrecQrel` for each judged element."""
        for topic, unit, grade in self._part.judgements:
            yield TrecQrel(topic, unit, grade, "0")

    def qrels_defs(self) -> dict[int, str]:
        """Return the meaning of grades."""
        return RELEVANCE

    def qrels_cls(self) -> Any:
        """Return the type of a judgement."""
        return TrecQrel

    def qrels_path(self) -> str:
        """Return the file of the judgements."""
        return fspath(self._part.folder / self._part.name / "elements.qrels")

    def qrels_count(self) -> int:
        """Return the number of judged elements."""
        return len(self._part.judgements)


def dataset(part: PreparedPart) -> Any:
    """Return a part of a prepared folder as a data set of ir_datasets."""
    return ir_datasets.Dataset(ElementDocs(part), PartQueries(part), ElementQrels(part))


def register(folder: str | PathLike[str], name: str = "") -> list[str]:
    """Register the parts of a prepared folder with ir_datasets and return their ids, such as "trix/qmsum/test".

    Parameters
    ----------
    folder
        A prepared folder.
    name
        First part of the ids; ``trix/`` and the name of the data set if empty.

    Raises
    ------
    UsageError
        The folder was not prepared by Trix, or an id is taken.
    """
    made = {}
    for part in parts(folder):
        key = name or f"trix/{part.data_set}"
        made[f"{key}/{part.name}" if part.name else key] = part
    taken = [key for key in made if key in ir_datasets.registry]
    if taken:
        raise UsageError(f"{folder}: {taken[0]} is registered already; give another name")
    for key, part in made.items():
        ir_datasets.registry.register(key, dataset(part))
    return list(made)
