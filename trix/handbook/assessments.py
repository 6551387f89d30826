"""Which characters of the handbook answer which topic: quoted passages in, offsets out.

`assessments.toml` quotes each relevant passage by its first and last words, so that it can be read and edited beside
the articles. `offsets` finds the words in the documents' text; a quotation that is not there any more, or there twice,
is an error that names it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trix.errors import FormatError
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, TopicJudgements
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import document_text
from trix.indexer.profile.profile import load_profile

SOURCE = Path(__file__).parent / "assessments.toml"


def texts(folder: Path) -> dict[str, str]:
    """Return the text of each article, the one that offsets of its index count in, by document id in order."""
    reader = DocumentReader(load_profile("jats"))
    return {
        path.stem: document_text(reader.read_document(parse(path.read_bytes(), str(path))).annotated)
        for path in sorted(folder.glob("*.xml"))
    }


def read(source: Path = SOURCE) -> dict[str, dict[str, Any]]:
    """Return what the file says: topic -> article -> exhaustivity, passages, perhaps an entry."""
    return tomllib.loads(source.read_text(encoding="utf-8"))


def exhaustivity(judged: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return topic -> relevant article -> exhaustivity, 1 to 3."""
    return {topic: {doc: int(said["exhaustivity"]) for doc, said in docs.items()} for topic, docs in judged.items()}


def offsets(judged: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str], source: Path = SOURCE) -> Qrels:
    """Return the assessments as relevant characters of every article, those with none included.

    Raises
    ------
    FormatError
        An article or a quotation cannot be found, or is found twice.
    """
    qrels = Qrels(name="handbook")
    squeezed = {doc: Squeezed(text) for doc, text in texts.items()}
    for topic, docs in judged.items():
        if strange := sorted(set(docs) - set(texts)):
            raise FormatError(f"topic {topic}: there is no article {strange[0]}", source)
        documents = {}
        for doc, text in texts.items():
            spans, entry = [], None
            if said := docs.get(doc):
                try:
                    spans = [squeezed[doc].passage(first, last) for first, last in said["passages"]]
                    entry = squeezed[doc].place(said["entry"]) if "entry" in said else spans[0][0]
                except ValueError as error:
                    raise FormatError(f"topic {topic}, article {doc}: {error}", source) from None
            relevant = iv.merge(iv.as_intervals(spans))
            documents[doc] = DocumentJudgement(doc, len(text), iv.length(relevant), relevant, entry)
        qrels.topics[topic] = TopicJudgements(documents=documents)
    return qrels


class Squeezed:
    """A text without its white space, to look for words however the lines of the source are broken.

    >>> Squeezed("Elements contain\\n  each other. They overlap.").passage("contain each", "They")
    (9, 35)
    """

    def __init__(self, text: str) -> None:
        self._places = [place for place, character in enumerate(text) if not character.isspace()]
        self._text = "".join(text.split())

    def place(self, words: str) -> int:
        """Return where words stand; raise ValueError unless they do exactly once."""
        return self._places[self._find(words)]

    def passage(self, first: str, last: str) -> tuple[int, int]:
        """Return the characters from the first words, which occur once, to the next end of the last words."""
        start, ending = self._find(first), "".join(last.split())
        found = self._text.find(ending, start) if ending else -1
        if found < 0:
            raise ValueError(f"the words {last!r} do not come after {first!r}")
        return self._places[start], self._places[found + len(ending) - 1] + 1

    def _find(self, words: str) -> int:
        wanted = "".join(words.split())
        found = self._text.find(wanted) if wanted else -1
        if found < 0:
            raise ValueError(f"the words {words!r} are not there")
        if self._text.find(wanted, found + 1) >= 0:
            raise ValueError(f"the words {words!r} are there more than once; quote more of them")
        return found
