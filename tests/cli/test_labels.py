"""`trix show` names short fields as the reading page does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.web.reading.document import OpenDocument
from trix.web.reading.html import Html
from trix.web.reading.passages import Rendering
from trix.web.reading.roles import Roles

DOCUMENTS = {
    "clinical": (
        "<ClinicalDocument><title>Care</title><recordTarget><patientRole><addr><streetAddressLine>17 Daws Rd."
        "</streetAddressLine><city>Blue Bell</city><state>MA</state></addr></patientRole></recordTarget>"
        "<section><title>Medications</title><text>Albuterol, twice a day.</text></section></ClinicalDocument>",
        ["Street address line: 17 Daws Rd.", "City: Blue Bell", "State: MA"],
    ),
    "finding": (
        '<ead><archdesc><did><unittitle label="Title">Papers of a miller</unittitle><unitid>ms 12</unitid>'
        '<physdesc label="Extent">3 boxes</physdesc></did><scopecontent><p>Letters of a mill.</p></scopecontent>'
        "</archdesc></ead>",
        ["Title: Papers of a miller", "Unitid: ms 12", "Extent: 3 boxes"],
    ),
    "trial": (
        '<study><title>Tea against colds</title><status>Completed</status><phase type="drug">Phase 2</phase>'
        "<summary>Does tea help? We asked two groups of people for a month, and then another two for a year.</summary>"
        "<eligibility><gender>All</gender><minimum_age>18 Years</minimum_age></eligibility></study>",
        ["Status: Completed", "Phase (drug): Phase 2", "Gender: All", "Minimum age: 18 Years"],
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_short_fields_have_the_labels_of_the_page(name: str, tmp_path: Path, run_cli: Cli) -> None:
    text, lines = DOCUMENTS[name]
    (tmp_path / f"{name}.xml").write_text(text)
    trix.build(tmp_path / f"{name}.xml", tmp_path / "i", jobs=1)
    code, shown, _ = run_cli("show", str(tmp_path / "i"), name)
    assert code == 0
    assert [line.strip() for line in shown.split("\n") if ": " in line] == lines
    with trix.open(tmp_path / "i") as index:
        opened = OpenDocument(index, name, Roles(index.files.profile))
        elements = [*range(opened.low, opened.high)]
        names = {path: (element, "") for path, element in zip(opened.names(elements)[1], elements, strict=True)}
        made = Html(opened, Rendering(names=names)).stretch([opened.document.root], [])
        assert re.findall(r'<span class="label made">([^<]*):</span>', made) == [
            line.partition(": ")[0] for line in lines
        ]
        assert ": " not in index.show(name), "a program gets the text alone"


def test_labels_stand_beside_marks_and_in_elements_and_not_in_raw_text(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "a.xml").write_text(DOCUMENTS["trial"][0])
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", jobs=1)
    shown = run_cli("show", str(tmp_path / "i"), "a/study[1]/eligibility[1]", "--highlight", "years")[1]
    assert shown.strip() == "Gender: All\nMinimum age: 18 [Years]"
    assert "Gender" not in run_cli("show", str(tmp_path / "i"), "a", "--raw")[1]
