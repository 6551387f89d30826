"""Fields in an index that changes: after any history the answers, and after compaction the bytes, of a fresh build."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.indexer.fields.test_fields import FILTERS, PROFILE, Said, document, holds
from trix.errors import IndexError_, QueryError, UsageError
from trix.indexer.fields.filters import parse_filter
from trix.indexer.profile.profile import load_profile

ASKED: list[dict[str, Any]] = [
    {"where": "year >= 1993 and journal exists", "facet": "journal,author"},
    {"where": "author ~ smith or not pub_date = 2015", "sort": "-year,score"},
    {"where": "weight > 0 and journal in (Cell, elife)", "facet": "year", "context": "tower"},
    {"facet": "author,year,journal,pub_date,weight", "sort": "journal,-pub_date"},
]


def answers(index: trix.Index) -> list[Any]:
    """Return what an index says to all questions; documents by their ids, since labels begin with their numbers."""
    found: list[Any] = [index.fields.facts(), [index.fields.of(number) for number in range(len(index))]]
    for options in ASKED:
        for query in ("tree xml distance", "//s[about(., edit)]//p", "//p"):
            results = index.search(query, top="all", **options)
            found.append(([(r.doc, r.path, r.score, r.fields) for r in results], results.matched, results.facets))
    return found


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_any_history_gives_the_answers_and_the_bytes_of_a_fresh_build(tmp_path: Path, seed: int) -> None:
    say = random.Random(seed)
    (tmp_path / "own.toml").write_text(PROFILE)
    own = load_profile(tmp_path / "own.toml")
    index, lives = tmp_path / "living", dict[str, tuple[str, Said]]()
    reader: trix.Index | None = None
    for _ in range(say.randint(4, 9)):
        with trix.write(index, profile=own, merge=say.random() < 0.5) as writer:
            for _ in range(say.randint(1, 6)):
                if lives and say.random() < 0.3:
                    gone = say.choice(sorted(lives))
                    writer.delete(gone)
                    del lives[gone]
                elif lives and say.random() < 0.2:
                    where = say.choice(FILTERS)
                    condition = parse_filter(where).condition
                    chosen = [name for name, (_, said) in lives.items() if holds(condition, said)]
                    assert list(writer.matching(where)) == chosen
                    if len(chosen) < 4:
                        assert writer.delete(where=where) == len(chosen)
                        lives = {name: each for name, each in lives.items() if name not in chosen}
                else:
                    name = f"d{say.randint(0, 12)}"
                    lives.pop(name, None)
                    lives[name] = document(say)
                    writer.add_document(lives[name][0], id=name, replace=True)
        if reader is None:
            reader = trix.open(index)
        reader.refresh()
        with trix.write(tmp_path / "fresh", profile=own) as fresh:
            fresh.delete([], where="year exists or not year exists")
            for name, (xml, _) in lives.items():
                fresh.add_document(xml, id=name)
            fresh.compact()
        with trix.open(tmp_path / "fresh") as other:
            assert answers(reader) == answers(other)
    with trix.write(index) as writer:
        writer.compact()
    assert trix.check(index) == []
    segments = [sorted(path.name for path in folder.glob("*.segment")) for folder in (index, tmp_path / "fresh")]
    assert segments[0] == segments[1]  # a segment is called by its content


def test_documents_are_deleted_by_what_they_say(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "own.toml").write_text(PROFILE)
    index = tmp_path / "i"
    with trix.write(index, profile=tmp_path / "own.toml") as writer:
        for year in range(1990, 2000):
            writer.add_document(f"<d year='{year}'><p>xml</p></d>", id=f"d{year}")
    code, out, _ = run_cli("delete", index, "--where", "year < 1993", "--dry-run")
    assert (code, out.splitlines()) == (
        0,
        ["delete d1990", "delete d1991", "delete d1992", "3 to delete; 7 documents would remain"],
    )
    assert len(trix.open(index)) == 10
    assert run_cli("delete", index, "d1990", "d1999", "--where", "year < 1993", "--quiet")[0] == 0
    assert "d1990" not in {r.doc for r in trix.open(index).search("xml", top="all")} and len(trix.open(index)) == 9
    assert run_cli("delete", index, "--where", "year < 1993", "--quiet")[0] == 0
    assert len(trix.open(index)) == 7
    for options, said in (
        (["--where", "yaer < 1"], "where, column 1: there is no field yaer (did you mean year?)"),
        ([], "nothing to delete: name documents, or select them with --where"),
        (["nobody", "--where", "year < 1995"], "no document 'nobody' in the index; nothing was deleted"),
    ):
        code, _, err = run_cli("delete", index, *options)
        assert code == 2 and err.startswith(f"trix: error: {said}") and len(trix.open(index)) == 7
    with trix.write(index) as writer:
        with pytest.raises(QueryError):
            writer.delete(where="year <")
        with pytest.raises(UsageError):
            writer.delete("nobody", where="year < 1995")
        writer.add_document("<d year='1900'/>", id="new")
        assert list(writer.matching("year = 1900")) == ["new"]
        assert writer.delete(where="year in (1900, 1995)") == 2


def test_damage_is_an_error_and_never_an_answer(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(PROFILE)
    index = tmp_path / "i"
    with trix.write(index, profile=tmp_path / "own.toml") as writer:
        say = random.Random(7)
        for number in range(12):
            writer.add_document(document(say)[0], id=f"d{number}")
    with trix.open(index) as opened:
        right = answers(opened)
        segment = opened.files.live[0].segment
        begin = segment.sections._places["fields"][0]
        size = opened.files.section_sizes()["fields"]
    path = next(index.glob("*.segment"))
    data = path.read_bytes()
    for _ in range(60):
        place, bit = begin + say.randrange(size), say.randrange(8)
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
        try:
            with trix.open(index) as opened:
                assert answers(opened) == right
        except IndexError_ as error:
            assert "\n" not in str(error)
        assert trix.check(index)
