"""The rooms of the house form floors: who may know whom, how large a room is, and how modules in it are called.

An import counts wherever it stands, also inside a function or under ``TYPE_CHECKING``: it is what a reader of the
module has to know. So a change of any module can reach only rooms above its own.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import pytest

from scripts.parts.docs import modules as modules_page
from tests.paths import ROOT

PACKAGE = ROOT / "trix"
LARGEST_ROOM = 15

EVERYBODYS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "core": ("errors", "support"),
    "support": ("errors",),
    "presets": (),
    "setting": ("errors", "support", "presets"),
    "settings": ("errors", "support", "presets", "setting"),
}
"""What every room may know, and what of one another these know."""

TWINS = ("_loops", "_tree")
"""Endings of a module that belongs to another: its compiled loops, the syntax tree of its language."""

FLOORS: dict[str, str] = {
    # XML in, index out
    "indexer.profile": "",
    "indexer.words": "",
    "indexer.commit": "",
    "indexer.languages": "indexer.profile indexer.words indexer.commit",
    "indexer.document": "indexer.profile indexer.words indexer.languages",
    "indexer.markup": "indexer.profile indexer.words indexer.languages indexer.document",
    "indexer.places": "indexer.profile indexer.words indexer.document",
    "indexer.store.inverted": "indexer.commit",
    "indexer.store": "indexer.profile indexer.words indexer.languages indexer.document indexer.commit "
    "indexer.places indexer.store.inverted",
    "indexer.fields": "indexer.profile indexer.words indexer.languages indexer.document indexer.commit indexer.places "
    "indexer.store",
    "indexer.collection": "indexer.commit",
    "indexer.suggest": "indexer.profile indexer.words indexer.languages indexer.document indexer.collection",
    "indexer.read": "indexer.profile indexer.words indexer.document indexer.markup indexer.commit indexer.store "
    "indexer.collection",
    "indexer.write.inverted": "indexer.words indexer.commit indexer.store indexer.store.inverted",
    "indexer.write": "indexer.profile indexer.words indexer.languages indexer.document indexer.markup indexer.commit "
    "indexer.places indexer.store "
    "indexer.fields indexer.collection indexer.read indexer.write.inverted",
    # many machines
    "cluster": "",
    "cluster.making": "indexer.profile indexer.commit indexer.store indexer.collection indexer.write cluster",
    "indexer.change": "indexer.profile indexer.words indexer.languages indexer.document indexer.commit indexer.store "
    "indexer.fields indexer.collection indexer.suggest indexer.write cluster.making",
    "indexer.checking": "indexer.words indexer.languages indexer.commit indexer.store indexer.store.inverted "
    "indexer.fields indexer.change",
    "indexer": "indexer.profile indexer.words indexer.commit indexer.collection indexer.store indexer.write "
    "indexer.change",
    # index and query in, ranked elements out
    "query.language": "indexer.words",
    "query.matching": "indexer.profile indexer.words indexer.store query.language",
    "query.scoring": "indexer.store query.language query.matching",
    "query.context": "query.language query.matching",
    "query.ranking": "query.matching",
    "query.term_cache": "indexer.store indexer.store.inverted query.language query.matching",
    "query.topk": "indexer.store indexer.store.inverted query.language query.matching query.scoring "
    "query.context query.ranking query.term_cache",
    "query.naming": "indexer.profile indexer.words indexer.document indexer.places indexer.store indexer.read "
    "query.matching",
    "query.structured": "indexer.profile indexer.words indexer.document indexer.store query.language query.matching "
    "query.scoring query.context query.naming",
    "query": "indexer.words indexer.languages indexer.store indexer.fields query.language query.matching query.scoring "
    "query.context query.ranking query.naming query.structured query.topk",
    "query.strategies": "indexer.store indexer.fields query.language query.matching query.scoring query.context "
    "query.ranking query.naming query.topk query.structured query",
    "query.display": "indexer.words indexer.document indexer.store indexer.fields indexer.read query.language "
    "query.ranking query.naming query",
    "cluster.searching": "indexer.commit indexer.store indexer.change query.language query.matching query.ranking "
    "query.scoring query.structured query cluster",
    # runs and assessments in, measures out
    "eval.formats.reading": "",
    "eval.data": "eval.formats.reading",
    "eval.formats.runs": "eval.formats.reading eval.data",
    "eval.formats.qrels": "eval.formats.reading eval.data eval.formats.runs",
    "eval.formats.topics": "eval.formats.reading",
    "eval.formats": "eval.formats.reading eval.data eval.formats.runs eval.formats.qrels",
    "eval.measures": "",
    "eval.measures.core": "eval.data eval.formats.reading",
    "eval.measures.documents": "eval.data eval.measures.core",
    "eval.measures.elements": "eval.data eval.formats.reading eval.measures.core",
    "eval.measures.passages": "eval.data eval.measures.core eval.measures.documents eval.measures.elements",
    "eval": "eval.data eval.formats.reading eval.formats.runs eval.formats eval.measures.core eval.measures.passages",
    "eval.studies": "eval.data eval.formats.topics eval.measures.core eval.measures.elements eval.measures.passages "
    "eval",
    "eval.output": "eval.data eval.measures.core eval eval.studies",
    # what people meet: the library, other people's tools, the laboratory, the handbook, the command line
    "api": "indexer.* query.* eval eval.formats.topics cluster.searching",
    "": "indexer indexer.change indexer.checking query.display eval eval.data eval.formats eval.formats.topics "
    "eval.studies api",
    "integrations": "eval eval.data eval.measures.core datasets.catalogue api :",
    "web.site": "indexer.commit indexer.store api",
    "web.safety": "",
    "web.reading": "indexer.* query query.naming query.display api",
    "web.pages": "indexer.profile indexer.fields query query.display api handbook web.site web.reading web.safety",
    "web.api": "indexer.fields query query.display api : web.site web.reading web.safety",
    "web": "api web.site web.safety web.reading web.pages web.api",
    "publish": "indexer.profile indexer.store indexer.store.inverted query query.matching query.context api web.site "
    "web.safety web.reading web.pages",
    "handbook": "indexer.profile indexer.document eval.* :",
    "datasets.sources": "indexer.profile indexer.document",
    "datasets.silver": "indexer.words datasets.sources",
    "datasets.catalogue": "eval eval.data eval.formats.qrels datasets.sources datasets.silver",
    "datasets": "indexer.profile indexer.document eval eval.data eval.formats eval.formats.qrels eval.formats.runs",
    "lab.plan": "eval.measures.core indexer.commit query.context query",
    "lab.run": "indexer.commit indexer.store query.* eval.* lab.plan cluster api :",
    "lab.report": "eval.measures.core eval.studies eval.output lab.plan lab.run",
    "lab.stats": "indexer.profile eval.data eval.output lab.plan lab.run",
    "lab": "eval.measures.core eval.studies eval.output lab.plan lab.run lab.report",
    "papers.base": "datasets eval eval.data eval.formats eval.formats.topics eval.output eval.studies lab.plan "
    "lab.report lab.run api :",
    "papers.experiments": "eval.* lab.plan lab.report lab.run lab.stats query.context query.matching api papers.base",
    "papers": "papers.base papers.experiments",
    "cli": "indexer.commit indexer.profile query.context query.display eval.* handbook cluster api :",
    "cli.commands": "indexer.* query.* eval.* lab.* handbook datasets.* papers papers.base integrations web "
    "web.reading publish api cli :",
}
"""Room -> the rooms below it that its modules may import. ``x.*`` is x and all rooms in it; ``:`` is `trix` itself, and
the empty room its front door."""

Graph = Mapping[str, set[str]]


def modules() -> dict[str, Path]:
    """Return the file of every module of the package by its name without ``trix.``."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room_of(module: str) -> str:
    """Return the room that a module is in; a module at the top is a room of its own, a package its own front door."""
    return module if MODULES[module].name == "__init__.py" or "." not in module else module.rpartition(".")[0]


def imports(path: Path) -> set[str]:
    """Return the modules of the package that a file imports anywhere."""
    found = set()
    open_: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while open_:
        node = open_.pop()
        # an expression holds no import, and what is left is a tenth
        open_ += [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.stmt | ast.excepthandler | ast.match_case)]
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports by their full names are what these tests see"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole.removeprefix("trix.") in MODULES else str(node.module))
    inside = {name.partition(".")[2] for name in found if name.partition(".")[0] == "trix"}
    return inside & set(MODULES)


@cache
def graph() -> Graph:
    """Return which modules each module imports."""
    return {name: imports(path) - {name} for name, path in MODULES.items()}


def circles(graph: Graph) -> list[list[str]]:
    """Return what of a graph can reach itself, a list for each circle or knot of them.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}})
    [['b', 'c']]
    """

    def reached(start: str) -> set[str]:
        found, open_ = set[str](), [start]
        while open_:
            for after in graph.get(open_.pop(), set()) - found:
                found.add(after)
                open_.append(after)
        return found

    reach = {name: reached(name) for name in graph}
    knots = {tuple(sorted(b for b in reach[a] if a in reach.get(b, ()))) for a in graph if a in reach[a]}
    return [list(knot) for knot in sorted(knots)]


def allowed(room: str) -> set[str]:
    """Return the rooms that one may import."""
    found = set(EVERYBODYS)
    for word in FLOORS[room].split():
        family = word.removesuffix(".*")
        found |= {"" if word == ":" else family}
        if family != word:
            found |= {other for other in FLOORS if other.startswith(family + ".")}
    return found


def families(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of modules in one room that share what is before the first underscore.

    >>> families(["run_read", "run_write", "run", "runs", "run_loops"])
    [('run', 'run_read'), ('run', 'run_write'), ('run_read', 'run_write')]
    """
    own = [name for name in sorted(names) if not name.endswith(TWINS) and not name.startswith("_")]
    return [(a, b) for a, b in combinations(own, 2) if a.partition("_")[0] == b.partition("_")[0]]


def test_no_module_knows_itself_by_way_of_others() -> None:
    assert circles(graph()) == []


def test_a_circle_is_found_wherever_the_import_stands(tmp_path: Path) -> None:
    path = tmp_path / "some.py"
    path.write_text(
        "from typing import TYPE_CHECKING\nfrom trix.query import options\n"
        "if TYPE_CHECKING:\n    from trix.query.search import Searcher\n"
        "def late():\n    import trix.errors\n    from trix import build\n"
    )
    assert imports(path) == {"query.options", "query.search", "errors", ""}


def test_every_room_is_on_a_floor_and_the_floors_are_in_order() -> None:
    rooms = {room_of(module) for module in MODULES} - {*EVERYBODYS, "__main__"}
    assert rooms == set(FLOORS)
    assert circles({room: allowed(room) for room in FLOORS}) == []


def test_a_room_knows_only_rooms_below_it() -> None:
    rooms = {room: allowed(room) if room in FLOORS else set(EVERYBODYS[room]) for room in [*FLOORS, *EVERYBODYS]}
    wrong = [
        f"{room}: {module} imports {other}"
        for room, may in rooms.items()
        for module, others in graph().items()
        if room_of(module) == room
        for other in sorted(others)
        if room_of(other) not in may | {room}
    ]
    assert wrong == []


def test_no_room_has_more_modules_than_one_can_look_over() -> None:
    sizes: dict[str, int] = defaultdict(int)
    for path in MODULES.values():
        if path.name != "__init__.py":
            sizes[str(path.parent.relative_to(PACKAGE))] += 1
    assert {room: size for room, size in sizes.items() if size > LARGEST_ROOM} == {}


NO_ROOMS = {"project", "data", "oracle"}
"""Folders of tests for no room of the package: the project itself, files to read, the literal oracle."""


def test_tests_lie_in_folders_by_the_rooms_of_the_package() -> None:
    folders: dict[str, int] = defaultdict(int)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        folders[str(path.parent.relative_to(ROOT / "tests"))] += 1
    assert {folder for folder in folders if not (PACKAGE / folder).is_dir()} - NO_ROOMS == set()
    assert "." not in folders
    assert {folder: size for folder, size in folders.items() if size > LARGEST_ROOM} == {}


def test_no_modules_share_a_prefix_where_a_room_would_say_it() -> None:
    rooms = {path.parent for path in MODULES.values()}
    found = {str(room.relative_to(ROOT)): families(path.stem for path in room.glob("*.py")) for room in rooms}
    assert {room: pairs for room, pairs in found.items() if pairs} == {}


NAMED = re.compile(r"`{1,2}(trix(?:\.\w+)+)`{1,2}|(?:class|func|mod|meth):`(trix(?:\.\w+)+)`")


def names_in(text: str) -> list[str]:
    """Return the dotted names of the package in backticks.

    >>> names_in("see `trix.errors` and :func:`trix.api.index.Index`, not `trix INDEX`")
    ['trix.errors', 'trix.api.index.Index']
    """
    return [one or other for one, other in NAMED.findall(text)]


def is_there(name: str) -> bool:
    """Tell whether a dotted name leads to a module, or to something in one."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        module = ".".join(parts[:size])
        try:
            if find_spec(module) is None:
                continue
        except ModuleNotFoundError:
            continue
        found: object = import_module(module)
        for part in parts[size:]:
            if part not in getattr(found, "__annotations__", {}) and not hasattr(found, part):
                return False
            found = getattr(found, part, None)
        return True
    return False


PAGES = [*MODULES.values(), *sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def test_what_is_named_in_backticks_is_there() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in PAGES
        if path.name != "CHANGELOG.md"  # which tells of the past
        for name in dict.fromkeys(names_in(path.read_text(encoding="utf-8")))
        if not is_there(name)
    ]
    assert found == []


INVENTED = {"trix/eval/measures/documents/distinct.py", "trix/eval/formats/runs/csv.py"}
"""Files that a recipe of CONTRIBUTING.md asks its reader to write."""


def test_files_named_in_backticks_are_there() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in PAGES
        if path.name != "CHANGELOG.md"
        for name in re.findall(
            r"`((?:trix|tests|docs|scripts|examples)/[\w./-]+)`", path.read_text(encoding="utf-8", errors="replace")
        )
        if name not in INVENTED and "NAME" not in name and not (ROOT / name).exists()
    ]
    assert found == []


@pytest.mark.parametrize("name", ["trix.errors.TrixError", "trix.query.options.Options.of", "trix"])
def test_a_name_that_is_there_is_found(name: str) -> None:
    assert is_there(name)


@pytest.mark.parametrize("name", ["trix.kernels", "trix.query.options.Option", "trix.query.view.Viewer.text"])
def test_a_name_that_is_not_there_is_not_found(name: str) -> None:
    assert not is_there(name)


def test_the_list_of_modules_is_up_to_date() -> None:
    assert (ROOT / "docs" / "modules.md").read_text(encoding="utf-8") == modules_page.page(), "run scripts/docs modules"


def test_architecture_has_a_paragraph_for_every_folder_and_is_short() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.parent.relative_to(ROOT).as_posix() for path in MODULES.values()}
    assert {room for room in rooms - {"trix"} if f"]({room})" not in page} == set()
    assert page.count("\n") <= 400


def test_every_room_says_what_it_is_for() -> None:
    short = [
        str(path.parent.relative_to(ROOT))
        for path in MODULES.values()
        if path.name == "__init__.py" and len(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "") < 20
    ]
    assert short == []
