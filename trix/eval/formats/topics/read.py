"""Reader of topics in all formats, recognised by content.

================  ==================================================================================================
INEX              2002 to 2010, one or many topics in a file [INEX, section 1]: `trix.eval.formats.topics.inex`
TREC              ``<top> <num> Number: 301 <title> ...``: `trix.eval.formats.topics.trec`
Indri             ``<parameters><query><number>..<text>#combine( .. )``: `trix.eval.formats.topics.indri`
TSV, plain lines  `trix.eval.formats.topics.lines`
================  ==================================================================================================

Files are plain, gzip, xz, bzip2 or zstd; ``-`` is standard input. The files of a folder are read in natural order of
their names. Text is decoded as declared, else as UTF-8, else as ISO-8859-1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

from trix.errors import FormatError
from trix.eval.formats.topics.indri import read_indri
from trix.eval.formats.topics.inex import read_inex
from trix.eval.formats.topics.lines import read_lines
from trix.eval.formats.topics.text import TopicText, read_text
from trix.eval.formats.topics.topic import Topic, natural
from trix.eval.formats.topics.trec import read_trec

__all__ = ["Topic", "Topics", "read_topics"]


class Topics(Sequence[Topic]):
    """Topics in the order of their file.

    Parameters
    ----------
    topics
        The topics; ids are distinct.
    path
        Their file or folder.
    format
        ``inex``, ``trec``, ``indri``, ``tsv`` or ``lines``; for a folder, the format of the first file.
    notices
        Notices of the reader, one line each.

    Examples
    --------
    >>> topics = Topics([Topic("162", "xml"), Topic("163", "tree")])
    >>> topics["163"].title, topics[0].id, topics.ids, len(topics)
    ('tree', '162', ['162', '163'], 2)
    """

    def __init__(self, topics: Iterable[Topic], path: str = "", format: str = "", notices: Iterable[str] = ()) -> None:
        self._topics = list(topics)
        self.path, self.format, self.notices = path, format, list(notices)
        self._by_id: dict[str, Topic] = {}
        for topic in self._topics:
            other = self._by_id.setdefault(topic.id, topic)
            if other is not topic:
                first = f"line {other.line}" + (f" of {other.path}" if other.path != topic.path else "")
                raise FormatError(
                    f"topic {topic.id} is there already, in {first}; ids must differ", topic.path or path, topic.line
                )

    @property
    def ids(self) -> list[str]:
        """Topic ids in order."""
        return list(self._by_id)

    @overload
    def __getitem__(self, index: int | str) -> Topic: ...

    @overload
    def __getitem__(self, index: slice) -> list[Topic]: ...

    def __getitem__(self, index: int | str | slice) -> Topic | list[Topic]:
        """Return a topic by position or id, or a list of topics by a slice."""
        return self._by_id[index] if isinstance(index, str) else self._topics[index]

    def __contains__(self, topic: object) -> bool:
        return topic in self._by_id or topic in self._topics

    def __len__(self) -> int:
        return len(self._topics)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self._topics)

    def __repr__(self) -> str:
        return f"<Topics {self.path!r}: {len(self)} topics, {self.format}>"


def read_topics(path: str | os.PathLike[str]) -> Topics:
    """Read topics of any format.

    Parameters
    ----------
    path
        A file, a folder of files, or ``-`` for standard input.

    Raises
    ------
    FormatError
        A file cannot be read or has no topics, or two topics have the same id. The message names file and line.
    """
    name = os.fspath(path)
    if name != "-" and os.path.isdir(name):
        return _read_folder(name)
    text = read_text(name)
    format, topics = _read(text)
    return Topics(topics, text.path, format, text.notices)


def _read_folder(folder: str) -> Topics:
    files = [file for file in Path(folder).iterdir() if file.is_file() and not file.name.startswith(".")]
    files = [file for file in files if file.suffix.lower() != ".dtd"]
    files.sort(key=lambda file: natural(file.name))
    if not files:
        raise FormatError("the folder holds no topic files", folder)
    topics: list[Topic] = []
    formats: list[str] = []
    notices: list[str] = []
    for file in files:
        text = read_text(str(file))
        format, found = _read(text)
        formats.append(format)
        topics += found
        notices += text.notices
    return Topics(topics, folder, formats[0], notices)


def _read(text: TopicText) -> tuple[str, list[Topic]]:
    """Return format and topics of a file."""
    start = text.body.lstrip()
    if not start:
        raise FormatError("the file is empty; topics were expected", text.path)
    if not start.startswith("<"):
        return read_lines(text)
    if re.search(r"<top\s*>", start, re.IGNORECASE):
        return "trec", read_trec(text)
    if re.match(r"(?s)(?:\s|<\?.*?\?>|<!--.*?-->)*<parameters\b", start):
        return "indri", read_indri(text)
    return "inex", read_inex(text)
