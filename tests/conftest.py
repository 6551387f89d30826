"""What tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests import lab_samples
from trix.cli import main
from trix.lab.plan.toml import read_experiment
from trix.lab.run.sweep import sweep

# How long an example takes says nothing: compiled loops are loaded in the first, and the machine has other work.
settings.register_profile("whole", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=5)
settings.load_profile(os.environ.get("TRIX_TESTS", "whole"))
FEW = settings().max_examples if os.environ.get("TRIX_TESTS") == "fast" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every property the few examples of the fast lane, also one that asks for more."""
    if FEW is None:
        return
    for item in items:
        test = getattr(item, "obj", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples > FEW:
            test._hypothesis_internal_use_settings = settings(own, max_examples=FEW)


@pytest.fixture(autouse=True)
def _study(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search with the papers' defaults, whose values tests hold, where a test is not marked `reading`."""
    if request.node.get_closest_marker("reading") is None:
        monkeypatch.setattr("trix.query.options.usual_preset", lambda _: "study")


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
