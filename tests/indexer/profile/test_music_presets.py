"""The presets of scores: MEI and MusicXML."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

import trix
from trix.indexer.document.parse import parse
from trix.indexer.profile.detect import pick, signature
from trix.indexer.profile.profile import load_profile

MEI = """<mei xmlns="http://www.music-encoding.org/ns/mei" meiversion="5.0"><meiHead><fileDesc><titleStmt>
<title>The Loom<titlePart type="subordinate">an electronic transcription</titlePart></title><composer><persName>Ann
Webster</persName></composer><respStmt><persName role="encoder">Eve Carder</persName></respStmt></titleStmt><pubStmt>
<respStmt><corpName role="publisher">Shuttle Press</corpName></respStmt></pubStmt></fileDesc><encodingDesc><appInfo>
<application><name>converter</name></application></appInfo><projectDesc><p>Typed from a print.</p></projectDesc>
</encodingDesc><workList><work><title>Six Songs</title><key pname="e" accid="f" mode="major">Es-Dur</key><tempo>Lively
</tempo><creation>Written in<date isodate="1790-05">May</date></creation><perfMedium><perfResList><perfRes>Voice
</perfRes><perfRes>Harp</perfRes></perfResList></perfMedium><classification><termList><term>Song</term></termList>
</classification>
<langUsage><language>English</language></langUsage></work></workList></meiHead><music><body><mdiv n="1"><score>
<scoreDef key.sig="3f" meter.count="3" meter.unit="4"><staffGrp><staffDef n="1"><label>Voice</label></staffDef>
</staffGrp></scoreDef><section><measure n="1"><staff n="1"><layer><note pname="e"><verse n="1"><syl>The</syl></verse>
</note><note><verse n="1"><syl con="d" wordpos="i">shut</syl></verse></note></layer></staff>
<dynam>pianissimo</dynam><slur startid="#a"/></measure><sb/>
<measure n="2"><staff n="1"><layer><beam><note><verse n="1"><syl wordpos="t">tle</syl></verse></note><note><verse n="1">
<syl>flies</syl></verse><accid accid="f"/></note></beam></layer></staff></measure><measure n="3"><dir>sweetly</dir>
<staff n="1"><layer><note><verse n="1"><syl>home</syl></verse></note></layer></staff></measure></section></score></mdiv>
</body></music></mei>"""


def note(word: str, place: str = "single") -> str:
    """Return a note that is sung."""
    pitch = "<pitch><step>E</step><octave>4</octave></pitch><duration>1</duration>"
    length = "<tie type='stop'/><type>quarter</type><dot/>"
    return f"<note>{pitch}{length}<lyric number='1'><syllabic>{place}</syllabic><text>{word}</text></lyric></note>"


KEY = "<attributes><key><fifths>-3</fifths></key><time><beats>3</beats><beat-type>4</beat-type></time></attributes>"
FIRST = f"<measure number='1'>{KEY}{note('The')}{note('shut', 'begin')}</measure>"
LOUD = "<direction><direction-type><dynamics><f/></dynamics><wedge type='stop'/></direction-type></direction>"
SECOND = f"<measure number='2'>{LOUD}{note('tle', 'end')}{note('flies')}</measure>"
DIRECTION = "<direction><direction-type><words>sweetly</words></direction-type><staff>1</staff></direction>"
HEAD = """<work><work-number>op. 4</work-number><work-title>Six Songs</work-title></work>
<movement-title>The Loom</movement-title><identification><creator type="composer">Ann Webster</creator>
<creator type="poet">Eve Carder</creator><rights>free</rights><encoding><software>typesetter</software>
<encoding-date>2025-09-03</encoding-date></encoding></identification><part-list><score-part id="P1"><part-name>Voice
</part-name></score-part></part-list>"""
SCORE = f"""<score-partwise version="4.0">{HEAD}<part id="P1">{FIRST}{SECOND}<measure number="3">{DIRECTION}
{note("home")}</measure></part></score-partwise>"""
TIMEWISE = f"""<score-timewise>{HEAD}<measure number="1"><part id="P1">{KEY}{note("shut", "begin")}{note("tle", "end")}
</part></measure></score-timewise>"""

SAMPLES = {"mei": MEI, "musicxml": SCORE}
WORDS = "/score-partwise[1]/part[1]/measure[3]/direction[1]/direction-type[1]/words[1]"
SECTION = "/mei[1]/music[1]/body[1]/mdiv[1]/score[1]/section[1]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("scores")
    for name, ending in (("mei", "mei"), ("musicxml", "musicxml")):
        (made / name).mkdir()
        (made / name / f"a.{ending}").write_text(SAMPLES[name], "utf-8")
    return made


def built(folder: Path, name: str, place: Path) -> trix.Index:
    trix.build(folder / name, place / name, profile="auto", stem="none", stop="none", jobs=1, overwrite=True)
    return trix.open(place / name)


@pytest.mark.parametrize(
    ("xml", "preset"),
    [
        (MEI, "mei"),
        ('<music xmlns="http://www.music-encoding.org/ns/mei"><body/></music>', "mei"),
        ('<meiCorpus xmlns="http://www.music-encoding.org/ns/mei"><meiHead/><mei/></meiCorpus>', "mei"),
        ("<mei><meiHead/></mei>", "mei"),
        ("<music><body/></music>", "generic"),
        (SCORE, "musicxml"),
        (TIMEWISE, "musicxml"),
        ("<score><part/></score>", "generic"),
    ],
)
def test_auto_finds_the_preset_and_no_other(xml: str, preset: str) -> None:
    assert pick([signature(parse(xml.encode(), "a.xml"))])[0] == preset


FIELDS: dict[str, dict[str, Any]] = {
    "mei": {
        "title": "The Loom", "work": ["Six Songs"], "composer": ["Ann Webster"], "date": "1790-05",
        "key": "E flat major", "signature": "3 flats", "meter": "3/4", "tempo": "Lively", "genre": ["Song"],
        "instrument": ["Voice", "Harp"], "language": ["English"], "publisher": ["Shuttle Press"],
        "encoder": ["Eve Carder"], "version": "5.0",
    },
    "musicxml": {
        "title": "The Loom", "work": "Six Songs", "number": "op. 4", "composer": ["Ann Webster"],
        "lyricist": ["Eve Carder"], "instrument": ["Voice"], "parts": 1, "signature": "3 flats", "meter": "3/4",
        "tempo": "sweetly", "date": "2025-09-03", "software": "typesetter", "rights": "free",
    },
}  # fmt: skip


@pytest.mark.usefixtures("both_readers")
@pytest.mark.parametrize("name", SAMPLES)
def test_titles_and_fields_are_those_of_the_schema(name: str, folder: Path, tmp_path: Path) -> None:
    with built(folder, name, tmp_path) as index:
        document = next(iter(index))
        assert document.title == "The Loom"
        assert {key: value for key, value in document.fields.items() if key in load_profile(name).fields} == FIELDS[
            name
        ]


@pytest.mark.usefixtures("both_readers")
@pytest.mark.parametrize(
    ("name", "query", "path", "text"),
    [
        ("mei", '"shut tle flies"', f"{SECTION}/text()[1]", "The shut tle flies"),
        ("mei", "sweetly", f"{SECTION}/measure[3]/dir[1]", "sweetly"),
        ("mei", "home", f"{SECTION}/text()[2]", "home"),
        ("mei", "may", "/mei[1]/meiHead[1]/workList[1]/work[1]/creation[1]", "Written in May"),
        ("musicxml", '"shut tle flies"', "/score-partwise[1]/part[1]/text()[1]", "The shut tle flies"),
        ("musicxml", "sweetly", WORDS, "sweetly"),
        ("musicxml", "home", "/score-partwise[1]/part[1]/text()[2]", "home"),
    ],
)  # fmt: skip
def test_what_is_sung_is_one_text_over_notes_and_bars(
    name: str, query: str, path: str, text: str, folder: Path, tmp_path: Path
) -> None:
    with built(folder, name, tmp_path) as index:
        found = [
            each for each in index.search(query, strategy="thorough", phrases="exact", top=None) if each.path == path
        ]
        assert [" ".join(each.text.split()) for each in found] == [text]
        for noise in ("pianissimo", "converter", "electronic", "quarter", "begin"):
            assert not len(index.search(f'"{noise}"', top=None))


def test_packages_and_scores_by_measures_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "scores").mkdir()
    with zipfile.ZipFile(tmp_path / "scores" / "b.mxl", "w") as package:
        package.writestr(
            "META-INF/container.xml", "<container><rootfiles><rootfile full-path='b.xml'/></rootfiles></container>"
        )
        package.writestr("b.xml", TIMEWISE)
    with built(tmp_path, "scores", tmp_path / "out") as index:
        assert [each.title for each in index] == ["The Loom"]
        assert [each.fields["meter"] for each in index] == ["3/4"]
        found = [each for each in index.search('"shut tle"', strategy="thorough", top=None) if each.tag == "#text"]
        assert [each.breadcrumb for each in found] == [("Bar 1", "Part P1")]


def test_a_song_without_titles_goes_by_its_title_page(tmp_path: Path) -> None:
    (tmp_path / "scores").mkdir()
    for name, head in {
        "a": "<credit><credit-words>The Loom</credit-words></credit>",
        "b": "<work><work-title>Six Songs</work-title></work>",
    }.items():
        (tmp_path / "scores" / f"{name}.musicxml").write_text(
            f"<score-partwise>{head}<part id='P1'>{FIRST}</part></score-partwise>"
        )
    with built(tmp_path, "scores", tmp_path / "out") as index:
        assert [each.title for each in index] == ["The Loom", "Six Songs"]


@pytest.mark.parametrize("name", SAMPLES)
def test_each_says_what_is_quiet_and_has_levels(name: str) -> None:
    profile = load_profile(name)
    assert profile.quiet and {"minor", "major"} <= profile.levels.keys() and profile.about
