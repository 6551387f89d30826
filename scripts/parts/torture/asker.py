"""A process of its own that asks an index for all it can answer, so that a crash of the interpreter is seen.

    python -m scripts.parts.torture.asker      requests on stdin, replies on stdout, a line of JSON each

A request is ``{"do": "answers", "index": PATH}``. What is asked are searches of every kind (content
and structure, all forms of context, levels, feedback, links, phrases, comparisons), explanations, texts, and the facts.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

QUERIES: list[tuple[str, dict[str, Any]]] = [
    ("lamp oil", {}),
    ("lamp oil storm", {"context": "tower", "strategy": "thorough", "top": 60}),
    ('"lamp oil" storm', {"phrases": "exact", "strategy": "thorough"}),
    ('+keeper -storm "rope ladder"', {"phrases": "content", "context": "root:1.5"}),
    ("storm rope", {"strategy": "fetch-browse", "context": "vertical:f=0.25"}),
    ("harbour", {"context": "horizontal:f=2,all=1"}),
    ("harbour fog", {"context": "cscore:tower", "model": "bm25"}),
    ("fog bell", {"context": "links:f=.5,direction=both"}),
    ("keeper bell", {"level": "content", "model": "lm-dirichlet"}),
    ("lamp", {"level": "minor"}),
    ("oil", {"expand": "3:4"}),
    ("//sec[about(., lamp oil)]", {}),
    ("//article[about(.//title, keeper)]//p[about(., storm fog)]", {"strategy": "thorough"}),
    ("//sec[.//b = 'lamp']", {}),
    ("//article[.//year > 2012]//sec[about(., bell)]", {"context": "root"}),
    ("//article[.//title = 'storm']", {}),
    ("//scene[about(., lamp oil)]", {}),
]
"""Queries and their options; an index without links or positions says so, which is an answer too."""

Answer = tuple[str, str]
"""A kind, ``right``, ``error`` or ``crash``, and its text: a digest of the answer, the message, where it happened."""


def answers(path: str, names: bool = True) -> dict[str, Answer]:
    """Ask an index everything; return the answers by what was asked.

    Parameters
    ----------
    path
        The index.
    names
        Whether the numbers of documents in labels count, which a history of changes may shift; without them only a part
        is asked, and nothing explained.
    """
    import trix

    found: dict[str, Answer] = {}
    index = asked(found, "open", lambda: trix.open(path))
    if index is None:
        return found
    shown: list[str] = []
    for place, (query, options) in enumerate(QUERIES if names else QUERIES[::3]):
        name, units = f"{query} {options}", shown if place % 3 == 0 else []
        results = asked(found, name, lambda q=query, o=options, u=units: _results(index, q, o, u, names))  # type: ignore[misc]
        if results and names:
            asked(found, f"explain {name}", lambda q=query, o=options, r=results: _explained(index, q, o, r))  # type: ignore[misc]
    for unit in sorted(set(shown)):
        asked(found, f"show {unit}", lambda unit=unit: index.show(unit))  # type: ignore[misc]
        asked(found, f"show xml {unit}", lambda unit=unit: index.show(unit, xml=True))  # type: ignore[misc]
    asked(found, "info", lambda: _facts(index.info()))
    asked(found, "level", lambda: index.info("content"))
    return found


def asked(found: dict[str, Answer], name: str, ask: Callable[[], Any]) -> Any:
    """Ask one thing, and keep what came; return the answer itself, None where there is none."""
    from trix.errors import IndexError_, TrixError

    try:
        answer = ask()
    except IndexError_ as error:
        lacking = "has no links" in str(error)
        found[name] = ("right", "lacking") if lacking else ("error", str(error))  # an answer too, and not damage
        return None
    except TrixError as error:  # a right answer: there is no such level, say
        found[name] = "right", digest(str(error))
        return None
    except Exception:
        found[name] = "crash", traceback.format_exc()
        return None
    if name != "open":
        found[name] = "right", digest(answer)
    return answer


def _results(index: Any, query: str, options: dict[str, Any], shown: list[str], names: bool) -> list[Any]:
    results = index.search(query, **options)
    shown += [f"{r.doc}{r.path}" for r in results[:1]]
    return [(_label(r.label, names), r.doc, r.path, r.score.hex(), r.offset, r.length, r.snippet) for r in results] + (
        [(results.matched, results.notices)] if names else []
    )


def _label(label: str, names: bool) -> str:
    return label if names else label.partition(".")[2]


def _explained(index: Any, query: str, options: dict[str, Any], results: list[Any]) -> str:
    if len(results) < 2 or len(results[0]) < 3:
        return ""
    first = results[0]
    explanation = index.explain(query, f"{first[1]}{first[2]}", **options)
    return str(explanation)


def _facts(facts: dict[str, Any]) -> dict[str, Any]:
    wanted = ("documents", "elements", "content_elements", "keys", "postings", "tokens", "xml_bytes", "tags", "links")
    return {name: facts[name] for name in wanted if name in facts}


def digest(answer: Any) -> str:
    """Return what an answer is told from others by."""
    return hashlib.blake2b(repr(answer).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def checked(path: str) -> list[str]:
    """Return what `trix check` finds."""
    import trix
    from trix.errors import TrixError

    try:
        return trix.check(path)
    except TrixError as error:
        return [str(error)]


def written(path: str, what: str) -> str:
    """Open an index for writing and ``update`` it, ``compact`` it or ``touch`` nothing; return what came in the way."""
    from trix.errors import TrixError
    from trix.indexer.change.update import update
    from trix.indexer.change.writer import Writer

    try:
        with Writer(path, wait=10, jobs=1) as writer:
            if what == "update":
                update(writer)
            elif what == "compact":
                writer.compact()
    except TrixError as error:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"crash: {traceback.format_exc()}"
    return ""


_held: list[Any] = []


def held(path: str) -> int:
    """Open an index for writing and keep it; return the number of this process."""
    import trix

    _held.append(trix.write(path))
    return os.getpid()


def released() -> None:
    """Let go of what was kept."""
    while _held:
        _held.pop().close()


DOES: dict[str, Callable[..., Any]] = {
    "answers": answers,
    "check": checked,
    "write": written,
    "hold": held,
    "release": released,
}


class Asker:
    """The process, started again whenever it crashed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, do: str, *arguments: Any) -> Any:
        """Return what a function of this module says; a str that begins with ``crashed`` where its process did."""
        if self._process is None:
            paths = [str(Path(__file__).resolve().parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scripts.parts.torture.asker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps([do, *arguments]) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        code = self._process.wait()
        self._process = None
        return f"crashed with code {code}"

    def answers(self, index: Path, *, names: bool = True) -> dict[str, Answer]:
        """Return all answers of an index."""
        found = self.ask("answers", str(index), names)
        if isinstance(found, str):
            return {"everything": ("crash", found)}
        return {name: (kind, text) for name, (kind, text) in found.items()}

    def state(self, index: Path) -> str:
        """Return one digest of all answers: which state of an index this is. What is not right is said as it is."""
        found = self.answers(index, names=False)
        wrong = [f"{name}: {text}" for name, (kind, text) in found.items() if kind != "right"]
        return wrong[0] if wrong else digest(sorted(found.items()))

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _requests() -> Iterator[list[Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def main() -> int:
    """Answer requests until there are no more."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints is not a reply
    for do, *arguments in _requests():
        print(json.dumps(DOES[do](*arguments)), file=replies, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
