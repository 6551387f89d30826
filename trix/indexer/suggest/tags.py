"""Rules for tags: inline elements, containers of blocks, and units.

Every threshold is a named constant. They were tuned on collections with hand-written presets, to avoid wrong decisions:
a tag on which two rules disagree gets none.
"""

from __future__ import annotations

from trix.indexer.profile.profile import load_profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.suggest.counts import SampleCounts, TagCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names, listed, percent

FEWEST = 10
"""Smallest number of elements of a tag for a decision."""

IN_TEXT = 0.75
"""Share of inline elements beside text, among those that are not alone in their parent; fields have none."""

ALONE = 0.9
"""Largest share of elements alone in their parent for an inline tag: one in ten must be in running text."""

AMID = 0.25
"""Share with text on both sides, among those beside text; labels and notes at an edge have less."""

SHORT, SHORT_MEAN = 60, 80
"""Largest median and mean of characters of an inline element; footnotes are longer."""

GLUED, TOUCHING = 0.3, 0.15
"""Largest shares of inline elements inside a word, and directly before another; more would merge words."""

NESTED = 0.05
"""Share of a tag's elements with content that violates the rule, for errors in markup."""

BLOCKS = 0.03
"""Share of a container's elements with blocks beside text of their own."""

CONTAINER = 600
"""Mean characters of a container; a shorter one, such as a paragraph with a list, is better read as a whole."""

BLOCK = 80
"""Median of characters from which a tag is a block; shorter ones need child elements."""

RECORD, RECORD_FIELD = 300, 60
"""Largest medians of characters of a record, and of its fields."""

ROWS = ("tr", "row", "Row", "TR", "ROW")
"""Tags of table rows, whose cells share one tag."""


def inline_tags(counts: SampleCounts) -> dict[str, Certainty]:
    """Return the inline tags by statistics, with their certainty.

    A tag is inline only if its content is inline or empty, so tags are removed until nothing changes.
    """
    found = {tag: level for tag, each in counts.tags.items() if (level := _phrase(each)) is not None}
    while True:
        gone = [tag for tag in found if not _holds_only(counts.tags[tag], found, counts)]
        if not gone:
            return found
        for tag in gone:
            del found[tag]


def _phrase(tag: TagCounts) -> Certainty | None:
    beside = tag.filled - tag.alone
    if tag.near < FEWEST or tag.near < IN_TEXT * beside or tag.alone > ALONE * tag.filled:
        return None
    if tag.median > SHORT or tag.mean > SHORT_MEAN or tag.amid < AMID * tag.near:
        return None
    is_known = split_qname(tag.tag)[1].lower() in preset_inline()  # in the preset, in another case
    apart = tag.glued <= GLUED * tag.near and tag.touching <= TOUCHING * tag.filled
    return Certainty.SURE if apart or is_known else Certainty.OPEN


def _holds_only(tag: TagCounts, inline: dict[str, Certainty], counts: SampleCounts) -> bool:
    known = preset_inline()
    others = sum(
        times
        for child, times in tag.holds.items()
        if child not in inline and counts.tags[child].filled and split_qname(child)[1] not in known
    )
    return others <= NESTED * tag.times


def preset_inline() -> tuple[str, ...]:
    """Return the inline tags of the preset that derived profiles extend."""
    return tuple(selector.tag for selector in load_profile("generic").inline)


def not_inline(counts: SampleCounts) -> list[str]:
    """Return the tags that the preset treats as inline, but that are parts of records or long blocks here.

    An inline ``ref`` with fields would merge its fields into one word.
    """
    known = preset_inline()
    found = []
    for tag, each in counts.tags.items():
        if split_qname(tag)[1] in known and each.filled >= FEWEST and each.near <= NESTED * each.filled:
            blocks = sum(times for child, times in each.holds.items() if split_qname(child)[1] not in known)
            if each.median > 2 * BLOCK or blocks > 0.5 * each.times:
                found.append(tag)
    return found


def all_inline(counts: SampleCounts) -> set[str]:
    """Return all inline tags, including those of the preset."""
    known, gone = preset_inline(), not_inline(counts)
    own = {tag for tag, level in inline_tags(counts).items() if level is Certainty.SURE}
    return own | {tag for tag in counts.tags if split_qname(tag)[1] in known and tag not in gone}


def decide_inline(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which further tags are inline."""
    known, decisions = preset_inline(), []
    for tag, level in inline_tags(counts).items():
        each = counts.tags[tag]
        if split_qname(tag)[1] in known:
            continue
        beside = each.filled - each.alone
        reason = f"{percent(each.near, beside)} of {beside:,} stand in text; {each.median:.0f} characters"
        if level is not Certainty.SURE:
            reason += "; many touch words or each other: inline, or unwrap?"
        decisions.append(Decision("inline", names.selector(tag), level, reason))
    for tag in not_inline(counts):
        each = counts.tags[tag]
        reason = f"no style tag here: {percent(each.near, each.filled)} of {each.filled:,} stand in text"
        decisions.append(Decision("not inline", split_qname(tag)[1], Certainty.SURE, reason))
    return decisions


def blocks_of(tag: TagCounts, counts: SampleCounts, inline: set[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Count, for a tag, the elements with each tag of blocks, and with each tag that would interrupt sentences."""
    blocks, cuts = dict[str, int](), dict[str, int]()
    for child, times in tag.holds.items():
        each = counts.tags[child]
        if child in inline or not each.filled:
            continue
        if each.amid > AMID * each.filled:
            cuts[child] = times
        elif each.median >= BLOCK or each.parents > 0.5 * each.times:
            blocks[child] = times
        elif each.near:
            cuts[child] = times
    return blocks, cuts


def decide_containers(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which tags have text of their own beside blocks."""
    inline, decisions = all_inline(counts), []
    for tag, each in counts.tags.items():
        if each.mixed < FEWEST or tag in inline or each.own < 0.5 * each.filled:
            continue
        blocks, cuts = blocks_of(each, counts, inline)
        children, cut = sum(blocks.values()), sum(cuts.values())
        if children < max(5, BLOCKS * each.times):
            continue
        fits, long = 2 * cut <= children, each.mean >= CONTAINER
        most = sorted(blocks, key=lambda child: -blocks[child])
        reason = f"text beside {listed(map(names.selector, most))} in {percent(children, each.times)} of {each.times:,}"
        if not fits:
            worst = max(cuts, key=lambda child: cuts[child])
            reason += f"; but {names.selector(worst)} stands inside sentences, which this would cut"
        elif not long:
            reason += f"; {each.mean:.0f} characters, which read well as a whole"
        level = Certainty.SURE if fits and long else Certainty.OPEN
        decisions.append(Decision("container", names.selector(tag), level, reason))
    return decisions


def decide_units(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which tags are units: lines and paragraphs of phrases, records of short fields."""
    inline, decisions = all_inline(counts), []
    containers = {each.name for each in decide_containers(counts, names)}
    for tag, each in counts.tags.items():
        if each.filled < FEWEST or tag in inline or names.selector(tag) in containers or each.depth < each.times:
            continue
        others = sum(times for child, times in each.holds.items() if child not in inline and counts.tags[child].filled)
        bare = each.filled - each.own
        if bare and each.own >= 0.5 * each.filled and not others:
            reason = f"{bare:,} of {each.filled:,} hold a phrase and no text of their own; none holds a block"
            decisions.append(Decision("unit", names.selector(tag), Certainty.SURE, reason))
    records = record_tags(counts, inline)
    for tag in filter(records.__contains__, counts.tags):  # in a fixed order, to make drafts reproducible
        each = counts.tags[tag]
        if sum(times for above, times in each.in_tags.items() if above in records) > 0.5 * each.times:
            continue  # a part of a record
        kinds = listed(names.selector(child) for child, _ in each.holds.most_common())
        reason = f"{each.times:,} records of {kinds}; {each.median:.0f} characters"
        decisions.append(Decision("unit", names.selector(tag), Certainty.LIKELY, reason))
    return decisions


def record_tags(counts: SampleCounts, inline: set[str]) -> set[str]:
    """Return the tags whose elements have short fields with several tags, and no text beside them."""
    found = {
        tag
        for tag, each in counts.tags.items()
        if each.filled >= FEWEST
        and tag not in inline
        and each.depth >= each.times  # not the root
        and each.own <= NESTED * each.times
        and each.parents >= 0.8 * each.filled
        and 0 < each.median <= RECORD
        and each.mean <= 2 * RECORD
        and (sum(each.holds.values()) >= 1.5 * each.parents or split_qname(tag)[1] in ROWS)
    }
    while True:
        gone = {tag for tag in found if not _fields_only(counts.tags[tag], found, counts)}
        if not gone:
            return found
        found -= gone


def _fields_only(tag: TagCounts, records: set[str], counts: SampleCounts) -> bool:
    others = sum(
        times
        for child, times in tag.holds.items()
        if child not in records
        and (counts.tags[child].median > RECORD_FIELD or counts.tags[child].mean > 2 * RECORD_FIELD)
    )
    return others <= NESTED * tag.times
