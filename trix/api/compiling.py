"""The compiled loops made ready while searches are answered by the plain ones.

Loops are compiled once after an installation, which takes half a minute; from then on they are loaded from disk. Nobody
who searches should have to wait for that. Another process does it, since a thread could not be stopped in the middle.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from trix.indexer.store.files import IndexFiles
from trix.support.backend import is_on_disk


def prefer_compiled(files: IndexFiles) -> None:
    """Let the compiled loops answer an index from now on; where they are to be compiled first, once they are.

    Parameters
    ----------
    files
        The index.
    """
    if files.backend.may_compile and not is_compiled():
        threading.Thread(target=compile_first, args=(files,), daemon=True, name="trix-compiling").start()
    else:
        files.backend.prefer_numba()


def compile_first(files: IndexFiles) -> None:
    """Wait until the loops are compiled, then let them answer an index; others who ask it go on meanwhile.

    Parameters
    ----------
    files
        The index, which is searched by `trix.cli.compiling`.
    """
    python = sys.executable or ""
    if files.backend.may_compile and "python" in Path(python).name.lower():  # else another program, which Python is in
        quiet = subprocess.DEVNULL
        with _alone(), suppress(OSError):  # if it cannot be begun, they are compiled here
            if not is_compiled():
                subprocess.run(
                    [python, "-m", "trix.cli.compiling", *map(str, files.paths)],
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                    stdin=quiet, stdout=quiet, stderr=quiet, check=False,
                )  # fmt: skip
    files.backend.prefer_numba()


def is_compiled() -> bool:
    """Return whether the loops of a search are on disk, as far as can be told."""
    from trix.indexer.markup.loops import scan_markup

    return is_on_disk(scan_markup)


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process of this user compiles; where locks are not to be had, two may."""
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            import fcntl

            path = Path(tempfile.gettempdir()) / f"trix-compiling-{os.getuid()}"
            fcntl.flock(stack.enter_context(path.open("a")), fcntl.LOCK_EX)
        yield
