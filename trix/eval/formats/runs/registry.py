"""Registry of the run formats: how each is recognised, read and written.

A module of this folder declares its format in a constant `FORMAT`. `trix.eval.formats.runs.MODULES` lists the modules.
Formats are tried in the order of `MODULES`, so a more permissive format comes after a stricter one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from trix.errors import FormatError
from trix.eval.data.runs import Rankings
from trix.eval.formats.reading.lines import head
from trix.eval.formats.reading.xml_stream import root_name
from trix.eval.formats.runs import MODULES
from trix.eval.formats.runs.head import Submission
from trix.eval.formats.runs.rows import RunRow


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of reading a run.

    Parameters
    ----------
    lenient
        Drop and count bad results instead of raising.
    passage_end
        Column 8 of a passage holds its end, not its length.
    """

    lenient: bool = False
    passage_end: bool = False


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """Options of writing a run.

    Parameters
    ----------
    run_id
        Name of the run; each row's own if None.
    passages
        Write offsets and lengths in place of paths.
    submission
        Header of an XML submission; default values if None.
    """

    run_id: str | None = None
    passages: bool = False
    submission: Submission | None = None


@dataclass(frozen=True, kw_only=True)
class RunFormat:
    """Declaration of a run format.

    Parameters
    ----------
    recognises
        Whether a file that begins with these bytes has the format; leading white space is stripped.
    read
        Reader of a file, which may be compressed.
    write
        Writer of rows in the given order; rows of a topic are adjacent.
    ranges, offsets
        Whether it can express ranges of elements, and passages without a path.
    chooses
        Whether `passages` selects between path and offsets.
    """

    recognises: Callable[[bytes], bool]
    read: Callable[[str | Path, ReadOptions], Rankings]
    write: Callable[[Iterable[RunRow], TextIO, WriteOptions], None]
    ranges: bool = True
    offsets: bool = True
    chooses: bool = False


def run_format(name: str) -> RunFormat:
    """Return the format of a name in `MODULES`."""
    module = importlib.import_module(f"trix.eval.formats.runs.{MODULES[name]}")
    declared: RunFormat = module.FORMAT
    return declared


def format_of(path: str | Path) -> str:
    """Return the name of a file's format, by its first bytes.

    Raises
    ------
    FormatError
        The file is empty, or its format is unknown.
    """
    start = head(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise FormatError("the file is empty; a run expected", path)
    found = next((name for name in MODULES if run_format(name).recognises(start)), None)
    if found is None:  # lines of text are always columns
        root = root_name(start) or "missing"
        raise FormatError(f"an XML submission (root inex-submission) was expected, the root is {root}", path)
    return found
