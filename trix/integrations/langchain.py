"""Trix as a retriever of LangChain (the extra ``langchain``)::

    from trix.integrations.langchain import Retriever

    retriever = Retriever("articles.index", characters=4000, where="year >= 2015")
    retriever.invoke("how are trees edited")

Each document is a passage, as `trix.api.index.Index.passages` gives it: never too much, nothing twice.
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
    """Queries in, passages out, in the order in which they are read.

    Parameters
    ----------
    index
        The folder of an index, or an open `trix.Index`.
    characters
        Of all passages together, at the most.
    options
        Those of `Index.passages`.

    Raises
    ------
    TrixError
        There is no such index, or an option is wrong.
    """

    index: Any
    characters: int = 6000
    options: dict[str, Any] = Field(default_factory=dict)

    def __init__(self, index: str | PathLike[str] | Index, characters: int = 6000, **options: Any) -> None:
        opened = index if isinstance(index, Index) else Index(index)
        super().__init__(index=opened, characters=characters, options=options)  # type: ignore[call-arg]
        opened.passages("any", characters, **options)  # so that a wrong option is known here

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        """Return the passages of a query; LangChain calls it."""
        return [
            Document(id=f"{each.address}@{each.offset}", page_content=each.text, metadata=each.facts())
            for each in self.index.passages(query, self.characters, **self.options)
        ]
