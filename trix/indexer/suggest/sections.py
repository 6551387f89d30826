"""Rules for sections: their titles, and which of them are non-returnable."""

from __future__ import annotations

import re

from trix.indexer.profile.profile import load_profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.profile.titles import FIRST
from trix.indexer.suggest.counts import AttributeCounts, PathCounts, SampleCounts, TagCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names, is_code, percent
from trix.indexer.suggest.tags import FEWEST, all_inline, record_tags

HEADING, HEADED = 120, 3
"""Largest median of characters of a heading, and how much longer its section must be."""

BEGINS, ONE = 0.6, 0.9
"""Share of sections that begin with their heading; and that have exactly one, among those with such a child."""

BY_PLACE = 0.9
"""Headings by position: share of sections that begin with the tag, and of its elements that begin a section."""

NUMBER = 10
"""Largest median of characters of a number or label before a heading."""

SECTION = 60
"""Mean characters from which an element is a section with a title."""

_HEADING = re.compile(
    r"(?i)title|titel|titre|titulo|titolo|head|caption|rubric|speaker|topic|subject|question|term|label|num|name"
)
_NAMED_BY = ("title", "name", "label", "heading", "head", "caption", "displayName", "n")
_NAME = re.compile(r"(?i)(name|title|label|heading|caption|topic|subject|headline|headword|lemma|speaker)|.*[a-z]name")
_NO_NAME = re.compile(r"(?i).*(file|class|style|tag|type|user|host|path|font|node)[-_]?name")

MOST_QUIET = 0.3
"""Largest share of the text of a non-returnable part, whatever its name."""

REFERENCES = 5
"""Mean number of entries from which a list is one of references; its name alone does not suffice."""

_HEADERS = re.compile(
    r"(?i)(.*header|.*metadata|meta|.*-meta|front|frontmatter|prolog|info|.*info|identification|docinfo|boilerplate"
    r"|idstatus|identstatussection|control)"
)
_LISTS = re.compile(
    r"(?i)(ref-?list|references?|bibliography|list-?bibl|.*bibliography|toc|.*-toc|nav|index|links|related-?links"
    r"|table-?of-?contents|footer|colophon|revision-?history|change-?log|revision-?desc"
    r"|inhalts(verzeichnis|übersicht)|literatur(verzeichnis)?|sommaire|table-?des-?mati[eè]res|bibliographie|indice"
    r"|innehåll|sisällys(luettelo)?|inhoud(sopgave)?|目次|目录|目錄)"
)


def _known_forms() -> list[tuple[str, ...]]:
    return [form for rule in load_profile("generic").titles for form in rule.forms]


def decide_titles(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide the titles of elements for which the preset has no form."""
    known, inline, decisions = _known_forms(), all_inline(counts), list[Decision]()
    records = record_tags(counts, inline)
    single = {form[0].removesuffix(FIRST) for form in known if len(form) == 1}
    for tag, each in counts.tags.items():
        if each.times < FEWEST or tag in inline or tag in records or each.mean < SECTION or each.own > 0.5 * each.times:
            continue
        children = {split_qname(child)[1]: times for child, times in each.holds.items()}
        if any(times >= BEGINS * each.times for child, times in children.items() if child in single):
            continue
        found = _heading(each, counts, inline) or _attribute(each)
        if found is not None and _has_words(found[0], counts):
            decisions.append(Decision("titles", names.selector(tag), found[1], found[2], found[0]))
    return decisions


def _has_words(forms: list[str], counts: SampleCounts) -> bool:
    """Whether headings differ, and are words rather than codes, in the values of the sample."""
    if " " in forms[0]:
        return True  # a number is in it
    values = [value for path in counts.root.walk() if path.steps[-1:] == (forms[0],) for value in path.all_values()]
    if len(values) < FEWEST:
        return True
    return len(set(values)) > 1 and sum(map(is_code, values)) <= 0.5 * len(values)


def _heading(tag: TagCounts, counts: SampleCounts, inline: set[str]) -> tuple[list[str], Certainty, str] | None:
    if not tag.begins:
        return None
    first, times = tag.begins.most_common(1)[0]
    second, following = tag.goes_on.most_common(1)[0] if tag.goes_on else ("", 0)
    number = counts.tags[first]
    local, after = split_qname(first)[1], split_qname(second)[1]
    numbered = second and number.median <= NUMBER and following >= BEGINS * tag.times
    if numbered and _heads(counts.tags[second], tag, inline):
        reason = f"{percent(following, tag.times)} have {local} and {after} first"
        return [f"{local} {after}", after, local], Certainty.SURE if _HEADING.search(after) else Certainty.OPEN, reason
    if times < BEGINS * tag.times or not _heads(number, tag, inline):
        return None
    by_place = times >= BY_PLACE * tag.times and number.first >= BY_PLACE * number.times
    level = Certainty.SURE if by_place or _HEADING.search(local) else Certainty.OPEN
    return [local], level, f"{percent(times, tag.times)} of {tag.times:,} begin with it; {number.median:.0f} characters"


def _heads(heading: TagCounts, section: TagCounts, inline: set[str]) -> bool:
    children = sum(times for child, times in heading.holds.items() if child not in inline)
    return (
        heading.tag not in inline
        and 0 < heading.median <= HEADING
        and section.holds_one[heading.tag] >= ONE * section.holds[heading.tag]
        and section.mean >= HEADED * heading.mean
        and children <= 0.1 * heading.times
    )


def _attribute(tag: TagCounts) -> tuple[list[str], Certainty, str] | None:
    for name in _NAMED_BY:
        found = tag.attributes.get(name)
        if found is None or found.times < BEGINS * tag.times or found.length > HEADING * found.times:
            continue
        kind = tag.attributes.get("type") or tag.attributes.get("subtype")
        prefix = "@type " if name == "n" and kind is not None and kind is tag.attributes.get("type") else ""
        if name == "n" and not prefix:
            break
        return [f"{prefix}@{name}"], Certainty.SURE, f"{percent(found.times, tag.times)} of {tag.times:,} have it"
    for name, found in tag.attributes.items():
        if found.times >= BEGINS * tag.times and is_name(name, found):
            return [f"@{name}"], Certainty.SURE, f"{percent(found.times, tag.times)} of {tag.times:,} have it"
    return None


def is_name(attribute: str, found: AttributeCounts) -> bool:
    """Whether an attribute names its elements, in words.

    >>> from collections import Counter
    >>> names = AttributeCounts(2, Counter(["Ann Bell", "Rob Low"]), 2, 15)
    >>> is_name("speakername", names), is_name("filename", names), is_name("id", names)
    (True, False, False)
    """
    if not _NAME.fullmatch(attribute) or _NO_NAME.fullmatch(attribute) or found.length > HEADING * found.times:
        return False
    values = list(found.values)
    return len(values) > 1 and sum(any(map(str.isalpha, value)) for value in values) >= BEGINS * len(values)


def decide_quiet(counts: SampleCounts, names: Names) -> list[Decision]:
    """Decide which parts are headers, tables of contents and references, and which only have such names."""
    known = {selector.tag for selector in load_profile("generic").quiet}
    inline, decisions = all_inline(counts), list[Decision]()
    for tag, each in counts.tags.items():
        local = split_qname(tag)[1]
        share = each.outer / counts.characters if counts.characters else 0.0
        of_text = f"{percent(each.outer, counts.characters)} of the text"
        if not each.filled or tag in inline:
            continue
        if local in known:
            if share > MOST_QUIET and each.depth >= each.times:
                reason = f"called as a header or list of references is, but {of_text} is in it"
                decisions.append(Decision("not quiet", local, Certainty.SURE, reason))
            continue
        below_root = each.depth == each.times
        if _HEADERS.fullmatch(local):
            sure = below_root and each.times == each.documents and share <= MOST_QUIET
            sure = sure and each.documents >= 0.6 * counts.documents and _is_of_fields(counts.root, local)
            reason = f"once in {percent(each.documents, counts.documents)} of documents, {of_text}, mostly short fields"
        elif _LISTS.fullmatch(local):
            references = sum(counts.tags[child].in_tags[tag] for child in each.holds)
            sure = share <= MOST_QUIET and each.own <= 0.1 * each.times and references >= REFERENCES * each.times
            reason = f"{each.times:,} lists of {references / each.times:.0f} entries, {of_text}"
        else:
            continue
        if not sure:
            reason = f"by its name; {of_text}"
        decisions.append(Decision("quiet", names.selector(tag), Certainty.SURE if sure else Certainty.OPEN, reason))
    return decisions


def quiet_names(counts: SampleCounts) -> frozenset[str]:
    """Return the local names of parts that are certainly non-returnable, including those of the preset."""
    known = {str(selector.tag) for selector in load_profile("generic").quiet}
    decided = decide_quiet(counts, Names(counts))
    loud = {each.name for each in decided if each.key == "not quiet"}
    return frozenset(
        known - loud | {each.name for each in decided if each.key == "quiet" and each.level is Certainty.SURE}
    )


def _is_of_fields(root: PathCounts, name: str) -> bool:
    """Whether most elements below a child of the root are short and have no child elements."""
    found = root.below.get(name)
    if found is None:
        return False
    leaves = [path for path in found.walk() if path.values and not path.parts and "@" not in path.name]
    return bool(leaves) and sum(path.prose for path in leaves) <= 0.1 * sum(path.times for path in leaves)
