"""The folder of a collection: its layout, and what is said of one that lacks something."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from trix.errors import UsageError
from trix.papers.base.collection import PaperCollection, synthetic


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic(tmp_path_factory.mktemp("papers") / "data", (2004,), "ieee", 8, 4)


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "data"))


def opened(folder: Path) -> PaperCollection:
    return PaperCollection(folder, (2004,), "ieee", folder.parent, jobs=1)


def test_an_index_is_made_once_and_the_user_is_told_unless_the_data_are_synthetic(folder: Path) -> None:
    with opened(folder) as first:
        assert first.synthetic and len(first.index(2004)) == 8 and first.notices == []
    shutil.rmtree(folder / "documents.index")
    (folder / "README.txt").unlink()
    with opened(folder) as second:
        assert not second.synthetic and len(second.index(2004)) == 8
        assert second.notices == [f"{folder / 'documents'}: indexed into {folder / 'documents.index'}"]
    shutil.rmtree(folder / "documents")
    with opened(folder) as third:
        assert len(third.index(2004)) == 8 and third.notices == []


def test_topics_and_assessments_are_of_the_asked_type(folder: Path) -> None:
    with opened(folder) as collection:
        assert [topic.id for topic in collection.topics(2004, "CO")] == ["127", "129"]
        assert list(collection.qrels(2004, "CAS")) == ["128", "130"]
        assert len(collection.qrels(2004)) == 4
        run = collection.run(2004, "CO", "plain", top=7)
        assert list(run) == ["127", "129"] and max(map(len, run.values())) <= 7


@pytest.mark.parametrize(
    ("lost", "message"),
    [
        ("2004/topics", r"no topics of 2004; expected 2004/topics or 2004/topics\.xml"),
        ("2004/assessments", r"no assessments of 2004; expected 2004/assessments or 2004/offsets\.qrels"),
        ("documents", "no documents of 2004; expected 2004/documents.index or"),
    ],
)
def test_a_folder_that_lacks_something_is_refused_in_a_line(folder: Path, lost: str, message: str) -> None:
    shutil.rmtree(folder / lost)
    with pytest.raises(UsageError, match=message) as refused:
        opened(folder)
    assert "\n" not in str(refused.value)


def test_runs_of_other_systems_may_be_missing(folder: Path) -> None:
    found = opened(folder).other_runs(2004, "CO")
    assert list(found) == ["good.xml", "middle.xml", "poor.xml"]
    assert all(set(run.rankings) == {"127", "129"} for run in found.values()), "structured topics are left out"
    shutil.rmtree(folder / "2004" / "runs")
    assert opened(folder).other_runs(2004, "CO") == {}


def test_topics_that_fail_are_named_on_the_users_data(folder: Path) -> None:
    (folder / "README.txt").unlink()
    topic = folder / "2004" / "topics" / "127.xml"
    text = topic.read_text(encoding="utf-8")
    topic.write_text(re.sub("<title>.*</title>", "<title>of the</title>", text), encoding="utf-8")
    with opened(folder) as collection:
        run = collection.run(2004, "CO", "plain", top=7)
        assert not len(run["127"]) and len(run["129"])
        assert "plain: topic 127: nothing is left of the query; dropped" in collection.notices


def test_several_years_have_documents_and_relevance_of_their_own(tmp_path: Path) -> None:
    folder = synthetic(tmp_path / "data", (2004, 2005), "ieee", 8, 4)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/documents"))
    assert names == ["2004/documents", "2005/documents"]
    texts = [(folder / name / "an/1995/a1000.xml").read_text() for name in names]
    assert texts[0] != texts[1] and not list(folder.glob("*.whole"))
    PaperCollection(folder, (2004, 2005), "ieee", tmp_path, jobs=1)
