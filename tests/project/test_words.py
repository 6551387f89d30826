"""Lint of the project's prose: docstrings, comments, documentation, class names and commit subjects."""

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
RIDDLES = re.compile(r"\b(behind|whoever|nobody|that which|what is|of late|as (it stands|they stand)|so (many|much))\b", re.IGNORECASE)
"""Words that stand where a noun is meant: a reader, a caller, a field, a posting."""
LONGEST = 30  # words in a sentence
EXAMPLE = re.compile(r"^ *>>>.*?(?=^ *$|\Z)", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^ *(Parameters|Returns|Raises|Attributes|Yields|Examples|Notes) *\n *-+ *$", re.MULTILINE)
BREAK = re.compile(r"\n *\n|\n *(?:[-*] |\d+\. )|(?<=[.!?:;]) +|(?<=[.!?:;])\n")
SAME_NAMES = {"Retriever"}
"""Classes whose name the framework they are made for expects, one in each module of `trix.integrations`."""


@cache
def modules() -> dict[str, str]:
    """Source text of each module, by its path below the project."""
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted((ROOT / "trix").rglob("*.py"))}


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each docstring, of those below assignments too."""
    for node in ast.walk(ast.parse(source)):
        for at, inner in enumerate(getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else []):
            stands = at == 0 or isinstance(node.body[at - 1], (ast.Assign, ast.AnnAssign))
            if stands and isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant) and isinstance(inner.value.value, str):
                yield inner.lineno, inner.value.value


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each comment."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def sentences(text: str) -> Iterator[str]:
    """Sentences of a docstring, without examples and the headings of sections."""
    for sentence in BREAK.split(SECTION.sub("\n", EXAMPLE.sub("\n", text))):
        if sentence.strip():
            yield " ".join(sentence.split())


def test_docstrings_say_what_is_done_first():
    assert [f"{path}:{line}: {text[:60]!r}" for path, source in modules().items() for line, text in docstrings(source) if OPENINGS.match(text.strip())] == []


def test_docstrings_and_comments_name_what_they_mean():
    found = [
        f"{path}:{line}: {match[0]!r} in {' '.join(text[max(0, match.start() - 40) : match.end() + 40].split())!r}"
        for path, source in modules().items()
        for line, text in (*docstrings(source), *comments(source))
        if (match := RIDDLES.search(text))
    ]
    assert found == []


def test_sentences_of_docstrings_are_short():
    found = [
        f"{path}:{line}: {len(sentence.split())} words: {sentence[:80]}"
        for path, source in modules().items()
        for line, text in docstrings(source)
        for sentence in sentences(text)
        if len(sentence.split()) > LONGEST
    ]
    assert found == []


def test_a_class_name_stands_once():
    places = defaultdict[str, list[str]](list)
    for path, source in modules().items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and node.name not in SAME_NAMES:
                places[node.name].append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_documentation_says_after_and_not_behind(page: Path):
    prose = re.sub(r"(?ms)^ *```.*?^ *```|`[^`\n]*`|<!--.*?-->", "", page.read_text(encoding="utf-8"))
    assert [line.strip() for line in prose.splitlines() if re.search(r"\bbehind\b", line)] == []


def test_commit_subjects_are_short_imperatives():
    """From the commit that added this file on, where the history is here."""
    here = Path(__file__).relative_to(ROOT).as_posix()
    git = subprocess.run(["git", "log", "--no-merges", "--format=%s"], cwd=ROOT, capture_output=True, text=True)
    since = subprocess.run(["git", "log", "--diff-filter=A", "--format=%H", "--", here], cwd=ROOT, capture_output=True, text=True)
    if git.returncode or not since.stdout.split():
        pytest.skip("no history here")
    recent = subprocess.run(["git", "log", "--no-merges", "--format=%s", f"{since.stdout.split()[-1]}^..HEAD"], cwd=ROOT, capture_output=True, text=True)
    wrong = [subject for subject in recent.stdout.splitlines() if len(subject) > 72 or not re.fullmatch(r"[A-Z][a-z-]*(?<!ed)(?<!ing) .*[^.]", subject)]
    assert wrong == []
