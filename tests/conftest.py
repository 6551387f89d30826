"""What tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings

from trix.cli import main

# How long an example takes says nothing: compiled loops are loaded in the first, and the machine has other work.
settings.register_profile("trix", deadline=None)
settings.load_profile("trix")

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
