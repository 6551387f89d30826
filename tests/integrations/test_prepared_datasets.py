"""Prepared data sets in PyTerrier and ir_datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.datasets.catalogue.tiny import SOURCES
from trix.datasets.catalogue import data_set
from trix.datasets.catalogue.prepare import prepare
from trix.errors import UsageError

TURN = "quarry/meeting[1]/turn[2]"


@pytest.fixture(scope="module")
def meetings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("meetings")
    SOURCES["qmsum"](folder / "source")
    prepare(data_set("qmsum"), folder / "source", folder / "made")
    return folder / "made"


def test_pyterrier_gets_frames_with_its_columns(meetings: Path) -> None:
    pytest.importorskip("pandas")
    from trix.integrations.pyterrier import PreparedDataset

    data = PreparedDataset(meetings, "train")
    corpus = {each["docno"]: each["text"] for each in data.get_corpus_iter(verbose=False)}
    assert len(corpus) == 10 and corpus[TURN] == "Turn 1 about gravel."
    assert data.get_topics().to_dict("records") == [{"qid": "quarry-1", "query": "What was said about gravel?"}]
    qrels = data.get_qrels()
    assert list(qrels.columns) == ["qid", "docno", "label"] and qrels["label"].dtype == "int64"
    assert qrels.iloc[0].tolist() == ["quarry-1", TURN, 1] and set(qrels["docno"]) <= set(corpus)
    assert repr(data).endswith("'train')")
    with pytest.raises(UsageError, match="name one of the parts"):
        PreparedDataset(meetings)


def test_ir_datasets_loads_what_is_registered(meetings: Path) -> None:
    ir_datasets = pytest.importorskip("ir_datasets", reason="needs the extra ir-datasets")
    from trix.integrations.irds import register

    assert register(meetings, "trix-test/meetings") == ["trix-test/meetings/train", "trix-test/meetings/val"]
    found = ir_datasets.load("trix-test/meetings/train")
    documents = {doc.doc_id: doc.text for doc in found.docs_iter()}
    assert documents[TURN] == "Turn 1 about gravel." and found.docs_count() == len(documents) == 10
    assert [tuple(query) for query in found.queries_iter()] == [("quarry-1", "What was said about gravel?")]
    assert tuple(next(found.qrels_iter())) == ("quarry-1", TURN, 1, "0")
    assert (found.queries_count(), found.qrels_count()) == (1, 3) and Path(found.qrels_path()).is_file()
    assert found.docs_store().get(TURN).text == "Turn 1 about gravel."
    with pytest.raises(UsageError, match="trix-test/meetings/train is registered already"):
        register(meetings, "trix-test/meetings")
