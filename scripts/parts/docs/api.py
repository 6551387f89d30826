#!/usr/bin/env python3
"""Write docs/api.md from the signatures and docstrings of the public names; ``--check`` only compares."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import trix

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "docs" / "api.md"

HEAD = """# The library

What `import trix` gives. Names are imported when they are first used, so that a program loads only what it needs.
Whatever goes wrong is a `TrixError` with a message of one line. What does not stand on this page may change.

This page is made from the docstrings by `scripts/docs api`.
"""

BESIDE = {
    "trix.api.rerank": ("RerankCandidate",),
    "trix.query.options": ("Options",),
    "trix.indexer.build": ("BuildSummary", "Skipped"),
    "trix.query.explain": ("Explanation",),
    "trix.query.feedback": ("Expansion",),
    "trix.query.display.passages": ("Passages", "Passage"),
    "trix.eval.scores": ("Scores", "Score"),
    "trix.eval.data.runs": ("Rankings", "Ranking"),
    "trix.eval.data.qrels": ("TopicJudgements", "DocumentJudgement", "ElementJudgement"),
    "trix.eval.formats.topics.read": ("Topics", "Topic"),
    "trix.errors": ("UsageError", "QueryError", "ProfileError", "FormatError", "SourceError", "IndexError_"),
}
"""What the public names take, return or raise, and is seldom called by name: by module."""

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
    """Return the names of `trix`: functions first, then classes."""
    things = [Documented(f"trix.{name}", getattr(trix, name)) for name in trix.__all__ if name != "__version__"]
    return sorted(things, key=lambda each: (inspect.isclass(each.thing), each.name.lower()))


def beside() -> list[Documented]:
    """Return the classes of what public names take, return or raise."""
    return [
        Documented(f"{module}.{name}", getattr(import_module(module), name))
        for module, names in BESIDE.items()
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
        for field, said in fields(text)
        if said or " : " in field  # a type can say enough
        for each in field.partition(" : ")[0].split(",")
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
    """Return what the page says of a function, a method or a class."""
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
        parts += [entry(each, level + 1, f"{short}.") for each in found if not is_value(each.thing)]
    return "\n\n".join(parts)


def page() -> str:
    """Return the text of the page."""
    told = "What the names above take, return and raise. `trix` itself does not have these names."
    return (
        "\n\n".join(
            [
                HEAD.strip(),
                *(entry(each, 2) for each in public()),
                f"## What is taken, returned and raised\n\n{told}",
                *(entry(each, 3) for each in beside()),
            ]
        )
        + "\n"
    )


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(TARGET.read_text("utf-8") != page())
    TARGET.write_text(page(), "utf-8")
