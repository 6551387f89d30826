"""Assessments of the handbook: quoted passages, converted to offsets.

`assessments.toml` quotes each relevant passage by its first and last words, so that it can be edited beside the
articles. `offsets` finds the words in the text of the documents. A quotation that is missing or ambiguous is an error.
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
    """Return document id -> text of each article, in which offsets are counted, in order of the ids."""
    reader = DocumentReader(load_profile("jats"))
    return {
        path.stem: document_text(reader.read_document(parse(path.read_bytes(), str(path))).annotated)
        for path in sorted(folder.glob("*.xml"))
    }


def read(source: Path = SOURCE) -> dict[str, dict[str, Any]]:
    """Read the file: topic -> article -> exhaustivity, passages, and optionally an entry point."""
    return tomllib.loads(source.read_text(encoding="utf-8"))


def exhaustivity(judged: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return topic -> relevant article -> exhaustivity, 1 to 3."""
    return {
        topic: {doc: int(judgement["exhaustivity"]) for doc, judgement in docs.items()}
        for topic, docs in judged.items()
    }


def offsets(judged: Mapping[str, Mapping[str, Any]], texts: Mapping[str, str], source: Path = SOURCE) -> Qrels:
    """Return the assessments as relevant characters of every article, including non-relevant ones.

    Raises
    ------
    FormatError
        An article or a quotation is missing, or a quotation is ambiguous.
    """
    qrels = Qrels(name="handbook")
    squeezed = {doc: TextWithoutSpaces(text) for doc, text in texts.items()}
    for topic, docs in judged.items():
        if unknown := sorted(set(docs) - set(texts)):
            raise FormatError(f"topic {topic}: there is no article {unknown[0]}", source)
        documents = {}
        for doc, text in texts.items():
            spans, entry = [], None
            if judgement := docs.get(doc):
                try:
                    spans = [squeezed[doc].passage(first, last) for first, last in judgement["passages"]]
                    entry = squeezed[doc].place(judgement["entry"]) if "entry" in judgement else spans[0][0]
                except ValueError as error:
                    raise FormatError(f"topic {topic}, article {doc}: {error}", source) from None
            relevant = iv.merge(iv.as_intervals(spans))
            documents[doc] = DocumentJudgement(doc, len(text), iv.length(relevant), relevant, entry)
        qrels.topics[topic] = TopicJudgements(documents=documents)
    return qrels


class TextWithoutSpaces:
    """A text without white space, for finding words across any line breaks.

    >>> TextWithoutSpaces("Elements contain\\n  each other. They overlap.").passage("contain each", "They")
    (9, 35)
    """

    def __init__(self, text: str) -> None:
        self._places = [place for place, character in enumerate(text) if not character.isspace()]
        self._text = "".join(text.split())

    def place(self, words: str) -> int:
        """Return the offset of words; raise ValueError unless they occur exactly once."""
        return self._places[self._find(words)]

    def passage(self, first: str, last: str) -> tuple[int, int]:
        """Return the offsets of a passage, from its first words to the next end of its last words.

        The first words must occur exactly once.
        """
        start, ending = self._find(first), "".join(last.split())
        found = self._text.find(ending, start) if ending else -1
        if found < 0:
            raise ValueError(f"the words {last!r} do not come after {first!r}")
        return self._places[start], self._places[found + len(ending) - 1] + 1

    def _find(self, words: str) -> int:
        wanted = "".join(words.split())
        found = self._text.find(wanted) if wanted else -1
        if found < 0:
            raise ValueError(f"the words {words!r} are missing")
        if self._text.find(wanted, found + 1) >= 0:
            raise ValueError(f"the words {words!r} occur more than once; quote more words")
        return found
