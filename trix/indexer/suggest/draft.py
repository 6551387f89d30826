"""Draft of a profile from a sample: all decisions, as commented TOML and as rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from trix.indexer.profile.profile import STRAY_TEXT, Profile, load_profile, profile_of
from trix.indexer.suggest.attributes import (
    decide_attributes,
    decide_element_fields,
    decide_languages,
    decide_stray,
)
from trix.indexer.suggest.counts import SampleCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names, listed
from trix.indexer.suggest.documents import decide_id, decide_title
from trix.indexer.suggest.fields import decide_fields
from trix.indexer.suggest.records import decide_records
from trix.indexer.suggest.sections import decide_quiet, decide_titles
from trix.indexer.suggest.tags import decide_containers, decide_inline, decide_units

NAME = "derived"
"""Name of a derived profile."""


@dataclass(frozen=True)
class ProfileDraft:
    """Decisions about a sample.

    Attributes
    ----------
    decisions
        All decisions, by key.
    documents, cut
        Number of documents in the sample, and of truncated ones.
    roots
        Tags of roots, most frequent first.
    """

    decisions: tuple[Decision, ...]
    documents: int
    cut: int
    roots: tuple[str, ...]

    def of(self, key: str, level: Certainty = Certainty.OPEN) -> list[Decision]:
        """Return the decisions of a key with at least a certainty."""
        return [each for each in self.decisions if each.key == key and each.level >= level]

    def profile(self, level: Certainty = Certainty.SURE) -> Profile:
        """Build the profile of the decisions with at least a certainty."""
        return profile_of(tables(self, level), "the profile from the data", NAME)

    @property
    def is_empty(self) -> bool:
        """Whether no certain decision goes beyond the preset."""
        of_presets = ("stray_text", "known title", "id", "sorted by", "languages")
        return all(each.key in of_presets for each in self.decisions if each.level is Certainty.SURE)


def suggest(counts: SampleCounts) -> ProfileDraft:
    """Derive all decisions.

    A tag has one meaning: of two contradictory decisions about it, the first one wins.
    """
    names = Names(counts)
    found = [
        *decide_records(counts, names),
        *decide_inline(counts, names),
        *decide_containers(counts, names),
        *decide_units(counts, names),
        *decide_title(counts),
        *decide_id(counts),
        *decide_quiet(counts, names),
        *decide_attributes(counts, names),
        *decide_fields(counts),
        *decide_titles(counts, names),
        *decide_languages(counts),
        *decide_stray(counts),
    ]
    fields = [each.name for each in found if each.key == "fields"]
    found += decide_element_fields(counts, names, fields)
    roots = tuple(name for name, _ in counts.root_tags.most_common())
    return ProfileDraft(tuple(found), counts.documents, counts.cut, roots)


def tables(suggestion: ProfileDraft, level: Certainty) -> dict[str, object]:
    """Return the decisions with at least a certainty as tables of a profile file."""
    data: dict[str, object] = {"name": NAME, "about": _about(suggestion), "stray_text": STRAY_TEXT}
    for key in ("inline", "quiet"):
        if entries := _entries(suggestion, key, level):
            data[key] = entries
    for key in ("container", "unit", "attributes"):
        if chosen := suggestion.of(key, level):
            data[key] = [each.name for each in chosen]
    for key in ("document", "title"):
        for each in suggestion.of(key, level):
            data[key] = each.value
    for key in ("fields", "element_fields", "titles"):
        if chosen := suggestion.of(key, level):
            data[key] = {each.name: each.value for each in chosen}
    return data


def _entries(suggestion: ProfileDraft, key: str, level: Certainty) -> list[str]:
    """Return a list that extends that of the preset, or replaces it if entries are removed."""
    added = [each.name for each in suggestion.of(key, level)]
    gone = {each.name for each in suggestion.of(f"not {key}", level)}
    if not gone:
        return ["...", *added] if added else []
    inherited = map(str, getattr(load_profile("generic"), key))
    return [*(entry for entry in inherited if entry not in gone), *added]


def _about(suggestion: ProfileDraft) -> str:
    return f"documents with the root element {listed(suggestion.roots)}"


def summary(suggestion: ProfileDraft) -> list[str]:
    """Summarise the derived rules in at most two lines."""
    parts = [f"documents {each.value}" for each in suggestion.of("document", Certainty.SURE)]
    named = {"container": "containers", "unit": "units", "attributes": "text in"}
    for key in ("inline", "container", "unit", "attributes", "quiet"):
        if chosen := suggestion.of(key, Certainty.SURE):
            parts.append(f"{named.get(key, key)} {listed((each.name for each in chosen), 6)}")
    parts += [f"title {each.value}" for each in suggestion.of("title", Certainty.SURE)]
    if chosen := suggestion.of("titles", Certainty.SURE):
        parts.append(f"headings of {listed((each.name for each in chosen), 6)}")
    if gone := [each.name for key in ("not inline", "not quiet") for each in suggestion.of(key, Certainty.SURE)]:
        parts.append(f"ordinary parts {listed(gone, 6)}")
    lines = [f"derived: {'; '.join(parts)}"] if parts else []
    if chosen := [*suggestion.of("fields", Certainty.SURE), *suggestion.of("element_fields", Certainty.SURE)]:
        lines.append(f"derived fields: {listed((each.name for each in chosen), 20)}")
    return lines


def draft(suggestion: ProfileDraft) -> str:
    """Write a profile as TOML, with the reason of each rule, and uncertain rules as comments."""
    return "\n".join(_lines(suggestion)) + "\n"


def _lines(suggestion: ProfileDraft) -> Iterator[str]:
    cut = f", {suggestion.cut:,} of them cut short" if suggestion.cut else ""
    yield f"# A profile read off {suggestion.documents:,} documents{cut}; the counts are theirs."
    yield "# Lines that begin with # are not sure: read the reason, then take the # away, or the line."
    yield f'name = "{NAME}"'
    yield f"about = {_text(_about(suggestion))}"
    yield '\n# -- words: inline tags separate no words; "..." are the tags of the preset'
    yield from _list("inline", suggestion)
    yield "\n# -- parts: a container's text and blocks are results of their own, a unit is one result as a whole"
    yield from _list("container", suggestion)
    yield from _list("unit", suggestion)
    for each in suggestion.of("stray_text"):
        yield f"\n# {each.reason}"
        yield f"stray_text = {STRAY_TEXT}"
    yield "\n# -- documents"
    for each in suggestion.of("known title"):
        yield f"# title: the preset's own, {each.reason}"
    for key in ("document", "title", "id"):
        for each in suggestion.of(key):
            yield f"# {key}: {each.reason}"
            yield f"{_mark(each)}{key} = {_text(each.value)}"
    yield "\n# -- reading: parts that are returned only where nothing else is found"
    yield from _list("quiet", suggestion)
    if chosen := suggestion.of("attributes"):
        yield "\n# -- attributes: text that people wrote in them becomes parts"
        yield from (f"#   {each.name}: {each.reason}" for each in chosen)
        sure = [each.name for each in chosen if each.level is Certainty.SURE]
        rest = [each.name for each in chosen if each.level is not Certainty.SURE]
        yield from [f"attributes = {_array(sure)}"] if sure else []
        yield from [f"# attributes = {_array([*sure, *rest])}"] if rest else []
    if chosen := suggestion.of("sorted by"):
        yield "\n# -- attributes that sort elements; selectors can ask for them, as div[@type='note']"
        yield from (f"#   {each.name}: {each.reason}" for each in chosen)
    for each in suggestion.of("languages"):
        yield f"\n# -- languages: {each.reason}; build with the stemmer auto"
    if chosen := suggestion.of("fields"):
        yield "\n# -- fields: filters, facets, orders of documents"
        yield "[fields]"
        for each in chosen:
            yield f"# {each.name}: {each.reason}"
            yield f"{_mark(each)}{each.name} = {_field(each.value)}"
    if chosen := suggestion.of("element_fields"):
        yield "\n# -- fields of elements: who speaks, which part it is"
        yield "[element_fields]"
        for each in chosen:
            yield f"# {each.name}: {each.reason}"
            yield f"{each.name} = {_text(each.value)}"
    if chosen := suggestion.of("titles"):
        yield "\n# -- titles of sections"
        yield "[titles]"
        for each in chosen:
            yield f"# {each.name}: {each.reason}"
            yield f"{_mark(each)}{_text(each.name)} = {_array(each.value)}"


def _mark(decision: Decision) -> str:
    return "" if decision.level > Certainty.OPEN else "# "


def _list(key: str, suggestion: ProfileDraft) -> Iterator[str]:
    chosen = [*suggestion.of(key), *suggestion.of(f"not {key}")]
    yield from (f"#   {each.name}: {each.reason}" for each in chosen)
    if key in ("inline", "quiet"):
        entries = _entries(suggestion, key, Certainty.LIKELY)
    else:
        entries = [each.name for each in suggestion.of(key, Certainty.LIKELY)]
    if entries:
        yield f"{key} = {_array(entries)}"
    if unsure := [each.name for each in suggestion.of(key) if each.level is Certainty.OPEN]:
        yield f"# {key} = {_array([*(entries or (['...'] if key in ('inline', 'quiet') else [])), *unsure])}"


def _text(value: object) -> str:
    """Return a string of TOML; its escapes are those of JSON."""
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(values: object) -> str:
    assert isinstance(values, Iterable)
    return "[" + ", ".join(map(_text, values)) + "]"


def _field(value: object) -> str:
    """Format a field as in a profile file."""
    assert isinstance(value, Mapping)
    path = value["path"]
    written = _text(path) if isinstance(path, str) else _array(path)
    rest = [f'type = "{value["type"]}"'] if "type" in value else []
    rest += ["many = true"] if value.get("many") else []
    return f"{{ {', '.join([f'path = {written}', *rest])} }}" if rest or not isinstance(path, str) else written
