"""The command line as a process of its own: `trix`, and `python -m trix`."""

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
"""New objects before garbage is looked for: what is imported is none, and a look at it takes 10 ms of a search."""

_codes: list[int] = []  # exit code of the command, when it has ended


def process() -> NoReturn:
    """Run the command that the process was started for, and end the process."""
    gc.set_threshold(OBJECTS)
    _codes.append(int(main()))
    sys.exit(_codes[0])


@atexit.register  # nothing that is imported above registers a function, so this one runs after all others
def _end_at_once() -> None:
    """End the process without taking the interpreter apart, which takes longer than a search takes to rank."""
    if not _codes or threading.active_count() > 1:  # the command failed, or a thread has to be stopped
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or nobody reads it; `main` has said so
            stream.flush()
    os._exit(_codes[0])


if __name__ == "__main__":
    process()
