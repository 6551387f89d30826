"""Known-item search: elements that a query names by title, number or id [QUERY, section 19].

A query that is a whole title most likely looks for its section or document. Titles are looked up by the words of the
query, labels and ids by their postings. A query that is no title costs a few look-ups, which end at the first word
that no title has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trix.indexer.document.partial_text import Opaque
from trix.indexer.profile.titles import ANY
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.titles import title_words
from trix.indexer.words.analyzer import split_words
from trix.query.matching.joins import ancestors, member, numbers
from trix.query.naming.asked_title import AskedTitle
from trix.query.naming.section_numbers import AskedNumber
from trix.support.arrays import Int32s, Ints
from trix.support.lru_cache import LruFunction

if TYPE_CHECKING:
    from trix.query.naming.places import References

MOST = 5
"""Largest number of known items of a query; a title of more documents names none of them."""

LONGEST = 600
"""Length of the longest query that may name an item, in characters."""

KEPT = 256
"""Number of queries with cached known items."""

KEPT_WORDS = 1 << 14
"""Number of words with a cached answer whether they are rare."""

WORDS_OF_VALUES = 5
"""Number of words of the longest field value that is looked up, stop words not counted."""

RARE = 64
"""Largest number of postings of a rare word. All titles with it are read, and fields if it is the longest word."""

BESIDE = 6
"""Largest number of further keys in the element of a field value, such as titles and degrees beside a name."""

_NONE = np.zeros(0, np.int64)

TOPICAL = ("subject", "keyword")
"""Fields of topics. A query for such a value seeks documents on the topic, not one known item."""

_QUOTED = re.compile(r'^["“”„«»](?P<text>[^"“”„«»]*)["“”„«»]$')
_IDENTIFIER = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S*\w[/.:_-]\w\S*|(?=\S*\d)\S*\w[/:_]\w\S*")
_ID = re.compile(r"(?=.{3})\w+(?:[/.:_-]\w+)+|(?=\S*\d)\w{3,}")
_KEY = re.compile(r"(?=.*(?:[a-z][A-Z]|[._\d]))[^\W\d][\w.-]{2,}")
_RESOLVERS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)


class KnownItem(NamedTuple):
    """An element that a query names.

    Attributes
    ----------
    element
        Its number.
    kind
        Kind of name, one of `KINDS`.
    """

    element: int
    kind: str


KINDS = {
    "place": ("holds the place that the query names", "hold the place that the query names"),
    "id": ("is the element with this id", "are the elements with this id"),
    "title": ("is the document with this title", "are the documents with this title"),
    "section": ("is the section with this title", "are the sections with this title"),
    "number": ("is the section with this number", "are sections with this number"),
    "field": ("is the document with this value in a field", "are the documents with this value in a field"),
    "tag": ("is the element with this tag", "are the elements with this tag"),
    "words": ("is the section with these words in its title", "are the sections with these words in their titles"),
}
"""Kind of name -> its wording in notices for one and for several elements."""


def notice_of(items: Sequence[KnownItem]) -> tuple[str, ...]:
    """Return the notice that known items are the first results; empty without any.

    >>> notice_of([KnownItem(7, "section")]), notice_of([KnownItem(7, "title"), KnownItem(9, "section")])
    (('the first result is the section with this title',), ('the first 2 results are what the query names',))
    """
    kinds = {item.kind for item in items}
    if len(items) == 1:
        return (f"the first result {KINDS[items[0].kind][0]}",)
    what = KINDS[kinds.pop()][1] if len(kinds) == 1 else "are what the query names"
    return (f"the first {len(items)} results {what}",) if items else ()


@lru_cache(maxsize=1)  # titles of documents and of sections are looked up one after the other
def _query_title(text: str, stopwords: frozenset[str]) -> AskedTitle:
    return AskedTitle(text, stopwords)


class KnownItems:
    """Known-item look-up in one index.

    Parameters
    ----------
    index
        The index.
    fields_of
        Maps a document to its fields.
    """

    def __init__(self, index: IndexFiles, fields_of: Callable[[int], Mapping[str, Any]]) -> None:
        self._index, self._fields_of = index, fields_of
        self._kept: LruFunction[str, tuple[KnownItem, ...]] = LruFunction(self._find, KEPT)
        self._is_rare: LruFunction[str, bool] = LruFunction(self._look_up, KEPT_WORDS)
        self._briefly: tuple[str, list[str], Ints] = "", [], _NONE
        self._has_fields = bool(set(index.profile.fields) - {*TOPICAL})

    def of(self, text: str) -> tuple[KnownItem, ...]:
        """Return the items that a query names: ids, documents, sections, numbers, in this order; mostly none.

        Parameters
        ----------
        text
            The query as typed, with or without quotation marks.
        """
        return self._kept(text) if len(text) <= LONGEST else ()

    def _find(self, text: str) -> tuple[KnownItem, ...]:
        text = " ".join(text.split())
        quoted = _QUOTED.match(text)
        # Quotation marks mean just this title: titles that only hold the words do not count then.
        text = quoted["text"].strip() if quoted else text
        found = list[KnownItem]()
        for kind, look in self._ways:
            if not found or (found[0].kind == "title" and kind == "section"):  # of titles both kinds count
                found += [KnownItem(element, kind) for element in look(text)]
        if not found and not quoted:
            found = [KnownItem(element, "words") for element in self._with_words(text)]
        # Reversed twice: of one element under several kinds of names, the first kind stays.
        return tuple({item.element: item for item in reversed(found)}.values())[::-1][:MOST]

    @cached_property
    def _references(self) -> References | None:
        if not self._index.profile.milestones:
            return None
        from trix.query.naming.places import References

        return References(self._index)

    @property
    def _ways(self) -> tuple[tuple[str, Callable[[str], Sequence[int]]], ...]:
        return (
            *((("place", self._references.elements),) if self._references else ()),
            ("id", self._by_id), ("title", self._documents), ("number", self._numbered), ("section", self._sections),
            ("section", self._further), ("field", self._by_field), ("id", self._with_id), ("tag", self._by_tag),
        )  # fmt: skip

    # -- ids ----------------------------------------------------------------------------------------------------------

    def _by_id(self, text: str) -> list[int]:
        """Return the document with an id, or the part with an element that is just an identifier such as a DOI."""
        if " " in text or not text:
            return []
        index = self._index
        identifier = _RESOLVERS.sub("", text)
        is_identifier = _IDENTIFIER.fullmatch(identifier)
        # Identifiers such as a DOI ignore case; other ids do not.
        for spelling in (text, text.lower(), text.upper()) if is_identifier else (text,):
            if (document := index.document(spelling)) >= 0:
                return [int(index.first_elements[document])]
        if not is_identifier:
            return []
        keys = index.analyzer.keys(identifier)
        found = self._elements(self._saying(keys, 0)) if keys else np.zeros(0, np.int32)
        if not found.size:
            return []
        values = index.values_of(found)
        wanted = identifier.casefold()
        same = [
            value.equals(identifier) if isinstance(value, Opaque) else value.casefold() == wanted for value in values
        ]
        return self._few(np.array([self._named_by(element) for element in found[np.array(same, np.bool_)].tolist()]))

    def _with_id(self, text: str) -> list[int]:
        """Return the elements with an id in their source."""
        return self._few(np.array(self._index.with_id(text), np.int64)) if _ID.fullmatch(text) else []

    def _by_tag(self, text: str) -> list[int]:
        """Return the elements with a tag that is a key, as in files of strings, where no text has all of its words."""
        if not _KEY.fullmatch(text):
            return []
        found = numbers(self._index.tagged(text))
        if not found.size or all(self._index.postings(key)[0].size for key in self._index.analyzer.keys(text)):
            return []
        return self._few(np.asarray(found, np.int64))

    def _named_by(self, element: int) -> int:
        """Return the element that a naming element belongs to: the owner of its header, or its parent."""
        index = self._index
        index.elements.structure_of_elements(np.array([element]))
        parent = int(index.elements.parent[element])
        above = ancestors(index.elements, np.array([element], np.int32))
        headers = above[member(above, numbers(index.marked("quiet")))]
        return int(index.elements.parent[headers[0]]) if headers.size else max(parent, 0)

    # -- titles -------------------------------------------------------------------------------------------------------

    def _called(self, kind: str, text: str) -> Ints:
        wanted = _query_title(text, self._index.analyzer.stopwords)
        if not wanted.words:
            return _NONE
        # A word may be in any number of titles, two are in few.
        frequent = len(wanted.words) == 1 and not self._is_rare(wanted.words[0])
        return self._index.titled[kind].called(wanted.words, wanted.spellings if frequent else (), wanted.fits)

    def _look_up(self, word: str) -> bool:
        """Whether few content elements hold a word."""
        key = self._index.analyzer.key(word)
        return key is not None and self._index.has_few(key, RARE)

    def _documents(self, text: str) -> list[int]:
        """Return the documents with a title."""
        found = self._called("documents", text)
        if not found.size:
            return []
        return self._index.first_elements[found].tolist() if found.size <= MOST else []

    def _sections(self, text: str) -> list[int]:
        """Return the sections with a title; of many, the first of each document, and none if these are many, too."""
        found = self._called("sections", text)
        if not found.size and (section := AskedNumber.of(text)) is not None and section.rest:
            # As "Section 12 Fees" is "12 Fees" there.
            found = self._called("sections", f"{section.number} {section.rest}")
        return self._few(found)

    def _with_words(self, text: str) -> list[int]:
        """Return the sections whose titles hold all words of a text, shortest titles first."""
        words = _query_title(text, self._index.analyzer.stopwords).significant
        if len(words) < 2:
            return []
        lengths: dict[int, int] = {}
        for title, sections in self._index.titled["sections"].few(words, MOST):
            lengths |= dict.fromkeys(sections.tolist(), len(split_words(title)))
        return sorted(lengths, key=lambda section: (lengths[section], section))

    def _few(self, elements: Ints) -> list[int]:
        """Return few elements; of many, the first of each document, and none if these are many, too."""
        if not elements.size:
            return []
        elements = distinct(elements)
        # Ascending, so the first of each document is where the document changes.
        if elements.size > MOST:
            documents = self._index.documents_of(elements)
            elements = elements[np.diff(documents, prepend=-1) > 0]
        return elements.tolist() if elements.size <= MOST else []

    def _further(self, text: str) -> list[int]:
        """Return the parents of a section's further titles that have the same keys in the same order.

        The index keeps one title a section. Others are looked up by their words, of which the longest is rare.
        """
        index = self._index
        keys, contents = self._brief(text)
        if len(keys) < 2 or not contents.size or not index.has_positions:
            return []
        # As many keys as the title has, then only elements that may be titles, then the order: the cheapest test first.
        contents = contents[index.elements.tokens(contents, contents + 1) == len(keys)]
        contents = contents[member(self._elements(contents), self._title_elements)]
        same = [content for content in contents.tolist() if self._in_order(content, keys)]
        owners = index.elements.parent[self._elements(np.array(same, np.int64))]
        return self._few(owners[owners >= 0])

    def _brief(self, text: str) -> tuple[list[str], Ints]:
        """Return the keys of a text, and the content elements that hold them and little else; none if all are frequent.

        The longest word decides, so that most queries cost one look-up.
        """
        known = self._briefly
        if text != known[0]:
            words = self._index.analyzer.words(text)
            keys = [key for key in self._index.analyzer.keys_of(words) if key is not None]
            rare = bool(keys) and self._is_rare(max(words, key=len))
            self._briefly = known = text, keys, self._saying(keys, BESIDE) if rare else _NONE
        return known[1:]

    # -- fields -------------------------------------------------------------------------------------------------------

    def _by_field(self, text: str) -> list[int]:
        """Return the documents with a field value of these words, in any order, that is a short element in the text.

        Any order, because names of persons have the family name first or last.
        """
        keys, contents = self._brief(text)
        if not contents.size or len({*keys}) > WORDS_OF_VALUES or not self._has_fields:
            return []
        wanted, homes = sorted(title_words(text)), distinct(self._index.documents_of(self._elements(contents))).tolist()
        documents = [document for document in homes if self._says(document, wanted)]
        return self._index.first_elements[documents].tolist() if len(documents) <= MOST else []

    def _says(self, document: int, wanted: list[str]) -> bool:
        for name, values in self._fields_of(document).items():
            texts = [each for each in (values if isinstance(values, list) else [values]) if isinstance(each, str)]
            if name not in TOPICAL and any(sorted(title_words(text)) == wanted for text in texts):
                return True
        return False

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _numbered(self, text: str) -> list[int]:
        """Return the sections with a number, in documents whose titles have the words after the number."""
        numbered = AskedNumber.of(text)
        if numbered is None or not (keys := self._index.analyzer.keys(numbered.number)):
            return []
        index, table = self._index, self._index.elements
        labels = self._elements(self._saying(keys, 1))
        labels = labels[member(labels, self._label_elements)]
        values = [value if isinstance(value, str) else "" for value in index.values_of(labels)]
        chosen = np.array([numbered.is_label(title_words(value)) for value in values], np.bool_)
        owners = table.parent[labels[chosen]]
        owners = distinct(owners[owners >= 0])
        tags = [index.step_tags[int(step)] for step in self._steps(owners)]
        alike = np.array([numbered.is_called(tag) for tag in tags], np.bool_)
        # A tag that names the kind decides; where none does, the label alone has to do.
        owners = owners[alike] if alike.any() else owners
        if numbered.rest:
            stopwords = index.analyzer.stopwords
            wanted = {word for word in title_words(numbered.rest) if word not in stopwords}
            documents = index.documents_of(owners).tolist()
            titled = {number: wanted <= {*title_words(index.titles[number])} for number in set(documents)}
            owners = owners[np.array([titled[number] for number in documents], np.bool_)]
        return [int(owner) for owner in owners[:MOST]]

    def _steps(self, elements: Int32s) -> Ints:
        table = self._index.elements
        if not elements.size:
            return np.zeros(0, np.int64)
        table.printed_of(elements)
        return table.step[elements]

    def _saying(self, keys: Sequence[str], more: int) -> Ints:
        """Return the ascending content elements that hold some keys and at most `more` others.

        The longest key is looked up first, and the others only if a short element is left.
        """
        index, table = self._index, self._index.elements
        # Long keys are rare. Lengths are compared before other lists are read.
        first, *others = sorted(dict.fromkeys(keys), key=len, reverse=True)
        contents = index.postings(first)[0]
        if contents.size:
            contents = contents[table.tokens(contents, contents + 1) <= len(keys) + more]
        for key in others:
            if contents.size:
                contents = contents[member(contents, index.postings(key)[0])]
        return contents

    def _elements(self, contents: Ints) -> Int32s:
        self._index.elements.structure_of_contents(contents)
        return self._index.elements.of_content[contents]

    def _in_order(self, content: int, keys: Sequence[str]) -> bool:
        """Whether a content element holds some keys in their order, and no others."""
        placed = list[tuple[int, str]]()
        for key in dict.fromkeys(keys):
            contents, tf, positions = self._index.positions(key)
            # Positions of all postings are concatenated: those of one end at the sum of tf up to it.
            at = int(np.searchsorted(contents, content))
            end = int(tf[: at + 1].sum(dtype=np.int64))
            placed += [(place, key) for place in positions[end - int(tf[at]) : end].tolist()]
        return [key for _, key in sorted(placed)] == list(keys)

    def _tagged(self, tags: Iterable[str]) -> Int32s:
        found = [numbers(self._index.tagged(tag)) for tag in {*tags} if tag[:1] not in "@'"]
        return distinct(np.concatenate([np.zeros(0, np.int32), *found]))

    @cached_property
    def _label_elements(self) -> Int32s:
        """Elements that number sections: those before another part in the profile's title rules."""
        return self._tagged(part.rpartition("/")[2] for form in self._forms for part in form[:-1])

    @cached_property
    def _title_elements(self) -> Int32s:
        """Elements that may be titles: those last in the profile's title rules, or before sections."""
        before = {rule.before for rule in self._index.profile.titles if rule.before}
        return self._tagged({part.rpartition("/")[2] for form in self._forms for part in form[-1:]} | before)

    @property
    def _forms(self) -> list[tuple[str, ...]]:
        return [form for rule in self._index.profile.titles or (ANY,) for form in rule.forms]
