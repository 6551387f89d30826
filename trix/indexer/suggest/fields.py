"""Rules for fields: short, typed values that most documents have."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median

from trix.indexer.profile.fields import RESERVED, FieldRule
from trix.indexer.suggest.counts import PathCounts, SampleCounts, kind_of
from trix.indexer.suggest.decision import Certainty, Decision, is_code, percent, share_of, share_of_kind
from trix.indexer.suggest.documents import FEWEST_DOCUMENTS, SURE, distinct, places, title_paths
from trix.indexer.suggest.sections import quiet_names

SOME = 0.2
"""Share of documents from which a field is listed as a comment."""

FEW, RECURS = 0.05, 0.25
"""For records with a few recurring values: share of records, and largest ratio of distinct values."""

SHORT = 60
"""Largest median of characters of a value."""

LISTED = 40
"""Largest median of characters of a value beside prose."""

TYPED = 0.95
"""Share of values that must have the type of the field."""

MANY = 20
"""Largest mean number of values per document."""

REPEATED = 0.8
"""Largest ratio of distinct values for a facet beside prose."""

UNLIKE = 0.95
"""Ratio of distinct values from which codes identify documents instead of classifying them."""

WORDS = 30
"""Median of characters from which distinct values are sentences, not names."""

FACET = 2, 50
"""Range of distinct values of the fields that come first."""

MOST, MOST_OPEN = 20, 20
"""Largest number of fields in a profile, and of fields in comments."""

MOST_OF_KINDS = 30
"""Largest number of fields for records, which may be of several kinds."""

_VALUES = frozenset(
    (
        "value",
        "when",
        "content",
        "code",
        "n",
        "key",
        "target",
        "href",
        "ref",
        "text",
        "p",
        "para",
        "displayName",
        "data",
    )
)
"""Last steps without meaning; the step before gives the name."""

_NOISE = re.compile(r"(?i).*(schemalocation|schemaversion|version|xmlns|base|space|templateid|template)$")
_IDS = re.compile(r"(?i).*(id|idrefs?|refs?)")
_TIME = re.compile(r"[0-2]?[0-9][:.][0-5][0-9](:[0-5][0-9])?")
_PLACE = re.compile(
    r"(?i)[vh]pos|[xyz][0-9]?|width|height|left|top|right|bottom|lr[xy]|ul[xy]|.*(page|seite).*n(r|o|um).*"
)
_DATES = re.compile(r"(?i).*(date|datum|year|when|created|modified|updated|published|issued|time).*")
_CODED = re.compile(r"='([^a-zA-Z].*|.)'\]$")
_COUNT = re.compile(r"0|[1-9][0-9]*")
_HAS_DATE = re.compile(r"(?<![0-9])(?:1[0-9]{3}|20[0-9]{2})(?![0-9])")


def type_of(path: PathCounts, name: str) -> str:
    """Return the type of a path's values: the strictest that nearly all of them have."""
    values = path.all_values()
    kinds = Counter(kind_of(value) for value in values)
    enough = TYPED * len(values)
    years = all(len(value) == 4 for value in values)
    if kinds["date"] >= enough and not years:
        return "date"
    if kinds["date"] >= enough and _DATES.fullmatch(name):
        return "year" if "year" in name else "date"
    if kinds["integer"] + kinds["date"] >= enough and all(map(_COUNT.fullmatch, values)):
        return "integer"
    if kinds["integer"] + kinds["number"] >= enough and kinds["number"]:
        return "number"
    if _DATES.fullmatch(name) and sum(bool(_HAS_DATE.search(value)) for value in values) >= enough:
        dates = FieldRule((), "date")
        if median(map(len, values)) <= SHORT and all(dates.canonical(value) for value in values[:50]):
            return "date"
    return "string"


def decide_fields(counts: SampleCounts) -> list[Decision]:
    """Decide the fields of documents: values that occur once, or a few times without prose beside them."""
    if counts.documents < FEWEST_DOCUMENTS:
        return []
    titles, level, _ = title_paths(counts)
    found = list[tuple[PathCounts, bool]]()
    for path, once in places(counts.root):
        if once:
            found.append((path, False))
        elif _is_list(path, counts.root):
            found += [(each, True) for each in path.walk()]
    taken: dict[str, object] = {}
    known = set(map(_values, titles))
    decisions = list[Decision]()
    if titles and level is Certainty.SURE:
        xpaths = [path.xpath for path in titles]
        covered = {document for path in titles for document in path.values}
        reason = f"in {percent(len(covered), counts.documents)} of documents"
        decisions.append(Decision("fields", "title", Certainty.SURE, reason, {"path": xpaths}))
        taken["title"] = None
    sure = left = 0
    quiet = quiet_names(counts)
    of_use = sorted(found, key=lambda each: (-_use(each[0], counts, quiet), each[0].order))
    if counts.records:
        of_use = _in_turns(of_use, counts)
    else:  # fields of all documents come before those of one kind
        of_use.sort(key=lambda each: share_of(each[0], counts) < SURE)
    for path, many in of_use:
        if path in titles or not _is_value(path, counts, many):
            continue
        same = _values(path)
        if same in known:
            continue
        name = _name(path, taken)
        rule, reason, is_sure = _rule(path, counts, name, many)
        if is_sure and sure >= (MOST_OF_KINDS if counts.records else MOST):
            is_sure, reason = False, f"{reason}; there are enough without it"
        if not is_sure and left >= MOST_OPEN:
            continue
        sure, left = sure + is_sure, left + (not is_sure)
        known.add(same)
        taken[name] = None
        decisions.append(Decision("fields", name, Certainty.SURE if is_sure else Certainty.OPEN, reason, rule))
    return decisions + _year(decisions, taken)


def _in_turns(found: list[tuple[PathCounts, bool]], counts: SampleCounts) -> list[tuple[PathCounts, bool]]:
    """Interleave fields by kind of document (root), so that each kind has some of the first."""
    ranks, turns = Counter[str](), list[int]()
    for path, _ in found:
        kinds = Counter(counts.root_of[document] for document in path.values if document in counts.root_of)
        kind = kinds.most_common(1)[0][0] if kinds else ""
        turns.append(ranks[kind])
        ranks[kind] += 1
    return [found[place] for place in sorted(range(len(found)), key=turns.__getitem__)]


def _values(path: PathCounts) -> tuple[tuple[int, tuple[str, ...]], ...]:
    return tuple(sorted((document, tuple(values)) for document, values in path.values.items()))


def _use(path: PathCounts, counts: SampleCounts, quiet: frozenset[str]) -> float:
    """Return the usefulness of a field: few values, shared by many documents, outside of non-returnable parts."""
    times = sum(map(len, path.values.values()))
    if not times:
        return 0.0
    different = distinct(path)
    points = share_of_kind(path, counts) if counts.records else share_of(path, counts)
    points += 1.0 if FACET[0] <= different <= FACET[1] and different <= REPEATED * times else 0.0
    points += 0.5 if kind_of(next(iter(path.values.values()))[0]) == "date" else 0.0
    return points - (0.75 if quiet.intersection(path.steps) else 0.0)


def _least(path: PathCounts, counts: SampleCounts) -> float:
    """Return the share of documents that must have a field; lower for records with few recurring values."""
    different = distinct(path)
    is_facet = FACET[0] <= different <= min(FACET[1], RECURS * sum(map(len, path.values.values())))
    return FEW if counts.records and is_facet else SOME


def _is_list(path: PathCounts, root: PathCounts) -> bool:
    """Whether an element with several occurrences per document is a value or record, not a part of the text."""
    if path.times > MANY * path.documents or path.prose > 0.05 * path.times:
        return False
    above = root
    for step in path.steps[:-1]:
        above = above.below[step]
    beside_prose = any(each.prose > 0.1 * each.times for each in above.below.values())
    if not beside_prose:
        return True
    values = path.all_values()
    if not values and not path.parts:
        return True  # empty elements may have attributes with values
    if not values or path.parts or median(map(len, values)) > LISTED:
        return False
    return len(set(values)) <= REPEATED * len(values)


def _is_value(path: PathCounts, counts: SampleCounts, many: bool) -> bool:
    if not path.values or path.parts > 0.5 * path.times or path.prose > 0.05 * path.times:
        return False
    if path.name in ("xml:lang", "lang") or _is_dated(path):
        return False  # every collection has the field `language`; of two dates that of the attribute is kept
    if _NOISE.fullmatch(_plain(path.steps[-1]).replace("_", "")) or share_of_kind(path, counts) < _least(path, counts):
        return False
    lengths = [len(value) for values in path.values.values() for value in values]
    return median(lengths) <= SHORT and (not many or path.times <= MANY * path.documents)


def _rule(path: PathCounts, counts: SampleCounts, name: str, many: bool) -> tuple[dict[str, object], str, bool]:
    """Return the field, its statistics in words, and whether it is certain."""
    values = path.all_values()
    different, kind = distinct(path), type_of(path, name)
    rule: dict[str, object] = {"path": path.xpath}
    if kind != "string":
        rule["type"] = kind
    if many:
        rule["many"] = True
    share = share_of_kind(path, counts)
    reason = f"in {percent(len(path.values), counts.documents)} of documents, {different:,} distinct"
    reason += f", as {min(values, key=lambda value: (abs(len(value) - 12), value))!r:.60}"
    if different == 1:
        return rule, f"{reason}; the same in all", False
    if sum(map(_is_address, values)) > 0.5 * len(values):
        return rule, f"{reason}; addresses", False
    if _PLACE.fullmatch(path.name) or all(map(_TIME.fullmatch, values)):
        return rule, f"{reason}; a place on a page, or a time of day", False
    if _IDS.fullmatch(path.name) and path.is_attribute and sum(map(is_code, values)) > 0.5 * len(values):
        return rule, f"{reason}; ids", False
    if share < (_least(path, counts) if counts.records else SURE):
        return rule, reason, False
    long = kind == "string" and median(map(len, values)) > WORDS
    if long and different > REPEATED * len(values):
        return rule, f"{reason}; sentences rather than names", False
    if not many and different >= UNLIKE * len(values) and kind in ("string", "integer") and all(map(is_code, values)):
        return rule, f"{reason}; an id", False
    return rule, reason, True


def _is_dated(path: PathCounts) -> bool:
    """Whether an attribute of the element has its date in machine-readable form, such as ``@when``."""
    attributes = [each for each in path.below.values() if each.steps[-1].startswith("@")]
    below = [each for each in attributes if each.values.keys() >= path.values.keys()]
    return any(type_of(each, each.name) == "date" for each in below)


def _is_address(value: str) -> bool:
    return re.match(r"[a-z]+://|www\.|urn:", value) is not None


def _name(path: PathCounts, taken: dict[str, object]) -> str:
    """Return the name of a field: its last step that says something, with the one before where that is taken."""
    steps = [_plain(step) for step in path.steps]
    if len(steps) > 1 and all(_CODED.search(step) for step in path.steps[-2:]):
        steps[-2:] = [f"{steps[-2]}_{path.name}"]
    is_attribute = path.is_attribute
    named = steps[:-1] if len(steps) > 1 and path.name.split("'")[-2:][0] in _VALUES else steps
    if is_attribute and named is steps and len(steps) > 1:
        own = steps[-1] if steps[-1].startswith(steps[-2]) else f"{steps[-2]}_{steps[-1]}"
        named = [*steps[:-2], own]
    if steps[-1] == "name" and len(steps) > 1:
        named = steps[:-1]
    for begin in range(len(named) - 1, -1, -1):
        name = "_".join(named[begin:])
        if name not in taken and name not in RESERVED:
            return name
    number = 2
    while f"{named[-1]}_{number}" in taken:
        number += 1
    return f"{named[-1]}_{number}"


def _plain(step: str) -> str:
    """Convert a step to a valid name of a field.

    >>> _plain("pubDate"), _plain("@xml:lang"), _plain("@*[local-name()='href']"), _plain("NCTId"), _plain("_2")
    ('pub_date', 'lang', 'href', 'nct_id', 'x_2')
    >>> _plain("法規名稱"), _plain("Straße")
    ('法規名稱', 'straße')
    >>> _plain("field[@name='author']"), _plain("datafield[@tag='245']")
    ('author', 'datafield_245')
    """
    found = re.search(r"'(.*)'", step)
    bare = found[1] if found else step.removeprefix("@").rpartition(":")[2]
    if found and (len(bare) < 2 or not bare[0].isalpha()):  # a code, such as datafield[@tag='245']
        bare = f"{step.partition('[')[0]}_{bare}"
    bare = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", bare).lower()
    bare = re.sub(r"[\W_]+", "_", bare).strip("_") or "x"
    return bare if bare[0].isalpha() else f"x_{bare}"


def _year(decisions: list[Decision], taken: dict[str, object]) -> list[Decision]:
    """Derive a field of years from the first certain date, since dates are too many for a facet."""
    if "year" in taken:
        return []
    for each in decisions:
        rule = each.value
        if (
            each.level is Certainty.SURE
            and isinstance(rule, dict)
            and rule.get("type") == "date"
            and "many" not in rule
        ):
            year = {"path": rule["path"], "type": "year"}
            return [Decision("fields", "year", Certainty.SURE, f"of {each.name}", year)]
    return []
