"""Rules for searchable attributes, languages, and stray text in roots."""

from __future__ import annotations

from collections.abc import Collection
from unicodedata import category

from trix.indexer.profile.fields import RESERVED
from trix.indexer.profile.selector import split_qname
from trix.indexer.suggest.counts import AttributeCounts, SampleCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names, listed, percent
from trix.indexer.suggest.sections import is_name
from trix.indexer.suggest.tags import FEWEST

PHRASES, PHRASE = 0.6, 10
"""Written text: share of values with two words or more, and mean characters of a value."""

FEW, OFTEN = 30, 50
"""Attributes that classify elements: largest number of distinct values, and smallest number of elements."""

TEXT, LETTERS = 0.5, 0.7
"""Attributes that contain the text itself: their characters, relative to those of elements, and share of letters."""

OWN = 0.1
"""Largest share of elements with own text for which an attribute is a unit."""

RECURS = 0.5
"""Largest ratio of distinct values to values for which an attribute names parts of documents."""

_TECHNICAL = ("style", "class", "schemaLocation", "rend", "rendition", "d", "points", "transform", "viewBox")

LANGUAGE = 0.02
"""Share of language labels from which a language is listed."""


def decide_attributes(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which attributes contain text, and list those whose few values classify elements."""
    decisions = []
    for tag, each in counts.tags.items():
        for name, found in each.attributes.items():
            local = split_qname(name)[1]
            if found.times < FEWEST or local in _TECHNICAL or local == "lang":
                continue
            written = name if name == local else ""
            selector = f"{names.selector(tag)}/@{written}"
            if not written:
                continue  # attributes in namespaces are for programs
            if not each.filled and found.length >= TEXT * counts.characters and _is_text(found):
                reason = f"{found.length:,} characters of words, where all elements have {counts.characters:,}"
                decisions.append(Decision("attributes", selector, Certainty.SURE, reason))
            elif is_name(name, found) and each.own <= OWN * each.times:
                reason = f"{found.times:,} names, which stand nowhere else"
                decisions.append(Decision("attributes", selector, Certainty.SURE, reason))
            elif found.phrases >= PHRASES * found.times and found.length >= PHRASE * found.times:
                value = max(found.values, key=lambda value: (found.values[value], value))
                reason = f"{found.times:,} values of words, as {value!r:.60}"
                decisions.append(Decision("attributes", selector, Certainty.OPEN, reason))
            elif 2 <= len(found.values) <= FEW and found.times >= OFTEN and local in ("type", "role", "kind", "class"):
                most = listed((value for value, _ in found.values.most_common()), 5)
                decisions.append(Decision("sorted by", selector, Certainty.OPEN, f"{len(found.values)} values: {most}"))
    return decisions


def decide_element_fields(counts: SampleCounts, names: Names, taken: Collection[str]) -> list[Decision]:
    """Decide which attributes are element fields: names that recur, such as those of speakers.

    Parameters
    ----------
    counts, names
        Statistics and selectors of the sample.
    taken
        Names of document fields.
    """
    decisions = list[Decision]()
    for tag, each in counts.tags.items():
        for name, found in each.attributes.items():
            recurs = found.times >= FEWEST and 1 < len(found.values) <= RECURS * found.times
            if (
                not recurs
                or not is_name(name, found)
                or each.own > OWN * each.times
                or not each.depth
                or not each.filled
            ):
                continue
            if name.isidentifier() and name not in (*taken, *RESERVED, *(other.name for other in decisions)):
                reason = f"{len(found.values):,} names of {found.times:,} elements"
                value = f"{names.selector(tag)}/@{name}"
                decisions.append(Decision("element_fields", name, Certainty.SURE, reason, value))
    return decisions


def _is_text(attribute: AttributeCounts) -> bool:
    """Whether the values are many different words, not numbers, codes or a few names.

    Combining marks count as letters, such as the vowels of Arabic and Hindi.
    """
    values = [value for value in attribute.values if value]
    letters = sum(category(letter)[0] in "LM" for value in values for letter in value)
    return len(values) > FEW and letters >= LETTERS * sum(map(len, values))


def decide_languages(counts: SampleCounts) -> list[Decision]:
    """List the languages that the documents name."""
    total = counts.languages.total()
    shown = [(name, times) for name, times in counts.languages.most_common() if name and times >= LANGUAGE * total]
    if not shown:
        return []
    marks = listed((f"{name} ({percent(times, total)} of marks)" for name, times in shown), 8)
    return [Decision("languages", "", Certainty.OPEN, marks)]


def decide_stray(counts: SampleCounts) -> list[Decision]:
    """Count the documents whose root has a little text of its own."""
    reason = f"roots with a little text of their own: {counts.stray:,} of {counts.documents:,}"
    return [Decision("stray_text", "", Certainty.SURE, reason)]
