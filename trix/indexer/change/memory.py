"""Documents that come from memory."""

from __future__ import annotations

from typing import Any

from trix.errors import UsageError
from trix.indexer.collection.source import MemorySource
from trix.indexer.document.limits import Limits
from trix.indexer.document.parse import parse


def given_document(xml: Any, document_id: str, limits: Limits) -> MemorySource:
    """Return a document from memory as a source.

    Parameters
    ----------
    xml
        Bytes, text or an lxml element.
    document_id
        Its id.
    limits
        How large it may be.

    Raises
    ------
    UsageError, SourceError
        It is none of these, or no XML, or too large; the id is empty.
    """
    if not isinstance(document_id, str) or not document_id.strip():
        raise UsageError("expected the document's id", field="id", got=document_id)
    if isinstance(xml, bytes | bytearray):
        data = bytes(xml)
    elif isinstance(xml, str):
        data = _without_encoding(xml).encode("utf-8", "surrogateescape")
    elif isinstance(getattr(xml, "tag", None), str):
        from lxml import etree

        data = etree.tostring(xml, encoding="utf-8", with_tail=False)
    else:
        raise UsageError(f"expected XML as bytes, text or an lxml element, found {type(xml).__name__}", field="xml")
    limits.check(data, f"document {document_id}")
    parse(data, f"document {document_id}")
    return MemorySource(f"{document_id}.xml", "", None, len(data), 0, len(data), given=document_id, data=data)


def _without_encoding(text: str) -> str:
    """Return XML text without its declaration, which may name an encoding that it is no longer in."""
    bare = text.lstrip("\ufeff")
    return bare.partition("?>")[2] if bare.startswith("<?xml") else bare
