"""Rules for tags: which are inline, which are containers of blocks, which are one part with all that is inside.

Every threshold has a name here. They were set on collections whose presets were written by hand, and for the sake of
what is decided wrongly: a tag about which two rules disagree gets none.
"""

from __future__ import annotations

from trix.indexer.profile.profile import load_profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.suggest.counts import SampleCounts, TagCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names, listed, percent

FEWEST = 10
"""Elements of a tag from which on anything is said about it."""

IN_TEXT = 0.75
"""Share of an inline tag's elements beside text, of those that are not alone in their parent: fields have none."""

ALONE = 0.9
"""Share of elements alone in their parent above which a tag is no phrase: one in ten stands in running text."""

AMID = 0.25
"""Share with text on both sides, of those beside text. Labels and notes at an edge of their parent have less."""

SHORT, SHORT_MEAN = 60, 80
"""Characters of an inline element, median and mean: a phrase. Footnotes in their sentence are longer."""

GLUED, TOUCHING = 0.3, 0.15
"""Shares of inline elements inside a word, and directly before another: more would glue words that are two."""

NESTED = 0.05
"""Share of a tag's elements that may hold what does not fit the rule, as faults of markup do."""

BLOCKS = 0.03
"""Share of a container's elements that hold blocks beside text of their own."""

CONTAINER = 600
"""Characters of a container, the mean: a shorter one, as a paragraph with a list, is better read as a whole."""

BLOCK = 80
"""Characters, the median, from which on a tag that is not inline is a block; shorter ones have element children."""

RECORD, RECORD_FIELD = 300, 60
"""Characters of a record and of each of its fields, medians."""

ROWS = ("tr", "row", "Row", "TR", "ROW")
"""Tags of the rows of tables, whose cells have one tag only."""


def inline_tags(counts: SampleCounts) -> dict[str, Certainty]:
    """Return the tags that are inline by counts, sure ones and those that may be.

    A tag is inline only while all it holds is inline or empty, so tags go until none goes any more.
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
    is_known = split_qname(tag.tag)[1].lower() in preset_inline()  # the preset's own, in capitals
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
    """Return the inline tags of the preset that suggested profiles extend."""
    return tuple(selector.tag for selector in load_profile("generic").inline)


def not_inline(counts: SampleCounts) -> list[str]:
    """Return the tags that the preset takes for style and that are parts of records, or long blocks, here.

    A ``ref`` that is a reference with fields glues its fields to one word where it is inline.
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
    """Return the tags that are inline in the end, those that the preset names included."""
    known, gone = preset_inline(), not_inline(counts)
    own = {tag for tag, level in inline_tags(counts).items() if level is Certainty.SURE}
    return own | {tag for tag in counts.tags if split_qname(tag)[1] in known and tag not in gone}


def decide_inline(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which tags are inline that the preset does not name."""
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
    """Return how many elements of a tag hold each tag of blocks, and each tag that would cut their sentences."""
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
    """Decide which tags hold text of their own beside blocks."""
    inline, decisions = all_inline(counts), []
    for tag, each in counts.tags.items():
        if each.mixed < FEWEST or tag in inline or each.own < 0.5 * each.filled:
            continue
        blocks, cuts = blocks_of(each, counts, inline)
        held, cut = sum(blocks.values()), sum(cuts.values())
        if held < max(5, BLOCKS * each.times):
            continue
        fits, long = 2 * cut <= held, each.mean >= CONTAINER
        most = sorted(blocks, key=lambda child: -blocks[child])
        reason = f"text beside {listed(map(names.selector, most))} in {percent(held, each.times)} of {each.times:,}"
        if not fits:
            worst = max(cuts, key=lambda child: cuts[child])
            reason += f"; but {names.selector(worst)} stands inside sentences, which this would cut"
        elif not long:
            reason += f"; {each.mean:.0f} characters, which read well as a whole"
        level = Certainty.SURE if fits and long else Certainty.OPEN
        decisions.append(Decision("container", names.selector(tag), level, reason))
    return decisions


def decide_units(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which tags are one part as a whole: lines and paragraphs of phrases, records of short fields."""
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
    for tag in filter(records.__contains__, counts.tags):  # in their order, so that each draft is the same
        each = counts.tags[tag]
        if sum(times for above, times in each.in_tags.items() if above in records) > 0.5 * each.times:
            continue  # a part of a record
        kinds = listed(names.selector(child) for child, _ in each.holds.most_common())
        reason = f"{each.times:,} records of {kinds}; {each.median:.0f} characters"
        decisions.append(Decision("unit", names.selector(tag), Certainty.LIKELY, reason))
    return decisions


def record_tags(counts: SampleCounts, inline: set[str]) -> set[str]:
    """Return the tags whose elements hold short fields of several tags, and no text beside them."""
    found = {
        tag
        for tag, each in counts.tags.items()
        if each.filled >= FEWEST
        and tag not in inline
        and each.depth >= each.times  # no root
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
