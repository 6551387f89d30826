"""The formats of runs by name: how each is recognised, read and written.

A module of this folder declares a format in a constant `FORMAT`; `trix.eval.formats.runs.MODULES` names the module.
Formats are recognised in the order of `MODULES`, so a format that accepts more than another stands after it.
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
    """How a run is read.

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
    """How a run is written.

    Parameters
    ----------
    run_id
        Name of the run; each row's own if None.
    passages
        Write offsets and lengths in place of paths.
    submission
        Head of an XML submission; one with the usual values if None.
    """

    run_id: str | None = None
    passages: bool = False
    submission: Submission | None = None


@dataclass(frozen=True, kw_only=True)
class RunFormat:
    """One format.

    Parameters
    ----------
    recognises
        Whether a file that begins with these bytes has the format; white space in front is stripped.
    read
        Reads a file that may be compressed.
    write
        Writes rows in the given order; those of a topic stand together.
    ranges, offsets
        Whether it holds ranges of elements, and passages that are known by their offsets alone.
    chooses
        Whether a result has either a path or an offset, so that a user chooses with `passages`.
    """

    recognises: Callable[[bytes], bool]
    read: Callable[[str | Path, ReadOptions], Rankings]
    write: Callable[[Iterable[RunRow], TextIO, WriteOptions], None]
    ranges: bool = True
    offsets: bool = True
    chooses: bool = False


def run_format(name: str) -> RunFormat:
    """Return the format of a name that stands in `MODULES`."""
    module = importlib.import_module(f"trix.eval.formats.runs.{MODULES[name]}")
    declared: RunFormat = module.FORMAT
    return declared


def format_of(path: str | Path) -> str:
    """Return the name of the format of a file, by its first bytes.

    Raises
    ------
    FormatError
        The file is empty, or its format is none of these.
    """
    start = head(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise FormatError("the file is empty; a run expected", path)
    found = next((name for name in MODULES if run_format(name).recognises(start)), None)
    if found is None:  # lines of text are always columns
        root = root_name(start) or "missing"
        raise FormatError(f"an XML submission (root inex-submission) was expected, the root is {root}", path)
    return found
