"""Lint of prose: docstrings, comments, documentation, class names and commit subjects."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

OPENINGS = re.compile(r"(Return what|Return the same|Tell|Let)\b")
"""First words of a docstring that hide what the function does."""
RIDDLES = re.compile(
    r"\b(behind|whoever|nobody|that which|what is|of late|as (it stands|they stand)|so (many|much))\b", re.IGNORECASE
)
"""Words in the place of a noun: a reader, a caller, a field, a number."""
LONGEST = 30  # words in a sentence
EXAMPLE = re.compile(r"^ *>>>.*?(?=^ *$|\Z)", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^ *(Parameters|Returns|Raises|Attributes|Yields|Examples|Notes) *\n *-+ *$", re.MULTILINE)
LITERAL = re.compile(r"::\n(?:\n|    .*(?:\n|\Z))+", re.MULTILINE)
TABLE = re.compile(r"^={4,} [= ]*\n(?:.+\n)+", re.MULTILINE)
RULER = re.compile(r"={4,}[= ]*")
BREAK = re.compile(
    r"\n *\n|\n *(?:[-*] |\d+\. )|(?<=[.!?:;]) +|(?<=[.!?:;])\n|\n(?= *\w[\w, *]*( :.*)?\n    )|\n(?=    )"
)
SAME_NAMES = {"Retriever"}
"""Classes that a framework expects by this name, one in each module of `trix.integrations`."""
PROSE = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def modules() -> dict[str, ast.Module]:
    """Syntax tree of each module, by path."""
    paths = sorted((ROOT / "trix").rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def docstrings() -> list[tuple[str, str]]:
    """Place and text of each docstring, including those after assignments."""
    found = list[tuple[str, str]]()
    for path, tree in modules().items():
        for node in ast.walk(tree):
            below = getattr(node, "body", [])
            body: list[ast.AST] = below if isinstance(below, list) else []
            for at, inner in enumerate(body):
                documents = at == 0 or isinstance(body[at - 1], (ast.Assign, ast.AnnAssign))
                if documents and isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                    text = inner.value.value
                    found += [(f"{path}:{inner.lineno}", text)] if isinstance(text, str) else []
    return found


def comments() -> Iterator[tuple[str, str]]:
    """Place and text of the comments in modules with a forbidden word."""
    for path in modules():
        source = (ROOT / path).read_text(encoding="utf-8")
        if RIDDLES.search(source):
            for token in tokenize.generate_tokens(io.StringIO(source).readline):
                if token.type == tokenize.COMMENT:
                    yield f"{path}:{token.start[0]}", token.string


def sentences(text: str) -> Iterator[str]:
    """Sentences of a docstring and rows of its tables, without examples, literal blocks and headings."""
    prose = LITERAL.sub("\n\n", SECTION.sub("\n", EXAMPLE.sub("\n", cleaned(text))))
    rows = TABLE.sub(lambda table: RULER.sub("", table[0]).replace("\n", "\n\n"), prose)
    for sentence in BREAK.split(rows):
        if sentence and sentence.strip():
            yield " ".join(sentence.split())


def cleaned(text: str) -> str:
    """Return a docstring without the indentation of its place, and with paragraphs of parameters on one line."""
    lines = ast.get_docstring(ast.parse(f"{text!r}")) or ""
    return re.sub(r"(?m)(?<=\S)\n +(?=\S)(?=.*)", " ", lines)


def test_docstrings_begin_with_what_is_done() -> None:
    assert [f"{place}: {text[:60]!r}" for place, text in docstrings() if OPENINGS.match(text.strip())] == []


def test_docstrings_and_comments_name_what_they_mean() -> None:
    found = [
        f"{place}: {match[0]!r} in {' '.join(text[max(0, match.start() - 40) : match.end() + 40].split())!r}"
        for place, text in (*docstrings(), *comments())
        if (match := RIDDLES.search(EXAMPLE.sub("\n", text)))
    ]
    assert found == []


def test_sentences_of_docstrings_are_short() -> None:
    found = [
        f"{place}: {len(sentence.split())} words: {sentence[:80]}"
        for place, text in docstrings()
        for sentence in sentences(text)
        if len(sentence.split()) > LONGEST
    ]
    assert found == []


def test_literal_blocks_are_no_sentences_and_rows_are_some() -> None:
    text = """A table:

    ====  ====
    a     one two
    b     three
    ====  ====

    Grammar::

        or  = and
        and = not"""
    assert [*sentences(text)] == ["A table:", "a one two", "b three", "Grammar"]


def test_a_class_name_is_used_once() -> None:
    places = defaultdict[str, list[str]](list)
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name not in SAME_NAMES:
                places[node.name].append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_documentation_does_not_say_behind(page: Path) -> None:
    prose = re.sub(r"(?ms)^ *```.*?^ *```|`[^`\n]*`|<!--.*?-->", "", page.read_text(encoding="utf-8"))
    assert [line.strip() for line in prose.splitlines() if re.search(r"\bbehind\b", line)] == []


def test_commit_subjects_are_short_imperatives() -> None:
    """Subjects from the commit that added this file on, if the history is here."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", "log", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.splitlines() if done.returncode == 0 else []

    added = git("--diff-filter=A", "--format=%H", "--", Path(__file__).relative_to(ROOT).as_posix())
    if not added:
        pytest.skip("the history is not here")
    good = re.compile(r"[A-Z][a-z-]*(?<!ed)(?<!ing) .*[^.]")
    recent = git("--no-merges", "--format=%s", f"{added[-1]}..HEAD")
    assert [subject for subject in recent if len(subject) > 72 or not good.fullmatch(subject)] == []
