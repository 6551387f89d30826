"""No module uses a private name of another package: they change without notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.paths import ROOT

DOCUMENTED = {"_asdict", "_exit", "_fields", "_replace"}
"""Public names of Python that begin with an underscore: those of named tuples, and `os._exit`."""

BY_NAME = {"getattr", "setattr", "hasattr", "delattr", "__setattr__"}
"""Functions whose second argument names an attribute."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the private names that a module defines: functions, classes, variables, attributes of its own objects."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.Call(func=ast.Attribute(value=ast.Name(id="object"), attr="__setattr__")):
                yield str(ast.literal_eval(node.args[1])) if isinstance(node.args[1], ast.Constant) else ""


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and full name of each module, or name in a module, that is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{each.name}") for each in node.names)


def used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each private attribute that is read, set or deleted, also by its name in a string."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if is_private(name):
                yield node.lineno, name
            case ast.Call(
                func=ast.Name(id=function) | ast.Attribute(attr=function), args=[_, ast.Constant(value=name), *_]
            ):
                if function in BY_NAME and isinstance(name, str) and is_private(name):
                    yield node.lineno, name


def foreign(tree: ast.AST, known: set[str]) -> list[tuple[int, str]]:
    """Return line and name of the private names in a module that are neither its own nor known to it from others."""
    own = known | DOCUMENTED | set(defined(tree))
    found = [
        (line, name)
        for line, name in imported(tree)
        if not name.startswith("trix.") and any(map(is_private, name.split(".")))
    ]
    return sorted(found + [(line, name) for line, name in used(tree) if name not in own])


def test_no_module_uses_a_private_name_of_another_package() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "trix").rglob("*.py"))}
    names = {path: set(defined(tree)) for path, tree in trees.items()}
    found = []
    for path, tree in trees.items():
        modules = {name for _, name in imported(tree)} | {name.rpartition(".")[0] for _, name in imported(tree)}
        files = [(ROOT / name.replace(".", "/")).with_suffix(".py") for name in modules if name.startswith("trix.")]
        known = set[str]().union(*(names.get(file, set()) for file in files))
        found += [f"{path.relative_to(ROOT)}:{line}: {name}" for line, name in foreign(tree, known)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "from typer._click import core",
        "import a._b.c",
        "from a import _b",
        "parameter._runtime_param = None",
        "pool._processes.clear()",
        "self._opened_by_the_base_class",
        "del other._x",
        "getattr(parameter, '_custom', None)",
        "setattr(parameter, '_custom', 1)",
    ],
)
def test_a_private_name_of_another_package_is_found(line: str) -> None:
    assert [at for at, _ in foreign(ast.parse(line), set())] == [1]


@pytest.mark.parametrize(
    "line",
    [
        "from trix.a import _b",
        "from __future__ import annotations",
        "self._x = 1; other._x",
        "class A:\n _x: int\ndef f(a): return a._x",
        "def _f(): pass\nother._f()",
        "row._replace(a=1)._asdict()",
        "object.__setattr__(self, '_hash', 1); self._hash",
        "self.__class__",
    ],
)
def test_an_own_private_name_is_none_of_another_package(line: str) -> None:
    assert foreign(ast.parse(line), set()) == []
