"""The command line, `trix COMMAND ...`: a thin layer over the library.

Every command parses its arguments, makes one public call of the library, and prints the result. Data goes to stdout,
notices and progress to stderr. The exit codes are those of `trix.errors.ExitCode`.

- `app` has the table of commands, and `help` formats help texts;
- `arguments` rewrites raw arguments of commands with rules of their own (`search`, `run`, `trix INDEX`);
- `options` adds the settings of `trix.settings` to a command and parses their values;
- `table` and `runs` write results, `messages` everything that is not data.

Commands are imported on demand, and numpy and rich only where they are needed: each `trix search` is a new process.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from trix.cli.messages import error_line, one_line, say
from trix.errors import ExitCode, TrixError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Parameters
    ----------
    arguments
        The command line without the program's name; that of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    own = words.index("--") if "--" in words else len(words)
    debug = "--debug" in words[:own]
    words = [word for place, word in enumerate(words) if word != "--debug" or place >= own]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts its threads when it is imported
    _let_file_names_through()
    try:
        from trix.cli.app import dispatch

        code = dispatch(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _abandon_stdout()
        return ExitCode.DONE
    except KeyboardInterrupt:
        if arguments is None:  # the process ends: objects that are half made must not print errors
            sys.unraisablehook = lambda _: None
        say("interrupted")
        return ExitCode.INTERRUPTED
    except Exception as error:
        if debug:
            raise
        say(f"error: {_describe(error)}")
        if isinstance(error, OSError):  # if the disk is full, flushing the buffer at exit would fail again
            _abandon_stdout()
        return error.exit_code if isinstance(error, TrixError) else ExitCode.USAGE


def _describe(error: Exception) -> str:
    if isinstance(error, TrixError):
        return error_line(error)
    if isinstance(error, OSError) and error.strerror:
        return one_line(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    if isinstance(error, MemoryError):
        return "out of memory"
    return one_line(f"unexpected {type(error).__name__}: {error} (this is a bug; --debug shows where)")


def _let_file_names_through() -> None:
    """Print document ids that are not valid UTF-8 as the bytes of the file system.

    On terminals without Unicode, unknown characters become question marks.
    """
    if sys.stdout is None:  # closed by the shell
        sys.stdout = io.StringIO()
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        known = sys.stdout.encoding.lower().startswith("utf")
        reconfigure(errors="surrogateescape" if known else "replace")


def _abandon_stdout() -> None:
    """Redirect stdout to the null device, so that the flush at exit cannot fail."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a file, as in tests
        return
