"""Silver judgements of a user's own collection: citations and captions of JATS articles, headings of other schemas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.silver import captions, citations, headings
from trix.datasets.silver.words import SilverTopic
from trix.datasets.sources.trees import asked, document_id, documents, parsed, xml_files
from trix.errors import UsageError

SCHEMAS = {
    "page": "mallard", "rfc": "rfc", "uscDoc": "uslm", "lawDoc": "uslm", "Statute": "canada", "Regulation": "canada",
    "ETS": "tcp", "TEI": "tei", "TEI.2": "tei", "teiCorpus": "tei",
}  # fmt: skip
"""Root of a document -> schema whose headings are known."""


def prepare(base: Path, writer: CollectionWriter, *, topics: Callable[[Path], Sequence[SilverTopic]]) -> None:
    """Write the well-formed documents of a folder as they are, and the topics that are derived from them."""
    broken = 0
    for file in xml_files(base):
        try:
            parsed(file)
        except etree.XMLSyntaxError:
            broken += 1
            continue
        writer.document(document_id(file, base), file.read_bytes())
    if broken:
        writer.notice(f"{broken} files are not well-formed and were left out")
    found = topics(base)
    if not found:
        raise UsageError("no topic can be derived from these documents")
    writer.part("", [JudgedTopic(str(number), asked(each.words), each.units) for number, each in enumerate(found, 1)])


def prepare_headings(base: Path, writer: CollectionWriter) -> None:
    """Write the documents of a folder and the topics of their headings, by the schema of the first one."""
    roots = (etree.QName(root).localname for _, root in documents(base))
    schema = next((SCHEMAS[name] for name in roots if name in SCHEMAS), None)
    if schema is None:
        raise UsageError(f"no document has one of the roots {', '.join(SCHEMAS)}")
    kind = headings.KINDS[schema]
    writer.rules(kind.level, kind.profile)
    prepare(base, writer, topics=partial(headings.topics, kind=kind))


_OURS: dict[str, Any] = {
    "home": "your own collection",
    "licence": "that of your collection",
    "citation": "none: derived from your collection, judged by nobody; say so with every figure",
    "size": "at most 500 topics of your collection",
    "judges": "structure",
}

CITATIONS = DataSet(
    name="silver-citations",
    title="Silver judgements: citations",
    about="titles of cited works to the paragraphs that cite them, in your JATS articles",
    mapping="a topic is the title of a work that 6 paragraphs of 3 articles or more cite; relevant are these "
    "paragraphs (p). Reference lists are not searched",
    needs="a folder of JATS articles",
    level=citations.LEVEL,
    profile=citations.PROFILE,
    prepare=partial(prepare, topics=citations.topics),
    tried="990 articles of eLife",
    **_OURS,
)
CAPTIONS = DataSet(
    name="silver-captions",
    title="Silver judgements: captions",
    about="titles of figures to the paragraphs that refer to the figure, in your JATS articles",
    mapping="a topic is the title of a figure, or the first sentence of its caption; relevant are the paragraphs (p) "
    "that refer to it. Captions and reference lists are not searched",
    needs="a folder of JATS articles",
    level=citations.LEVEL,
    profile=captions.PROFILE,
    prepare=partial(prepare, topics=captions.topics),
    tried="990 articles of eLife",
    **_OURS,
)
HEADINGS = DataSet(
    name="silver-headings",
    title="Silver judgements: headings",
    about="headings to their sections, in your documents of one schema",
    mapping="a topic is a heading that occurs once; relevant is its section, from which the heading is left out. The "
    "level is that of the lowermost sections",
    needs="a folder of documents in Mallard, RFC XML, USLM, the schema of Canadian laws, TEI, or that of the TCP",
    level="",
    prepare=prepare_headings,
    tried="the GNOME manual in Mallard and 11 novels in TEI",
    **_OURS,
)
