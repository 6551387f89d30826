"""A published site and its search in Chromium, beside Pagefind on the same pages.

The queries are headings that occur once in the collection; the answer is the section. Bytes are those that a server
without compression sends. Needs Chromium, playwright and pagefind (`pip install pagefind pagefind_bin_extended`).
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import trix
from scripts.parts.bench.common import DATA, missing, unpacked
from scripts.parts.prove.titles import titles
from trix.errors import TrixError
from trix.publish.document import PublishedDocument
from trix.publish.names import page_paths
from trix.publish.site import publish
from trix.web.reading.roles import Roles

COLLECTION = DATA / "collections" / "medium-jats-europepmc-sample.tar.xz"
SEED, DEEP = 5, 10

PHONE = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
"""Slow 3G: 400 kbit/s, 400 ms."""

TRIX_RANKS = """async (queries) => {
  const at = (name) => import(new URL(`static/${name}.js`, location));
  const [{ Files }, { understand, rank, hitsOf }] = await Promise.all([at("files"), at("search")]);
  const files = new Files(new URL("./", location));
  const [entry, rows, names] = [await files.entry(), await files.rows(), await files.documents()];
  const found = [];
  for (const q of queries) {
    const ranking = rank(rows, await understand(files, q, false), entry);
    const own = [];
    for (const document of ranking.documents.slice(0, 10)) {
      const file = await files.document(names[document][1]);
      const hits = hitsOf(rows, ranking, document, entry.most);
      own.push([names[document][0], hits.map(({ row }) => file.units[row - rows.first[document]][0])]);
    }
    found.push(own);
  }
  return found;
}"""

TRIX_QUERY = """async (q) => {
  const box = document.getElementById("q");
  const begun = performance.now();
  document.querySelector("#answer").replaceChildren();
  box.value = q;
  box.form.requestSubmit();
  const waits = () => {
    if (!document.querySelector(".count")) return true;
    const busy = [...document.querySelectorAll(".document[aria-busy]")];
    return busy.some((each) => each.getBoundingClientRect().top < innerHeight);
  };
  while (waits()) await new Promise((done) => setTimeout(done, 2));
  return performance.now() - begun;
}"""

PAGEFIND_QUERY = """async (q) => {
  const begun = performance.now();
  const found = await window.pf.search(q);
  const data = await Promise.all(found.results.slice(0, 10).map((each) => each.data()));
  const took = performance.now() - begun;
  return [took, data.map((each) => [each.url, each.sub_results.map((sub) => sub.url)])];
}"""

PAGEFIND_LOAD = (
    """async () => { window.pf = await import(new URL("pagefind/pagefind.js", location)); await window.pf.init(); }"""
)


class Server:
    """A static server that counts the bytes it sends."""

    def __init__(self, folder: Path) -> None:
        counter = self
        self.sent = 0

        class Handler(SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

            def copyfile(self, source: Any, outputfile: Any) -> None:
                data = source.read()
                counter.sent += len(data)
                outputfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


def topics(folder: Path, index: trix.Index, many: int) -> list[tuple[str, str, set[str]]]:
    """Return headings, each with the page and the anchors of its section."""
    found = [topic for topic in titles(folder) if topic.units]
    docs = [index.files.ids[number] for number in range(len(index))]
    random.Random(SEED).shuffle(found)
    roles, paths = Roles(index.files.profile, []), dict(zip(docs, page_paths(docs), strict=True))
    asked = []
    for topic in found:
        doc = next(doc for doc in (topic.units[0][:at] for at in _slashes(topic.units[0])) if doc in paths)
        opened = PublishedDocument(index, doc, roles)
        try:
            element = opened.named(topic.units[0].removeprefix(doc))
        except TrixError:
            continue
        label = opened.names([element])[0][0]
        asked.append((topic.words, paths[doc], {label, f"{label}.1", f"{label}.2"}))
        if len(asked) == many:
            break
    return asked


def _slashes(unit: str) -> Iterator[int]:
    return (at for at, letter in enumerate(unit) if letter == "/")


def mrr(asked: Sequence[tuple[str, str, set[str]]], found: Sequence[Sequence[Any]]) -> tuple[float, float]:
    """Return MRR@10 of the document, and of the section in the list of all sections."""
    documents = sections = 0.0
    for (_, page, anchors), results in zip(asked, found, strict=True):
        pages = [url.partition("#")[0] for url, _ in results][:DEEP]
        documents += 1 / (pages.index(page) + 1) if page in pages else 0.0
        flat = [(url.partition("#")[0], anchor) for url, inside in results for anchor in inside][:DEEP]
        ranks = [rank for rank, (url, anchor) in enumerate(flat, 1) if url == page and anchor in anchors]
        sections += 1 / ranks[0] if ranks else 0.0
    return documents / len(asked), sections / len(asked)


def spread(values: Sequence[float], unit: float = 1.0) -> str:
    """Return the median and the 90th percentile."""
    ordered = sorted(values)
    return f"{statistics.median(ordered) / unit:,.0f} (p90 {ordered[int(0.9 * (len(ordered) - 1))] / unit:,.0f})"


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("TRIX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def measure(browser: Any, server: Server, asked: Sequence[tuple[str, str, set[str]]], rival: bool) -> dict[str, Any]:
    """Return bytes and times of one of the two, and what it found."""
    page_at = server.address + ("404.html" if rival else "")

    def loaded(phone: bool = False) -> tuple[Any, Any, int]:
        context = browser.new_context(
            viewport={"width": 390, "height": 800} if phone else {"width": 1280, "height": 900}
        )
        page = context.new_page()
        before = server.sent
        if phone:
            session = context.new_cdp_session(page)
            session.send("Network.enable")
            session.send("Network.emulateNetworkConditions", PHONE)
            session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.goto(page_at, timeout=120_000)
        page.wait_for_load_state("networkidle", timeout=120_000)
        if rival:
            before = server.sent  # the page around it is not its own
            page.evaluate(PAGEFIND_LOAD)
            page.wait_for_timeout(300)
        return context, page, server.sent - before

    def query(page: Any, words: str) -> tuple[int, float, Any]:
        before = server.sent
        took = page.evaluate(PAGEFIND_QUERY if rival else TRIX_QUERY, words)
        if not rival:
            page.wait_for_timeout(100)  # the filters beside the results are loaded after them
        return server.sent - before, took[0] if rival else took, took[1] if rival else None

    def told(what: str) -> None:
        print(f"{'Pagefind' if rival else 'Trix'}: {what}", file=sys.stderr, flush=True)

    found: dict[str, Any] = {"first": [], "bytes": [], "ms": [], "phone": []}
    context, page, found["load"] = loaded()
    results = []
    for words, _, _ in asked:
        size, took, answer = query(page, words)
        found["bytes"].append(size)
        found["ms"].append(took)
        results.append(answer)
    context.close()
    told(f"{len(asked)} queries in a row")
    for words, _, _ in asked[:20]:
        context, page, _ = loaded()
        found["first"].append(query(page, words)[0])
        context.close()
    told("first queries")
    for words, _, _ in asked[:5]:
        context, page, _ = loaded(phone=True)
        query(page, asked[-1][0])  # the first query loads what all need
        found["phone"].append(query(page, words)[1])
        context.close()
    told("a phone")
    if rival:
        base = server.address
        results = [
            [(url.removeprefix("/").removeprefix(base), [sub.partition("#")[2] for sub in subs]) for url, subs in each]
            for each in results
        ]
    else:
        context, page, _ = loaded()
        results = page.evaluate(TRIX_RANKS, [words for words, _, _ in asked])
        context.close()
    found["mrr"] = mrr(asked, results)
    return found


def table(rows: dict[str, dict[str, Any]]) -> str:
    """Return a table in Markdown."""
    names = list(rows)
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]

    def line(what: str, values: Sequence[str]) -> None:
        lines.append(f"| {what} | {' | '.join(values)} |")

    every = list(rows.values())
    line("files of the search", [f"{each['files']:,}, {each['size'] / 1e6:.1f} MB" for each in every])
    line("building them", [f"{each['seconds']:.0f} s" if each["seconds"] else "–" for each in every])
    line("loaded before the first query, kB", [f"{each['load'] / 1e3:.0f}" for each in every])
    line("the first query, kB", [spread(each["first"], 1e3) for each in every])
    line("a query in a row of queries, kB", [spread(each["bytes"], 1e3) for each in every])
    line("the same, ms", [spread(each["ms"]) for each in every])
    line("on a phone, ms", [spread(each["phone"]) for each in every])
    line("MRR@10 of the document", [f"{each['mrr'][0]:.3f}" for each in every])
    line("MRR@10 of the section", [f"{each['mrr'][1]:.3f}" for each in every])
    return "\n".join(lines)


def sizes(folder: Path) -> tuple[int, int]:
    """Return the number and the bytes of the files of a folder."""
    files = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(files), sum(files)


def main() -> int:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(
        prog="publish", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", nargs="?", default=str(COLLECTION))
    parser.add_argument("--site", help="a published site of the collection; with --index; none is built")
    parser.add_argument("--index", help="its index")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--alone", action="store_true", help="without Pagefind")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if missing("publish", given.index or given.collection, given.collection):
        return 2
    if not given.alone and find_spec("pagefind") is None:
        print("publish: pagefind is missing: pip install pagefind pagefind_bin_extended, or --alone", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as name:
        scratch = Path(name)
        folder = unpacked(Path(given.collection), scratch)
        index_path = given.index or str(scratch / "bench.index")
        if not given.index:
            trix.build([folder], index_path)
        site = scratch / "site"
        with trix.open(index_path) as index:
            begun = time.perf_counter()
            if given.site:
                shutil.copytree(given.site, site)
            else:
                publish(index, site)
            took = 0.0 if given.site else time.perf_counter() - begun
            begun = time.perf_counter()
            systems = ["Trix"] if given.alone else ["Trix", "Pagefind"]
            if not given.alone:
                subprocess.run(
                    [
                        sys.executable, "-m", "pagefind", "--site", str(site), "--glob", "read/**/*.html",
                        "--root-selector", "article.document-text", "--output-path", str(site / "pagefind"),
                    ],
                    check=True, stdout=subprocess.DEVNULL,
                )  # fmt: skip
            rival_took = time.perf_counter() - begun
            asked = topics(folder, index, given.queries)
        server = Server(site)
        try:
            with chromium() as browser:
                rows = {row: measure(browser, server, asked, row != "Trix") for row in systems}
        finally:
            server.close()
        parts = (("Trix", site / "search", took), ("Pagefind", site / "pagefind", rival_took))
        for row, place, seconds in parts[: len(systems)]:
            rows[row]["files"], rows[row]["size"] = sizes(place)
            rows[row]["seconds"] = seconds
    print(json.dumps(rows, indent=1) if given.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
