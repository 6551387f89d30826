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


def process() -> NoReturn:
    """Run the command that the process was started for, and end the process.

    The interpreter takes longer to take itself apart than a search takes to rank; so where nothing is left that
    anybody waits for, the process ends at once.
    """
    gc.set_threshold(OBJECTS)
    code = int(main())
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # closed, or nobody reads it; `main` has said so
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    process()
