#!/usr/bin/env python3
"""Write docs/api from the signatures and docstrings of the public names, a page a topic; ``--check`` only compares."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import trix

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "docs" / "api"

INDEX = "README.md"
HEAD = """# The library

Every name that `import trix` gives, by topic. [The first hour in a notebook](../first-hour.md) shows most of it.

Names are imported when they are first used, so a program loads only what it needs. Every error is a `TrixError` with a
message of one line. What is not in this reference may change. Programs in other languages use the same
[over HTTP](../web-api.md). Retrievers for [LangChain and LlamaIndex](../web-api.md#assistants), and the steps of
[PyTerrier and ir_measures](../laboratory.md#frames-notebooks-other-tools), have pages of their own.

These pages are made from the docstrings by `scripts/docs api`.
"""


@dataclass(frozen=True)
class Topic:
    """A page of the reference: title, purpose, names, methods of `trix.Index`, and classes that names return."""

    title: str
    about: str
    names: tuple[str, ...]
    methods: tuple[str, ...] = ()
    beside: dict[str, tuple[str, ...]] = field(default_factory=dict)


TOPICS = {
    "build.md": Topic(
        "Build and open an index",
        "Make an index from documents, open it, see what is in it, and check it.",
        ("build", "open", "check", "Index"),
        ("close", "refresh", "info"),
        {"trix.indexer.build": ("BuildSummary", "Skipped")},
    ),
    "search.md": Topic(
        "Search",
        "Ask an index, go through results, and see every number of a score.",
        ("Results", "Result"),
        ("search", "search_many", "like", "suggest", "concordance", "explain", "check_options"),
        {
            "trix.query.options": ("Options",),
            "trix.query.explain": ("Explanation",),
            "trix.query.feedback": ("Expansion",),
            "trix.api.rerank": ("RerankCandidate",),
        },
    ),
    "read.md": Topic(
        "Read documents and passages",
        "Show documents and elements, cite them, collect passages for programs, and list what registers mention.",
        ("Document",),
        ("show", "unit", "prose", "outline", "cite", "passages", "registers", "register"),
        {
            "trix.query.display.passages": ("Passages", "Passage"),
            "trix.api.registers": ("Register", "RegisterEntry", "Mention"),
        },
    ),
    "change.md": Topic(
        "Change an index",
        "Add, replace and delete documents while others search. [A living index](../living.md) explains how.",
        ("write", "Writer", "Changes"),
    ),
    "evaluate.md": Topic(
        "Run topics and evaluate",
        "Make runs of topics, rescore and fuse runs, and measure them. [Measures](../measures.md) lists all measures.",
        ("evaluate", "fuse", "read_qrels", "read_run", "read_topics", "Qrels", "Run", "Resolver"),
        ("run", "rescore"),
        {
            "trix.eval.scores": ("Scores", "Score"),
            "trix.eval.data.runs": ("Rankings", "Ranking"),
            "trix.eval.data.qrels": ("TopicJudgements", "DocumentJudgement", "ElementJudgement"),
            "trix.eval.formats.topics.read": ("Topics", "Topic"),
        },
    ),
    "errors.md": Topic(
        "Errors",
        "What can be raised, and what an error knows.",
        ("TrixError",),
        beside={
            "trix.errors": ("UsageError", "QueryError", "ProfileError", "FormatError", "SourceError", "IndexError_")
        },
    ),
}
"""The pages. A class beside the names is what they take, return or raise; `trix` itself does not have it."""

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_WIDTH = 100


class Section(NamedTuple):
    """A section of a docstring: its title, and its text."""

    title: str
    text: str


class Documented(NamedTuple):
    """A thing with a docstring: what it is called on the page, and itself."""

    name: str
    thing: Any


def public() -> list[Documented]:
    """Return the names of `trix`."""
    return [Documented(f"trix.{name}", getattr(trix, name)) for name in trix.__all__ if name != "__version__"]


def beside(topic: Topic) -> list[Documented]:
    """Return the classes of what the names of a topic take, return or raise."""
    return [
        Documented(f"{module}.{name}", getattr(import_module(module), name))
        for module, names in topic.beside.items()
        for name in names
    ]


def members(owner: type) -> Iterator[Documented]:
    """Yield the public methods and properties of a class that are defined in Trix, in the order of the code."""
    for kind in reversed(owner.__mro__):
        if not kind.__module__.startswith("trix"):
            continue
        for name, member in vars(kind).items():
            if isinstance(member, classmethod | staticmethod):
                member = member.__func__
            if not name.startswith("_") and (inspect.isfunction(member) or is_value(member)):
                yield Documented(name, member)


def is_value(member: Any) -> bool:
    """Tell whether a member is read like an attribute."""
    return isinstance(member, property | cached_property)


def is_other_name(documented: Documented) -> bool:
    """Tell whether a class is public by its own name as well, under which it is described."""
    name, thing = documented
    own = getattr(thing, "__name__", "")
    return inspect.isclass(thing) and name != f"trix.{own}" and own in trix.__all__ and name.count(".") == 1


def is_made_by_users(thing: type) -> bool:
    """Tell whether a class is documented as one to be called: it has parameters of its own."""
    return any(section.title == "Parameters" for section in sections(thing))


def sections(thing: Any) -> list[Section]:
    """Return the sections of a docstring; the first, without a title, is what stands before them."""
    first, *rest = _SECTION.split(inspect.getdoc(thing) or "")
    return [Section("", first.strip()), *map(Section, rest[::2], (text.strip("\n") for text in rest[1::2]))]


def fields(text: str) -> list[tuple[str, str]]:
    """Return the entries of a section: what stands at the margin, and what is indented below it."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line.strip())
    return [(name, " ".join(lines).strip()) for name, lines in found]


def parameters(thing: Any) -> list[inspect.Parameter]:
    """Return the parameters of a function or a class without those that are bound or private."""
    try:
        found = list(inspect.signature(thing).parameters.values())
    except ValueError:
        return []
    return [each for each in found if each.name not in ("self", "cls") and not each.name.startswith("_")]


def signature(name: str, thing: Any) -> str:
    """Return a call as it is written, a parameter a line where it is long."""
    parts, starred = [], False
    for each in parameters(thing):
        if each.kind is each.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        typed = "" if each.annotation is each.empty else f": {each.annotation}"
        default = "" if each.default is each.empty else f" = {shown(each.default)}"
        parts.append(f"{stars}{each.name}{typed}{default if typed else default.replace(' ', '')}")
    gives = "" if inspect.isclass(thing) else f" -> {inspect.signature(thing).return_annotation}"
    line = f"{name}({', '.join(parts)}){gives}"
    return line if len(line) <= _WIDTH else f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){gives}"


def shown(default: Any) -> str:
    """Return a default as it is written in the code."""
    return "..." if " object at " in repr(default) or repr(default) == "<factory>" else repr(default)


def prose(text: str) -> str:
    """Return words of a docstring as Markdown: literals in one kind of quotes, examples as they are typed."""
    blocks = []
    for block in re.split(r"\n{2,}", text):
        fenced = block.lstrip().startswith(">>>")
        if "\n>>>" in block and not fenced:
            said, _, example = block.partition("\n>>>")
            blocks += [said.replace("``", "`"), f"```text\n>>>{example}\n```"]
        else:
            blocks.append(f"```text\n{block}\n```" if fenced else block.replace("``", "`"))
    return "\n\n".join(blocks)


def in_a_line(thing: Any) -> str:
    """Return what a docstring says before its sections and examples, on one line."""
    said = sections(thing)[0].text.partition("\n>>>")[0]
    return prose(" ".join(said.split()))


def undocumented(documented: Documented) -> Iterator[str]:
    """Yield what a docstring leaves out: itself, parameters, fields, and so for the methods of a class.

    A parameter is documented in a section of its own, or named in the text.
    """
    name, thing = documented
    first, *rest = sections(thing)
    if not first.text:
        yield f"{name}: no docstring"
    names = {
        each.strip()
        for title, text in rest
        if title in ("Parameters", "Attributes")
        for listed, said in fields(text)
        if said or " : " in listed  # a type can say enough
        for each in listed.partition(" : ")[0].split(",")
    }
    said = inspect.getdoc(thing) or ""
    if not is_value(thing) and (not inspect.isclass(thing) or is_made_by_users(thing) or is_dataclass(thing)):
        for parameter in parameters(thing):
            if parameter.name not in names and f"`{parameter.name}`" not in said:
                yield f"{name}: {parameter.name}"
    if inspect.isclass(thing):
        for member in members(thing):
            yield from undocumented(Documented(f"{name}.{member.name}", member.thing))


def entry(documented: Documented, level: int, prefix: str = "") -> str:
    """Return what a page says of a function, a method or a class."""
    name, thing = documented
    parts = [f"{'#' * level} {prefix}{name}"]
    if is_other_name(documented):
        return f"{parts[0]}\n\nAnother name of `trix.{thing.__name__}`."
    first, *rest = sections(thing)
    if not is_value(thing) and (not inspect.isclass(thing) or is_made_by_users(thing)):
        parts.append(f"```text\n{signature(name.rpartition('.')[2], thing)}\n```")
    parts.append(prose(first.text))
    for title, text in rest:
        if title in ("Examples", "Notes"):
            parts.append(prose(text))
        elif title in ("Parameters", "Attributes", "Raises"):
            listed = [f"- `{name}`" + (f": {prose(said)}" if said else "") for name, said in fields(text)]
            parts.append(f"*{title}*\n\n" + "\n".join(listed))
        else:
            parts.append(f"*{title}*: " + prose("; ".join(": ".join(filter(None, pair)) for pair in fields(text))))
    if inspect.isclass(thing):
        found = list(members(thing))
        values = [f"- `{each.name}`: {in_a_line(each.thing)}" for each in found if is_value(each.thing)]
        if values:
            parts.append("*Properties*\n\n" + "\n".join(values))
        short = name.rpartition(".")[2]
        elsewhere = {method for topic in TOPICS.values() for method in topic.methods} if thing is trix.Index else set()
        own = [each for each in found if not is_value(each.thing) and each.name not in elsewhere]
        parts += [entry(each, level + 1, f"{short}.") for each in own]
    return "\n\n".join(parts)


def page(name: str) -> str:
    """Return the text of the page of a topic."""
    topic = TOPICS[name]
    methods = {each.name: each for each in members(trix.Index)}
    parts = [f"# {topic.title}", topic.about]
    parts += [entry(Documented(f"trix.{each}", getattr(trix, each)), 2) for each in topic.names]
    parts += [entry(methods[each], 2, "Index.") for each in topic.methods]
    if topic.beside:
        parts += ["## What is taken, returned and raised", *(entry(each, 3) for each in beside(topic))]
    return "\n\n".join(parts) + "\n"


def contents() -> str:
    """Return the text of the page that lists the topics."""
    rows = []
    for name, topic in TOPICS.items():
        listed = [f"`trix.{each}`" for each in topic.names] + [f"`Index.{each}`" for each in topic.methods]
        rows.append(f"| [{topic.title}]({name}) | {', '.join(listed)} |")
    return "\n".join([HEAD, "| topic | names |", "|---|---|", *rows]) + "\n"


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    return {INDEX: contents()} | {name: page(name) for name in TOPICS}


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(any((TARGET / name).read_text("utf-8") != text for name, text in pages().items()))
    for name, text in pages().items():
        (TARGET / name).write_text(text, "utf-8")
