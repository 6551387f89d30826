"""Retriever for LlamaIndex (the extra ``llama-index``)::

    from trix.integrations.llama_index import Retriever

    retriever = Retriever("articles.index", characters=4000, where="year >= 2015")
    retriever.retrieve("how are trees edited")

Each node is a passage of `trix.api.index.Index.passages`, of limited length and without overlap.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from trix.api.index import Index
from trix.support.extras import needed

if TYPE_CHECKING:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
else:
    try:
        from llama_index.core.retrievers import BaseRetriever
    except ImportError:  # `Retriever.__init__` reports it
        BaseRetriever = object

NUMBERS = ["rank", "score", "own", "offset", "length", "cut", "label", "path", "tag"]
"""Metadata of a passage that is not text for a model."""


class Retriever(BaseRetriever):
    """LlamaIndex retriever that returns passages in reading order.

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

    def __init__(self, index: str | PathLike[str] | Index, characters: int = 6000, **options: Any) -> None:
        needed("the retriever", "llama-index", "llama_index.core")
        super().__init__()
        self.index = index if isinstance(index, Index) else Index(index)
        self.characters, self.options = characters, options
        self.index.passages("any", characters, **options)  # reports wrong options now, not at the first query

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return the passages of a query; called by LlamaIndex."""
        from llama_index.core.schema import NodeWithScore

        found = self.index.passages(query_bundle.query_str, self.characters, **self.options)
        return [NodeWithScore(node=self._node(each), score=each.score) for each in found]

    def _node(self, passage: Any) -> TextNode:
        from llama_index.core.schema import TextNode

        return TextNode(
            id_=f"{passage.address}@{passage.offset}",
            text=passage.text,
            metadata=passage.facts(),
            start_char_idx=passage.offset,
            end_char_idx=passage.offset + passage.length,
            excluded_embed_metadata_keys=NUMBERS,
            excluded_llm_metadata_keys=NUMBERS,
        )
