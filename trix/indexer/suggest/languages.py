"""Language detection for a collection: ``xml:lang``, and the words of unlabelled text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lxml import etree

from trix.indexer.collection.source import Source, read_many
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.document.mend import readable
from trix.indexer.document.parse import new_parser
from trix.indexer.languages.codes import language_of, stop_lists
from trix.indexer.languages.labels import XML_LANG
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.xpath import first_value
from trix.indexer.suggest.decision import listed, percent
from trix.indexer.suggest.sample import sampled
from trix.indexer.words.analyzer import read_stopwords

DOCUMENTS, SIZE = 24, 60_000
"""Files in the sample, evenly spread, and bytes read of each."""

PIECE = 300
"""Words classified at a time."""

FEWEST = 30
"""Smallest number of words of a classified piece."""

KNOWN = 0.1
"""Share of stop words of the language in a piece; lists of names and codes have fewer."""

ENGLISH = 0.25
"""Share of English stop words from which no model is needed."""

UNLISTED = 3
"""Pieces in Latin script from which a language without a stop list is trusted."""

AGREED = 0.8
"""Share of unlabelled words that must agree on one language."""

FOREIGN = 0.1
"""Share of words in other languages than English from which stemming is by language."""

_WORD = re.compile(r"[^\W\d_]{2,}")
_UNCLEAR = ""


@dataclass
class Languages:
    """Number of words of a sample by language.

    Attributes
    ----------
    labelled
        Words by ``xml:lang``, or by a field of the document.
    plain
        Unlabelled words by detected language; ``""`` if unclear.
    documents
        Number of documents in the sample.
    """

    labelled: Counter[str] = field(default_factory=Counter)
    plain: Counter[str] = field(default_factory=Counter)
    documents: int = 0

    @property
    def main(self) -> str:
        """Language of most unlabelled words, or else of most words; empty if unclear."""
        if self.plain:
            language, words = self.plain.most_common(1)[0]
            return language if words >= AGREED * self.plain.total() else _UNCLEAR
        return self.labelled.most_common(1)[0][0] if self.labelled else _UNCLEAR

    @property
    def words(self) -> Counter[str]:
        """Number of words by language; unlabelled ones count if they agree."""
        found = Counter(self.labelled)
        if self.plain:
            found[self.main] += self.plain.total()
        return found

    @property
    def are_foreign(self) -> bool:
        """Whether more than a few words are in other languages than English."""
        words = self.words
        return words.total() - words["en"] - words[_UNCLEAR] > FOREIGN * words.total()

    def __str__(self) -> str:
        """Summarise in one line.

        >>> str(Languages(Counter(fr=30), Counter(de=70), 2))
        'languages of 2 documents: de 70 % of the words, fr 30 %; words are stemmed by language'
        """
        words = self.words
        shown = [(name or "unclear", times) for name, times in words.most_common()]
        first, *rest = [f"{name} {percent(times, words.total())}" for name, times in shown]
        shares = listed([f"{first} of the words", *rest])
        many = "" if self.documents == 1 else "s"
        return f"languages of {self.documents} document{many}: {shares}; words are stemmed by language"


def languages_of(
    sources: Sequence[Source],
    limits: DocumentLimits = DEFAULTS,
    *,
    profile: Profile | None = None,
    recover: bool = False,
    of_rest: str = "",
) -> Languages:
    """Detect the languages of a sample of a collection.

    Parameters
    ----------
    sources
        All sources of the collection, in order.
    limits
        Size limits of a document.
    profile
        Profile whose field ``language`` labels whole documents.
    recover
        Repair files that are not well-formed (see `trix.indexer.document.mend`).
    of_rest
        Language of unlabelled text, if given.
    """
    found, rest = Languages(), list[str]()
    for _, data in read_many(sampled(sources, DOCUMENTS), limits.size):
        if isinstance(data, bytes):
            found.documents += 1
            by_label = _words(readable(data, recover=recover)[:SIZE], profile)
            plain = by_label.pop("", [])
            for language, words in by_label.items():
                found.labelled[language] += len(words)
            rest += [" ".join(plain[at : at + PIECE]) for at in range(0, len(plain), PIECE)]
    if of_rest:
        found.plain[of_rest] = sum(map(_count, rest))
    else:
        found.plain = detected(rest)
    found.plain += Counter()  # drops languages without words
    return found


def _words(data: bytes, profile: Profile | None) -> dict[str, list[str]]:
    """Return the words of the beginning of a file under each label, those without one under ``""``."""
    parser = new_parser("internal", False, recover=True)
    words: dict[str, list[str]] = {}
    with suppress(etree.XMLSyntaxError):
        parser.feed(data)
        root = parser.close()
        if root is None:  # no element
            return words
        open_languages = [_declared_language(root, profile)]
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                label = element.get(XML_LANG)
                open_languages.append(open_languages[-1] if label is None else language_of(label))
            else:
                open_languages.pop()
            text = element.text if event == "start" else element.tail
            if text and not text.isspace():
                words.setdefault(open_languages[-1], []).extend(_WORD.findall(text))
    return words


def _declared_language(root: Any, profile: Profile | None) -> str:
    """Return the language of a document by the profile's field `language`."""
    rule = profile.fields.get("language") if profile else None
    paths = rule.paths if rule else ()
    values = (value for path in paths if (value := first_value(root, path, profile.namespaces if profile else {})))
    return language_of(next(values, ""))


def detected(pieces: Sequence[str]) -> Counter[str]:
    """Count words by detected language; ``""`` if unclear.

    English is detected by its stop list, others by the package py3langid, which always answers. A language with a stop
    list must therefore have some stop words in the text. Another one in Latin script must occur several times.
    """
    found, times = Counter[str](), Counter[str]()
    for piece in pieces:
        if (count := _count(piece)) >= FEWEST:
            language = _language(piece)
            found[language] += count
            times[language] += 1
        else:
            found[_UNCLEAR] += count
    for language in [*found]:
        if language not in _lists() and times[language] < UNLISTED and _is_latin(pieces):
            found[_UNCLEAR] += found.pop(language)
    return found


def _language(piece: str) -> str:
    words = [word.lower() for word in _WORD.findall(piece)]
    if _share(words, "en") >= ENGLISH:
        return "en"
    from py3langid import classify

    language = language_of(classify(" ".join(words))[0])
    return language if language not in _lists() or _share(words, language) >= KNOWN else _UNCLEAR


def _share(words: Sequence[str], language: str) -> float:
    listed = _lists()[language]
    return sum(word in listed for word in words) / len(words)


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {"en": frozenset(read_stopwords("default"))} | {
        language: frozenset(words) for language, words in stop_lists().items()
    }


def _is_latin(pieces: Sequence[str]) -> bool:
    return all(re.search("[a-z]", piece) for piece in pieces)


def _count(piece: str) -> int:
    return piece.count(" ") + bool(piece)
