"""Server of the Model Context Protocol (the extra ``mcp``): ``trix mcp articles.index``.

A language model requests passages and reads on from there. Each answer ends with addresses for a browser, which work
while ``trix serve`` serves the same index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from threading import Lock
from typing import Annotated, Any, Concatenate, ParamSpec
from urllib.parse import quote

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import Field, ValidationError

from trix import __version__
from trix.api.index import Index
from trix.errors import SourceError, TrixError, did_you_mean

P = ParamSpec("P")

SERVED = "http://127.0.0.1:8474"
"""Default address of ``trix serve``."""

INSTRUCTIONS = """Searches a collection of XML documents and returns elements of any size: sections, paragraphs, verses.
Ask 'passages' for text to answer from; 'search' for a list of what there is; 'outline' for the sections of a document;
'read' for more of a document or a section, by its address; 'fields' for what documents say of themselves, to be used in
'where'. Say where an answer stands: cite the addresses."""

_QUERY = (
    'Words; +word demands it, -word forbids it, "words in quotation marks" are a phrase; /sec[about(., words)] is NEXI.'
)
_WHERE = "Only documents whose fields say so, as: year >= 2015 and not author ~ smith"

Query = Annotated[str, Field(description=_QUERY, min_length=1, max_length=2000)]
Where = Annotated[str | None, Field(description=_WHERE, max_length=2000)]
Address = Annotated[
    str, Field(description="Document id, with or without the path of an element, or a label", max_length=2000)
]


def server(index: Index, web: str = SERVED) -> MCPServer:
    """Return a server for an index, which answers from the newest commit.

    Parameters
    ----------
    index
        The index.
    web
        Web address of the same index.
    """
    tools, made = Tools(index, web.rstrip("/")), list[Tool]()
    for call in (tools.passages, tools.search, tools.read, tools.outline, tools.fields):
        reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        tool = Tool.from_function(call, annotations=reads, structured_output=False)
        tool.parameters["additionalProperties"] = False
        made.append(tool)
    return StrictServer(
        "trix", title="Trix", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING", tools=made
    )


class StrictServer(MCPServer):
    """Server whose tools refuse unknown arguments, which the library would drop."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; raise ToolError with one line for a wrong call."""
        for tool in await self.list_tools():
            taken = tool.input_schema["properties"]
            unknown = [each for each in arguments if tool.name == name and each not in taken]
            if unknown:
                known = f"it takes {', '.join(taken)}" if taken else "it takes none"
                near = did_you_mean(unknown[0], taken)
                raise ToolError(f"{name}: there is no argument {' '.join(unknown[0].split())[:80]}{near}; {known}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.__cause__.errors())
            raise ToolError(f"{name}: {'; '.join(wrong)}") from error.__cause__


def _answer(tool: Callable[Concatenate[Any, P], str]) -> Callable[Concatenate[Any, P], str]:
    """Decorator of a tool: refresh the index before the call, and convert errors to one-line ToolErrors."""

    @wraps(tool)
    def answer(self: Any, *args: P.args, **kwargs: P.kwargs) -> str:
        try:
            with self._refreshing, suppress(SourceError):  # without the remote source, the local copy is used
                self._index.refresh()
            return tool(self, *args, **kwargs)
        except TrixError as error:
            raise ToolError(_sendable(str(error))) from None

    made: Any = answer
    return made  # type: ignore[no-any-return]


class Tools:
    """Tools of the server.

    Parameters
    ----------
    index
        The index.
    web
        Web address of the index.
    """

    def __init__(self, index: Index, web: str) -> None:
        self._index, self._web, self._refreshing = index, web, Lock()

    @_answer
    def passages(
        self,
        query: Query,
        characters: Annotated[int, Field(description="Of all passages together, at the most", ge=1, le=100_000)] = 6000,
        around: Annotated[int, Field(description="Characters of the neighbouring paragraphs with each", ge=0)] = 0,
        per_document: Annotated[int | None, Field(description="Greatest number of passages of one document")] = None,
        where: Where = None,
    ) -> str:
        """Return the best passages for a question, within a limit of characters, in reading order, with addresses."""
        options: Any = {"where": where} | ({} if per_document is None else {"per_document": per_document})
        found = self._index.passages(query, characters, around=around, **options)
        parts = [f"[{n}] {each.heading}\n({_name(each)})\n{each.text}" for n, each in enumerate(found, 1)]
        return _answer_text(parts or ["Nothing was found."], found.notices, self._web_addresses(found))

    @_answer
    def search(
        self,
        query: Query,
        top: Annotated[int, Field(description="Number of results", ge=1, le=100)] = 10,
        first: Annotated[int, Field(description="Rank of the first, to go on from page to page", ge=1)] = 1,
        where: Where = None,
    ) -> str:
        """Return ranked sections, paragraphs and other elements that match a query, with a snippet of each."""
        results = self._index.search(query, top=top, from_=first, where=where)
        lines = [f"{results.matched:,} elements match; the best from rank {first} on:"] if len(results) else []
        for each in results:
            heading = " › ".join([each.title or each.doc, *each.breadcrumb, *each.places.values()])
            lines.append(f"{each.rank}. {heading}\n({_name(each)}, {each.length:,} characters)\n{each.snippet}")
        return _answer_text(lines or ["Nothing was found."], results.notices, self._web_addresses(results))

    @_answer
    def read(
        self,
        address: Address,
        begin: Annotated[int, Field(description="The character of its text to begin with", ge=0)] = 0,
        characters: Annotated[int, Field(description="How much", ge=1, le=100_000)] = 6000,
    ) -> str:
        """Return the text of a document or an element, a part at a time."""
        text = self._index.prose(address)
        part = text[begin : begin + characters]
        after = begin + len(part)
        more = f"({len(text) - after:,} more characters: read with begin={after})" if after < len(text) else ""
        return _answer_text([part, *filter(None, [more])], (), self._web_addresses([self._index.unit(address)]))

    @_answer
    def outline(
        self,
        document: Address,
        depth: Annotated[int, Field(description="Levels of titles", ge=1, le=9)] = 2,
    ) -> str:
        """Return the titles of the sections of a document, or of an element of it, with their addresses."""
        sections = self._index.outline(document, depth)
        unit = self._index.unit(document)
        lines = [
            f"{'  ' * each.depth}- {each.title} ({_name(each, unit.doc)}, {each.length:,} characters)"
            for each in sections
        ]
        text = "\n".join(lines) or "No section of it has a title."
        return _answer_text([text], (), self._web_addresses([unit]))

    @_answer
    def fields(self) -> str:
        """Return the metadata fields of documents for `where`, with their types and some values."""
        facts = self._index.fields.facts()
        lines = [
            f"- {name}: {each['type']}, {each['documents']:,} of {each['of']:,} documents, as "
            + "; ".join(f"{value!s:.60}" for value in each["examples"])
            for name, each in facts.items()
        ]
        return _answer_text(["\n".join(lines)], (), [f"{self._web}/about"])

    def _web_addresses(self, found: Iterable[Any]) -> list[str]:
        """Return the web addresses of results, passages or units."""
        paths = ((quote(each.doc, errors="surrogateescape"), each.label) for each in found)
        return list(dict.fromkeys(f"{self._web}/read/{path}#{label}" for path, label in paths))


def _name(unit: Any, doc: str | None = None) -> str:
    """Return the address of a unit for `read`: its label if its file name is not printable."""
    address: str = (unit.doc if doc is None else doc) + unit.path
    return address if address.isprintable() else str(unit.label) or address


def _sendable(text: str) -> str:
    """Replace each byte of a file name that is not UTF-8 by U+FFFD, so that the text can be sent."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _answer_text(parts: Iterable[str], notices: Iterable[str], addresses: Iterable[str]) -> str:
    """Return an answer: results, notices and web addresses."""
    notes = [f"Note: {notice}" for notice in notices]
    opened = [f"To be opened in a browser: {' '.join(addresses)}"]
    return _sendable("\n\n".join([*parts, *notes, *opened]))
