"""What tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import trix
from build_backend.toolchain import is_stale
from tests import lab_samples
from tests.living_samples import ARTICLE
from tests.paths import ROOT
from trix.cli import main
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.write import builder
from trix.lab.plan.toml import read_experiment
from trix.lab.run.sweep import sweep

# How long an example takes says nothing: compiled loops are loaded in the first, and the machine has other work.
settings.register_profile("whole", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=5)
# Where a change is judged, the change decides and not the draw; whoever runs the tests elsewhere draws anew.
settings.register_profile("settled", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("TRIX_TESTS", "whole"))
SETTLED = os.environ.get("TRIX_TESTS") == "settled"
FEW = settings().max_examples if os.environ.get("TRIX_TESTS") == "fast" else None


def pytest_configure() -> None:
    """Refuse to test kernels that are older than their sources, where those are here and no wheel is tested."""
    if Path(trix.__file__).is_relative_to(ROOT) and is_stale():
        raise pytest.UsageError("trix/core has changed since it was built: run pip install --no-deps --editable .")


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_disks() -> Iterator[None]:
    """Do not wait in the fast lane until bytes are on a disk, thousands of times: no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        if FEW is not None:
            patch.setattr(os, "fsync", lambda handle: None)
        yield


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every property the few examples of the fast lane, also one that asks for more; an eighth where settled.

    Settled examples are the same each time, so that eight times as many of them find little more. That lane leaves out
    what is lengthy, too: CI has fifteen minutes.
    """
    if os.environ.get("TRIX_TESTS") not in ("fast", "settled"):
        return
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("lengthy")])
    items[:] = [item for item in items if not item.get_closest_marker("lengthy")]
    seen = set[int]()
    for item in items:
        test = getattr(item, "obj", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is None or id(test) in seen:  # a test with several parameters is there several times
            continue
        seen.add(id(test))
        most = FEW or max(5, own.max_examples // 8)
        if own.max_examples > most:
            test._hypothesis_internal_use_settings = settings(own, max_examples=most)


@pytest.fixture(autouse=True)
def _study(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search with the papers' defaults, whose values tests hold, where a test is not marked `reading`."""
    if request.node.get_closest_marker("reading") is None:
        monkeypatch.setattr("trix.query.options.usual_preset", lambda _: "study")


def pytest_collection_finish() -> None:
    """Keep what was imported and collected from the collector of garbage, and call it less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, *gc.get_threshold()[1:])  # as `trix.__main__` does


@pytest.fixture(params=[MarkupReader, DocumentReader], ids=["markup", "trees"])
def both_readers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build with the reader of markup, and with that of trees."""
    monkeypatch.setattr(builder, "reader_for", request.param)


Cli = Callable[..., tuple[int, str, str]]
"""Runs a command: exit code, standard output, standard error."""


@pytest.fixture
def run_cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return what runs a command in this process."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Return a folder of three articles, one of them in a folder of its own."""
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    for name in ("one", "two", "sub/three"):
        (folder / f"{name}.xml").write_text(ARTICLE.format(name))
    return folder


@pytest.fixture
def index(docs: Path, tmp_path: Path) -> Path:
    """Return an index of the three articles."""
    trix.build(docs, tmp_path / "i", jobs=1, profile="generic")
    return tmp_path / "i"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index, topics, judgements and an experiment."""
    folder = lab_samples.make(tmp_path_factory.mktemp("lab"))
    (folder / "e.toml").write_text(lab_samples.EXPERIMENT)
    return folder


@pytest.fixture(scope="module")
def swept(place: Path) -> Path:
    """Return the results of the experiment."""
    sweep(read_experiment(place / "e.toml"), place / "swept", jobs=1)
    return place / "swept"
