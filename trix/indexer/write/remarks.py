"""Statistics of a build, and the messages made from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.kinds import NON_RETURNABLE, RETURNABLE
from trix.indexer.document.mend import KINDS, Mend
from trix.indexer.document.record import DocumentRecord, step_tag
from trix.indexer.profile.fields import FieldRule
from trix.indexer.profile.profile import STRAY_TEXT, Profile
from trix.indexer.write.columns import content_mask
from trix.support.arrays import Ints, Mask

_SHOWN = 60
"""Characters of an example in a message."""


@dataclass(frozen=True)
class Mended:
    """Repairs of one kind: number, number of files, and the first place."""

    count: int
    files: int
    first: str

    def __add__(self, later: Mended) -> Mended:
        return Mended(self.count + later.count, self.files + later.files, self.first)

    def notice(self, words: str) -> str:
        """Format as one line.

        >>> Mended(3, 1, "a.xml, line 2: R&D").notice("ampersands that begin no reference, read as text")
        'mended 3 in 1 file: ampersands that begin no reference, read as text (first: a.xml, line 2: R&D)'
        """
        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        return f"mended {self.count:,} in {files}: {words} (first: {self.first})"


def mended_of(path: str, mends: Sequence[Mend]) -> dict[str, Mended]:
    """Return the repairs in a file, by kind."""
    return {each.kind: Mended(each.times, 1, f"{path}, line {each.line}: {each.example}") for each in mends}


@dataclass(frozen=True)
class Remarks:
    """Statistics of some documents.

    Attributes
    ----------
    stray_text
        Bound in the profile (see `Profile`).
    strays, first_stray
        Number of documents with stray text in the root, and the id of the first.
    quiet
        Content elements in non-returnable parts, by the tag at which the part begins.
    cut_dates
        Number of truncated dates per field, and the text of the first.
    mended
        Repairs of files that are not well-formed, by kind.
    malformed
        Number of skipped files that are not well-formed and could have been repaired.
    """

    stray_text: float = 0.0
    strays: int = 0
    first_stray: str = ""
    quiet: Counter[str] = field(default_factory=Counter)
    cut_dates: dict[str, tuple[int, str]] = field(default_factory=dict)
    mended: Mapping[str, Mended] = field(default_factory=dict)
    malformed: int = 0

    @classmethod
    def of_records(
        cls,
        profile: Profile,
        steps: Sequence[str],
        columns: Mapping[str, Ints],
        records: Sequence[DocumentRecord],
        documents: Sequence[str],
        mended: Mapping[str, Mended],
        malformed: int,
    ) -> Remarks:
        """Collect the statistics of some documents.

        Parameters
        ----------
        profile
            Profile with the rules.
        steps
            Path steps by number.
        columns
            Columns of all elements: ``step``, ``depth``, ``contents``.
        records, documents
            Documents, and their ids.
        mended, malformed
            As the attributes.
        """
        strays = [name for name, record in zip(documents, records, strict=True) if record.stray]
        quiet = _quiet_counts(profile, steps, columns, records) if profile.quiet and records else Counter[str]()
        return cls(profile.stray_text, len(strays), next(iter(strays), ""), quiet, {}, mended, malformed)

    @classmethod
    def of_all(cls, parts: Iterable[Remarks]) -> Remarks:
        """Sum the statistics of the parts of a collection, in order."""
        stray_text, strays, first, quiet = 0.0, 0, "", Counter[str]()
        cut = dict[str, tuple[int, str]]()
        mended: dict[str, Mended] = {}
        malformed = 0
        for part in parts:
            stray_text = stray_text or part.stray_text
            strays += part.strays
            first = first or part.first_stray
            quiet.update(part.quiet)
            for name, (count, text) in part.cut_dates.items():
                before, example = cut.get(name, (0, text))
                cut[name] = before + count, example
            for kind, found in part.mended.items():
                mended[kind] = mended[kind] + found if kind in mended else found
            malformed += part.malformed
        return cls(stray_text, strays, first, quiet, cut, mended, malformed)

    def with_cut_dates(self, cut: Iterable[tuple[str, str]]) -> Remarks:
        """Add truncated dates: field and text of each."""
        single = [Remarks(cut_dates={name: (1, text)}) for name, text in cut]
        return replace(self, cut_dates=Remarks.of_all(single).cut_dates)

    @property
    def advice(self) -> list[str]:
        """Suggestions about skipped files.

        >>> Remarks(malformed=2).advice
        ['2 skipped files are not well-formed; `recover` mends such files where it can, and says what was mended']
        """
        if not self.malformed:
            return []
        files = "1 skipped file is" if self.malformed == 1 else f"{self.malformed:,} skipped files are"
        return [f"{files} not well-formed; `recover` mends such files where it can, and says what was mended"]

    def notices(self) -> Iterator[str]:
        """Yield messages for the user, one line each.

        >>> [*Remarks(0.01, 3, "a").notices()]
        ['stray text in the root element of 3 documents (first: a), less than 1 % of their text: indexed as #text, so \
that their parts are elements']
        >>> [*Remarks(cut_dates={"date": (2, "September 2002")}).notices()]
        ['date: 2 dates were read in part (first: "September 2002" as 2002); dates are read as 2002, 2002-09 or \
2002-09-21']
        >>> [*Remarks(0.0, 1, "a").notices()]
        ['1 document (first: a) is a single content element, for stray text in the root element that is less than 1 % \
of its text: `stray_text = 0.01` in the profile, or the profile auto, indexes the parts']
        """
        for name, (count, text) in self.cut_dates.items():
            dates = "1 date was" if count == 1 else f"{count:,} dates were"
            value = FieldRule((), "date").canonical(text)
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            yield (
                f'{name}: {dates} read in part (first: "{shown}" as {value}); '
                "dates are read as 2002, 2002-09 or 2002-09-21"
            )
        for kind, words in KINDS.items():
            if kind in self.mended:
                yield self.mended[kind].notice(words)
        if not self.strays:
            return
        of, their = ("1 document", "its") if self.strays == 1 else (f"{self.strays:,} documents", "their")
        percent = 100 * (self.stray_text or STRAY_TEXT)
        first, share = f"(first: {self.first_stray})", f"less than {percent:g} % of {their} text"
        if self.stray_text:
            yield (
                f"stray text in the root element of {of} {first}, {share}: indexed as #text, so that {their} parts are "
                "elements"
            )
        else:
            are = "is a single content element" if self.strays == 1 else "are a single content element each"
            yield (
                f"{of} {first} {are}, for stray text in the root element that is {share}: "
                f"`stray_text = {STRAY_TEXT}` in the profile, or the profile auto, indexes the parts"
            )


def _quiet_counts(
    profile: Profile, steps: Sequence[str], columns: Mapping[str, Ints], records: Sequence[DocumentRecord]
) -> Counter[str]:
    """Count the content elements in non-returnable parts by tag; see `IndexFiles.marked`."""
    step = columns["step"]
    marks = np.concatenate([np.zeros(len(r.depth), int) if r.marks is None else r.marks for r in records])
    tags = [step_tag(each) for each in steps]
    names = {mark: {each.tag for each in getattr(profile, mark) if each.is_tag} for mark in ("quiet", "loud")}
    is_quiet, is_loud = (np.array([tag in names[mark] for tag in tags], bool)[step] for mark in ("quiet", "loud"))
    is_quiet = (is_quiet & (marks & RETURNABLE == 0) | (marks & NON_RETURNABLE > 0)) & (columns["depth"] > 0)
    is_loud = is_loud & (marks & NON_RETURNABLE == 0) | (marks & RETURNABLE > 0)
    marked = np.flatnonzero(is_quiet | is_loud)
    begin = contents_before(records)[marked]
    counts = contents_in_quiet_parts(begin, begin + columns["contents"][marked], is_quiet[marked])
    found = Counter[str]()
    for number, count in enumerate(np.bincount(step[marked], counts, len(steps)).astype(int).tolist()):
        if count:
            found[tags[number]] += count
    return found


def contents_before(records: Sequence[DocumentRecord]) -> Ints:
    """Return the number of content elements before each element, counted through all documents."""
    content = content_mask(records)
    found: Ints = np.cumsum(content) - content
    return found


def nearest_marks(begin: Ints, end: Ints) -> NDArray[np.int64]:
    """Return, for each of some elements, the nearest enclosing one among them; -1 for none.

    Parameters
    ----------
    begin, end
        ``(n,)`` ranges of content elements, in document order; two ranges are nested or disjoint.

    Examples
    --------
    >>> nearest_marks(np.array([0, 1, 2, 5, 7]), np.array([7, 4, 3, 6, 8])).tolist()
    [-1, 0, 1, 0, -1]
    """
    # Start from the element before, and climb from it as long as it ends before this one begins.
    found = np.arange(begin.size, dtype=np.int64) - 1
    while True:
        beside = (found >= 0) & (end[found] <= begin)
        if not beside.any():
            return found
        # Everything that encloses this element and begins before `found` also encloses `found`, so its chain of
        # enclosing elements leads there. Pointer jumping takes few rounds.
        found[beside] = found[found[beside]]


def contents_in_quiet_parts(begin: Ints, end: Ints, quiet: Mask) -> Ints:
    """Count the content elements that each marked element governs and makes non-returnable.

    Parameters
    ----------
    begin, end
        ``(n,)`` content elements in the marked elements, as for `nearest_marks`.
    quiet
        ``(n,)`` whether the element begins a non-returnable part.

    Examples
    --------
    A header of six content elements with an abstract of two, in which a list of one is quiet again:

    >>> contents_in_quiet_parts(np.array([0, 1, 2]), np.array([6, 3, 3]), np.array([True, False, True])).tolist()
    [4, 0, 1]
    """
    nearest = nearest_marks(begin, end)
    own = (end - begin).astype(np.int64)
    inner = nearest >= 0
    # A nested mark governs its own range: take it from the nearest mark around it.
    np.subtract.at(own, nearest[inner], (end - begin)[inner])
    return np.where(quiet, own, 0)
