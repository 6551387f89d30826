"""Guards over the project itself: what is in the tree, what is in the wheel, what is said in public."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import trix
from tests.paths import ROOT
from trix.support.extras import DISTRIBUTION

PACKAGE = ROOT / "trix"
SIGNPOSTS = ("indexer", "query", "eval")
NAMED = re.compile(rf"^\s*(?:from\s+|import\s+(?:.*,\s*)?)(?:{'|'.join(SIGNPOSTS)})\b", re.MULTILINE)
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = PACKAGE / "core"
LONGEST_MODULE = 400

# Written in pieces, so that this file does not match itself.
MACHINE_PATH = re.compile(r"(?<![\w./*\])}>-])/(?:ho" + r"me|wo" + r"rk|tm" + r"p|Us" + r"ers)/\w")
REGISTRY = re.compile("py" r"pi\.|pythonho" r"sted|artifa" r"ctory|--(?:extra-)?ind" r"ex-url|npm" r"js\.")

OLD_DISTRIBUTION = re.compile(
    r"(?<![\w.-])tr"
    r"ix\\?\[(?!\d)|pip\w*\s+(?:inst"
    r"all|show)\s+(?:-\S+\s+)*['\"]?tr"
    r"ix(?![-\w])|versi"
    r"on\(['\"]tr"
    r"ix['\"]"
)


def shipped_files() -> list[Path]:
    """Return the files that git tracks and those it would; in a copy without git, all but caches and environments."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split("\0")
        files = [ROOT / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        files = [
            path
            for path in ROOT.rglob("*")
            if not any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(ROOT).parts[:-1])
        ]
    return sorted(path for path in files if path.is_file() and not path.is_symlink())


def text_of(path: Path) -> str:
    """Return a file's text, empty for one that is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


@pytest.mark.parametrize("name", SIGNPOSTS)
def test_a_root_link_leads_to_its_package(name: str) -> None:
    link = ROOT / name
    if not link.is_symlink():
        pytest.skip("this checkout has no symbolic links")
    assert link.resolve() == PACKAGE / name
    assert not link.readlink().is_absolute()


def imported_modules(path: Path) -> list[tuple[int, str]]:
    """Return line and name of every module that a file imports by its full name; of none that names no root link."""
    if not NAMED.search(text_of(path)):
        return []
    found = []
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append((node.lineno, node.module or ""))
    return found


def test_no_package_is_imported_by_the_name_of_its_root_link() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {module}"
        for folder in ("trix", "tests", "scripts")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, module in imported_modules(path)
        if module.partition(".")[0] in SIGNPOSTS
    ]
    assert found == []


def test_the_distribution_is_named_in_one_place_of_the_package_and_by_its_present_name_everywhere() -> None:
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    assert project["name"] == DISTRIBUTION
    texts = {str(path.relative_to(ROOT)): text_of(path) for path in shipped_files()}
    assert {name: found[0] for name, text in texts.items() if (found := OLD_DISTRIBUTION.search(text))} == {}
    package = [
        name
        for name, text in texts.items()
        if name.startswith("trix/") and name.endswith(".py") and DISTRIBUTION in text
    ]
    assert package == ["trix/support/extras.py"]


def test_every_extra_that_is_named_is_there() -> None:
    extras = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    named = re.compile(rf"install_hint\(['\"]([\w-]+)|{DISTRIBUTION}\\?\[([\w,-]+)\\?\]")
    found = {
        extra
        for path in shipped_files()
        for hint in named.finditer(text_of(path))
        for extra in (hint[1] or hint[2]).split(",")
    }
    assert found >= {"web", "plot", "dask", "cloud"}
    assert found - set(extras) == set()


def test_all_is_every_extra_for_users_and_each_has_a_row_in_the_page_on_installing() -> None:
    extras = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    (inside,) = (re.fullmatch(rf"{DISTRIBUTION}\[([\w,-]+)\]", each) for each in extras["all"])
    assert inside and sorted(inside[1].split(",")) == sorted(set(extras) - {"all", "test"})
    rows = re.findall(
        r"^\| (`.+?`) \| .+ \|$", text_of(ROOT / "docs" / "install.md").partition("## Extras")[2], re.MULTILINE
    )
    listed = [name.strip("`") for row in rows for name in row.split(", ")]
    assert [name for name in listed if "/" not in name] == list(extras)


def test_the_name_of_the_distribution_is_a_command_too() -> None:
    """`pipx run` and `uvx` look for a command with the name of what they install."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    assert project["scripts"] == dict.fromkeys(("trix", DISTRIBUTION), "trix.__main__:process")


def test_the_version_is_the_same_wherever_it_stands() -> None:
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    cited = re.findall(r"^version: (.+)$", text_of(ROOT / "CITATION.cff"), re.MULTILINE)
    assert [project["version"], *cited] == [trix.__version__] * 2


def test_a_module_says_what_it_is_for_and_is_short() -> None:
    texts = {str(path.relative_to(ROOT)): text_of(path) for path in MODULES}
    kernels = f"{CORE.relative_to(ROOT)}/"  # a module is as long as its one algorithm needs
    assert [name for name, text in texts.items() if not re.match(r'"""\S', text)] == [], "no module docstring"
    lengths = {name: len(text.splitlines()) for name, text in texts.items() if not name.startswith(kernels)}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_integrations_have_no_doctests_which_pytest_would_not_see() -> None:
    assert [path.name for path in MODULES if path.parent.name == "integrations" and ">>>" in text_of(path)] == []


def test_the_public_names_are_these_and_each_is_there() -> None:
    import trix

    assert trix.__all__ == [
        "Changes", "Document", "Index", "Qrels", "Resolver", "Result", "Results", "Run", "TrixError", "Writer",
        "__version__", "build", "check", "evaluate", "fuse", "open", "read_qrels", "read_run", "read_topics", "write",
    ]  # fmt: skip
    assert [name for name in trix.__all__ if not hasattr(trix, name)] == []
    assert set(trix.__all__) <= set(dir(trix))


def test_every_folder_of_the_package_with_python_in_it_is_a_package() -> None:
    folders = {path.parent for path in MODULES}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_no_file_names_a_path_or_a_registry_of_one_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in shipped_files()
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if MACHINE_PATH.search(line) or REGISTRY.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("cat /wo" + "rk/shared/x", True),
        ('open("/tm' + 'p/x")', True),
        ("see https://example.org/ho" + "me/x", False),
        ("//wo" + "rk/title", False),
        ("article[1]/wo" + "rk/p", False),
    ],
)
def test_the_guard_for_paths_knows_a_path_from_an_address(line: str, bad: bool) -> None:
    assert bool(MACHINE_PATH.search(line)) is bad


def test_local_links_of_the_documentation_lead_somewhere() -> None:
    broken = []
    for path in shipped_files():
        if path.suffix != ".md":
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", text_of(path)):
            if not re.match(r"[a-z]+:|#", target) and not (path.parent / target.partition("#")[0]).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_scripts_are_few_say_what_they_do_and_parse() -> None:
    listed = (ROOT / "docs" / "install.md").read_text("utf-8")
    entries = [path for path in sorted((ROOT / "scripts").iterdir()) if path.is_file()]
    assert len(entries) <= 12, "parts of scripts belong into scripts/parts"
    for path in entries:
        subprocess.run(["bash", "-n", str(path)], check=True)
        assert path.stat().st_mode & 0o111, f"{path.name} is not executable"
        assert f"| `scripts/{path.name}` |" in listed, f"docs/install.md does not list scripts/{path.name}"
        said = text_of(path).splitlines()[1].removeprefix("# ")
        if "help_with" in text_of(path):
            help = subprocess.run([str(path), "--help"], check=True, capture_output=True, text=True).stdout
            assert help.splitlines()[0] == said
    for path in (ROOT / "scripts" / "parts").rglob("*.py"):
        ast.parse(text_of(path))


def test_the_tests_that_run_on_a_wheel_are_there() -> None:
    options = tomllib.loads(text_of(ROOT / "pyproject.toml"))["tool"]["cibuildwheel"]
    named = [*options["test-sources"], *re.findall(r"tests/\S+", options["test-command"])]
    assert len(named) > 3 and [name for name in named if not (ROOT / name).exists()] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel from a copy of the shipped files."""
    if any(importlib.util.find_spec(name) is None for name in ("setuptools", "pip", "Cython")):
        pytest.skip("needs setuptools, Cython and pip to build a wheel without a network")
    if int(importlib.metadata.version("setuptools").partition(".")[0]) < 77:
        pytest.skip("needs setuptools 77 or newer to build a wheel without a network")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for path in shipped_files():
        copy = source / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    setup = source / "setup.py"
    setup.write_text(text_of(setup).replace('"-O3"', '"-O0"'))  # a third of the time: no kernel of it is run
    for name in SIGNPOSTS:
        (source / name).symlink_to(Path("trix") / name)
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--quiet", "-w", str(folder)],
        cwd=source,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("trix_xml-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel_names(wheel: Path) -> set[str]:
    """Return the names in the wheel."""
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_the_wheel_holds_every_module_and_data_file_of_the_package(wheel_names: set[str]) -> None:
    here = {str(path.relative_to(ROOT)) for path in shipped_files() if PACKAGE in path.parents}
    sources = {f"trix/core/{path.name}" for path in CORE.glob("*.p[yx]*") if path.suffix != ".pyi"}
    sources -= {"trix/core/__init__.py"}
    assert here - sources - wheel_names == set()
    assert sources & wheel_names == set()


@pytest.mark.slow
def test_the_wheel_has_an_extension_for_every_kernel_that_loads_under_each_python(
    wheel: Path, wheel_names: set[str]
) -> None:
    assert "-cp311-abi3-" in wheel.name
    built = {name.partition(".")[0] for name in wheel_names if re.fullmatch(r"trix/core/\w+\.abi3\.so", name)}
    assert not [name for name in wheel_names if name.endswith(".c")]
    kernels = {path.stem for path in CORE.glob("*.py")} - {"__init__"}
    assert built == {f"trix/core/{name}" for name in [*kernels, "_shared"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "indexer/profile/presets/*.toml",
        "indexer/words/stop/default.txt",
        "handbook/articles/*.xml",
        "handbook/figures/*.svg",
        "handbook/*.toml",
        "py.typed",
    ],
)
def test_the_wheel_holds_the_data_that_the_program_reads(wheel_names: set[str], pattern: str) -> None:
    wanted = {f"trix/{path.relative_to(PACKAGE)}" for path in PACKAGE.glob(pattern)}
    assert wanted
    assert wanted <= wheel_names


@pytest.mark.slow
def test_the_wheel_puts_only_trix_into_site_packages(wheel_names: set[str]) -> None:
    assert {name.partition("/")[0] for name in wheel_names if ".dist-info/" not in name} == {"trix"}


INVENTED = {"distinct", "distinct.py", "documents.distinct", "read_csv", "write_csv", "YOURS", "NAME"}
"""Names of the recipes' own examples."""


def test_every_name_in_contributing_is_there() -> None:
    others = [f"{path} {text_of(path)}" for path in shipped_files() if path.name != "CONTRIBUTING.md"]
    words = set(re.findall(r"\w+", "\n".join(others)))
    prose = re.sub(r"```.*?```", "", text_of(ROOT / "CONTRIBUTING.md"), flags=re.DOTALL)
    named = {name for quoted in re.findall(r"`([^`]+)`", prose) for name in re.findall(r"[\w.]+", quoted)}
    assert {name for name in named - INVENTED if not set(filter(None, name.split("."))) <= words} == set()
