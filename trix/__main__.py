"""Entry point of the process: `trix`, and `python -m trix`."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from trix.cli import main

OBJECTS = 200_000
"""New objects before a garbage collection: imports create no garbage, and a collection takes 10 ms of a search."""

_codes: list[int] = []  # exit code of the command, when it has ended


def process() -> NoReturn:
    """Run the command of the process, and exit."""
    gc.set_threshold(OBJECTS)
    _codes.append(int(main()))
    sys.exit(_codes[0])


@atexit.register  # none of the imports above registers a function, so this one runs last
def _end_at_once() -> None:
    """Exit without tearing the interpreter down, which takes longer than ranking."""
    if not _codes or threading.active_count() > 1:  # the command failed, or a thread is still running
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or its reader is gone: `main` has reported it
            stream.flush()
    os._exit(_codes[0])


if __name__ == "__main__":
    process()
