"""The experiments in examples/ as they stand, on collections of the shape and with the files that they name."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from tests.paths import ROOT
from trix.datasets.inex import make
from trix.errors import FormatError, UsageError
from trix.lab.plan.experiment import Experiment, Family
from trix.lab.plan.toml import read_experiment
from trix.lab.run.sweep import sweep

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
WORDS = ("tree", "edit", "distance", "xml", "retrieval", "context")
ARTICLES = 12
SETS = ("elife-citations", "php-links", "canada-notes", "evidence-inference")
"""Indexes of the example that learns from several collections; folders of the same names have topics and judgements."""


def text(number: int, place: int) -> str:
    generator = random.Random(100 * number + place)
    theme = WORDS[number % len(WORDS)]
    return " ".join(generator.choice((theme, *WORDS)) for _ in range(8 + place))


def section(number: int, place: int, tag: str, title: str) -> str:
    paragraphs = "".join(f"<p>{text(number, 10 * place + p)}.</p>" for p in range(3))
    return f"<{tag}><{title}>{WORDS[number % len(WORDS)]}</{title}>{paragraphs}</{tag}>"


def article(number: int, body: str, title: str) -> str:
    sections = "".join(section(number, place, "sec", title) for place in range(2))
    return f"<article><{body}>{sections}</{body}></article>"


def assessments_2004(topic: int, paths: dict[str, tuple[int, int]], docs: list[str]) -> str:
    files = "".join(
        f'<file file="{doc}">'
        + "".join(f'<path path="{path}" exhaustiveness="{e}" specificity="{s}"/>' for path, (e, s) in paths.items())
        + "</file>"
        for doc in docs
    )
    return f'<assessments topic="{topic}">{files}</assessments>'


def assessments_2005(topic: int, paths: dict[str, tuple[int, int]], docs: list[str]) -> str:
    files = "".join(
        f'<file collection="ieee" name="{doc}">'
        + "".join(
            f'<element path="{path}" exhaustivity="{min(e, 2)}" size="90" rsize="{30 * s}"/>'
            for path, (e, s) in paths.items()
        )
        + "</file>"
        for doc in docs
    )
    return f'<assessments pool="{topic}" topic="{topic}" version="7">{files}</assessments>'


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all that the examples name."""
    base = tmp_path_factory.mktemp("examples")
    for name, body, title, profile, indexes in (
        ("ieee", "bdy", "st", "ieee", ("documents.index", "handbook.index")),
        ("silver", "body", "title", "generic", ("silver.index", *(f"{name}.index" for name in SETS))),
    ):
        docs = base / name
        docs.mkdir()
        for number in range(ARTICLES):
            (docs / f"a{number:02d}.xml").write_text(article(number, body, title))
        for index in indexes:
            trix.build(docs, base / index, profile=profile, jobs=1)
    inex = '<inex_topic topic_id="{0}" query_type="CO"><title>{1}</title></inex_topic>'
    topics = "".join(inex.format(t + 1, word) for t, word in enumerate(WORDS))
    for name in ("2004/topics/co.xml", "2005/topics/co.xml", "topics.xml"):
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(f"<inex_topics>{topics}</inex_topics>")
    (base / "topics.tsv").write_text("".join(f"{t + 1}\t{word}\n" for t, word in enumerate(WORDS)))
    root = "/article[1]"
    of_paths = {
        root: (2, 1), f"{root}/bdy[1]": (2, 1), f"{root}/bdy[1]/sec[1]": (3, 2), f"{root}/bdy[1]/sec[1]/p[1]": (1, 3),
        f"{root}/bdy[1]/sec[1]/p[2]": (2, 3), f"{root}/bdy[1]/sec[2]": (1, 1), f"{root}/bdy[1]/sec[2]/p[3]": (1, 2),
    }  # fmt: skip
    (base / "2004" / "assessments" / "CO").mkdir(parents=True)
    (base / "2005" / "assessments").mkdir()
    (base / "assessments").mkdir()
    grades, offsets = [], []
    for t in range(len(WORDS)):
        docs_of = [f"a{number:02d}" for number in range(t, ARTICLES, len(WORDS))]
        (base / "2004" / "assessments" / "CO" / f"{t + 1}.xml").write_text(assessments_2004(t + 1, of_paths, docs_of))
        (base / "2005" / "assessments" / f"assessment_{t + 1}.xml").write_text(
            assessments_2005(t + 1, of_paths, docs_of)
        )
        for doc in docs_of:
            relevant = ("", "/body[1]/sec[1]", "/body[1]/sec[1]/p[1]", "/body[1]/sec[2]/p[1]")
            grades += [f"{t + 1} 0 {doc}/article[1]{path} 1\n" for path in relevant]
            offsets.append(f"{t + 1} Q0 {doc} 60 400 0 0:60\n")
    (base / "2004" / "assessments" / "readme.txt").write_text("what else a folder of INEX holds\n")
    (base / "qrels").write_text("".join(grades))
    (base / "assessments" / "offsets.qrels").write_text("".join(offsets))
    for name in SETS:
        (base / name).mkdir()
        (base / name / "topics.tsv").write_text((base / "topics.tsv").read_text())
        (base / name / "qrels.txt").write_text("".join(grades))
    return base


def few(asked: Experiment) -> Experiment:
    """Return an experiment with the first and the last variant of each family, and of what it learns."""
    families = [replace(f, variants=tuple(dict.fromkeys((f.variants[0], f.variants[-1])))) for f in asked.families]
    families += [Family(f"learn {p.name}", p.axes, (p.probes[0], p.probes[1]), p.template) for p in asked.plans]
    return replace(asked, families=tuple(families))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_measures_every_topic_of_every_collection(path: Path, base: Path, tmp_path: Path) -> None:
    asked = few(read_experiment(path, base))
    found = sweep(asked, tmp_path / "results", jobs=1)
    assert not found.skipped
    assert len(found.topics) == len(WORDS) * len(asked.collections)
    means = [found.measured.mean(variant, found.topics, asked.measures[0]) for variant in asked.variants]
    assert max(means) > 0, "the assessments say that something is relevant which is found"


@pytest.mark.parametrize("name", ["study-i", "study-iii"])
def test_an_example_of_a_study_runs_on_a_synthetic_collection(name: str, tmp_path: Path) -> None:
    make(tmp_path / "synthetic", documents=12, topics=4)
    trix.build(tmp_path / "synthetic" / "documents", tmp_path / "synthetic" / "documents.index", jobs=1)
    asked = few(read_experiment(ROOT / "examples" / f"{name}.toml", tmp_path / "synthetic"))
    found = sweep(asked, tmp_path / "results", jobs=1)
    assert not found.skipped and len(found.topics) == 2 * len(asked.collections), "two of four topics are CO"
    assert found.measured.mean(asked.baseline, found.topics, asked.measures[0]) > 0


def test_a_type_of_topics_that_is_not_there_is_named(base: Path, tmp_path: Path) -> None:
    asked = read_experiment(ROOT / "examples" / "study-i.toml", base)
    asked = replace(asked, collections=tuple(replace(each, query_type="CAS") for each in asked.collections))
    with pytest.raises(UsageError, match="topics: no topic of the type CAS; there are: CO"):
        sweep(asked, tmp_path / "results", jobs=1)


def test_a_folder_of_assessments_is_what_evaluation_reads_of_it(base: Path, tmp_path: Path, run_cli: Cli) -> None:
    example = next(path for path in EXAMPLES if path.stem == "study-iii")
    code, out, err = run_cli("sweep", example, "--base", base, "--output", tmp_path / "iii", "--jobs", "1")
    assert code == 0 and "AP on" in out, err
    facts = json.loads((tmp_path / "iii" / "experiment.json").read_text())["collections"]["Minor"]["qrels"]
    assert [each["file"] for each in facts] == ["assessments"]
    by_file = trix.read_qrels(sorted((base / "2005" / "assessments").glob("*.xml")))
    assert trix.read_qrels([base / "2005" / "assessments"]).topics == by_file.topics
    assert trix.read_qrels(base / "2005" / "assessments").name == trix.read_qrels([base / "2005" / "assessments"]).name
    both = trix.read_qrels([base / "2004" / "assessments", base / "assessments" / "offsets.qrels"])
    assert len(both) == len(WORDS) and len(both.notices) == len(WORDS), "the first assessment of a topic counts"


def test_a_folder_without_assessments_is_named(base: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for given in (tmp_path / "empty", [tmp_path / "empty"]):
        with pytest.raises(FormatError, match=r"empty: no \*.xml assessment files in this folder"):
            trix.read_qrels(given)
