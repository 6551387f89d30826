"""Titles above elements as a context: by the profile's ``[titles]``, or by tags."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import FEW, SETTLED
from tests.oracle.generate import Case, Query
from tests.oracle.reading import read
from tests.query.context.test_context_of_words import added
from tests.query.scoring.test_printed_formulas import check
from tests.query.test_engine_against_oracle import build, expected

ONLY_TITLES: dict[str, Any] = {
    "model": "trix2005", "k1": 1.2, "B": 0.75, "lambda_": 0.5, "mu": 2000.0, "a": 1.2, "v": 2.0, "b": 0.1,
    "match": "any", "statistics": None, "weights": None, "idf_power": 1.0, "combine": "average", "strategy": "thorough",
    "fetch": "root", "overlap": None, "phrases": "content", "open_phrases": False, "top": None,
}  # fmt: skip
TITLED: list[dict[str, list[str]]] = [
    {},
    {"*": ["label title", "title"], "fig": ["label caption/title", "label"]},
    {"*": ["title"], "sec": ["preceding-sibling::title", "label", "wrap/title"], "caption": []},
    {"sec[@k='1']": ["label"], "sec": ["title", "caption/title"], "fig": ["'Figure'", "@k title", "caption/wrap/sec"]},
    {"sec[@k='1']": ["preceding-sibling::label", "'none'"], "*": ["caption title", "title", "fig/caption/title"]},
    {"{urn:y}sec": ["label"], "{}sec": ["title"], "sec": ["label", "p"], "fig": ["fig", "sec/title"], "*": ["caption"]},
    {"{urn:y}sec": ["preceding-sibling::fig"], "sec": ["preceding-sibling::title"], "*": ["preceding-sibling::p", "p"]},
    {"*": ["preceding-sibling::title"], "wrap": ["title"], "fig": ["label", "caption/title"]},
]  # fmt: skip


def titled_document(draw: random.Random) -> str:
    """Write sections with titles, labels and captions, some in elements that are unwrapped, some in each other."""

    def element(depth: int) -> str:
        leaf = depth > 4 or draw.random() < 0.35
        tag = (
            draw.choice(("title", "title", "label", "p"))
            if leaf
            else draw.choice(("sec", "fig", "caption", "wrap", "title"))
        )
        words = " ".join(draw.choices(("tree", "edit", "label", "other"), (2, 2, 1, 3), k=draw.randint(1, 2)))
        inside = words if leaf else "".join(element(depth + 1) for _ in range(draw.randint(1, 4)))
        name = draw.choice(("sec", "y:sec")) if tag == "sec" else tag
        return f"<{name}{draw.choice(('', '', ' k=1'))}>{inside}</{name}>".replace("k=1", "k='1'")

    return f"<sec xmlns:y='urn:y'>{''.join(element(0) for _ in range(draw.randint(1, 4)))}</sec>"


@pytest.mark.parametrize("seed", range(len(TITLED) * (1 if FEW or SETTLED else 6)))
def test_titles_by_the_profile_are_those_of_a_literal_reading(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a table of small blocks, so that titles are gathered part by part."""
    monkeypatch.setattr("trix.indexer.write.segment_writer.BLOCK_ELEMENTS", 15)
    monkeypatch.setattr("trix.indexer.store.elements.PART_BLOCKS", 2)
    draw = random.Random(seed)
    profile: dict[str, Any] = {"inline": [], "unwrap": ["wrap"], "titles": TITLED[seed % len(TITLED)]}
    profile["namespaces"] = {"y": "urn:y"}
    files = {f"{number}.xml": titled_document(draw).encode() for number in range(4)}
    collection = read([(name.rpartition(".")[0], files[name]) for name in files], profile, "none", ())
    case = Case(files, profile, "none", (), False, collection)
    with trix.open(build(case, tmp_path)) as index:
        changed = 0
        for text in ("edit label", "label other tree"):
            for form in ("titles:f=3,idf=0", "titles:f=2>parent", "titles:label+fig,f=4,idf=0", "titles:f=2,own=1"):
                asked = {**ONLY_TITLES, "context": [form]}
                query = Query(text, tuple(("", word) for word in text.split()))
                wanted = expected(case, query, asked)[1]
                found = index.search(text, **asked)
                scores = {tuple(map(int, each.label.split("."))): each.score for each in found}
                assert scores == {x: pytest.approx(s, rel=1e-12) for x, s in wanted.items()}, (text, form)
                for each in draw.sample(list(found), min(len(found), 2)):
                    explanation = index.explain(text, each, **asked)
                    assert explanation.value == each.score
                    check(str(explanation))
                changed += wanted != expected(case, query, {**asked, "context": []})[1]
    assert changed > 1


def test_a_root_is_no_title_and_hides_none(tmp_path: Path) -> None:
    """It is nobody's child; its own titles are above all that is in it."""
    (tmp_path / "own.toml").write_text('[titles]\n"*" = ["head", "title"]\n', encoding="utf-8")
    (tmp_path / "d.xml").write_text("<title><title>tree</title><p>tree</p><head>edit</head><p>edit</p></title>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile=tmp_path / "own.toml", stop="none", jobs=1)
    with trix.open(tmp_path / "i") as index:
        for form, shares in {"titles:f=2,idf=0": (0, 1, 1), "titles:title,f=2,idf=0": (0, 1, 1)}.items():
            found = [added(index, "tree edit", f"d/title[1]{path}", form) for path in ("", "/p[1]", "/p[2]")]
            assert found == pytest.approx(shares)
        assert added(index, "tree edit", "d/title[1]/head[1]", "titles:f=2,idf=0") == 0
        assert added(index, "tree edit", "d/title[1]/head[1]", "titles:title,f=2,idf=0") == pytest.approx(1)


LAW = """<Statute><Identification><LongTitle>An Act on trees</LongTitle></Identification><Body>
<Heading level="1"><TitleText>Editing</TitleText></Heading>
<Section><MarginalNote>Who may fell</MarginalNote><Label>1</Label><Text>The owner of a tree.</Text></Section>
<Section><MarginalNote>Damages</MarginalNote><Label>2</Label><Text>Each tree is paid.</Text></Section>
</Body></Statute>"""
POEM = "<TEI.2><TEXT><BODY><DIV1><HEAD>To a tree</HEAD><LG><L>Edit thy leaves,</L></LG></DIV1></BODY></TEXT></TEI.2>"


@pytest.mark.parametrize(
    ("profile", "text", "query", "path", "share"),
    [
        ("laws", LAW, "editing owner", "/Statute[1]/Body[1]/Section[1]/Text[1]", 0.5),
        ("laws", LAW, "damages paid", "/Statute[1]/Body[1]/Section[2]/Text[1]", 0.5),
        ("laws", LAW, "damages owner", "/Statute[1]/Body[1]/Section[1]/Text[1]", 0.0),
        ("tei", POEM, "tree leaves", "/TEI.2[1]/TEXT[1]/BODY[1]/DIV1[1]/LG[1]/L[1]", 0.5),
    ],
)
def test_titles_are_what_the_schema_calls_so(
    profile: str, text: str, query: str, path: str, share: float, tmp_path: Path
) -> None:
    (tmp_path / "d.xml").write_text(text)
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile=profile, stop="none", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert added(index, query, f"d{path}", "titles:f=1,idf=0", preset="study") == pytest.approx(share)
        assert not any("titles" in notice for notice in index.search(query, context="titles").notices)
        notices = index.search(query, context="titles:title+st").notices
        assert "titles:title+st does nothing: no element has such a tag" in notices


def test_an_index_without_titles_says_so(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<a><p>tree</p><q>edit</q></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as index:
        said = "titles:f=2 does nothing: the profile's [titles] find none; name tags, as titles:head"
        assert said in index.search("tree", context="titles:f=2").notices
        assert index.run({"1": "tree"}, context="tower>titles:f=2").notices == [said]
