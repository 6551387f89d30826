"""Where results and assessments stand in documents: passages as elements, runs of text as units, grades as numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cli
from trix.errors import UsageError
from trix.eval.evaluate import evaluate

A = "<a><s>one <i>two</i> three</s><s>four</s><s>five six</s></a>"
JUDGED_2005 = """<assessments topic="1"><file name="A">
<element path="/a[1]" exhaustivity="2" size="22" rsize="11"/>
<element path="/a[1]/s[1]" exhaustivity="2" size="13" rsize="3"/>
<element path="/a[1]/s[1]/i[1]" exhaustivity="1" size="3" rsize="3"/>
<element path="/a[1]/s[3]" exhaustivity="2" size="8" rsize="8"/>
</file></assessments>"""
AS_XPOINTERS = """<inex-submission run-id="x"><topic topic-id="1">
<result><file>A</file>
<passage start="/a[1]/s[1]/i[1]/text()[1].1" end="/a[1]/s[1]/i[1]/text()[1].3"/><rank>1</rank></result>
<result><file>A</file><passage start="/a[1]/s[2]" end="/a[1]/s[3]/text()[1].2"/><rank>2</rank></result>
<result><file>A</file><path>/a[1]/s[3]/text()[1]</path><rank>3</rank></result>
</topic></inex-submission>"""
AS_COLUMNS = """1 Q0 A 1 9 x /a[1]/s[1]/i[1]/text()[1].1 /a[1]/s[1]/i[1]/text()[1].3
1 Q0 A 2 8 x /a[1]/s[2] /a[1]/s[3]
1 Q0 A 3 7 x /a[1]/s[3]/text()[1]
"""
AS_OFFSETS = "1 Q0 A 1 9 x 5 2\n1 Q0 A 2 8 x 13 6\n1 Q0 A 3 7 x 17 8\n"
AS_ELEMENTS = "1 Q0 A 1 9 x /a[1]/s[1]/i[1]\n1 Q0 A 2 8 x /a[1]\n1 Q0 A 3 7 x /a[1]/s[3]\n"


@pytest.mark.parametrize("run", [AS_XPOINTERS, AS_COLUMNS, AS_OFFSETS])
def test_passages_of_any_form_are_evaluated_as_the_elements_that_hold_them(
    run: str, tmp_path: Path, run_cli: Cli
) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "A.xml").write_text(A)
    q, r, e = tmp_path / "q.xml", tmp_path / "r", tmp_path / "e"
    q.write_text(JUDGED_2005)
    r.write_text(run)
    e.write_text(AS_ELEMENTS)
    code, out, err = run_cli("eval", q, r, "-m", "AP")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert f"{r}: 3 of its results are passages" in err and "--index" in err and "--paths" in err
    index = ("--index", tmp_path / "xml")
    code, out, err = run_cli("eval", q, r, "-m", "AP inex2002(N=9) xCG", "-f", "csv", *index)
    assert code == 0 and out == run_cli("eval", q, e, "-m", "AP inex2002(N=9) xCG", "-f", "csv")[1]
    assert "x,AP,all,0.75\n" in out  # relevant at ranks 1, 2 and 3 of 4: (1 + 1 + 1) / 4
    assert "3 of its results are passages, evaluated as the smallest elements" in err
    turned = tmp_path / "turned"
    assert run_cli("convert", r, "--to", "inex2009", "--paths", *index, "--output", turned)[0] == 0
    assert [line.split()[6] for line in turned.read_text().splitlines()] == ["/a[1]/s[1]/i[1]", "/a[1]", "/a[1]/s[3]"]
    # grades of a level's members know elements and runs of text, and no other passages
    grades = {"1": {"A/a[1]/s[3]/text()[1]": 1, "A/a[1]/s[1]/i[1]": 1}}
    with pytest.raises(UsageError, match=r"of its results (are passages|is a passage)"):
        evaluate(grades, r, ["AP"])
    members = {"1": {"A/a[1]/s[3]/text()[1]": 2.0, "A/a[1]/s[1]/i[1]": 1.0}}
    assert evaluate(grades, members, ["AP"])["AP"].mean == 1.0
