"""Retriever for LangChain (the extra ``langchain``)::

    from trix.integrations.langchain import Retriever

    retriever = Retriever("articles.index", characters=4000, where="year >= 2015")
    retriever.invoke("how are trees edited")

Each document is a passage of `trix.api.index.Index.passages`, of limited length and without overlap.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from trix.api.index import Index


class Retriever(BaseRetriever):
    """LangChain retriever that returns passages in reading order.

    Parameters
    ----------
    index
        The folder of an index, or an open `trix.Index`.
    characters
        Largest total length of the passages.
    options
        Options of `Index.passages`.

    Raises
    ------
    TrixError
        The index cannot be opened, or an option is wrong.
    """

    index: Any
    characters: int = 6000
    options: dict[str, Any] = Field(default_factory=dict)

    def __init__(self, index: str | PathLike[str] | Index, characters: int = 6000, **options: Any) -> None:
        opened = index if isinstance(index, Index) else Index(index)
        super().__init__(index=opened, characters=characters, options=options)  # type: ignore[call-arg]
        opened.passages("any", characters, **options)  # reports wrong options now, not at the first query

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        """Return the passages of a query; called by LangChain."""
        return [
            Document(id=f"{each.address}@{each.offset}", page_content=each.text, metadata=each.facts())
            for each in self.index.passages(query, self.characters, **self.options)
        ]
