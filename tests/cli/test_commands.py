"""The command line: what goes in, what comes out on which stream, and with which exit code."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.fakes import FakeIndex, FakeTopics
from tests.paths import ROOT
from trix.cli import main
from trix.cli.app import build
from trix.cli.groups import COMMANDS
from trix.errors import IndexError_, UsageError


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> FakeIndex:
    fake = FakeIndex()
    monkeypatch.setattr(trix, "open", lambda path, **_: fake, raising=False)
    monkeypatch.setattr(trix, "read_topics", lambda path: FakeTopics(["162", "177"]), raising=False)
    return fake


# Help and errors


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str, run_cli: Cli) -> None:
    code, out, err = run_cli(name, "--help")
    assert (code, err) == (0, "")
    assert re.search(rf"\nExamples:\n  trix {name}\b", out)
    assert (code, out) == run_cli(name, "-h")[:2]


def test_every_option_of_every_command_has_help() -> None:
    import typer

    commands: Any = typer.main.get_command(build(COMMANDS))
    for name, command in commands.commands.items():
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.opts}"


def test_no_arguments_print_the_help_with_all_commands(run_cli: Cli) -> None:
    code, out, _ = run_cli()
    assert code == 0
    assert all(name in out for name in COMMANDS)


def test_version_is_that_of_the_package(run_cli: Cli) -> None:
    assert run_cli("--version") == (0, f"trix {trix.__version__}\n", "")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "serch i q",
            r"serch: no such command or index \(did you mean search?\); trix --help lists the commands",
        ),
        ("nowhere/my.index q", "nowhere/my.index: no such index; expected the folder or URL of an index"),
        ("./nowhere", "./nowhere: no such index; expected"),
        ("--colour", "no such option: --colour"),
        ("search", "missing argument 'INDEX'"),
        ("search i", "missing argument 'QUERY"),
        ("search --modle x i q", "no such option: --modle"),
        ("search i q --v", "--v: expected a value after it"),
        ("search i q --v -1", "--v -1: expected a number from 0 to 1e12"),
        ("search i q --v nan", "--v nan: expected"),
        ("search i q --v 1_0", "--v 1_0: expected"),
        ("search i q --b 1.01", "--b 1.01: expected a number from 0 to 1"),
        ("search i q --b=x", "--b x: expected a number from 0 to 1"),
        ("search i q --top 0", "--top 0: expected a whole number of 1 or more, or all"),
        ("search i q -n 2.5", "--top 2.5: expected a whole number"),
        ("search i q --model trix205", "--model trix205: expected one of trix2005.*did you mean trix2005?"),
        ("search i q --combine max", "--combine max: expected one of average, einstein, sum"),
        ("search i q --strategy focus", "--strategy focus: expected .*did you mean focused?"),
        ("search i q --overlap some", "--overlap some: expected one of none, partial, partial-scored, full"),
        ("search i q --cas SCAS", "--cas SCAS: expected one of SSCAS"),
        ("search i q --expand 7", "--expand 7: expected D:T"),
        ("search i q --expand 0:5", "--expand 0:5: expected D:T"),
        ("search i q --expand 1000:1000", "--expand 1000:1000: expected D:T.*; numbers up to 500"),
        ("search i q --expand rm3:5:501:0.5", "numbers up to 500"),
        ("search i q --lambda 1", "--lambda 1: expected a number between 0 and 1"),
        ("search i q --mu 0", "--mu 0: expected a number from 1e-12 to 1e12"),
        ("search i q --format yaml", "--format yaml: expected one of table, jsonl"),
        ("search i q --format trec --passages", "--passages: only --format inex2009"),
        ("run i t --format csv", "--format csv: expected one of trec"),
        ("run i t --explain", "--explain: only the format jsonl"),
        ("run i", "missing argument 'TOPICS'"),
        ("run i t u", "unexpected extra argument"),
        ("run i t x=3", "x=3: no such setting; expected one of b=NUMBER, v=NUMBER"),
        ("run i t b=3", "--b 3: expected a number from 0 to 1"),
        ("run i t -e --combine sum", "-e means --combine einstein, but --combine sum is given"),
        ("run i t -o --overlap none", "-o means --overlap full, but --overlap none is given"),
        ("run i t --output /no/such/folder/run", "--output /no/such/folder/run: cannot write there"),
        ("index a", "expected COLLECTION... INDEX"),
        ("index a b --jobs 0", "--jobs 0: expected a whole number of 1 or more"),
        ("profile jatz", "--profile jatz: no such preset.*jats"),
        ("profile --full", "--full: has no effect without --try"),
        ("profile auto", "--try"),
        ("profile a b", "b: is one too many"),
        ("profile --show", "--show: expected --suggest"),
        ("profile --suggest", "--suggest: has nothing to read"),
        ("profile --suggest nowhere", "nowhere: no such file or folder"),
        ("profile --suggest a --full", "--suggest: reads folders"),
        ("show i gone", r"gone: no such document \(did you mean gone2?\)"),
    ],
)
def test_a_wrong_command_line_gives_one_line_and_exit_code_2(
    line: str, said: str, index: FakeIndex, run_cli: Cli
) -> None:
    code, out, err = run_cli(*line.split(" "))
    assert (code, out) == (2, "")
    assert err.startswith("trix: error: ")
    assert err.count("\n") == 1

    assert re.search(said.replace("?", r"\?"), err), err


def test_a_query_error_names_the_column_on_one_line(index: FakeIndex, run_cli: Cli) -> None:
    code, out, err = run_cli("search", "i", "xml", '"tree')
    assert (code, out) == (2, "")
    assert err == 'trix: error: query, column 5: the quote is never closed: xml "tree; this works: xml "tree"\n'


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("one\ntwo"), 2, "trix: error: one two\n"),
        (IndexError_("x: damaged"), 2, "trix: error: x: damaged\n"),
        (FileNotFoundError(2, "No such file", "a.xml"), 2, "trix: error: a.xml: No such file\n"),
        (MemoryError(), 2, "trix: error: out of memory\n"),
        (KeyboardInterrupt(), 130, "trix: interrupted\n"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (
            ZeroDivisionError("x"),
            2,
            "trix: error: unexpected ZeroDivisionError: x (this is a bug; --debug shows where)\n",
        ),
    ],
)
def test_each_error_has_its_exit_code_and_never_a_traceback(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, run_cli: Cli
) -> None:
    def fail(path: str) -> None:
        raise error

    monkeypatch.setattr(trix, "open", fail, raising=False)
    monkeypatch.setattr("trix.cli._abandon_stdout", lambda: None)
    assert run_cli("info", "i") == (code, "", said)


HALF_MADE = """
import sys
import trix.cli.app
class Half:
    def __del__(self):
        self.missing
def dispatch(words):
    half = Half()
    raise KeyboardInterrupt
trix.cli.app.dispatch = dispatch
sys.exit(trix.cli.main())
"""


def test_what_is_half_made_at_ctrl_c_does_not_complain() -> None:
    done = subprocess.run([sys.executable, "-c", HALF_MADE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "trix: interrupted\n")


def test_debug_lets_the_traceback_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str) -> None:
        raise IndexError_("damaged")

    monkeypatch.setattr(trix, "open", fail, raising=False)
    with pytest.raises(IndexError_, match="damaged"):
        main(["info", "i", "--debug"])


# Search


@pytest.mark.parametrize(
    ("line", "query"),
    [
        (["i", "xml"], "xml"),
        (["i", "xml", "tree"], "xml tree"),
        (["i", "+xml", "-image", '-"old tree"'], '+xml -image -"old tree"'),
        (["i", "-n", "2", "-news"], "-news"),
        (["i", "-news", "-n2"], "-news"),
        (["i", "xml", "--", "--top", "-n"], "xml --top -n"),
        (["--", "i", "--explain"], "--explain"),
        (["i", "//sec[about(., xml)]"], "//sec[about(., xml)]"),
        (["i", ""], ""),
    ],
)
def test_what_is_no_option_belongs_to_the_query(line: list[str], query: str, index: FakeIndex, run_cli: Cli) -> None:
    assert run_cli("search", *line)[0] == 0
    assert index.asked[0][:2] == ("search", query)


def test_a_word_like_an_option_is_an_error(index: FakeIndex, run_cli: Cli) -> None:
    code, _, err = run_cli("search", "i", "xml", "--modle", "bm25")
    assert code == 2
    assert err == (
        "trix: error: there is no option --modle (did you mean --model?); "
        "write -- before a query that begins with a dash\n"
    )
    assert run_cli("search", "i", "xml", "--lang=fr")[0] == 2
    assert index.asked == []


def test_options_are_passed_under_the_names_of_the_library_and_only_those_given(index: FakeIndex, run_cli: Cli) -> None:
    run_cli("search", "i", "q")
    run_cli(
        "search", "i", "q", *shlex.split("--model LM-JM --v 3 --b=.4 --combine sum --context tower --context root:2"),
        *shlex.split("--strategy thorough --overlap partial --fetch best --phrases exact --cas svcas --level content"),
        *shlex.split("--expand 7:5 --k1 2 --B 0.3 --lambda .2 --mu 10 -n 2 --open-phrases"),
    )  # fmt: skip
    assert index.asked == [
        ("search", "q", {}),
        (
            "search",
            "q",
            {
                "model": "lm-jm", "v": 3.0, "b": 0.4, "combine": "sum", "context": ["tower", "root:2"],
                "strategy": "thorough", "overlap": "partial", "fetch": "best", "phrases": "exact", "cas": "SVCAS",
                "level": "content", "expand": "7:5", "k1": 2.0, "B": 0.3, "lambda_": 0.2, "mu": 10.0, "top": 2,
                "open_phrases": True,
            },
        ),
    ]  # fmt: skip


def test_top_all_and_no_open_phrases_are_passed_too(index: FakeIndex, run_cli: Cli) -> None:
    run_cli("search", "i", "q", "--top", "all", "--no-open-phrases")
    assert index.asked[0][2] == {"top": None, "open_phrases": False}


def test_search_writes_json_lines_when_piped(index: FakeIndex, run_cli: Cli) -> None:
    code, out, err = run_cli("search", "i", "the", "xml")
    first = json.loads(out.splitlines()[0])
    assert code == 0
    assert list(first) == [
        "rank",
        "score",
        "doc",
        "label",
        "path",
        "tag",
        "offset",
        "length",
        "title",
        "breadcrumb",
        "snippet",
        "marks",
    ]
    assert first["score"] == 1 / 3
    assert first["path"] == "/article[1]/bdy[1]/sec[2]"
    assert out.count("\n") == 3
    assert err == "trix: left out, on the stop list: the\n"


def test_explanations_are_a_field_of_json_lines_and_follow_each_result_of_a_table(
    index: FakeIndex, run_cli: Cli
) -> None:
    _, out, _ = run_cli("search", "i", "xml", "--explain", "--b", "0.2")
    assert [json.loads(line)["explanation"]["value"] for line in out.splitlines()] == [1 / 3, 0.25, 1e-7]
    assert index.asked[1] == ("explain", ("xml", 1), {"b": 0.2})
    _, out, _ = run_cli("search", "i", "xml", "--explain", "--format", "table")
    assert "everything" in out


def test_search_writes_csv(index: FakeIndex, run_cli: Cli) -> None:
    _, out, _ = run_cli("search", "i", "xml", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert float(rows[0]["score"]) == 1 / 3
    assert rows[0]["snippet"] == 'a <b> & "c", d'


def test_search_prints_a_table_without_colour_off_the_terminal(
    index: FakeIndex, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    _, out, _ = run_cli("search", "i", "xml", "--format", "table")
    assert re.search(r"1 +0\.3333 +A title\n", out)
    assert "3 of 1,234 matching elements in 2.1 ms" in out
    assert "\x1b" not in out


def test_a_search_without_results_prints_no_record(index: FakeIndex, run_cli: Cli) -> None:
    assert run_cli("search", "i", "nothing") == (0, "", "")
    assert run_cli("search", "i", "nothing", "--format", "table")[1].startswith("0 of")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--format trec", "1 Q0 co/2001/r7022/article[1]/bdy[1]/sec[2] 1 0.3333333333333333 trix"),
        ("--format trec --level document", "1 Q0 co/2001/r7022 1 0.3333333333333333 trix"),
        (
            "--format inex2009 --level document",
            "1 Q0 co/2001/r7022 1 0.3333333333333333 trix /article[1]/bdy[1]/sec[2]",
        ),
        ("--format inex2009 --run-id a", "1 Q0 co/2001/r7022 1 0.3333333333333333 a /article[1]/bdy[1]/sec[2]"),
        ("--format inex2009 --passages", "1 Q0 co/2001/r7022 1 0.3333333333333333 trix 1180 734"),
    ],
)
def test_search_writes_columns(options: str, line: str, index: FakeIndex, run_cli: Cli) -> None:
    assert run_cli("search", "i", "xml", *options.split())[1].splitlines()[0] == line


# Run


ORIGINAL = ["INDEX", "-e", "-o", "b=0.1", "queries2004co.txt"]


@pytest.mark.parametrize(
    "line",
    [
        ORIGINAL,
        ["-e", "b=0.1", "INDEX", "queries2004co.txt", "-o"],
        ["b=.1", "-oe", "INDEX", "queries2004co.txt"],
        [
            "INDEX",
            "queries2004co.txt",
            *["--preset", "study", "--b", "0.1", "--combine", "einstein", "--overlap", "full"],
        ],
    ],
)
def test_run_understands_the_original_in_any_order(
    line: list[str], index: FakeIndex, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(trix, "open", lambda path, **_: opened.append(path) or index, raising=False)
    monkeypatch.setattr(trix, "read_topics", lambda path: opened.append(path) or FakeTopics("1"), raising=False)
    assert run_cli("run", *line)[0] == 0
    assert sorted(opened) == ["INDEX", "queries2004co.txt"]
    assert index.asked == [("run", ["1"], {"preset": "study", "b": 0.1, "combine": "einstein", "overlap": "full"})]


def test_a_setting_that_is_the_value_of_an_option_stays_one(index: FakeIndex, run_cli: Cli) -> None:
    code, out, _ = run_cli("run", "i", "t", "--run-id", "b=1", "v=3")
    assert code == 0
    assert out.splitlines()[0].endswith(" b=1")
    assert index.asked[0][2] == {"preset": "study", "v": 3.0}


def test_run_writes_every_topic_and_says_notices_on_one_line_each(index: FakeIndex, run_cli: Cli) -> None:
    code, out, err = run_cli("run", "i", "t")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["162"] * 3 + ["177"] * 3
    assert err == "trix: topic 1: the quote is never closed; dropped\n"


def test_run_writes_the_xml_submission_well_formed(index: FakeIndex, run_cli: Cli) -> None:
    _, out, _ = run_cli("run", "i", "t", "--format", "inex", "--run-id", 'a"<b', "--strategy", "thorough")
    tree = ET.fromstring(out)
    assert tree.get("run-id") == 'a"<b'
    assert tree.get("task") == "Thorough"
    assert [topic.get("topic-id") for topic in tree.iter("topic")] == ["162", "177"]
    assert [float(rsv.text or "") for rsv in tree.iter("rsv")][:3] == [1 / 3, 0.25, 1e-7]
    assert next(tree.iter("path")).text == "/article[1]/bdy[1]/sec[2]"


def test_run_as_json_lines_names_topic_and_run(index: FakeIndex, run_cli: Cli) -> None:
    _, out, _ = run_cli("run", "i", "t", "--format", "jsonl", "--run-id", "mine")
    first = json.loads(out.splitlines()[0])
    assert (first["topic"], first["run"], first["rank"]) == ("162", "mine", 1)


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
def test_output_is_the_same_run_in_a_file(name: str, index: FakeIndex, run_cli: Cli, tmp_path: Path) -> None:
    expected = run_cli("run", "i", "t")[1]
    code, out, _ = run_cli("run", "i", "t", "--output", str(tmp_path / name))
    data = (tmp_path / name).read_bytes()
    assert (code, out) == (0, "")
    assert (gzip.decompress(data) if name.endswith("gz") else data).decode() == expected
    assert os.listdir(tmp_path) == [name]


def test_output_to_stdout_by_its_name_goes_there(tmp_path: Path) -> None:
    code = (
        "import sys; from tests.fakes import *; import trix; from trix.cli import main;"
        "trix.open = lambda path, **_: FakeIndex(); trix.read_topics = lambda path: FakeTopics(['1']);"
        "sys.exit(main(['run', 'i', 't', '--output', '/dev/stdout']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.count("\n") == 3


def test_a_run_that_fails_leaves_the_older_file_and_nothing_else(
    index: FakeIndex, run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.run"
    target.write_text("old")
    monkeypatch.setattr(trix, "read_topics", lambda path: FakeTopics(["1", "bad"]), raising=False)
    code, _, err = run_cli("run", "i", "t", "--output", str(target))
    assert code == 2
    assert "the score is inf" in err
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.run"]


def test_output_to_a_device_or_a_folder(index: FakeIndex, run_cli: Cli, tmp_path: Path) -> None:
    assert run_cli("run", "i", "t", "--output", os.devnull)[0] == 0
    assert not Path(os.devnull).is_file()
    assert run_cli("run", "i", "t", "--output", str(tmp_path))[0] == 2


# Index, show, info, check, profile


def fake_build(skipped: int) -> tuple[Callable[..., Any], dict[str, Any]]:
    got: dict[str, Any] = {}

    def build(sources: list[str], target: str, **options: Any) -> Any:
        got.update(sources=sources, target=target, **options)
        skips = [SimpleNamespace(path=f"{n}.xml", reason="line 3: bad\ntag") for n in range(skipped)]
        return SimpleNamespace(
            documents=2, elements=10, content_elements=7, keys=5, tokens=20, xml_bytes=1000, index_bytes=200,
            seconds=0.5, profile="jats", skipped=skips, notices=["profile jats picked"], ignored={},
            quiet={"ref-list": 2, "front": 1},
            to_json=lambda: {"documents": 2, "skipped": [vars(skip) for skip in skips]},
        )  # fmt: skip

    return build, got


def test_index_passes_its_options_and_reports(monkeypatch: pytest.MonkeyPatch, run_cli: Cli) -> None:
    build, got = fake_build(0)
    monkeypatch.setattr(trix, "build", build, raising=False)
    code, out, err = run_cli("index", "a", "@b", "i", "--profile=tei", "--stem=none", "--stop=x", "--jobs=3", "--store")
    assert code == 0
    assert got == {
        "sources": ["a", "@b"], "target": "i", "profile": "tei", "stem": "none", "stop": "x", "jobs": 3,
        "positions": True, "strict": False, "store": True, "overwrite": False, "glob": (), "progress": None,
        "accents": "fold", "language": None, "variants": None, "client": None,
        "max_elements": None, "max_bytes": None, "recover": False,
    }  # fmt: skip
    assert out.startswith("i: 2 documents, 10 elements")
    assert out.splitlines()[2] == (
        "headers, references and the like: 3 content elements (43 %), ref-list 2, front 1; "
        "returned only if nothing else matches"
    )
    assert err == "trix: profile jats picked\n"


def test_index_names_skipped_files_and_ends_with_3(monkeypatch: pytest.MonkeyPatch, run_cli: Cli) -> None:
    build, _ = fake_build(25)
    monkeypatch.setattr(trix, "build", build, raising=False)
    code, out, err = run_cli("index", "a", "i", "--json", "--quiet")
    lines = err.splitlines()
    assert code == 3
    assert len(json.loads(out)["skipped"]) == 25
    assert lines[0] == "trix: skipped 0.xml: line 3: bad tag"
    assert lines[20:] == ["trix: ... and 5 more: --json lists them all"]


def test_show_prints_text_or_xml(index: FakeIndex, run_cli: Cli) -> None:
    assert run_cli("show", "i", "a/b/sec[1]") == (0, "text of a/b/sec[1]\n", "")
    assert run_cli("show", "i", "a/b", "--xml") == (0, "<x>a/b</x>\n", "")


def test_info_prints_tables_or_json(index: FakeIndex, run_cli: Cli) -> None:
    _, out, _ = run_cli("info", "i")
    assert "documents  12,000\n" in out
    assert "\ntags\n  sec      3\n  p    1,400\n" in out
    assert json.loads(run_cli("info", "i", "--json")[1])["documents"] == 12000


def test_check_prints_a_line_per_fault_and_ends_with_1(monkeypatch: pytest.MonkeyPatch, run_cli: Cli) -> None:
    monkeypatch.setattr(trix, "check", lambda path: ["a: checksum", "b: order"], raising=False)
    assert run_cli("check", "i") == (1, "a: checksum\nb: order\n", "")
    monkeypatch.setattr(trix, "check", lambda path: [], raising=False)
    assert run_cli("check", "i") == (0, "i: sound\n", "")


def test_profile_lists_presets_and_prints_one_as_it_is_written(run_cli: Cli) -> None:
    import tomllib

    from trix.indexer.profile.profile import PRESETS

    _, out, _ = run_cli("profile")
    listed = [line for line in out.splitlines() if not line.startswith(" ")]
    assert [line.split()[0] for line in listed] == list(PRESETS)
    joined = " ".join(out.split())
    assert all(end in joined for end in ("(page, section, p, steps, item, note).", "in capitals, without namespace)."))
    _, out, _ = run_cli("profile", "jats")
    assert "unit" in tomllib.loads(out)
    assert "#" in out


def test_profile_suggests_a_draft_that_loads(run_cli: Cli, tmp_path: Path) -> None:
    from trix.indexer.profile.profile import load_profile

    docs, file = tmp_path / "docs", tmp_path / "my.toml"
    docs.mkdir()
    for number in range(6):
        entry = f"<entry><who>Ann {number}</who><year>199{number}</year></entry>"
        (docs / f"{number}.xml").write_text(f"<d><maintitle>Part {number}</maintitle>{entry * 4}</d>")
    code, out, err = run_cli("profile", "--suggest", str(docs))
    assert (code, err) == (0, "")
    assert 'title = "/*/maintitle"' in out and "# title: /*/maintitle in 100 % of documents; 6 distinct" in out
    code, shown, err = run_cli("profile", "--suggest", str(docs), "--output", str(file), "--show")
    assert (code, shown, file.read_text()) == (0, "", out)
    assert "before:" in err and "after:" in err
    assert load_profile(file).title == "/*/maintitle"
    code, _, err = run_cli("profile", "--suggest", str(docs), "--output", str(file))
    assert code == 2 and err.count("\n") == 1 and "exists already" in err
    (tmp_path / "none").mkdir()
    code, _, err = run_cli("profile", "--suggest", str(tmp_path / "none"))
    assert code == 2 and err.count("\n") == 1


# As a process


def trix_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "trix", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, **options)


def test_the_process_ends_with_the_exit_code() -> None:
    done = trix_process("search", "nowhere")
    assert done.returncode == 2
    assert done.stderr.startswith("trix: error: missing argument 'QUERY")


def test_a_closed_pipe_is_success() -> None:
    pipe = f"{sys.executable} -m trix profile jats | true; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_a_full_disk_and_closed_streams_are_borne() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    line = f"{sys.executable} -m trix"
    script = f"{line} profile jats > /dev/full; echo $?; {line} --version >&-; echo $?; {line} x y 2>&-; echo $?"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("2\n0\n2\n", "trix: error: No space left on device\n")


def test_the_shell_can_complete_commands() -> None:
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "_TRIX_COMPLETE": "complete_bash", "COMP_WORDS": "trix se",
        "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "trix se",
    }  # fmt: skip
    command = [sys.executable, "-m", "trix"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["search", "serve"]
