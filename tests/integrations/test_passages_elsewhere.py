"""Passages inside other people's tools: a server of the Model Context Protocol, retrievers; with the real packages."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from trix.errors import TrixError

PLAY = (
    "<play><title>The {0}</title><act><title>Act one</title><p>First of all a {0} came. Nobody saw it.</p>"
    "<p>Then the {0} went &lt;away&gt;.</p></act><act><title>Act two</title><p>Stone.</p></act></play>"
)
OPTIONS: dict[str, Any] = {"preset": "study", "size": ":100", "around": 40}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elsewhere")
    for name in ("tree", "ship"):
        (folder / f"{name} 1.xml").write_text(PLAY.format(name))
    (folder / "mine.toml").write_text(
        'name = "mine"\nextends = "generic"\ntitle = "/play/title"\n[fields]\nabout = "/play/title"\n'
    )
    trix.build([folder / "tree 1.xml", folder / "ship 1.xml"], folder / "i", profile=folder / "mine.toml", jobs=1)
    return folder / "i"


def expected(index: Path, query: str) -> list[Any]:
    with trix.open(index) as opened:
        return list(opened.passages(query, 400, **OPTIONS))


# -- retrievers ----------------------------------------------------------------------------------------------------


def test_langchain_gets_passages_as_documents(index: Path) -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed: pip install 'trix-xml[langchain]'")
    from trix.integrations.langchain import Retriever

    retriever = Retriever(index, characters=400, **OPTIONS)
    found, wanted = retriever.invoke("tree"), expected(index, "tree")
    assert wanted and [each.page_content for each in found] == [each.text for each in wanted]
    for document, each in zip(found, wanted, strict=True):
        assert document.metadata == {name: value for name, value in each.to_dict().items() if name != "text"}
        assert document.id == f"{each.doc}{each.path}@{each.offset}"
    batches = retriever.batch(["tree", "ship", "granite"])
    assert [[each.metadata["doc"] for each in some][:1] for some in batches] == [["tree 1"], ["ship 1"], []]
    chain = retriever | (lambda documents: len(documents))
    assert chain.invoke("ship") == len(expected(index, "ship"))
    assert asyncio.run(retriever.ainvoke("tree")) == found
    with pytest.raises(TrixError, match="model: expected one of"):
        Retriever(index, model="best")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")
def test_llama_index_gets_passages_as_nodes(index: Path) -> None:
    pytest.importorskip(
        "llama_index.core", reason="llama-index-core is not installed: pip install 'trix-xml[llama-index]'"
    )
    from llama_index.core.schema import MetadataMode, TextNode

    from trix.integrations.llama_index import Retriever

    retriever = Retriever(index, characters=400, **OPTIONS)
    found, wanted = retriever.retrieve("tree"), expected(index, "tree")
    assert wanted and [(each.text, each.score) for each in found] == [(each.text, each.score) for each in wanted]
    for node, each in zip(found, wanted, strict=True):
        assert isinstance(node.node, TextNode)
        assert (node.node.start_char_idx, node.node.end_char_idx) == (each.offset, each.offset + each.length)
        assert node.metadata["path"] == each.path and node.metadata["title"] == "The tree"
        for_model = node.get_content(MetadataMode.LLM)
        assert "offset" not in for_model and "The tree" in for_model
    assert retriever.retrieve("granite") == []
    with pytest.raises(TrixError, match="around: expected at most a quarter"):
        Retriever(index, characters=100, around=50)


def test_without_llama_index_a_retriever_says_what_to_install(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "llama_index"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "llama_index", None)
    monkeypatch.delitem(sys.modules, "trix.integrations.llama_index", raising=False)
    retriever = importlib.import_module("trix.integrations.llama_index").Retriever
    with pytest.raises(TrixError, match=r"needs llama_index: pip install 'trix-xml\[llama-index\]'"):
        retriever(index)


# -- the server, over standard input and output --------------------------------------------------------------------


def ask(index: Path, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], list[tuple[bool, str]]]:
    """Start the server, and return its tools and what it answers to some calls."""
    pytest.importorskip("mcp.server.mcpserver", reason="mcp is not installed: pip install 'trix-xml[mcp]'")
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    started = StdioServerParameters(
        command=sys.executable, args=["-m", "trix", "mcp", str(index), "--web", "http://x.test/"]
    )

    async def conversation() -> tuple[list[Any], list[tuple[bool, str]]]:
        # not the standard error of the test that imported mcp first, which may have captured it
        async with Client(stdio_client(started, errlog=sys.__stderr__ or sys.stderr)) as client:
            tools = (await client.list_tools()).tools
            answers = [await client.call_tool(name, arguments) for name, arguments in calls]
            return list(tools), [(bool(each.is_error), each.content[0].text) for each in answers]

    return asyncio.run(conversation())


def test_a_model_searches_reads_on_and_gets_addresses_to_open(index: Path) -> None:
    with trix.open(index) as opened:
        result = opened.search("tree", preset="reading")[0]
        passages = opened.passages("tree", 400, preset="reading")
        unit = opened.unit("tree 1/play[1]/act[1]")
    tools, answers = ask(
        index,
        ("search", {"query": "tree", "top": 1}),
        ("passages", {"query": "tree", "characters": 400, "where": "about ~ tree"}),
        ("outline", {"document": "tree 1"}),
        ("read", {"address": "tree 1/play[1]/act[1]", "characters": 20}),
        ("read", {"address": "tree 1/play[1]/act[1]", "begin": 20}),
        ("fields", {}),
        ("passages", {"query": "granite"}),
    )
    assert [tool.name for tool in tools] == ["passages", "search", "read", "outline", "fields"]
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
    assert all("description" in each for tool in tools for each in tool.input_schema["properties"].values())
    assert not any(failed for failed, _ in answers)
    found, told, outlined, begun, rest, fields, nothing = (text for _, text in answers)
    assert f"(tree 1{result.path}, " in found and found.endswith(f"http://x.test/read/tree%201#{result.label}")
    assert told.startswith(passages.text) and told.endswith(f"http://x.test/read/tree%201#{passages[0].label}")
    assert "- Act one (tree 1/play[1]/act[1], " in outlined and "- Act two (" in outlined
    assert begun.startswith("Act one\nFirst of all\n\n(") and "read with begin=20" in begun
    assert rest.startswith(" a tree came. Nobody saw it.\nThen the tree went <away>.")
    assert rest.endswith(f"http://x.test/read/tree%201#{unit.label}")
    assert fields.startswith("- about: string, 2 of 2 documents, as The ")
    assert nothing.startswith("Nothing was found.")


@pytest.mark.slow
def test_a_wrong_call_is_answered_in_a_line_and_the_server_lives_on(index: Path) -> None:
    _, answers = ask(
        index,
        ("read", {"address": "oak"}),
        ("search", {"query": '"tree'}),
        ("search", {"query": "tree", "where": "year > 1"}),
        ("search", {"query": "tree", "top": 0}),
        ("passages", {"query": "x" * 3000}),
        ("read", {"address": "../../../etc/passwd"}),
        ("read", {"address": "tree 1/foo[1]"}),
        ("outline", {"document": "tree 1/play[2]"}),
        ("search", {"query": "tree"}),
    )
    assert [failed for failed, _ in answers] == [True] * 8 + [False]
    assert answers[0][1].endswith("oak: no such document")
    assert "column 1: the quote is never closed" in answers[1][1]
    assert "year" in answers[2][1] and "\n" not in answers[2][1]
    assert answers[6][1].endswith("tree 1/foo[1]: there is no such element in the document")
    assert answers[7][1].endswith("tree 1/play[2]: there is no such element in the document")
    assert not any("Traceback" in text or "root:" in text for _, text in answers)


def test_arguments_that_a_tool_does_not_take_are_refused_in_a_line(index: Path) -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="mcp is not installed: pip install 'trix-xml[mcp]'")
    from mcp import Client

    from trix.integrations.mcp import server

    calls: list[tuple[str, dict[str, Any], str]] = [
        (
            "search",
            {"query": "tree", "Top": 1},
            "search: there is no argument Top (did you mean top?); it takes query, ",
        ),
        (
            "search",
            {"query": "tree", "limit": 3},
            "search: there is no argument limit; it takes query, top, first, where",
        ),
        (
            "passages",
            {"query": "tree", "character": 9},
            "passages: there is no argument character (did you mean charact",
        ),
        (
            "read",
            {"address": "tree 1", "begin\nx": 1},
            "read: there is no argument begin x (did you mean begin?); it t",
        ),
        ("outline", {"document": "tree 1", "self": 1}, "outline: there is no argument self; it takes document, depth"),
        ("fields", {"all": True}, "fields: there is no argument all; it takes none"),
        (
            "search",
            {"top": 0, "first": "x"},
            "search: query: Field required; top: Input should be greater than or equal",
        ),
    ]

    async def conversation() -> list[tuple[bool, str]]:
        with trix.open(index) as opened:
            async with Client(server(opened)) as client:
                tools = (await client.list_tools()).tools
                assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
                answers = [await client.call_tool(name, arguments) for name, arguments, _ in calls]
                answers.append(await client.call_tool("search", {"query": "tree", "top": 1, "first": 1, "where": None}))
        return [(bool(each.is_error), each.content[0].text) for each in answers]

    *refused, answered = asyncio.run(conversation())
    for (failed, text), (*_, said) in zip(refused, calls, strict=True):
        assert failed and text.startswith(said) and "\n" not in text, text
    assert not answered[0]


@pytest.mark.reading
def test_the_server_says_which_words_were_replaced(index: Path) -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="mcp is not installed: pip install 'trix-xml[mcp]'")
    from mcp import Client

    from trix.integrations.mcp import server

    async def conversation() -> list[str]:
        with trix.open(index) as opened:
            async with Client(server(opened)) as client:
                tools = ("passages", "search")
                return [(await client.call_tool(tool, {"query": "stnoe"})).content[0].text for tool in tools]

    for text in asyncio.run(conversation()):
        assert "Note: no document has stnoe: showing results for stone (2)" in text and "Nothing was found" not in text


def test_the_server_answers_from_the_newest_commit(index: Path, tmp_path: Path) -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="mcp is not installed: pip install 'trix-xml[mcp]'")
    from mcp import Client

    from trix.integrations.mcp import server

    (tmp_path / "oak.xml").write_text(PLAY.format("oak"))
    trix.build(tmp_path / "oak.xml", tmp_path / "i", jobs=1)

    async def conversation() -> list[str]:
        said = []
        with trix.open(tmp_path / "i") as opened:
            async with Client(server(opened)) as client:
                for word in ("beech", "beech"):
                    said.append((await client.call_tool("passages", {"query": word})).content[0].text)
                    with trix.write(tmp_path / "i") as writer:
                        writer.add_document(PLAY.format("beech"), id="new", replace=True)
        return said

    before, after = asyncio.run(conversation())
    assert before.startswith("Nothing was found.") and "beech came" in after


def test_without_the_package_the_command_says_what_to_install(
    index: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    code, out, err = run_cli("mcp", index)
    assert (code, out, err) == (2, "", "trix: error: trix mcp needs mcp: pip install 'trix-xml[mcp]'\n")
