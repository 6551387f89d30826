"""Rules for titles and ids of documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from trix.indexer.profile.profile import load_profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.suggest.counts import PathCounts, SampleCounts, kind_of
from trix.indexer.suggest.decision import Certainty, Decision, percent, share_of
from trix.indexer.suggest.sections import quiet_names

FEWEST_DOCUMENTS = 5
"""Smallest number of documents for a decision about all."""

SURE = 0.6
"""Share of documents that must have a title or a field."""

PARTLY = 0.2
"""Share of records that must have a title: replies to a question have none, the question has one."""

ENOUGH = 0.9
"""Share of documents in which the preset's own title must occur."""

GAPS = 0.05
"""Share of documents that a second path must supply with a title."""

UNIQUE = 0.5
"""Least ratio of distinct titles; recurring section names have a lower one."""

LONGEST = 300
"""Largest number of characters of a title."""

DEEPEST = 6
"""Largest number of steps to a title."""

SINGLE = 0.95
"""Share of documents with one element at a path, among those with any, from which it counts as single."""

_NAMES = (
    (5, re.compile(r"(?i)(article|book|main|full|short|long|official|unit|work)?[-_]?title(proper)?|headline")),
    (5, re.compile(r"(?i)titel|titre|t[ií]tulo|titolo|tytuł|otsikko|rubrik|заглавие|название|标题|標題|題名|제목")),
    (3, re.compile(r"(?i).*(title|titel).*|heading|head|h1|display-?name")),
    (2, re.compile(r"(?i)name|label|caption|subject|term|lemma|orth|form|headword|question")),
)
"""Scores of names as titles."""

SEVERAL = 4.0
"""Largest mean number of elements above a title; the title is in the first."""

LENGTHS = 3, 120
"""Range of the median characters of texts that look like titles."""

TITLE = 3
"""Score of a name from which a title is certain."""

_OTHERS = re.compile(r"(?i).*(series|journal|source|host|relat|ref|bibl|monogr|image|figure|publi|parent|sub|alt).*")
"""Steps to the title of another work, or to a secondary title."""

_IDS = re.compile(r"(?i)@?(xml:)?(.*[-_.:])?(id|identifier|idno|doi|uri|urn|guid|uuid|pmid|number|no|key)|.*Id")


def places(root: PathCounts, several: float = 1.0) -> list[tuple[PathCounts, bool]]:
    """Return the paths whose parents occur once per document, and whether each occurs once itself.

    Parameters
    ----------
    root
        Path to start from.
    several
        Largest mean number of parents per document, if not one.
    """
    found, waiting = list[tuple[PathCounts, bool]](), [root]
    while waiting:
        above = waiting.pop()
        for path in above.below.values():
            once = path.once >= SINGLE * path.documents
            found.append((path, once))
            if once or path.times <= several * path.documents:
                waiting.append(path)
    return sorted(found, key=lambda each: each[0].order)


def firsts(path: PathCounts) -> dict[int, str]:
    """Return the first value, by document."""
    return {document: values[0] for document, values in path.values.items()}


def distinct(path: PathCounts) -> int:
    """Count the distinct values of a path."""
    return len({value for values in path.values.values() for value in values})


def preset_titles(counts: SampleCounts) -> list[PathCounts]:
    """Return the title paths of the preset that occur in the sample."""
    paths = {path.xpath: path for path in counts.root.walk()}
    return [paths[each] for part in (load_profile("generic").title or "").split("|") if (each := part.strip()) in paths]


def title_paths(counts: SampleCounts) -> tuple[list[PathCounts], Certainty, bool]:
    """Return the paths of titles, their certainty, and whether the preset has them already."""
    if counts.documents < FEWEST_DOCUMENTS:
        return [], Certainty.OPEN, False
    own = preset_titles(counts)
    if len({document for path in own for document in path.values}) >= ENOUGH * counts.documents:
        return own, Certainty.SURE, True
    paths = [path for path, _ in places(counts.root, SEVERAL)]
    ranked = [(score, path) for path in paths if (score := _as_title(path, counts)) > 0]
    ranked.sort(key=lambda each: (-each[0], each[1].order))
    needed = PARTLY if counts.records else SURE
    sure = bool(ranked) and _points_of_name(ranked[0][1]) >= TITLE and share_of(ranked[0][1], counts) >= needed
    quiet = quiet_names(counts)
    if not sure and (path := next((each for each in paths if _looks_like_titles(each, counts, quiet)), None)):
        return [path], Certainty.SURE, False
    if not ranked or not (sure or not counts.records):
        return _codes(counts, paths), Certainty.SURE, False
    best = ranked[0][1]
    found, level = [best], Certainty.OPEN
    if sure:
        level = Certainty.SURE
        known = set(best.values)
        for _, path in ranked[1:]:
            more = set(path.values) - known
            if _points_of_name(path) >= TITLE and len(more) >= max(1, GAPS * counts.documents):
                found.append(path)
                known |= more
    return found, level, False


def _codes(counts: SampleCounts, paths: Sequence[PathCounts]) -> list[PathCounts]:
    """Return the path that distinguishes records without titles: more informative than a number in a file."""
    found = [path for path in paths if counts.records and len(path.values) >= ENOUGH * counts.documents]
    return [path for path in found if path.once >= ENOUGH * path.documents and _tells_apart(path)][:1]


def _tells_apart(path: PathCounts) -> bool:
    values = [value for found in path.values.values() for value in found]
    is_short = all(len(value) <= LENGTHS[1] and any(map(str.isalpha, value)) for value in values)
    return is_short and len(set(values)) >= ENOUGH * len(values) and kind_of(values[0]) == "string"


def says_title(path: PathCounts) -> bool:
    """Whether the name of a path suggests a title."""
    return _points_of_name(path) >= TITLE or (path.name == "name" and len(path.steps) == 1)


def _points_of_name(path: PathCounts) -> int:
    if path.steps == ("@name",):
        return TITLE
    return next((points for points, names in _NAMES if names.fullmatch(path.name)), 0)


def _looks_like_titles(path: PathCounts, counts: SampleCounts, quiet: frozenset[str]) -> bool:
    """Whether a path has a short text of words in nearly all documents, nearly always distinct.

    That is typical of titles, whatever their name. Ids and addresses are not words, and headers are excluded.
    """
    values = firsts(path)
    most = 0.1 * path.times if counts.records else 0
    if (
        len(values) < (SURE if counts.records else ENOUGH) * counts.documents
        or path.prose > most
        or quiet.intersection(path.steps)
    ):
        return False
    if not path.is_attribute and _holds_others(path, counts):
        return False
    if counts.records and path.once < SINGLE * path.documents:
        return False  # the first of several is rather a sentence of the record than its title
    found = list(values.values())
    words = sum(each.count(" ") > 0 or not each.isascii() for each in found)
    names = path.name == "name" and len(path.steps) == 1  # @name of the root
    return (
        len(set(found)) >= (UNIQUE if counts.records else ENOUGH) * len(found)
        and LENGTHS[0] <= median(map(len, found)) <= (LONGEST if counts.records else LENGTHS[1])
        and (words >= 0.5 * len(found) or names)
        and sum(any(map(str.isdigit, each)) for each in found) <= 0.5 * len(found)
        and sum("/" in each or "@" in each for each in found) <= 0.1 * len(found)
        and not _OTHERS.fullmatch(path.name)
    )


def _holds_others(path: PathCounts, counts: SampleCounts) -> bool:
    """Whether an element wraps others without text of its own, so that it may merge several titles."""
    if path.parts <= 0.5 * path.times:
        return False
    tags = (each for tag, each in counts.tags.items() if split_qname(tag)[1] == path.local)
    return all(each.own < 0.5 * each.filled for each in tags)


def _as_title(path: PathCounts, counts: SampleCounts) -> float:
    """Return the score of a path as the title of documents; 0 if it is excluded."""
    values = firsts(path)
    if (
        (path.is_attribute and (len(path.steps) > 1 or _points_of_name(path) < TITLE))
        or _holds_others(path, counts)
        or len(path.steps) > DEEPEST
        or not values
        or path.prose > 0.1 * path.times
    ):
        return 0.0
    different = len(set(values.values())) / len(values)
    length = median(map(len, values.values()))
    if different < UNIQUE or not 3 <= length <= LONGEST or path.times > 4 * path.documents:
        return 0.0
    points = _points_of_name(path) * share_of(path, counts) * (1 - 0.06 * len(path.steps)) * (0.5 + 0.5 * different)
    points *= 0.4 if any(_OTHERS.fullmatch(step) for step in (*path.steps[:-1], path.name)) else 1
    return points * (1 if path.once >= SINGLE * path.documents else 0.8)


def decide_title(counts: SampleCounts) -> list[Decision]:
    """Decide the paths of document titles."""
    found, level, known = title_paths(counts)
    if not found:
        return []
    shares = [f"{path.xpath} in {percent(len(path.values), counts.documents)} of documents" for path in found]
    reason = f"{'; '.join(shares)}; {distinct(found[0]):,} distinct"
    if known:
        return [Decision("known title", "", Certainty.SURE, reason)]
    return [Decision("title", "", level, reason, " | ".join(path.xpath for path in found))]


def decide_id(counts: SampleCounts) -> list[Decision]:
    """Suggest a path for document ids; never certain, since a sample cannot prove uniqueness."""
    if counts.documents < FEWEST_DOCUMENTS:
        return []
    for path, once in places(counts.root):
        values = [value for found in path.values.values() for value in found]
        if (
            once
            and len(values) >= 0.99 * counts.documents
            and len(set(values)) == len(values)
            and _IDS.fullmatch(path.steps[-1])
            and all(len(value) <= 80 and not re.search(r"\s", value) for value in values)
        ):
            reason = f"one in {percent(len(values), counts.documents)} of documents, all different in the sample"
            reason += "; right if no two documents of all have the same"
            return [Decision("id", "", Certainty.OPEN, reason, path.xpath)]
    return []
