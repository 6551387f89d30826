"""The commands on a real index, from a folder of XML to a run."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.paths import ROOT
from trix.cli import main
from trix.query.search import Searcher

ARTICLE = """<article><title>{title}</title><body>
<sec><title>Trees</title><p>The <i>tree edit</i> distance of XML documents.</p><p>Retrieval of elements.</p></sec>
<sec><title>Context</title><p>Elements in the context of {title}, and the edit of an older tree.</p></sec>
</body></article>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of an index of two articles."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "docs" / "a").mkdir(parents=True)
    (folder / "docs" / "a" / "one.xml").write_text(ARTICLE.format(title="passages"))
    (folder / "docs" / "two.xml").write_text(ARTICLE.format(title="structure &amp; words"))
    assert main(["index", str(folder / "docs"), str(folder / "i"), "--quiet", "--jobs", "1"]) == 0
    return str(folder / "i")


def test_search_prints_what_the_library_finds(index: str, run_cli: Cli) -> None:
    line = ["search", index, '+"tree edit"', "-passages", "--context", "tower", "--strategy", "thorough", "-n", "all"]
    code, out, err = run_cli(*line)
    shown = [json.loads(text) for text in out.splitlines()]
    with trix.open(index) as opened:
        found = opened.search('+"tree edit" -passages', context="tower", strategy="thorough", top=None)
        expected = [result.to_dict() for result in found]
    assert (code, err) == (0, "")
    assert len(shown) > 5
    assert shown == expected


def test_an_explanation_comes_to_the_score(index: str, run_cli: Cli) -> None:
    _, out, _ = run_cli("search", index, "tree", "elements", "--context", "root:1.5", "--explain")
    lines = [json.loads(text) for text in out.splitlines()]
    assert lines
    assert all(line["explanation"]["value"] == line["score"] for line in lines)


def test_show_prints_the_text_that_a_result_points_at(index: str, run_cli: Cli) -> None:
    first = json.loads(run_cli("search", index, "retrieval", "-n", "1")[1])
    text = run_cli("show", index, first["doc"], "--raw")[1]
    begin = first["offset"]
    unit = first["doc"] + first["path"]
    raw, shown = run_cli("show", index, unit, "--raw")[1], run_cli("show", index, unit)[1]
    assert raw.removesuffix("\n") == text[begin : begin + first["length"]]
    assert "".join(shown.split()) == "".join(raw.split())
    assert "--raw: cannot be combined with --xml" in run_cli("show", index, unit, "--raw", "--xml")[2]
    assert run_cli("show", index, first["doc"] + first["path"], "--xml")[1].startswith(f"<{first['tag']}>")


def test_show_knows_paths_without_positions_and_elements_inside_paragraphs(run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<a><s><p>An <b>edit <i>of</i></b> trees</p><p>Second</p></s></a>")
    assert run_cli("index", tmp_path / "d.xml", tmp_path / "i", "--quiet")[0] == 0
    shown = {"d/a/s/p": "An edit of trees", "d/a/s/p[2]": "Second", "d/a/s/p[1]/b[1]": "edit of", "d/a/s/p/b/i": "of"}
    for unit, text in shown.items():
        assert run_cli("show", tmp_path / "i", unit) == (0, f"{text}\n", "")
    assert run_cli("show", tmp_path / "i", "d/a/s/p/b", "--xml")[1] == "<b>edit <i>of</i></b>\n"
    code, out, err = run_cli("show", tmp_path / "i", "d/a/s/p[3]")
    assert (code, out, err) == (2, "", "trix: error: d/a[1]/s[1]/p[3]: there is no such element in the document\n")


@pytest.mark.parametrize(
    ("unit", "wrong"),
    [
        ("plain/foo[1]", "plain/foo[1]: there is no such element"), ("plain/foo", "plain/foo[1]: there is no such"),
        ("plain/a[2]", "plain/a[2]: there is no such element"), ("plain/a[0]", "plain/a[0]: there is no such element"),
        ("plain/foo[1]/s[1]/p[1]/b[1]", "/b[1]: there is no such element"), ("plain/", "plain/: there is no such"),
        ("plain//a[1]", "plain//a[1]: there is no such"), ("plain/a[1]/@no", "/@no: there is no such attribute"),
        ("plain/foo[1]/@n", "/@n: there is no such attribute"), ("plain/a/text()[9]", "there is no such element"),
        ("empty/foo[1]", "empty/foo[1]: there is no such element"), ("plain/a/@n/x", "there is no such attribute"),
    ],
)  # fmt: skip
def test_every_step_of_a_path_has_to_lead_somewhere(unit: str, wrong: str, run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plain.xml").write_text('<a n="7" empty=""><s><p>An <b>edit</b> of trees</p></s></a>')
    (tmp_path / "empty.xml").write_text("<a/>")
    trix.build([tmp_path / "empty.xml", tmp_path / "plain.xml"], tmp_path / "i", profile="generic", jobs=1)
    for more in ((), ("--xml",), ("--raw",)):
        code, out, err = run_cli("show", tmp_path / "i", unit, *more)
        assert (code, out, err.count("\n")) == (2, "", 1) and wrong in err, (more, out, err)
    with trix.open(tmp_path / "i") as index:
        for ask in (index.prose, index.unit, index.outline):
            with pytest.raises(trix.TrixError) as caught:
                ask(unit)
            assert wrong in str(caught.value)
        assert trix.Resolver(index).span(unit.partition("/")[0], "/" + unit.partition("/")[2]) is None


def test_attributes_that_are_no_elements_of_the_index_are_shown_too(run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plain.xml").write_text('<a n="7" empty=""><s><p>trees</p></s></a>')
    trix.build(tmp_path / "plain.xml", tmp_path / "i", profile="generic", jobs=1)
    for unit, value in {"plain/a/@n": "7", "plain/a[1]/@n[1]": "7", "plain/a/@empty": ""}.items():
        for more in ((), ("--xml",), ("--raw",)):
            assert run_cli("show", tmp_path / "i", unit, *more) == (0, f"{value}\n", "")
        with trix.open(tmp_path / "i") as index:
            assert index.prose(unit) == value and index.unit(unit).tag == "@" + unit.partition("@")[2].rstrip("[1]")


def test_show_of_an_unknown_document_guesses_the_right_one(index: str, run_cli: Cli) -> None:
    code, out, err = run_cli("show", index, "a/onee")
    assert (code, out) == (2, "")
    assert "a/onee" in err
    assert "did you mean a/one?" in err


def test_info_counts_and_check_finds_no_fault_until_there_is_one(index: str, run_cli: Cli, tmp_path: Path) -> None:
    facts = json.loads(run_cli("info", index, "--json")[1])
    assert facts["documents"] == 2
    assert run_cli("info", index)[1].splitlines()[0].startswith("path")
    assert run_cli("check", index) == (0, f"{index}: sound\n", "")
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", index, copy], check=True)
    biggest = max(copy.glob("*.segment"), key=lambda file: file.stat().st_size)
    data = bytearray(biggest.read_bytes())
    data[-1] ^= 1
    biggest.write_bytes(data)
    code, out, _ = run_cli("check", str(copy))
    assert code == 1
    assert biggest.name in out


def test_a_bad_file_is_skipped_with_a_reason_and_exit_code_3(run_cli: Cli, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "good.xml").write_text(ARTICLE.format(title="x"))
    (docs / "bad.xml").write_text("<a>\n<b>\n</a>")
    code, out, err = run_cli("index", str(docs), str(tmp_path / "i"), "--json")
    summary = json.loads(out)
    assert code == 3
    assert summary["documents"] == 1
    assert [Path(skip["path"]).name for skip in summary["skipped"]] == ["bad.xml"]
    assert {
        "documents", "elements", "content_elements", "keys", "postings", "tokens", "xml_bytes", "index_bytes",
        "skipped", "seconds",
    } <= set(summary)  # fmt: skip
    assert any("skipped" in line and "bad.xml" in line for line in err.splitlines())
    code, _, err = run_cli("index", str(docs), str(tmp_path / "j"), "--strict")
    assert code == 2
    assert "bad.xml" in err
    assert not (tmp_path / "j").exists()


def test_a_build_says_what_lay_beside_the_documents(tmp_path: Path, run_cli: Cli) -> None:
    for name in ("a.xml", "b.XML"):
        (tmp_path / name).write_text("<a>word</a>")
    for name in ("s.xsl", "t.XSL", "u.pdf"):
        (tmp_path / name).write_text("")
    code, out, _ = run_cli("index", tmp_path, tmp_path / "i")
    assert code == 0 and "2 documents" in out and out.endswith("\nignored: 2 .xsl, 1 .pdf\n")
    summary = json.loads(run_cli("index", tmp_path, tmp_path / "j", "--json")[1])
    assert summary["documents"] == 2 and summary["ignored"] == {".pdf": 1, ".xsl": 2}


def test_a_build_says_what_other_languages_ask_for(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "a.xml").write_text("<a xml:lang='de'><p>Häuser</p><p xml:lang='en'>houses</p></a>")
    code, out, _ = run_cli("index", tmp_path, tmp_path / "i", "--stem", "porter")
    last = out.splitlines()[-1]
    assert code == 0 and last.startswith("language de: 67 % of the elements") and "--stem auto" in last
    assert "--stem auto" not in run_cli("index", tmp_path, tmp_path / "j", "--stem", "auto")[1]
    assert json.loads(run_cli("index", tmp_path, tmp_path / "k", "--json")[1])["languages"] == {"de": 2, "en": 1}


def test_an_index_in_the_way_is_kept_without_overwrite(index: str, run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text("<a>b</a>")
    code, _, err = run_cli("index", str(tmp_path / "x.xml"), index)
    assert code == 2
    assert "--overwrite" in err
    assert run_cli("check", index)[0] == 0


def test_run_of_the_original_is_the_run_of_the_options_in_words(index: str, run_cli: Cli, tmp_path: Path) -> None:
    topics = tmp_path / "queries2004co.txt"
    topics.write_text('162\t"tree edit" distance\n163\t+elements -passages\n')
    code, out, _ = run_cli("run", index, "-e", "-o", "b=0.4", str(topics))
    words = ["--combine", "einstein", "--overlap", "full", "--b", "0.4", "--open-phrases", "-n", "1500"]
    assert code == 0
    assert out == run_cli("run", index, str(topics), *words)[1]
    assert {line.split()[0] for line in out.splitlines()} == {"162", "163"}
    with trix.open(index) as opened:
        options: dict[str, Any] = {
            "combine": "einstein",
            "overlap": "full",
            "b": 0.4,
            "top": 1500,
            "open_phrases": True,
        }
        found = opened.search('"tree edit" distance', **options)
        expected = [f"162 Q0 {r.doc}{r.path} {r.rank} {r.score!r} trix" for r in found]
    assert [line for line in out.splitlines() if line.startswith("162")] == expected


def test_a_wrong_query_in_a_topic_file_is_a_notice_that_names_the_topic(
    index: str, run_cli: Cli, tmp_path: Path
) -> None:
    topics = tmp_path / "topics.tsv"
    topics.write_text('7\ttree "edit\n8\t+\n')
    code, out, err = run_cli("run", index, str(topics), "--preset", "study", "--explain", "--format", "jsonl")
    assert code == 3  # topic 8 was dropped
    assert {json.loads(line)["topic"] for line in out.splitlines()} == {"7"}
    assert all(line["score"] == line["explanation"]["value"] for line in map(json.loads, out.splitlines()))
    assert "trix: topic 7: query, column 6: the quote is never closed; dropped\n" in err
    assert "trix: topic 8: query, column 1: nothing follows the +" in err


def test_no_topic_ends_a_batch(index: str, run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query that finds nothing under feedback, none at all, one that does not parse, and one that hits a bug."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\t//nosuch[about(., tree)]\n2\t \n3\t//sec[about(., tree]\n4\ttree\n5\tbug\n6\tthe of\n")
    was = Searcher.score

    def score(self: Searcher, asked: Any, *rest: Any, **named: Any) -> Any:
        if str(asked) == "bug":
            raise RuntimeError("made\nup")
        return was(self, asked, *rest, **named)

    monkeypatch.setattr(Searcher, "score", score)
    code, out, err = run_cli("run", index, str(topics), "--expand", "3:5")
    assert code == 3
    assert {line.split()[0] for line in out.splitlines()} == {"4"}
    assert "trix: topic 1: feedback: there are no results to take keys from\n" in err
    assert "trix: topic 2: query, column 1: the query is empty" in err
    assert "trix: topic 3: query, column 12: the ) that closes about( is missing" in err
    assert "trix: topic 5: unexpected RuntimeError: made up (this is a bug; trix search --debug" in err
    assert "trix: topic 6: left out, on the stop list: the, of; nothing of the query is left, an index with" in err
    monkeypatch.undo()
    topics.write_text("1\t//nosuch[about(., tree)]\n")
    assert run_cli("run", index, str(topics), "--expand", "3:5")[0] == 0  # answered: nothing is there


def test_feedback_on_nothing_is_an_answer(index: str, run_cli: Cli) -> None:
    for arguments in (["//nosuch[about(., tree)]"], ["tree", "--level", "//nosuch"]):
        code, out, err = run_cli("search", index, *arguments, "--expand", "3:5")
        assert (code, out) == (0, "")
        assert "trix: feedback: there are no results to take keys from\n" in err


def test_an_option_that_is_wrong_for_all_topics_is_an_error(index: str, run_cli: Cli, tmp_path: Path) -> None:
    docs, index = Path(index).parent / "docs", str(tmp_path / "i")
    assert run_cli("index", str(docs), index, "--no-positions")[0] == 0
    topics = tmp_path / "topics.tsv"
    topics.write_text('1\t"tree edit"\n2\t"edit tree"\n')
    code, out, err = run_cli("run", index, str(topics), "--phrases", "exact")
    assert (code, out) == (2, "")
    assert err.startswith("trix: error: --phrases exact: the index has no positions")
    topics.write_text('1\t"tree edit"\n2\ttree\n')
    code, out, err = run_cli("run", index, str(topics), "--phrases", "exact")
    assert (code, {line.split()[0] for line in out.splitlines()}) == (3, {"2"})
    assert err.startswith("trix: topic 1: --phrases exact: the index has no positions")


def test_a_session_at_the_prompt(
    index: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = 'tree\n:set context tower\ntree "edit\nretrieval\n:show 1\n:xml 1\n:explain 1\n:info\n:quit\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main([index]) == 0
    captured = capsys.readouterr()
    assert captured.err == 'tree "edit\n     ^\ntrix: error: column 6: the quote is never closed\n'
    assert "context tower" in captured.out
    assert "documents" in captured.out


def test_trix_alone_opens_the_prompt_on_the_default_index(
    index: str, monkeypatch: pytest.MonkeyPatch, run_cli: Cli
) -> None:
    """[I, 2.3] "The online mode of TRIX is chosen by the command TRIX", on the default database."""
    monkeypatch.setenv("TRIX_INDEX", index)
    for line in ([], ["online"], ["online", "--model", "bm25-2011"]):
        monkeypatch.setattr("sys.stdin", io.StringIO("passages\n:set model\n"))
        code, out, err = run_cli(*line)
        assert (code, err) == (0, "")
        assert "matching elements" in out
        assert out.endswith("model bm25-2011\n" if len(line) > 1 else "model -\n")
    assert run_cli("info")[1] == run_cli("info", index)[1]
    assert run_cli("check")[1] == f"{index}: sound\n"
    assert run_cli("search", "passages")[1] == run_cli("search", index, "passages")[1]  # a word is no index
    monkeypatch.setenv("TRIX_INDEX", "/no/such.index")
    assert run_cli() == (
        2,
        "",
        "trix: error: TRIX_INDEX: /no/such.index: no such index; expected the folder or URL of an index\n",
    )
    assert run_cli("info", index)[0] == 0
    for unset in (lambda: monkeypatch.setenv("TRIX_INDEX", ""), lambda: monkeypatch.delenv("TRIX_INDEX")):
        unset()
        code, out, _ = run_cli()
        assert (code, out.split()[0]) == (0, "Usage:")
        assert run_cli("online")[0] == 2


def test_all_terms_can_be_required(index: str, run_cli: Cli) -> None:
    def found(*query: str) -> set[str]:
        code, out, _ = run_cli("search", index, *query, "--match", "all", "--strategy", "thorough", "-n", "all")
        assert code == 0
        return {line["doc"] + line["path"] for line in map(json.loads, out.splitlines())}

    assert found("tree", "retrieval", "passages") == {"a/one/article[1]", "a/one/article[1]/body[1]"}
    assert found("tree", "retrieval", "-passages") >= {f"{doc}/article[1]/body[1]/sec[1]" for doc in ("a/one", "two")}
    assert found("//*[about(., tree retrieval passages)]") == found("tree", "retrieval", "passages")
    assert found("//article[about(.//sec, tree retrieval)]") == {"a/one/article[1]", "two/article[1]"}
    assert found("//article[about(.//p, tree retrieval)]") == set()
    assert found("//sec[about(., retrieval zebra) or about(., context words)]") == {"two/article[1]/body[1]/sec[2]"}
    assert found("tree", "zebra") == set()


def test_profile_auto_says_what_was_picked_and_shows_the_document(run_cli: Cli, tmp_path: Path) -> None:
    document = tmp_path / "play.xml"
    document.write_text("<PLAY><TITLE>A play</TITLE><ACT><TITLE>First</TITLE></ACT></PLAY>")
    code, out, err = run_cli("profile", "auto", "--try", str(document))
    assert code == 0
    assert err.startswith("trix: profile shakespeare: ")
    assert "TITLE  plai" in out
    assert "TITLE  play" in run_cli("profile", "generic", "--try", str(document), "--stem", "none")[1]


@pytest.mark.slow
def test_an_interrupted_build_leaves_nothing_and_ends_with_130(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(400):
        (docs / f"{number}.xml").write_text(f"<a>{'<p>some words of it</p>' * 2000}</a>")
    for _ in range(5):  # on a machine with other work the build may be through before it is interrupted
        process = subprocess.Popen(
            [sys.executable, "-m", "trix", "index", str(docs), str(tmp_path / "i")],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        while process.poll() is None and len(os.listdir(tmp_path)) < 2:
            time.sleep(0.01)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        if process.returncode:
            break
        shutil.rmtree(tmp_path / "i")
    assert (process.returncode, err) == (130, "trix: interrupted\n")
    assert os.listdir(tmp_path) == ["docs"]
