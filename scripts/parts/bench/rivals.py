"""Retrievers of passages to compare with: flat windows, and those of LangChain and LlamaIndex, all by one BM25."""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

Range = tuple[int, int]
Keys = Callable[[str], list[str]]

WORDS = 200
"""Of a flat window."""

CHILD, PARENT = 400, 2000
"""Characters of LangChain's chunks, as in its documentation."""

WEIGHT = 1.0
"""Of the document's score beside that of a chunk."""

HIERARCHY = [2048, 512, 128]
"""Tokens, here words and signs, of LlamaIndex's chunks: the sizes of its documentation."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])(?=\s)")

_BLOCKS = {"p", "title", "article-title", "sec", "abstract", "tr", "td", "caption", "label", "list-item"}


class Article(NamedTuple):
    """An article as rivals read it: title, abstracts and body.

    Attributes
    ----------
    doc
        Its id.
    text
        Its text, with a blank line after each block.
    paragraphs
        Where each paragraph is in the text, by path.
    """

    doc: str
    text: str
    paragraphs: Mapping[str, Range]

    @classmethod
    def read(cls, path: Path) -> Article:
        """Read a JATS file."""
        root = etree.parse(path, etree.XMLParser(resolve_entities=False, load_dtd=False)).getroot()
        writer = _Writer()
        parts: Any = root.xpath("front//article-title | front//abstract | body")
        for found in parts:
            writer.write(found, _path(found))
        return cls(path.stem, "".join(writer.parts), writer.paragraphs)


def _path(node: Any) -> str:
    """Return the path of an element with the position of each step among siblings of its tag."""
    parent = node.getparent()
    position = 1 + sum(1 for each in node.itersiblings(node.tag, preceding=True))
    return ("" if parent is None else _path(parent)) + f"/{node.tag}[{position}]"


class _Writer:
    """Writes elements as text, and where paragraphs are in it."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.paragraphs: dict[str, Range] = {}
        self._length = 0

    def _add(self, text: str | None) -> None:
        self.parts.append((text or "").replace("\n", " "))
        self._length += len(text or "")

    def write(self, node: Any, path: str) -> None:
        """Write an element at a path."""
        begin, positions = self._length, Counter[str]()
        self._add(node.text)
        for child in node:
            if isinstance(child.tag, str):
                positions[child.tag] += 1
                self.write(child, f"{path}/{child.tag}[{positions[child.tag]}]")
            self._add(child.tail)
        if node.tag == "p":
            self.paragraphs[path] = begin, self._length
        if node.tag in _BLOCKS:
            self.parts.append("\n\n")
            self._length += 2


class BM25:
    """BM25 of texts (k1 .9, b .4), in numpy."""

    def __init__(self, texts: Iterable[list[str]], k1: float = 0.9, b: float = 0.4) -> None:
        lists: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for number, keys in enumerate(texts):
            lengths.append(len(keys))
            for key, times in Counter(keys).items():
                lists[key].append((number, times))
        self._k1, self.size = k1, len(lengths)
        length = np.array(lengths, np.float64)
        self._norm = k1 * (1 - b + b * length / length.mean())
        self._lists = {key: np.array(each) for key, each in lists.items()}

    def scores(self, query: Iterable[str]) -> NDArray[np.float64]:
        """Return the score of each text for the keys of a query."""
        found = np.zeros(self.size)
        for key, times in Counter(query).items():
            if key in self._lists:
                at, frequency = self._lists[key].T
                idf = np.log(1 + (self.size - at.size + 0.5) / (at.size + 0.5))
                found[at] += times * idf * frequency * (self._k1 + 1) / (frequency + self._norm[at])
        return found


class Chunk(NamedTuple):
    """A chunk of an article."""

    article: int
    begin: int
    end: int


class Ranker:
    """Ranks chunks by BM25 plus the BM25 of their documents.

    Parameters
    ----------
    articles
        The documents.
    of
        The article of each chunk, by number.
    texts
        The keys of each chunk.
    keys
        Turns a text into keys.
    """

    def __init__(self, articles: Sequence[Article], of: Sequence[int], texts: Iterable[list[str]], keys: Keys) -> None:
        self._keys = keys
        self._of, self._chunks = np.array(of), BM25(texts)
        self._documents = BM25(keys(each.text) for each in articles)

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return the score of each chunk."""
        keys = self._keys(query)
        scores: NDArray[np.float64] = self._chunks.scores(keys) + WEIGHT * self._documents.scores(keys)[self._of]
        return scores

    def best(self, query: str, many: int) -> list[int]:
        """Return the numbers of the best chunks."""
        best: list[int] = np.argsort(-self.scores(query), kind="stable")[:many].tolist()
        return best


def filled(articles: Sequence[Article], chunks: Iterable[Chunk], characters: int) -> dict[str, list[Range]]:
    """Return what fits of chunks in their order: what is told already costs nothing, the last one is cut."""
    told: dict[str, list[Range]] = defaultdict(list)
    left = characters
    for article, begin, end in chunks:
        for low, high in told[articles[article].doc]:
            if low <= begin < high:
                begin = min(high, end)
            if low < end <= high:
                end = max(low, begin)
        end = min(end, begin + left)
        if begin < end:
            told[articles[article].doc].append((begin, end))
            left -= end - begin
        if left <= 0:
            break
    return told


def rivals(articles: Sequence[Article], keys: Keys) -> Iterator[tuple[str, Callable[[str, int], Any]]]:
    """Yield the name of each retriever, and what gives its ranges for a query and a number of characters."""
    known: dict[str, list[str]] = {}

    def keys_of(text: str) -> list[str]:
        return [key for word in re.findall(r"\w+", text) for key in _known(known, word, keys)]

    yield "flat windows + document score", _flat(articles, keys_of)
    for name, make in (("LangChain ParentDocumentRetriever", _langchain), ("LlamaIndex AutoMergingRetriever", _llama)):
        try:
            yield name, make(articles, keys_of)
        except ImportError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)


def _known(known: dict[str, list[str]], word: str, keys: Keys) -> list[str]:
    if word not in known:
        known[word] = keys(word)
    return known[word]


def _flat(articles: Sequence[Article], keys: Keys) -> Callable[[str, int], Any]:
    chunks = []
    for number, article in enumerate(articles):
        words = [match.span() for match in re.finditer(r"\S+", article.text)]
        for at in range(0, len(words), WORDS):
            some = words[at : at + WORDS]
            chunks.append(Chunk(number, some[0][0], some[-1][1]))
    texts = (keys(articles[each.article].text[each.begin : each.end]) for each in chunks)
    ranker = Ranker(articles, [each.article for each in chunks], texts, keys)

    def retrieve(query: str, characters: int) -> dict[str, list[Range]]:
        return filled(articles, (chunks[each] for each in ranker.best(query, 100)), characters)

    return retrieve


def _langchain(articles: Sequence[Article], keys: Keys) -> Callable[[str, int], Any]:
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_core.documents import Document
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import VectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Lexical(VectorStore):
        """A store that finds children by their words."""

        def __init__(self) -> None:
            self.children: list[Document] = []

        def add_documents(self, documents: list[Document], **_: Any) -> list[str]:
            self.children += documents
            return []

        def similarity_search(self, query: str, k: int = 4, **_: Any) -> list[Document]:
            return [self.children[each] for each in ranker.best(query, k)]

        @classmethod
        def from_texts(cls, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    store = Lexical()
    retriever = ParentDocumentRetriever(
        vectorstore=store, docstore=InMemoryStore(), search_kwargs={"k": 200},
        child_splitter=RecursiveCharacterTextSplitter(chunk_size=CHILD, chunk_overlap=0),
        parent_splitter=RecursiveCharacterTextSplitter(chunk_size=PARENT, chunk_overlap=0, add_start_index=True),
    )  # fmt: skip
    retriever.add_documents(
        [Document(page_content=each.text, metadata={"number": number}) for number, each in enumerate(articles)]
    )
    texts = [keys(each.page_content) for each in store.children]
    ranker = Ranker(articles, [each.metadata["number"] for each in store.children], texts, keys)

    def retrieve(query: str, characters: int) -> dict[str, list[Range]]:
        chunks = []
        for each in retriever.invoke(query):
            begin = each.metadata["start_index"]
            chunks.append(Chunk(each.metadata["number"], begin, begin + len(each.page_content)))
        return filled(articles, chunks, characters)

    return retrieve


def _llama(articles: Sequence[Article], keys: Keys) -> Callable[[str, int], Any]:
    from llama_index.core import Document, StorageContext
    from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes
    from llama_index.core.retrievers import AutoMergingRetriever, BaseRetriever
    from llama_index.core.schema import NodeWithScore
    from llama_index.core.storage.docstore import SimpleDocumentStore

    ids = [f"chunks-{size}" for size in HIERARCHY]
    splitters = (
        SentenceSplitter(
            chunk_size=size, chunk_overlap=0, tokenizer=_TOKEN.findall, chunking_tokenizer_fn=_SENTENCE.split
        )
        for size in HIERARCHY
    )
    parser = HierarchicalNodeParser.from_defaults(
        node_parser_ids=ids, node_parser_map=dict(zip(ids, splitters, strict=True))
    )
    documents = [Document(text=each.text, metadata={"number": number}) for number, each in enumerate(articles)]
    nodes = parser.get_nodes_from_documents(documents)
    storage = SimpleDocumentStore()
    storage.add_documents(nodes)
    leaves: list[Any] = get_leaf_nodes(nodes)
    ranker = Ranker(articles, [each.metadata["number"] for each in leaves], [keys(each.text) for each in leaves], keys)

    class Lexical(BaseRetriever):
        """Finds leaves by their words."""

        many = 6

        def _retrieve(self, query_bundle: Any) -> list[Any]:
            scores = ranker.scores(query_bundle.query_str)
            best = np.argsort(-scores, kind="stable")[: self.many].tolist()
            return [NodeWithScore(node=leaves[each], score=float(scores[each])) for each in best]

    lexical: Any = Lexical()
    retriever = AutoMergingRetriever(lexical, StorageContext.from_defaults(docstore=storage))

    def retrieve(query: str, characters: int) -> dict[str, list[Range]]:
        lexical.many = max(6, characters // 300)  # leaves have some 600 characters: enough to fill twice as much
        chunks = []
        found: list[Any] = retriever.retrieve(query)
        for each in found:
            number = each.node.metadata["number"]
            begin = articles[number].text.find(each.node.text)
            chunks.append(Chunk(number, begin, begin + len(each.node.text)))
        return filled(articles, (each for each in chunks if each.begin >= 0), characters)

    return retrieve
