"""Drafts as XML in the schemas of INEX: IEEE articles, and Wikipedia pages as of 2006 and of 2009.

The markup has what readers must get right: styles inside words' paragraphs, references, formulas, comments, processing
instructions, character references, characters beyond 16 bits, lists and figures between paragraphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from trix.datasets.model import Draft, DraftParagraph, DraftSection

JOURNALS = {"an": "Annals of Invention", "co": "Invented Computers", "ex": "Expert Inventions", "it": "Invented IT"}
"""Code of a journal -> its title."""

ENDINGS = (
    " R&amp;D",
    " caf&#233;",
    " &#119987;",
    "<!-- checked -->",
    "<?page 7?>",
    " <{math}>x_2 + y</{math}> holds",
    " a&lt;b",
    " naïve<{style}>ly</{style}>",
)
"""Odd ends of paragraphs; the names in braces depend on the schema."""

FIRST_PAGE = 10001
"""Number of the first page of Wikipedia."""


@dataclass(frozen=True, slots=True)
class InexSchema:
    """Names and rules of one schema.

    Attributes
    ----------
    profile
        Preset that reads it.
    years
        Campaigns that used it.
    collection
        Name in assessments and runs.
    document_id
        Function from the number of a document to its id, a path without ``.xml``.
    write
        Function from a draft to the XML of its document.
    section, paragraph, heading
        Names of elements in structured queries.
    """

    profile: str
    years: tuple[int, ...]
    collection: str
    document_id: Callable[[int], str]
    write: Callable[[Draft], str]
    section: str
    paragraph: str
    heading: str


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of elements in the body of documents, and functions for a list, a figure and a link."""

    section: str
    subsection: str
    heading: str
    first: str
    style: str
    math: str
    items: tuple[str, str]
    figure: tuple[str, str]
    link: Callable[[int], str]


def plain(words: tuple[str, ...]) -> str:
    """Return a sentence as text.

    >>> plain(("the", "babak"))
    'The babak.'
    """
    text = " ".join(words)
    return f"{text[:1].upper()}{text[1:]}."


def _text(paragraph: DraftParagraph, names: _Names) -> str:
    """Return the content of a paragraph. All markup is in the last sentence and after it."""
    *others, last = paragraph.sentences
    at = len(last) // 2
    marked = (*last[:at], f"<{names.style}>{last[at]}</{names.style}>", *last[at + 1 :])
    number = int(paragraph.ending * 3 * len(ENDINGS))  # every third paragraph has an odd end
    ending = ENDINGS[number].format(math=names.math, style=names.style) if number < len(ENDINGS) else ""
    link = names.link(paragraph.link) if number % 4 == 3 else ""
    return " ".join([*map(plain, others), plain(marked)]) + link + ending


def _blocks(section: DraftSection, names: _Names) -> Iterator[str]:
    """Yield the lines of a section."""
    yield f"<{names.section}><{names.heading}>{section.heading}</{names.heading}>"
    for at, paragraph in enumerate(section.paragraphs):
        if at and at == section.subsection:
            yield f"<{names.subsection}><{names.heading}>{section.subheading}</{names.heading}>"
        tag = names.first if at == 0 else "p"
        yield f"<{tag}>{_text(paragraph, names)}</{tag}>"
        if paragraph.items:
            around, item = names.items
            yield f"<{around}>{''.join(f'<{item}>{text}</{item}>' for text in paragraph.items)}</{around}>"
        if paragraph.caption:
            around, caption = names.figure
            yield f"<{around}><{caption}>{paragraph.caption}</{caption}></{around}>"
    yield (f"</{names.subsection}>" if section.subsection else "") + f"</{names.section}>"


def _document(lines: list[str]) -> str:
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines]) + "\n"


# -- IEEE ------------------------------------------------------------------------------------------------------------

_IEEE = _Names(
    "sec", "ss1", "st", "ip1", "it", "tmath", ("l1", "li"), ("fig", "fgc"),
    lambda number: f'<ref type="bib" rid="bib{number % 2 + 1}">[{number % 2 + 1}]</ref>',
)  # fmt: skip


def _year(number: int) -> int:
    return 1995 + number % 8


def ieee_id(number: int) -> str:
    """Return the id of an article: journal, year and number.

    >>> ieee_id(0), ieee_id(205)
    ('an/1995/a1000', 'co/2000/c1205')
    """
    journal = list(JOURNALS)[number % len(JOURNALS)]
    return f"{journal}/{_year(number)}/{journal[0]}{1000 + number}"


def ieee(draft: Draft) -> str:
    """Return an IEEE article of INEX 2002 to 2005."""
    journal, _, name = ieee_id(draft.number).split("/")
    authors = [
        f'<au sequence="{"first" if at == 0 else "additional"}"><fnm>{first}</fnm> <snm>{last}</snm></au>'
        for at, (first, last) in enumerate(draft.authors)
    ]
    references = [
        f'<bb id="bib{at}"><au><snm>{author}</snm></au>, <atl>{title}</atl>, <pdt><yr>{year}</yr></pdt>.</bb>'
        for at, (author, title, year) in enumerate(draft.references, 1)
    ]
    return _document(
        [
            f"<article><fno>{name.upper()}</fno><doi>10.0000/{name}</doi>",
            f"<fm><hdr><hdr1><ti>{escape(JOURNALS[journal])}</ti></hdr1>",
            f"<hdr2><obi>Vol. {draft.number % 20 + 1}</obi> <pdt><yr>{_year(draft.number)}</yr></pdt></hdr2></hdr>",
            f"<tig><atl>{draft.title}</atl></tig>",
            *authors,
            f"<abs><p>{_text(draft.abstract, _IEEE)}</p></abs>",
            *[f"<kwd>{word}</kwd>" for word in draft.keywords],
            "</fm>",
            "<bdy>",
            *[line for section in draft.sections for line in _blocks(section, _IEEE)],
            "</bdy>",
            "<bm><bib><bibl><h>References</h>",
            *references,
            "</bibl></bib></bm></article>",
        ]
    )


# -- Wikipedia -------------------------------------------------------------------------------------------------------

_XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def page_id(number: int) -> str:
    """Return the id of a page, its number.

    >>> page_id(0)
    '10001'
    """
    return str(FIRST_PAGE + number)


_PAGE_2006 = _Names(
    "section", "section", "title", "p", "emph3", "math", ("normallist", "item"), ("figure", "caption"),
    lambda number: f' <collectionlink {_XLINK} xlink:href="{page_id(number)}.xml">page</collectionlink>s',
)  # fmt: skip
_PAGE_2009 = _Names(
    "sec", "ss1", "st", "p", "b", "math", ("list", "entry"), ("image", "caption"),
    lambda number: f' <link {_XLINK} xlink:href="../{page_id(number)[-3:]}/{page_id(number)}.xml">page</link>s',
)  # fmt: skip


def page_2006(draft: Draft) -> str:
    """Return a page of the Wikipedia of INEX 2006 to 2008."""
    id = page_id(draft.number)
    return _document(
        [
            f'<article><name id="{id}">{draft.title}</name><conversionwarning>0</conversionwarning>',
            f"<body><p>{_text(draft.abstract, _PAGE_2006)}</p>",
            *[line for section in draft.sections for line in _blocks(section, _PAGE_2006)],
            "</body></article>",
        ]
    )


def page_2009(draft: Draft) -> str:
    """Return a page of the Wikipedia of INEX 2009 and 2010."""
    categories = "".join(f"<category>{word}</category>" for word in draft.keywords)
    return _document(
        [
            f"<article><header><title>{draft.title}</title><id>{page_id(draft.number)}</id>",
            f"<revision><id>{draft.number}</id><timestamp>{_year(draft.number)}-01-01T00:00:00Z</timestamp></revision>",
            f"<categories>{categories}</categories></header>",
            f"<bdy><p>{_text(draft.abstract, _PAGE_2009)}</p>",
            *[line for section in draft.sections for line in _blocks(section, _PAGE_2009)],
            "</bdy></article>",
        ]
    )


SCHEMAS = {
    "ieee": InexSchema("ieee", (2002, 2003, 2004, 2005), "ieee", ieee_id, ieee, "sec", "p", "st"),
    "wikipedia": InexSchema("wikipedia", (2006, 2007, 2008), "wikipedia", page_id, page_2006, "section", "p", "title"),
    "wikipedia-2009": InexSchema("wikipedia", (2009, 2010), "wikipedia-2009", page_id, page_2009, "sec", "p", "st"),
}
"""Name of a schema -> its rules."""
