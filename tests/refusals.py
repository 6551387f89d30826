"""Gives every public function and class of the kernels wrong input; run as a process of its own, which may crash.

    python -m tests.refusals       prints what was not refused, a line each; "asking NAME" goes to stderr before

Parameters that are declared as arrays refuse what is none, and arrays of another type, number of dimensions or order,
with a TypeError or a ValueError. Others take what can be made an array; whatever is given, none may crash.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import trix.core
from trix.core import topk

CORE = Path(trix.core.__file__).parent
TYPES = {
    "uchar": np.uint8, "int": np.int32, "uint": np.uint32, "longlong": np.int64, "ulonglong": np.uint64,
    "ushort": np.uint16, "double": np.float64, "float": np.float32,
}  # fmt: skip
REFUSED = (TypeError, ValueError)
RAISED = (*REFUSED, LookupError, AttributeError, ArithmeticError, MemoryError, BufferError)
"""What a function may raise over objects that are no arrays, or arrays that do not fit together."""


def array_of(annotation: str) -> tuple[type, int] | None:
    """Return the type and the number of dimensions of a declared array, as ``cython.const[cython.int][:, ::1]``."""
    if "[:" not in annotation:
        return None
    kind, _, shape = annotation.replace("cython.const[", "").replace("cython.", "").rpartition("[")
    return TYPES[kind.rstrip("]")], shape.count(",") + 1


def right(annotation: str) -> Any:
    """Return an argument that its declaration takes."""
    array = array_of(annotation)
    if array is not None:
        return np.zeros((4,) * array[1], array[0])
    return 1 if annotation.startswith("cython.") else np.zeros(4, np.int64)


def wrong(annotation: str) -> Iterator[tuple[str, Any]]:
    """Yield arguments that a declared array must refuse."""
    array = array_of(annotation)
    assert array is not None
    kind, dimensions = array
    sound: Any = np.zeros((4,) * dimensions, kind)
    yield "None", None
    yield "a number", 7
    yield "text", "abc"
    yield "a list", [0, 1]
    yield "another type", np.zeros(sound.shape, np.int16)
    yield "another kind", np.zeros(sound.shape, np.complex64)
    yield "objects", np.zeros(sound.shape, object)
    yield "another order of bytes", sound.astype(sound.dtype.newbyteorder()) if sound.itemsize > 1 else None
    yield "more dimensions", np.zeros((*sound.shape, 2), kind)
    yield "no dimension", np.zeros((), kind)
    if "::1" in annotation:
        yield "steps", np.zeros((8,) * dimensions, kind)[(slice(None, None, 2),) * dimensions]
        if dimensions > 1:
            yield "columns first", np.asfortranarray(np.zeros((4, 3), kind))


def functions() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Yield the public functions and methods of all kernels, and the declarations of their parameters."""
    for path in sorted(CORE.glob("*.py")):
        if path.stem in ("__init__", "steps"):
            continue
        module = importlib.import_module(f"trix.core.{path.stem}")
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and hasattr(module, node.name):
                arguments = [ast.unparse(each.annotation) if each.annotation else "" for each in node.args.args]
                yield f"{path.stem}.{node.name}", getattr(module, node.name), arguments


def ask(name: str, call: Callable[..., Any], arguments: Sequence[Any]) -> BaseException | None:
    """Return what a call raises; a crash leaves its name on stderr."""
    print(f"asking {name}", file=sys.stderr, flush=True)
    try:
        call(*arguments)
    except Exception as error:
        return error
    return None


def check_functions() -> Iterator[str]:
    """Yield what functions let pass."""
    pool = [None, 7, -1, "abc", np.zeros(0, np.int32), np.zeros(3, np.int64), np.full(3, -5, np.int32), np.eye(3)]
    for name, function, arguments in functions():
        for place, annotation in enumerate(arguments):
            if array_of(annotation) is None:
                continue
            for what, value in wrong(annotation):
                given = [*map(right, arguments[:place]), value, *map(right, arguments[place + 1 :])]
                error = ask(f"{name}: {what} at {place}", function, given)
                if not isinstance(error, REFUSED):
                    yield f"{name}: {what} at {place}: {error!r}"
        objects = [place for place, annotation in enumerate(arguments) if not annotation]
        for turn, values in enumerate(itertools.islice(itertools.product(pool, repeat=min(len(objects), 3)), 600)):
            given = [right(annotation) for annotation in arguments]
            for at, value in enumerate(values):
                given[objects[(at + turn) % len(objects)]] = value
            error = ask(f"{name}: objects {turn}", function, given)
            if error is not None and not isinstance(error, RAISED):
                yield f"{name}: objects {turn}: {error!r}"


def sound() -> dict[str, tuple[Any, ...]]:
    """Return arguments with which the classes of the pruned search can be made."""
    ints, longs = np.zeros(4, np.int32), np.zeros(4, np.int64)
    flags, real = np.zeros(4, np.bool_), np.ones(4)
    model = 0, (1.0,) * 6, (real, longs, real), 1.0, 1.0, None
    whole = np.array([1, 0, 0, 0, 0, 0, 0, -1])
    rows, table = np.zeros((8, 4), np.int32), [np.zeros((4, columns), np.int32) for columns in (3, 4, 2)]
    mean = real, real, real, 1.0, False, False, False, 1.0
    return {
        "CachedPostings": (np.zeros(9, np.uint8), rows, np.zeros((1, 2), np.int64), np.zeros(8, np.int64)),
        "DocumentColumns": (longs, longs, longs, np.zeros(4, np.uint8), longs),
        "ElementTable": (*table, ints, (flags, flags, flags)),
        "CompiledQuery": (whole, np.ones(5), (model, model), (), ints, 1),
        "Terms": (longs, longs, longs - 1, real, 1),
        "CompiledForm": (0, 1.0, real, 1.0, (ints,) * 5, (), None, None),
        "Additions": ([], longs, None, None),
        "Demands": (1, np.zeros((1, 1), np.bool_), np.zeros(1, np.int64), None),
        "PathContext": (mean, False, False, (real, real, flags, False, 1.0)),
        "CompiledSelection": (False, 0, 0, 0, (False, ints, ints, 0.0, 1.0)),
    }


def replaced(value: Any, path: tuple[int, ...], by: Any) -> Any:
    """Return nested tuples with another value at a place."""
    if not path:
        return by
    return (*value[: path[0]], replaced(value[path[0]], path[1:], by), *value[path[0] + 1 :])


def leaves(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the places of nested tuples, and what is there."""
    if isinstance(value, tuple):
        for at, each in enumerate(value):
            yield from leaves(each, (*path, at))
    else:
        yield path, value


def check_classes() -> Iterator[str]:
    """Yield what the classes let pass."""
    for name, arguments in sound().items():
        kind = getattr(topk, name)
        kind(*arguments)
        for path, value in leaves(arguments):
            if not isinstance(value, np.ndarray):
                continue
            for what, other in (
                ("None", None), ("text", "abc"), ("more dimensions", np.zeros((*value.shape, 2), value.dtype)),
            ):  # fmt: skip
                given = replaced(arguments, path, other)
                error = ask(f"topk.{name}: {what} at {path}", kind, given)
                if not isinstance(error, (*REFUSED, AttributeError)):
                    yield f"topk.{name}: {what} at {path}: {error!r}"
    made = {name: getattr(topk, name)(*arguments) for name, arguments in sound().items()}
    every = [
        made["CachedPostings"], np.zeros((0, 2), np.float32), made["CompiledQuery"], made["PathContext"],
        made["Additions"], made["ElementTable"], made["CompiledSelection"], made["Demands"],
        None, (2, 0), 10, 10, (0.0, 0.0), 1e300,
    ]  # fmt: skip
    for at in range(len(every)):
        for value in (None, "abc", np.zeros((2, 2), np.int16), ()):
            given = [*every[:at], value, *every[at + 1 :]]
            search = topk.Search(made["DocumentColumns"])
            error = ask(f"topk.Search: {value!r} at {at}", search.first_results, given)
            if not isinstance(error, RAISED) and not (at == 8 and value is None):
                yield f"topk.Search: {value!r} at {at}: {error!r}"
    for value in (None, 7, "abc", made["CompiledQuery"]):
        if not isinstance(ask(f"topk.Search: {value!r}", topk.Search, [value]), REFUSED):
            yield f"topk.Search of {value!r}"


def main() -> int:
    """Print what was not refused."""
    passed = [*check_functions(), *check_classes()]
    print("\n".join(passed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
