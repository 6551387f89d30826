"""Passages for programs that read: never too much, nothing twice, and each the text of its address."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import trix
from tests.conftest import Cli
from trix.errors import UsageError
from trix.indexer.read.texts import SourceTexts
from trix.query.display.highlight import Hit
from trix.query.display.passages import Passage, Passages
from trix.query.display.prose import best_stretch

WORDS = ["oak", "acorn", "bark", "leaf", "ship", "mast", "sail", "stone", "beech", "nut", "tannin", "cork"]


def sentence(chance: random.Random) -> str:
    """Return a sentence with a word of its own, so that no two paragraphs are the same."""
    words = chance.choices(WORDS, k=chance.randint(2, 14))
    return f"{' '.join(words).capitalize()} {chance.randrange(10**9)}."


def document(chance: random.Random) -> str:
    """Return sections of paragraphs of sentences, indented as printers of XML do, with tags inside of sentences."""
    sections = []
    for number in range(chance.randint(1, 5)):
        paragraphs = ""
        for _ in range(chance.randint(1, 6)):
            text = " ".join(sentence(chance) for _ in range(chance.randint(1, 9))).replace("oak ", "<i>oak</i> ")
            paragraphs += f"\n      <p>\n        {text}\n      </p>"
        sections.append(f"\n    <sec>\n      <title>Part {number}</title>{paragraphs}\n    </sec>")
    return f"<article><title>Of oaks</title>{''.join(sections)}\n</article>"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("passages")
    (folder / "xml").mkdir()
    chance = random.Random(7)
    for number in range(12):
        (folder / "xml" / f"d{number}.xml").write_text(document(chance))
    trix.build(folder / "xml", folder / "i", profile="generic", stem="none", stop="none", jobs=1)
    return folder / "i"


def squeezed(text: str) -> str:
    return "".join(text.split())


def check(opened: trix.Index, found: Passages, characters: int) -> None:
    """Hold what is true of any passages."""
    assert sum(len(each.text) for each in found) <= characters
    told: dict[str, list[tuple[int, int]]] = {}
    for each in found:
        raw = opened.show(each.doc, raw=True)
        assert each.text and squeezed(each.text) == squeezed(raw[each.offset : each.offset + each.length]), each
        whole = opened.show(each.address, raw=True)
        if each.cut:
            assert squeezed(each.text) in squeezed(whole) and each.length < len(whole)
        told.setdefault(each.doc, []).append((each.offset, each.offset + each.length))
    for ranges in told.values():
        assert all(one[1] <= other[0] for one, other in pairwise(ranges)), "in reading order, and nothing twice"
    best = [min(each.rank for each in found if each.doc == doc) for doc in told]
    assert list(told) == list(dict.fromkeys(each.doc for each in found)) and best == sorted(best)


@pytest.mark.reading
@given(
    words=some.lists(some.sampled_from(WORDS), min_size=1, max_size=4),
    characters=some.integers(1, 4000),
    part=some.sampled_from([0, 0, 5, 12]),
    sentences=some.booleans(),
    options=some.sampled_from(
        [{}, {"strategy": "thorough"}, {"per_document": 1}, {"top": 3}, {"size": ":500"}, {"size": None}, {"from_": 4}]
    ),
)
def test_passages_fit_and_say_what_stands_at_their_addresses(
    index: Path, words: list[str], characters: int, part: int, sentences: bool, options: dict[str, object]
) -> None:
    with trix.open(index) as opened:
        around = characters // part if part else 0
        found = opened.passages(" ".join(words), characters, around=around, sentences=sentences, **options)  # type: ignore[arg-type]
        if around:
            widened(opened, found, characters)
        else:
            check(opened, found, characters)
        assert len(found) <= options.get("top", 10_000)  # type: ignore[operator]
        if "per_document" in options:
            assert max(Counter(each.doc for each in found).values(), default=0) <= 1
        if characters >= 200:
            assert len(found), "every word is in some document, and no sentence is as long"


def widened(opened: trix.Index, found: Passages, characters: int) -> None:
    """Hold what is true of passages with what is around them: all of it but that each is inside of its element."""
    assert sum(len(each.text) for each in found) <= characters
    for one, other in pairwise(found):
        assert one.doc != other.doc or one.offset + one.length <= other.offset
    for each in found:
        raw = opened.show(each.doc, raw=True)
        assert squeezed(each.text) == squeezed(raw[each.offset : each.offset + each.length])


@pytest.mark.reading
def test_a_whole_passage_reads_as_its_element_does(index: Path) -> None:
    with trix.open(index) as opened:
        found = opened.passages("oak acorn", 8000)
        whole = [each for each in found if not each.cut]
        assert len(whole) > 3
        for each in whole:
            assert each.text.split() == opened.show(each.address).split()
            assert "\n  " not in each.text and each.text == each.text.strip(), "the indentation of the source is gone"
        results = opened.search("oak acorn", size="150:6000", strategy="thorough", per_document="all", top=None)
        for each in found:
            result = results[each.rank - 1]
            assert (each.path, each.label, each.score) == (result.path, result.label, result.score)
            assert (each.title, each.breadcrumb) == ("Of oaks", result.breadcrumb)
        plain = opened.search(
            "oak acorn", size="150:6000", context="none", strategy="thorough", per_document="all", top=None
        )
        without_context = {(each.doc, each.path): each.score for each in plain}
        assert all(each.own == without_context[each.doc, each.path] for each in found)
        assert any(each.own != each.score for each in found)


@pytest.mark.reading
def test_where_a_passage_is_cut_whole_sentences_are_left(index: Path) -> None:
    with trix.open(index) as opened:
        cut = [each for size in range(300, 1500, 90) for each in opened.passages("ship mast cork", size) if each.cut]
        assert len(cut) > 5
        for each in cut:
            raw = opened.show(each.doc, raw=True)
            before, behind = raw[: each.offset].rstrip(), raw[each.offset + each.length :].lstrip()
            assert each.text.endswith(".") or behind[:1] in ("", *"OABLSMTNC"), each
            assert before[-1:] in (".", "") or before.endswith(tuple("0123456789s")), each
        words = opened.passages("ship mast cork", 120, sentences=False)
        assert len(words) == 1 and 80 < len(words[0].text) <= 120


def best_by_trying(units: Sequence[tuple[int, int]], sizes: Sequence[int], hits: Sequence[Hit], room: int) -> set[int]:
    """Return where the best of all stretches begin that cannot go on: the oracle of `best_stretch`."""
    worth: dict[int, tuple[int, int]] = {}
    for low in range(len(units)):
        for high in range(low + 1, len(units) + 1):
            if sum(sizes[low:high]) <= room:
                inside = [hit.key for hit in hits if any(b <= hit.begin and hit.end <= e for b, e in units[low:high])]
                worth[low] = max(worth.get(low, (0, 0)), (len(set(inside)), len(inside)))
    return {low for low, each in worth.items() if each == max(worth.values())}


@given(
    sizes=some.lists(some.integers(1, 30), min_size=1, max_size=12),
    places=some.lists(some.tuples(some.integers(0, 200), some.sampled_from("abc")), max_size=8),
    room=some.integers(1, 120),
)
def test_the_best_stretch_is_what_trying_all_finds(sizes: list[int], places: list[tuple[int, str]], room: int) -> None:
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    units = list(pairwise([0, *ends]))
    hits = [Hit(at, at + 1, key, False) for at, key in sorted(places)]
    low, high = best_stretch(units, sizes, hits, room)
    expected = best_by_trying(units, sizes, hits, room)
    if not expected:
        assert low == high
        return
    assert low in expected and (low == 0 or 0 not in expected), "with the beginning where that is as good"
    assert low < high and sum(sizes[low:high]) <= room
    assert high == len(units) or sum(sizes[low : high + 1]) > room, "as much as fits"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    code = "if oak:\n          acorn()\n      else:\n          bark()"
    (tmp_path / "a.xml").write_text(
        "<doc><title>Trees</title><sec><title>One</title><p>Before it. Just before.</p>"
        f"<p>The oak is here.</p><p>Right behind. And on it goes.</p><pre>\n      {code}\n    </pre></sec></doc>"
    )
    (tmp_path / "b.xml").write_text("<doc><sec><p>The oak is here.</p></sec></doc>")
    (tmp_path / "c.xml").write_text('<doc><sec n="oak"><p>Of stone.</p></sec></doc>')
    trix.build([tmp_path / f"{name}.xml" for name in "abc"], tmp_path / "i", profile="generic", stem="none", jobs=1)
    return tmp_path / "i"


def test_what_is_around_comes_with_a_passage_in_whole_sentences(small: Path) -> None:
    with trix.open(small) as opened:
        asked = "//p[about(., oak)]"
        plain = opened.passages(asked, 400, top=1)[0]
        assert (plain.text, plain.cut) == ("The oak is here.", False)
        near = opened.passages(asked, 400, around=20, top=1)[0]
        assert near.text == "Just before.\nThe oak is here.\nRight behind."
        far = opened.passages(asked, 400, around=60, top=1)[0]
        assert far.text == "Before it. Just before.\nThe oak is here.\nRight behind. And on it goes."
        assert near.path == far.path == plain.path and far.offset < near.offset < plain.offset
        assert opened.passages(asked, 400, around=3, top=1)[0].text == plain.text


def test_a_text_that_is_told_is_not_told_again_from_another_document(small: Path) -> None:
    with trix.open(small) as opened:
        assert [each.doc for each in opened.passages("//p[about(., oak)]")] == ["a"]


def test_what_is_cut_says_something_of_the_query_also_where_little_fits(tmp_path: Path) -> None:
    long = "The oak, " + "which stood there for ages and ages, " * 12 + "fell."
    (tmp_path / "a.xml").write_text(f"<doc><p>Nothing here. {long} Nothing there.</p></doc>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", stem="none", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        found = opened.passages("oak", 60, size=None)
        assert len(found) == 1 and "oak" in found[0].text and len(found[0].text) <= 60 and found[0].cut


def test_sources_that_have_gone_are_not_tried_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        (tmp_path / f"d{number}.xml").write_text(f"<doc><p>The oak {number}.</p><p>An oak again {number}.</p></doc>")
    trix.build(list(tmp_path.glob("*.xml")), tmp_path / "i", profile="generic", jobs=1)
    for path in tmp_path.glob("*.xml"):
        path.unlink()
    tried: list[int] = []
    tree = SourceTexts.tree
    monkeypatch.setattr(
        SourceTexts, "tree", lambda self, number, **how: [tried.append(number), tree(self, number, **how)][1]
    )
    with trix.open(tmp_path / "i") as opened:
        assert len(opened.passages("//p[about(., oak)]")) == 0
    assert len(tried) == len(set(tried)) == 10


def test_code_keeps_its_lines_and_its_indentation(small: Path) -> None:
    with trix.open(small) as opened:
        found = opened.passages("//pre[about(., acorn)]")
        assert found[0].text == "if oak:\n    acorn()\nelse:\n    bark()"


def test_nothing_found_is_no_passage_and_says_why(small: Path) -> None:
    with trix.open(small) as opened:
        found = opened.passages("granite the")
        assert (len(found), found.text, found.matched) == (0, "", 0) and found.notices


def test_a_prompt_has_headings_and_addresses(small: Path) -> None:
    with trix.open(small) as opened:
        found = opened.passages("//p[about(., oak)]")
        assert found.text == "[1] Trees › One\n(a/doc[1]/sec[1]/p[1])\nThe oak is here.".replace("p[1]", "p[2]")
        assert found[0].to_dict()["breadcrumb"] == ["One"] and json.dumps(found[0].to_dict())
        assert isinstance(found[0], Passage) and "oak" in repr(found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"characters": 0}, "characters: expected a whole number of 1 or more; got 0"),
        ({"around": -1}, "around: expected a whole number of 1 or more; got -1"),
        ({"characters": 100, "around": 26}, "around: expected at most a quarter of `characters`; got 26"),
        ({"sentences": "perhaps"}, "sentences: expected on or off; got perhaps"),
        ({"model": "no"}, "model: expected one of"),
    ],
)
def test_a_wrong_argument_is_named(small: Path, given: dict[str, object], said: str) -> None:
    with trix.open(small) as opened, pytest.raises(UsageError) as caught:
        opened.passages("oak", **given)  # type: ignore[arg-type]
    assert str(caught.value).startswith(said)


def test_a_source_that_has_moved_is_told_and_the_others_are_read(small: Path) -> None:
    (small.parent / "a.xml").rename(small.parent / "gone.xml")
    with trix.open(small) as opened:
        found = opened.passages("//p[about(., oak)]")
        assert [each.doc for each in found] == ["b"]
        assert any("a.xml" in notice or "a " in notice for notice in opened.notices)


def test_the_command_prints_a_prompt_or_lines(small: Path, run_cli: Cli) -> None:
    code, out, err = run_cli("passages", small, "oak", "--characters", "300")
    assert (code, err) == (0, "") and out.startswith("[1] Trees")
    code, out, _ = run_cli("passages", small, "oak", "--around", "20", "--format", "jsonl", "--no-sentences")
    first = json.loads(out.splitlines()[0])
    assert code == 0 and {"own", "score", "text", "offset", "length", "path", "label", "cut"} <= set(first)
    assert run_cli("passages", small, "granite")[:2] == (0, "")
    code, _, err = run_cli("passages", small, "oak", "--characters", "100", "--around", "50")
    assert (code, err) == (2, "trix: error: --around 50: expected at most a quarter of --characters\n")
    assert run_cli("passages", small)[0] == 2
