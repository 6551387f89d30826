"""docs/datasets.md has every data set of the catalogue, and its script tells whether figures are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.parts.prove import datasets as script
from tests.datasets.catalogue.tiny import SOURCES
from trix.datasets.catalogue import MODULES, data_set
from trix.datasets.catalogue.prepare import prepare


def test_the_page_has_figures_of_every_data_set() -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    for name in MODULES:
        block = script.between(page, name) or ""
        assert "| part | documents | topics | elements |" in block and "trix eval" in block, name
        assert data_set(name).stem in block and "sha256" not in block


def test_figures_that_differ_are_found_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    SOURCES["qrcd"](tmp_path / "source")
    prepare(data_set("qrcd"), tmp_path / "source", tmp_path / "made")
    page = tmp_path / "page.md"
    page.write_text("# Page\n<!-- qrcd -->\n<!-- end of qrcd -->\nEnd\n")
    line = [str(tmp_path / "made"), "--page", str(page)]
    values = {system: dict.fromkeys(script.MEASURES, 0.25) for system in script.SYSTEMS}
    monkeypatch.setattr(script, "measured", lambda *_: values)
    assert script.main([*line, "--check"]) == 1 and "| train" not in page.read_text()
    assert script.main(line) == 0
    assert "| train | 1 | 1 | 3 | 2 | 0.2500 |" in page.read_text() and page.read_text().endswith("\nEnd\n")
    assert script.main([*line, "--check"]) == 0
    values["bm25"]["AP"] = 0.2501
    assert script.main([*line, "--check"]) == 1
    assert "qrcd: different" in capsys.readouterr().out
    page.write_text("nothing")
    assert script.main(line) == 2
    assert "no comments <!-- qrcd -->" in capsys.readouterr().err


@pytest.mark.slow
def test_the_commands_of_a_readme_are_measured(tmp_path: Path) -> None:
    SOURCES["qmsum"](tmp_path / "source")
    made = prepare(data_set("qmsum"), tmp_path / "source", tmp_path / "made")
    found = script.measured(tmp_path / "made", made, made["parts"][0])
    assert 0 < found["bm25"]["RR"] <= 1 and set(found["standard"]) == set(script.MEASURES)
    assert not list((tmp_path / "made").glob("*.run"))
