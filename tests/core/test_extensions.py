"""The kernels as extension modules: how they are built, what is said where they cannot be, that sources do the same."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_backend import toolchain
from tests.paths import ROOT
from tests.uncompiled import CORE, uncompiled
from trix.core import names as namer
from trix.core import postings, topk, words
from trix.indexer.words.analyzer import BOUNDARY
from trix.indexer.words.sentences import _packed, _roles
from trix.query.scoring import weights

HOOKS = [
    "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable", "get_requires_for_build_sdist",
    "get_requires_for_build_wheel", "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel",
]  # fmt: skip
"""What a build frontend asks of a backend."""


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the build backend, over hooks of setuptools that ask for nothing."""
    # Setuptools would put its own distutils in place of Python's for all tests that follow in this process.
    setuptools, build_meta = ModuleType("setuptools"), ModuleType("setuptools.build_meta")
    for name in HOOKS:
        setattr(build_meta, name, lambda *_: [])
    setuptools.build_meta = build_meta  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "setuptools", setuptools)
    monkeypatch.setitem(sys.modules, "setuptools.build_meta", build_meta)
    monkeypatch.delitem(sys.modules, "build_backend.hooks", raising=False)
    return importlib.import_module("build_backend.hooks")


# -- a build and what it needs ----------------------------------------------------------------------------------------


def test_a_missing_header_is_one_line_that_says_what_to_install(
    hooks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(toolchain.sysconfig, "get_path", lambda _: str(tmp_path))
    for module in (toolchain, hooks):
        monkeypatch.setattr(module, "is_stale", lambda: True)
    assert toolchain.main() == 2
    message = capsys.readouterr().out
    assert f"{tmp_path}/Python.h" in message and "apt-get install python3-dev" in message and "\n" not in message
    for ask in (hooks.get_requires_for_build_wheel, hooks.get_requires_for_build_editable):
        with pytest.raises(SystemExit, match=r"^trix: error: Python's headers are missing .*python3-dev"):
            ask()


def test_a_compiler_is_asked_for_where_there_is_none(hooks: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "check_headers", lambda: None)
    for there, asked in ((True, []), (False, [toolchain.COMPILER_PACKAGE])):
        monkeypatch.setattr(hooks, "has_compiler", lambda there=there: there)
        assert hooks.get_requires_for_build_wheel() == asked
        for stale in (True, False):
            monkeypatch.setattr(hooks, "is_stale", lambda stale=stale: stale)
            assert hooks.get_requires_for_build_editable() == (asked if stale else [])


def test_a_compiler_that_was_not_fetched_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match=r"^trix: error: there is no C compiler: .*apt-get install gcc.*ziglang"):
        toolchain.packaged_compiler()


@pytest.mark.skipif(os.name == "nt", reason="looks for the compiler of Windows by itself")
def test_a_compiler_is_there_when_it_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    has_compiler = toolchain.has_compiler.__wrapped__
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    assert not has_compiler()
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'stdlib.h: no such file' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", f"{broken} -pthread")
    assert not has_compiler()


def test_kernels_are_stale_when_a_source_is_newer_or_one_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not toolchain.is_stale()
    core = Path(shutil.copytree(CORE, tmp_path / "core"))
    monkeypatch.setattr(toolchain, "CORE", core)
    assert not toolchain.is_stale()
    built = toolchain.extension_file("words")
    assert built is not None
    os.utime(core / "words.py", (built.stat().st_mtime + 5,) * 2)
    assert toolchain.is_stale()
    for name in [*toolchain.kernels(), toolchain.SHARED]:
        os.utime(toolchain.extension_file(name) or core, (built.stat().st_mtime + 9,) * 2)
    assert not toolchain.is_stale()
    built.unlink()
    assert toolchain.is_stale()


def test_a_kernel_that_is_not_compiled_is_one_line_that_says_what_to_run(tmp_path: Path) -> None:
    (tmp_path / "trix").mkdir()
    for name in ("__init__.py", "errors.py"):
        (tmp_path / "trix" / name).write_text("" if name == "__init__.py" else (ROOT / "trix" / name).read_text())
    core = tmp_path / "trix" / "core"
    core.mkdir()
    for path in CORE.glob("*.py"):
        shutil.copy(path, core)
    lines = ["from trix.errors import TrixError", "try:", "    import trix.core.words"]
    code = "\n".join([*lines, "except TrixError as error:", "    print(error)"])
    for mode, said in (("0", r".*core: .*words.* is not compiled: run pip install \. .*\n"), ("1", "")):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, "TRIX_UNCOMPILED": mode, "PYTHONPATH": str(tmp_path)},
        )  # fmt: skip
        assert done.stderr == "" and re.fullmatch(said, done.stdout)


@pytest.mark.slow
@pytest.mark.lengthy
def test_no_kernel_asks_for_the_interpreter_where_it_need_not(tmp_path: Path) -> None:
    pytest.importorskip("Cython", "3.2")
    code = (
        "from Cython.Build import cythonize; from setup import DIRECTIVES; from build_backend.toolchain import *\n"
        "sources = [str(CORE / f'{name}.py') for name in kernels()]\n"
        "directives = {**DIRECTIVES, 'show_performance_hints': True}\n"
        "cythonize(sources, build_dir=sys.argv[1], quiet=True, force=True, compiler_directives=directives)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, cwd=ROOT, check=True
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if "boundscheck(False)" not in line]
    assert [line for line in said if "hint" in line or "warning" in line] == []


def test_what_is_not_checked_says_why_that_is_safe() -> None:
    bare = list[str]()
    for path in sorted(CORE.glob("*.py")):
        lines = path.read_text("utf-8").splitlines()
        for at, line in enumerate(lines):
            if "boundscheck(False)" not in line:
                continue
            head = at
            while lines[head - 1].lstrip().startswith(("@", "#")):
                head -= 1
            body = next(number for number in range(at, len(lines)) if lines[number].lstrip().startswith("def "))
            reasons = ("Safe without checks", "Safe without bounds checks")
            if "#" not in line and not any(reason in each for reason in reasons for each in lines[head : body + 12]):
                bare.append(f"{path.name}:{at + 1}")
    assert bare == []


# -- the same answers uncompiled --------------------------------------------------------------------------------------


def some_text(chance: random.Random, size: int) -> np.ndarray:
    letters = [*'aab e.e.! "B', BOUNDARY, "é", "\u0424", "字", "。", "𝐁", "J", "longertokens" * 2]
    return np.array([ord(c) for c in "".join(chance.choices(letters, k=size))], np.uint32)


def test_tokens_are_numbered_uncompiled_as_compiled() -> None:
    classes = np.ones(0x10000, np.uint8)
    classes[ord(" ")], classes[0x424] = 0, 2
    chance = random.Random(4)
    one, other = words.TokenTable(classes), uncompiled("words").TokenTable(classes)
    for size in (0, 1, 600, 700):
        text = some_text(chance, size)
        assert one.intern(text).tolist() == other.intern(text).tolist()
        assert one.count == other.count and one.strings(0) == other.strings(0)


def test_keys_and_sentences_are_counted_uncompiled_as_compiled() -> None:
    chance = random.Random(5)
    for simple in (True, False):
        known = np.array([[chance.choice([*range(3), -1, -2]), chance.randrange(3), 0, 0] for _ in range(9)], np.int32)
        known[3, 0] = known[3, 0] if simple else -4
        tokens = np.array([chance.randrange(9) for _ in range(50)], np.int32)
        one, other = (
            kernel(tokens, known.copy(), 7) for kernel in (words.number_keys, uncompiled("words").number_keys)
        )
        assert (one is None) == (other is None) == (not simple)
        for a, b in zip(one or (), other or (), strict=True):
            assert a.tolist() == b.tolist()
    for _ in range(20):
        text = some_text(chance, 60)
        given = text, _roles("", 0x110000), _packed()
        one, other = words.cut_sentences(*given), uncompiled("words").cut_sentences(*given)
        assert [each.tolist() for each in one] == [each.tolist() for each in other]


def test_kernels_refuse_what_is_no_array_of_their_type_and_never_crash() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.refusals"], capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, "\n".join(done.stderr.splitlines()[-20:])
    assert done.stdout.strip() == ""
    assert done.stderr.count("asking ") > 2000


def test_damaged_numbers_are_an_index_error_and_never_a_crash() -> None:
    tokens, known = np.array([0, 9], np.int32), np.zeros((3, 4), np.int32)
    for damaged in (tokens, np.array([-1], np.int32)):
        with pytest.raises(IndexError):
            words.number_keys(damaged, known, 1)


LISTS = st.dictionaries(st.integers(0, 3000), st.integers(1, 300), min_size=1, max_size=60)


def columns_of(postings: dict[int, int]) -> tuple[Any, Any, Any]:
    contents = np.array(sorted(postings))
    return contents, np.array([postings[content] for content in contents.tolist()]), contents // 40


@settings(max_examples=20)
@given(LISTS)
def test_posting_lists_are_coded_and_read_uncompiled_as_compiled(given: dict[int, int]) -> None:
    contents, tf, document_of = columns_of(given)
    starts, chosen, ends = np.zeros(1, np.int64), np.arange(100) % 2 == 0, None
    found = []
    for kernels in (postings, uncompiled("postings")):
        data, sizes = kernels.encode_lists(contents, tf, starts)
        ends = np.cumsum(sizes)
        listed = kernels.encode_by_document(contents, tf, document_of, 8, 8, 0.1, 127)
        of = kernels.decode_by_document(listed, 8, 127)
        owners = (np.arange(4000) // 40).astype(np.int32)
        wanted = np.unique(document_of)[::2]
        columns = np.zeros(999, np.uint8), np.zeros((99, 4), np.int32), np.zeros((20, 2), np.int64)
        other = tuple(np.zeros_like(column) for column in columns)
        firsts = np.arange(0, 4000, 40)
        results = [
            data, sizes, listed, *of, *kernels.decode_list(data),
            *kernels.postings_of(data, of[0], of[2], of[4], of[5], wanted, 8),
            *kernels.count_documents(data, ends, owners, chosen),
            *kernels.held_by(data, ends, np.arange(4000) % 3 == 0),
            *kernels.keys_by_document(data, ends, owners, 100), *kernels.postings_by_content(data, ends, 4000),
            kernels.keep_coded(data, listed, columns, 8, 7, 8, 127, 100), *columns,
            kernels.keep_postings(contents, tf, tf, firsts, 4000, other, 8, 7, 8, 8, 0.1, 127), *other,
            *kernels.inverted(np.array([1, 0, 1, 1], np.int32), np.array([3, 0, 1]), 2),
        ]  # fmt: skip
        assert all((one == two).all() for one, two in zip(columns, other, strict=True))
        found.append([each.tolist() if hasattr(each, "tolist") else each for each in results])
    assert found[0] == found[1]


@settings(max_examples=300)
@given(LISTS, st.data())
def test_damaged_bytes_are_an_index_error_and_never_a_crash(given: dict[int, int], data: st.DataObject) -> None:
    contents, tf, document_of = columns_of(given)
    coded, sizes = postings.encode_lists(contents, tf, np.zeros(1, np.int64))
    listed = postings.encode_by_document(contents, tf, document_of, 8, 8, 0.1, 127)
    of = postings.decode_by_document(listed, 8, 127)
    assert of is not None
    for bytes_ in (coded, listed):
        for _ in range(data.draw(st.integers(1, 4))):
            bytes_[data.draw(st.integers(0, bytes_.size - 1))] = data.draw(st.integers(0, 255))
    columns = np.zeros(999, np.uint8), np.zeros((99, 4), np.int32), np.zeros((20, 2), np.int64)
    owners, every = (np.arange(4000) // 40).astype(np.int32), np.ones(4000, np.bool_)
    for call in (
        lambda: postings.decode_list(coded),
        lambda: postings.decode_by_document(listed, 8, 127),
        lambda: postings.decode_position_list(coded, tf),
        lambda: postings.postings_of(coded, of[0], of[2], of[4], of[5], np.unique(document_of), 8),
        lambda: postings.count_documents(coded, np.cumsum(sizes), owners, every),
        lambda: postings.held_by(coded, np.cumsum(sizes), every),
        lambda: postings.keys_by_document(coded, np.cumsum(sizes), owners, 100),
        lambda: postings.postings_by_content(coded, np.cumsum(sizes), 4000),
        lambda: postings.keep_coded(coded, listed, columns, 8, 7, 8, 127, 100),
    ):
        with contextlib.suppress(IndexError):
            call()


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.floats(0, 3), st.floats(0, 1), st.floats(-2, 9))
def test_weights_have_the_bits_of_the_printed_formulas(kf: list[int], k1: float, B: float, power: float) -> None:
    counts, dl = np.array(kf, np.int32), np.arange(len(kf)) * 5 + np.array(kf)
    factor = float(weights.raised(np.log(1.0 + (40 - 3 + 0.5) / (3 + 0.5)), power))
    assert (
        topk.bm25(counts, dl, 12.5, factor, k1, B).tolist()
        == weights.bm25(counts, dl, 12.5, 3, 40, k1, B, power).tolist()
    )
    xi_k = np.minimum(counts, 3)
    printed = weights.trix2005(counts, dl + 1, xi_k, 0.7, k1, B)
    assert topk.trix2005(counts, dl + 1, xi_k, 0.7, k1, B).tolist() == printed.tolist()


@settings(max_examples=50)
@given(st.data())
def test_elements_are_named_uncompiled_as_compiled_and_damaged_parents_are_an_index_error(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    rows = np.zeros((n, 4), np.int32)
    rows[:, 0] = [data.draw(st.integers(-1, i - 1)) for i in range(n)]
    rows[0, 0] = -1
    step, same, position = (np.array([data.draw(st.integers(0, 12)) for _ in range(n)], np.int32) for _ in range(3))
    steps = [f"/{'t' * k}é".encode() for k in range(13)]
    parts = np.frombuffer(b"".join(steps), np.uint8), np.cumsum([0, *map(len, steps)])
    firsts = np.flatnonzero(rows[:, 0] < 0)
    elements = np.arange(n, dtype=np.int32)[::2].copy()
    documents = np.searchsorted(firsts, elements, side="right") - 1
    blocks = np.array([0, n // 2, n]) if n > 1 else np.array([0, n])
    found = []
    for kernels in (namer, uncompiled("names")):
        results = [
            kernels.write_labels(elements, documents, rows, position),
            kernels.write_paths(elements, rows, step, same, *parts),
            *kernels.write_addresses(elements, firsts, blocks, np.ones(3, np.uint8), rows, step, same, *parts),
        ]
        found.append([each.tolist() for each in results])
        assert (
            kernels.write_addresses(elements, firsts, blocks, np.zeros(3, np.uint8), rows, step, same, *parts)[1]
            is None
        )
    assert found[0] == found[1] and found[0][2] == documents.tolist() and found[0][1] == found[0][3]
    label = bytes(found[0][0]).decode().split("\n")[-1]
    x, up = int(elements[-1]), list[str]()
    while rows[x, 0] >= 0:
        up.append(str(position[x]))
        x = int(rows[x, 0])
    assert label == ".".join([str(documents[-1] + 1), *reversed(up)])
    rows[data.draw(st.integers(0, n - 1)), 0] = data.draw(st.integers(-5, 2 * n))
    with contextlib.suppress(IndexError):
        namer.write_labels(elements, documents, rows, position)
