"""Damaged and strange input: every reader gives a result or an error of one line, and so does what evaluates it."""

from __future__ import annotations

import datetime
import decimal
import gzip
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import FEW
from trix.errors import FormatError, TrixError, UsageError
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels, read_run
from trix.eval.formats.topics.read import read_topics

RUNS = (
    "1 Q0 A 1 9.5 r\n1 Q0 B 2 8 r\n2 Q0 A 1 7 r\n2 Q0 C/a[1]/s[2] 2 6 r\n",
    "1 Q0 A 1 9 r /a[1]/s[1]\n1 Q0 B 2 8 r /a[1]/s[1] /a[1]/s[2]\n1 Q0 C 3 7 r 10 20\n2 Q0 B 2 6 r X X\n",
    "1 Q0 A 1 9 r 0 40\n1 Q0 A 2 8 r 40 20\n1 Q0 B 3 7 r 10 20\n2 Q0 A 1 7 r 5 5\n2 Q0 B 2 6 r X X\n",
    "1 Q0 A 1 9 r 0 0\n1 Q0 B 2 8 r 40 0\n2 Q0 B 1 8 r 4\n",
    '<?xml version="1.0"?>\n<inex-submission participant-id="12" run-id="x" task="Focused">\n<topic topic-id="1">\n'
    "<result><file>A</file><path>/a[1]/s[1]</path><rank>1</rank><rsv>0.9</rsv></result>\n"
    '<result><file>B</file><passage start="/a[1]/s[1]/text()[1].3" end="/a[1]/s[2]"/><rank>2</rank></result></topic>\n'
    "</inex-submission>",
    '<inex-snippet-submission run-id="s"><topic topic-id="1"><snippet rsv="0.5" doc-id="A">t</snippet></topic>'
    "</inex-snippet-submission>",
    '{"topic": "1", "run": "r", "doc": "A", "path": "/a[1]/s[1]", "rank": 1, "score": 0.5, "offset": 3, "length": 5}\n'
    '{"topic": "1", "doc": "B", "rank": 2, "score": 0.4}\n{"topic": 2, "doc": "A", "last": "/a[1]", "path": "/a[1]"}\n',
)
QRELS = (
    "1 0 A 1\n1 0 B 0\n1 0 C 2\n2 0 A 1\n2 0 B/a[1]/s[1] 3\n",
    "1 Q0 A 30 100 29 29:30\n1 Q0 B 10 400 0 0:10\n2 Q0 A 0 100\n2 Q0 B 20 300 7 5:10 40:10\n",
    '<assessments topic="1"><file file="A"><path path="/a[1]" relevance="3" coverage="L"/></file></assessments>',
    "<!DOCTYPE assessments SYSTEM '../assessments.dtd'>\n<assessments pool='17' topic='1'>\n<file file='A'>\n"
    "<path path='/a[1]' exhaustiveness='3' specificity='1' inferred='true'/>\n</file><file file='B'/></assessments>",
    '<assessments topic="1" version="2"><file collection="c" name="A">\n<best-entry-point path="/a[1]/text()[1].0"/>\n'
    '<passage start="/a[1]/text()[1].0" end="/a[1]/text()[1].4" size="4"/>\n'
    '<element path="/a[1]" exhaustivity="?" size="25" rsize="13"/>\n</file></assessments>',
)
TOPICS = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE inex_topic SYSTEM "topic.dtd">\n'
    '<inex_topic topic_id="177" query_type="CO" ct_no="76">\n<title>a "b c"</title>\n</inex_topic>',
    '<INEX-Topic topic-id="05" query-type="CAS"><Title><te>tig</te><cw>QBIC</cw><ce>bibl</ce></Title></INEX-Topic>',
    '<!DOCTYPE inex-topic-file [ <!ENTITY lt "lessthan"> ]>\n<inex-topic-file>\n<topic id="2009005"><title>a &lt; b'
    "</title><castitle>//article[about(.,x)]//(p|q)</castitle></topic></inex-topic-file>",
    "<top>\n<num> Number: 301\n<title> International Crime\n<desc> Description:\nIdentify\n</top>\n",
    "1\txml retrieval\n2\t//article[about(., xml)]\n",
    "<parameters><query><type>indri</type><number>301</number><text>#combine(a b)</text></query></parameters>",
)
TOKENS = (
    "nan", "inf", "1e400", "9" * 25, "-" + "9" * 25, "9" * 5000, "-1", "X", "\x00", "]", "[", "/", "<", ">", "&", "&x;",
    '"', "'", "\n", "\r", "\t", "", "\u2028", "\x85", "\x0b", "²", "\ufeff", "0x10", "text()[1].3", "/a[0]",
    "/a[" + "9" * 30 + "]", "{", "}", "null", "[" * 5000, "<!--", "<x>", "</x>", "1_0", ":", "9223372036854775807:5",
    "9223372036854775807", "9223372036854775808", "4611686018427387904",
)  # fmt: skip
MEASURES = (None, ["AP", "nDCG@10", "ESL(1)"], ["thorough"], ["ric", "bic"], ["reading"], ["xcg"], ["HiXEval", "size"])


def mutated(chance: random.Random, text: str) -> bytes:
    """Return a file with a few words, characters, lines or bytes changed."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        kind, at = chance.randrange(6), chance.randrange(len(text) + 1)
        words = [*re.finditer(r"[\w.]+|\S", text)]
        if kind < 2 and words:
            word = chance.choice(words)
            text = text[: word.start()] + chance.choice(TOKENS) + text[word.end() :]
        elif kind == 2:
            text = text[:at] + chance.choice(TOKENS) + text[at:]
        elif kind == 3:
            text = text[:at] + text[at + chance.randrange(20) :]
        elif kind == 4:
            text = text[:at] + text[max(0, at - 40) :]
        else:
            lines = text.split("\n")
            chance.shuffle(lines)
            text = "\n".join(lines)
    data = text.encode()
    if chance.random() < 0.1:
        return gzip.compress(data)[: chance.choice((None, -1, 20))]
    return data


def attempt(what: Callable[[], Any]) -> Any:
    """Return a result, or None for an error of one line; all else goes on up."""
    try:
        result = what()
    except TrixError as error:
        assert len(str(error).splitlines()) == 1, repr(str(error))
        return None
    for notice in getattr(result, "notices", ()):
        assert len(notice.splitlines()) == 1, repr(notice)
    return result


@pytest.mark.parametrize("seed", range(2 if FEW else 4))
def test_damaged_files_give_a_result_or_an_error_of_one_line(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    run, qrels, topics = tmp_path / "run", tmp_path / "qrels", tmp_path / "topics"
    done = 0
    for _ in range(150):
        texts = chance.choice(RUNS), chance.choice(QRELS)
        damaged = chance.randrange(2)
        for i, (path, text) in enumerate(zip((run, qrels), texts, strict=True)):
            path.write_bytes(mutated(chance, text) if i == damaged else text.encode())
        topics.write_bytes(mutated(chance, chance.choice(TOPICS)))
        for topic in attempt(lambda: read_topics(topics)) or ():
            attempt(lambda: topic.query("title"))  # noqa: B023
            attempt(lambda: topic.query("castitle"))  # noqa: B023
        lenient = chance.random() < 0.3
        r, q = attempt(lambda: read_run(run, lenient=lenient)), attempt(lambda: read_qrels(qrels, lenient=lenient))  # noqa: B023
        if r is not None and q is not None:
            names, official = chance.choice(MEASURES), chance.random() < 0.3
            done += attempt(lambda: evaluate(q, r, names, official, lenient=lenient)) is not None  # noqa: B023
    assert done > 3


STRANGE: tuple[Any, ...] = (
    10**400, -(10**400), 10**9999, float("inf"), float("nan"), None, "x", "1", b"1", True, [], {}, (), object(),
    decimal.Decimal("NaN"), decimal.Decimal("1.5"), np.float32(2), np.nan, 1j, datetime.date(2020, 1, 1),
    np.array([1, 2]), np.array(3.0), 2**63, 1e19,
)  # fmt: skip
KEYS = ("A", "B", "C", 1, None, "", ("a",), "A/a[1]", "\n", b"A", float("nan"), "A/a[" + "9" * 30 + "]")


class Row:
    """An object with some fields, as other libraries have them."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def strange(chance: random.Random, run: bool) -> Any:
    """Return a run or assessments as a dict, a frame or objects, with odd values here and there."""

    def value() -> Any:
        return chance.choice(STRANGE) if chance.random() < 0.2 else chance.choice((0, 1, 2, 0.5))

    def key() -> Any:
        return chance.choice(KEYS if chance.random() < 0.3 else KEYS[:3])

    names = ("score", "rank", "offset", "length", "path") if run else ("relevance",)
    kind, n = chance.randrange(5), chance.randrange(5)
    if kind == 0:
        return {"1": {key(): value() for _ in range(n)}, chance.choice(("2", 2, None)): {key(): value()}}
    if kind == 1 and run:
        return {"1": [Row(doc=key(), **{name: value() for name in names if chance.random() < 0.7}) for _ in range(n)]}
    if kind == 2:
        pandas = pytest.importorskip("pandas")
        columns = {name: pandas.Series([value() for _ in range(n)], dtype=object) for name in names}
        return pandas.DataFrame({"qid": ["1"] * n, "docno": [key() for _ in range(n)], **columns})
    if kind == 3:
        return [Row(query_id="1", doc_id=key(), **{name: value() for name in names[:1]}) for _ in range(n)]
    return chance.choice((*STRANGE, {"1": value()}, {"1": [key(), value()]}))


@pytest.mark.parametrize("seed", range(2 if FEW else 4))
def test_strange_values_give_a_result_or_an_error_of_one_line(seed: int) -> None:
    chance = random.Random(seed)
    done = 0
    for _ in range(250):
        qrels = strange(chance, False) if chance.random() < 0.5 else {"1": {"A": 1, "B": 0, "C": 2}}
        run = strange(chance, True) if chance.random() < 0.7 else {"1": {"A": 3.0, "B": 1.0}}
        names: Any = chance.choice((None, ["AP", "nDCG@10"], ["CG", "size"], 3, [None]))
        lenient = chance.random() < 0.3
        done += attempt(lambda: evaluate(qrels, run, names, lenient=lenient)) is not None  # noqa: B023
    assert done > 3


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"1": {"a": 1}}, {"1": {"a": 10**400}}, "topic 1: the score of a is too large: 1000"),
        ({"1": {"a": 10**400}}, {"1": {"a": 1}}, "topic 1: the grade of a is too large: 1000"),
        ({"1": {"a": 1}}, {"1": {"a": 10**9999}}, "topic 1: the score of a is too large: a number of many digits"),
        ({"1": {"a": "1"}}, {"1": {"a": 1}}, "topic 1: the grade of a is not a number: '1'"),
        ({"1": {"a": float("inf")}}, {"1": {"a": 1}}, "topic 1: the grade of a is infinite"),
        (
            {"1": {"a": 1}},
            {"1": [Row(doc="a", offset=3, length=-1)]},
            "the length of a is not a whole number from 0 on: -1",
        ),
        ({"1": {"a": 1}}, {"1": [Row(doc="a", rank=10**20)]}, "the rank of a is not a whole number: 1000"),
    ],
)
def test_numbers_that_are_none_are_named(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        evaluate(qrels, run, ["AP"])
    assert message in str(error.value) and len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Q0 A 99999999999999999999 1 r\n", "line 1: topic 1: a rank, an offset or a length is too large"),
        ("1 Q0 A 1 1 r 0 5\n1 Q0 A 2 1 r 9223372036854775807 5\n", "line 2: topic 1: a rank, an offset or a length"),
        ('{"topic": 1, "doc": "A", "score": 1' + "0" * 400 + "}\n", "line 1: the score is too large for a number"),
        (
            '{"topic": 1, "doc": "A", "rank": 10000000000000}\n',
            "line 1: the rank, the offset or the length is too large",
        ),
        ("[" * 99999, "line 1: 6, 7 or 8 columns expected"),
        ('{"a": ' + "[" * 99999, "line 1: not a JSON object"),
        ("<inex-submission><topic topic-id='1'>\x00", "line 1: not well-formed XML: "),
    ],
)
def test_numbers_too_large_and_damaged_xml_are_errors_of_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(text)
    with pytest.raises(FormatError) as error:
        read_run(tmp_path / "run")
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Q0 A 10 99999999999999999999 0 0:10\n", "a number of characters is too large: '99999999999999999999'"),
        ("1 Q0 A 10 100 0 9223372036854775807:10\n", "a number of characters is too large"),
        ("1 Q0 A 10 100 0 ²:10\n", "a passage is OFFSET:LENGTH, found '²:10'"),
        ("1 0 A inf\n", "the grade is not a number: 'inf'"),
        (QRELS[-1].replace('rsize="13"', 'rsize="inf"'), "line 4: /a[1]: rsize is not a number: 'inf'"),
        (QRELS[-1].replace('size="25"', 'size="1e15"'), "line 4: /a[1]: size is too large: '1e15'"),
        (QRELS[-1].replace('size="4"', 'size="²"'), "line 3: the size of the passage is not a whole number: '²'"),
        (QRELS[-1].replace("best", "\x00"), "line 2: not well-formed XML: "),
    ],
)
def test_assessments_out_of_range_are_errors_of_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(text)
    with pytest.raises(FormatError) as error:
        read_qrels(tmp_path / "qrels")
    assert message in str(error.value) and "\n" not in str(error.value)
    if "XML" not in message:
        assert attempt(lambda: read_qrels(tmp_path / "qrels", lenient=True)).notices


def test_a_lenient_reader_drops_rows_out_of_range_and_keeps_the_others_whole(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(
        "1 Q0 A 1 9 r /a[1] /a[2]\n1 Q0 B 9999999999999 8 r /b[1]\n1 Q0 C 3 7 r /c[1] /c[2]\n1 Q0 D 4 6 r 5 5\n"
    )
    run = read_run(tmp_path / "run", lenient=True)
    assert run["1"].docs == ["A", "C", "D"] and run["1"].lasts == ["/a[2]", "/c[2]", ""]
    assert run["1"].starts is not None and run["1"].starts.tolist() == [-1, -1, 5]
    assert "1 result dropped, the first at line 2" in run.notices[-1]
