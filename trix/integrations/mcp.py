"""Trix as a server of the Model Context Protocol (the extra ``mcp``): ``trix mcp articles.index``.

A language model asks it for passages, and reads on where they stand. Each answer ends with addresses that a person can
open in a browser while ``trix serve`` serves the same index.
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
"""Where ``trix serve`` serves unless it is told otherwise."""

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
    """Return a server that answers from an index, as of its newest commit.

    Parameters
    ----------
    index
        The index.
    web
        Where the same index is served to people.
    """
    asked, made = Tools(index, web.rstrip("/")), list[Tool]()
    for call in (asked.passages, asked.search, asked.read, asked.outline, asked.fields):
        reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        tool = Tool.from_function(call, annotations=reads, structured_output=False)
        tool.parameters["additionalProperties"] = False
        made.append(tool)
    return StrictServer(
        "trix", title="Trix", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING", tools=made
    )


class StrictServer(MCPServer):
    """A server whose tools refuse arguments that they do not take, where the library would drop them."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; a call that does not fit it is told in one line."""
        for tool in await self.list_tools():
            taken = tool.input_schema["properties"]
            strange = [each for each in arguments if tool.name == name and each not in taken]
            if strange:
                known = f"it takes {', '.join(taken)}" if taken else "it takes none"
                near = did_you_mean(strange[0], taken)
                raise ToolError(f"{name}: there is no argument {' '.join(strange[0].split())[:80]}{near}; {known}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.__cause__.errors())
            raise ToolError(f"{name}: {'; '.join(wrong)}") from error.__cause__


def _answer(tool: Callable[Concatenate[Any, P], str]) -> Callable[Concatenate[Any, P], str]:
    """Let a tool answer from the newest commit, and say in one line what is wrong with a call."""

    @wraps(tool)
    def answer(self: Any, *args: P.args, **kwargs: P.kwargs) -> str:
        try:
            with self._refreshing, suppress(SourceError):  # where a service does not answer, the copy does
                self._index.refresh()
            return tool(self, *args, **kwargs)
        except TrixError as error:
            raise ToolError(_written(str(error))) from None

    made: Any = answer
    return made  # type: ignore[no-any-return]


class Tools:
    """What can be asked.

    Parameters
    ----------
    index
        The index.
    web
        Where it is served to people.
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
        """Return the best passages for a question that fit into so much text, in reading order, with addresses."""
        options: Any = {"where": where} | ({} if per_document is None else {"per_document": per_document})
        found = self._index.passages(query, characters, around=around, **options)
        parts = [f"[{n}] {each.heading}\n({_name(each)})\n{each.text}" for n, each in enumerate(found, 1)]
        return _told(parts or ["Nothing was found."], found.notices, self._opened(found))

    @_answer
    def search(
        self,
        query: Query,
        top: Annotated[int, Field(description="Number of results", ge=1, le=100)] = 10,
        first: Annotated[int, Field(description="Rank of the first, to go on from page to page", ge=1)] = 1,
        where: Where = None,
    ) -> str:
        """Return ranked sections, paragraphs and the like that match a query, with a line of text of each."""
        results = self._index.search(query, top=top, from_=first, where=where)
        lines = [f"{results.matched:,} elements match; the best from rank {first} on:"] if len(results) else []
        for each in results:
            heading = " › ".join([each.title or each.doc, *each.breadcrumb, *each.places.values()])
            lines.append(f"{each.rank}. {heading}\n({_name(each)}, {each.length:,} characters)\n{each.snippet}")
        return _told(lines or ["Nothing was found."], results.notices, self._opened(results))

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
        return _told([part, *filter(None, [more])], (), self._opened([self._index.unit(address)]))

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
        return _told([text], (), self._opened([unit]))

    @_answer
    def fields(self) -> str:
        """Return what documents say of themselves: fields to be used in `where`, with their types and some values."""
        facts = self._index.fields.facts()
        lines = [
            f"- {name}: {each['type']}, {each['documents']:,} of {each['of']:,} documents, as "
            + "; ".join(f"{value!s:.60}" for value in each["examples"])
            for name, each in facts.items()
        ]
        return _told(["\n".join(lines)], (), [f"{self._web}/about"])

    def _opened(self, found: Iterable[Any]) -> list[str]:
        """Return where people can open results, passages or units."""
        paths = ((quote(each.doc, errors="surrogateescape"), each.label) for each in found)
        return list(dict.fromkeys(f"{self._web}/read/{path}#{label}" for path, label in paths))


def _name(unit: Any, doc: str | None = None) -> str:
    """Return the address of a unit as `read` takes it: its label where the name of its file is no printable text."""
    address: str = (unit.doc if doc is None else doc) + unit.path
    return address if address.isprintable() else str(unit.label) or address


def _written(text: str) -> str:
    """Return a text that can be sent, with U+FFFD for each byte of a file name that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _told(parts: Iterable[str], notices: Iterable[str], addresses: Iterable[str]) -> str:
    """Return an answer: what was found, what is to be known of it, and where people can open it."""
    notes = [f"Note: {notice}" for notice in notices]
    opened = [f"To be opened in a browser: {' '.join(addresses)}"]
    return _written("\n\n".join([*parts, *notes, *opened]))
