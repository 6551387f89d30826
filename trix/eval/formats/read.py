"""Readers of runs and assessments in any format, recognised by content."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from trix.errors import FormatError, UsageError, did_you_mean
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Rankings
from trix.eval.formats import QRELS_FORMATS, RUN_FORMATS
from trix.eval.formats.qrels.assessments import read_assessments
from trix.eval.formats.qrels.offsets import read_offset_qrels
from trix.eval.formats.qrels.trec import read_trec_qrels
from trix.eval.formats.reading.lines import head
from trix.eval.formats.reading.xml_stream import root_name
from trix.eval.formats.runs.registry import ReadOptions, format_of, run_format
from trix.support.input_files import pipes_cached


def qrels_format(path: str | Path) -> str:
    """Return the format of an assessment file by its first bytes, one of `QRELS_FORMATS`."""
    start = head(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise FormatError("the file is empty; assessments expected", path)
    if start[:1] == b"<":
        root = root_name(start)
        if root == "assessments":
            return "assessments"
        raise FormatError(f"XML assessments (root assessments) were expected, the root is {root or 'missing'}", path)
    return "trec" if len(start.splitlines()[0].split()) <= 4 else "offsets"


@pipes_cached()
def read_run(
    path: str | Path, *, format: str | None = None, lenient: bool = False, passage_end: bool = False
) -> Rankings:
    """Read a run.

    Parameters
    ----------
    path
        The file; it may be compressed (gzip, bzip2, xz, zstd).
    format
        One of `RUN_FORMATS`; recognised by content if None.
    lenient
        Drop and count bad results instead of raising.
    passage_end
        Column 8 of a passage holds its end, not its length.

    Raises
    ------
    FormatError
        The file is wrong. The message names the line.
    UsageError
        The format is unknown.
    """
    kind = format or format_of(path)
    if kind not in RUN_FORMATS:
        raise _no_format(kind, "run_format", RUN_FORMATS)
    return run_format(kind).read(path, ReadOptions(lenient=lenient, passage_end=passage_end))


def read_qrels(path: str | Path | Iterable[str | Path], *, format: str | None = None, lenient: bool = False) -> Qrels:
    """Read assessments: a file, a folder of assessment files (searched recursively), or several of both.

    Parameters
    ----------
    path
        May be compressed (gzip, bzip2, xz, zstd). If several files assess a topic, the first assessment counts, with a
        notice.
    format
        One of `QRELS_FORMATS`; recognised by content if None.
    lenient
        Drop and count bad judgements instead of raising.

    Raises
    ------
    FormatError
        A file is wrong. The message names the line.
    UsageError
        The format is unknown.
    """
    given = [path] if isinstance(path, str | Path) else [*path]
    if not given:
        raise UsageError("no assessment files given")
    files = [file for each in given for file in _assessment_files(Path(each))]
    if len(files) == 1 and files == [Path(each) for each in given]:
        return _read_qrels(files[0], format, lenient)
    whole = Qrels(name=Path(given[0]).name)
    for file in files:
        part = _read_qrels(file, format, lenient)
        whole.notices += part.notices
        for topic, judged in part.topics.items():
            if topic in whole.topics:
                whole.notices.append(f"{file}: topic {topic} is assessed a second time, the first assessment counts")
            else:
                whole.topics[topic] = judged
    return whole


def _assessment_files(place: Path) -> list[Path]:
    """Return the XML files of a folder and its subfolders; or the file itself."""
    if not place.is_dir():
        return [place]
    found = sorted(p for p in place.rglob("*") if p.is_file() and ".xml" in map(str.lower, p.suffixes))
    if not found:
        raise FormatError("no *.xml assessment files in this folder", place)
    return found


@pipes_cached()
def _read_qrels(path: Path, format: str | None, lenient: bool) -> Qrels:
    kind = format or qrels_format(path)
    if kind not in QRELS_FORMATS:
        raise _no_format(kind, "qrels_format", QRELS_FORMATS)
    if kind == "assessments":
        return read_assessments(path, lenient=lenient)
    return (read_trec_qrels if kind == "trec" else read_offset_qrels)(path, lenient=lenient)


def _no_format(name: str, field: str, known: tuple[str, ...]) -> UsageError:
    return UsageError(f"expected one of {', '.join(known)}{did_you_mean(name, known)}", field=field, got=name)
