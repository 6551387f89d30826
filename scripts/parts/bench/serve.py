"""Measure how many searches a second a place answers, and how long one takes, at 1, 8 and 32 connections.

    scripts/bench serve [COLLECTION] [--index INDEX] [--workers N] [--seconds S] [--warm S] [--minutes M] [--json]

people      queries as people ask: a few often, most seldom (Zipf, of 2,000); whole pages with snippets and facets
anew        every query for the first time: nothing has been made before
typing      suggestions, letter by letter
reading     documents opened from their answers, and parts of them

CPU ms is the work of the server for one request, whatever else the machine does; client ms is that of who asks, which
takes its share of the same cores; load is that of the machine, from 1 a process that is at work.

--warm S asks for so long before anything is measured: a document that was met several times is quicker to answer from.
--minutes M asks a mixture of all for so long at 8 connections, and tells of errors and of the memory, minute by minute.
COLLECTION is eLife under TRIX_DATA unless given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import trix
from scripts.parts.bench.common import COLLECTION, missing, unpacked

CONNECTIONS = (1, 8, 32)
KINDS = ("people", "anew", "typing", "reading")
DIFFERENT = 2_000


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench serve", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", nargs="?", default=str(COLLECTION))
    parser.add_argument("--index", help="an index that is there, in place of a collection")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warm", type=float, default=0)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS), help="all unless given")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if missing("bench", asked.index or asked.collection):
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        index = asked.index
        if index is None:
            index = str(Path(scratch) / "index")
            trix.build(unpacked(Path(asked.collection), Path(scratch)), index)
        found = measure(index, asked)
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 1 if found["errors"] else 0


def measure(index: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Serve an index, ask, and return what was measured."""
    command = [sys.executable, "-m", "trix", "serve", index, "--port", "0", "--workers", str(asked.workers)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONFAULTHANDLER": "1"})
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        port = int(line.partition("://")[2].partition("/")[0].rpartition(":")[2])
        words = common_words(index)
        found: dict[str, Any] = {"workers": asked.workers, "rows": [], "errors": 0}
        said = server.stderr
        threading.Thread(target=lambda: [print(line, end="", file=sys.stderr) for line in said], daemon=True).start()
        wait_for(port)
        if asked.warm:
            asyncio.run(load(port, addresses("anew", words, seed=3), 8, asked.warm))
        for kind in asked.kinds:
            for connections in CONNECTIONS:
                before, own = processor(server.pid), time.process_time()
                seed = 7 + connections * (kind == "anew")  # what was asked before would be kept
                row = asyncio.run(load(port, addresses(kind, words, seed), connections, asked.seconds))
                row["CPU ms"] = round(1000 * (processor(server.pid) - before) / max(1, row["requests"]), 2)
                row["client ms"] = round(1000 * (time.process_time() - own) / max(1, row["requests"]), 2)
                row["load"] = round(os.getloadavg()[0], 1)
                found["rows"].append({"kind": kind, "connections": connections, **row})
                found["errors"] += row["errors"]
        if asked.minutes:
            resident, ended = [memory(server.pid)], threading.Event()

            def look() -> None:
                while not ended.wait(60):
                    resident.append(memory(server.pid))

            looking = threading.Thread(target=look)
            looking.start()
            row = asyncio.run(load(port, mixed(words), 8, 60 * asked.minutes))
            ended.set()
            looking.join()
            found["mixed"] = {"minutes": asked.minutes, **row, "MB": [*resident, memory(server.pid)]}
            found["errors"] += row["errors"]
        return found
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def common_words(index: str) -> list[str]:
    """Return words of an index that are neither in most documents nor in one or two."""
    with trix.open(index) as opened:
        letters = [a + b for a in "abcdefghilmnoprstuv" for b in "aeiorlu"]
        found = [each for pair in letters for each in opened.suggest(pair, 40) if each.kind == "word"]
        most = len(opened) / 4
        return sorted({each.text for each in found if 2 < each.frequency < most and each.text.isalpha()})


def addresses(kind: str, words: list[str], seed: int = 7) -> Callable[[], str]:
    """Return what gives one address after the other."""
    chance = random.Random(f"{kind}{seed}")

    def query() -> str:
        return " ".join(chance.sample(words, chance.choice((1, 1, 2, 2, 2, 3))))

    known = [query() for _ in range(DIFFERENT)]
    weights = [1 / place for place in range(1, DIFFERENT + 1)]
    documents: list[str] = []

    def typed() -> Iterator[str]:
        while True:
            text = query()
            for end in range(2, len(text) + 1):
                yield text[:end]

    letters = typed()

    def address() -> str:
        if kind == "anew":
            return "/?" + urlencode({"q": query(), "v": f"{chance.random():.9f}"})
        if kind == "typing":
            return "/suggest?" + urlencode({"q": next(letters)})
        if kind == "reading" and documents:
            return chance.choice(documents)
        return "/?" + urlencode({"q": chance.choices(known, weights)[0]})

    address.documents = documents  # type: ignore[attr-defined]
    return address


def mixed(words: list[str]) -> Callable[[], str]:
    """Return what gives addresses of all kinds."""
    of_kinds = [addresses(kind, words, seed=11) for kind in KINDS]
    chance = random.Random(13)
    return lambda: chance.choices(of_kinds, (6, 1, 6, 3))[0]()


async def load(port: int, address: Callable[[], str], connections: int, seconds: float) -> dict[str, Any]:
    """Ask over so many connections for so long; return requests a second and how long they took, in ms."""
    took: list[float] = []
    errors = 0
    end = time.perf_counter() + seconds
    if hasattr(address, "documents"):  # what is read was found
        _, page = await once(port, "/?q=cell&view=flat&top=60")
        found = {part.partition('"')[0] for part in page.split('href="/read/')[1:]}
        address.documents += ["/read/" + each.partition("&amp;at=")[0] for each in sorted(found)]

    async def ask() -> None:
        nonlocal errors
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        while time.perf_counter() < end:
            began = time.perf_counter()
            try:
                status, _ = await request(reader, writer, address())
            except (OSError, asyncio.IncompleteReadError):  # a connection that is lost is an error, and another begins
                status = 599
                reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
            took.append(1000 * (time.perf_counter() - began))
            errors += status >= 400
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(connections)))
    if not took:
        raise SystemExit("bench: nothing was answered")
    took.sort()
    return {
        "per second": round(len(took) / (time.perf_counter() - began), 1),
        "p50": round(took[len(took) // 2], 1), "p99": round(took[int(len(took) * 0.99)], 1),
        "requests": len(took), "errors": errors,
    }  # fmt: skip


async def once(port: int, address: str) -> tuple[int, str]:
    """Ask one address over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    status, body = await request(reader, writer, address)
    writer.close()
    return status, body.decode("utf-8", "replace")


async def request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str) -> tuple[int, bytes]:
    """Ask one address and read all of the answer."""
    writer.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = int(head.lower().partition("content-length:")[2].partition("\r")[0])
    return int(head.split()[1]), await reader.readexactly(length)


def wait_for(port: int) -> None:
    """Wait until requests are answered, and have everything loaded that is loaded once."""
    for _ in range(200):
        try:
            for _ in range(24):
                asyncio.run(once(port, f"/?q=cell&v={random.random()}"))
            return
        except OSError:
            time.sleep(0.1)


def family(process: int) -> Iterator[Path]:
    """Yield what the system tells of a process and its children; nothing where it does not."""
    for each in Path("/proc").glob("[0-9]*"):
        try:
            status = (each / "status").read_text()
        except OSError:
            continue
        if int(each.name) == process or f"\nPPid:\t{process}\n" in status:
            yield each


def memory(process: int) -> int:
    """Return the resident memory of a process and its children, in MB."""
    told = [(each / "status").read_text().partition("VmRSS:")[2].split() for each in family(process)]
    return sum(int(words[0]) for words in told if words) // 1024


def processor(process: int) -> float:
    """Return the seconds of a processor that a process and its children have had: no other work changes them."""
    told = [(each / "stat").read_text().rpartition(")")[2].split() for each in family(process)]
    return sum(int(words[11]) + int(words[12]) for words in told) / os.sysconf("SC_CLK_TCK")


def table(found: dict[str, Any]) -> str:
    """Return what was measured as a table."""
    lines = [
        f"{'kind':10} {'connections':>11} {'per second':>10} {'p50 ms':>8} {'p99 ms':>8} {'CPU ms':>7} "
        f"{'client ms':>9} {'errors':>6} {'load':>5}"
    ]
    lines += [
        f"{row['kind']:10} {row['connections']:11} {row['per second']:10} {row['p50']:8} {row['p99']:8} "
        f"{row['CPU ms']:7} {row['client ms']:9} {row['errors']:6} {row['load']:5}"
        for row in found["rows"]
    ]
    if "mixed" in found:
        row = found["mixed"]
        lines.append(
            f"mixed, {row['minutes']:g} minutes: {row['per second']} a second, p99 {row['p99']} ms, "
            f"{row['errors']} errors; MB at the start, after each minute, at the end: {' '.join(map(str, row['MB']))}"
        )
    return "\n".join([*lines, f"{found['workers']} workers, {os.cpu_count()} cores, clients on the same machine"])


if __name__ == "__main__":
    sys.exit(main())
