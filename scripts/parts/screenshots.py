"""Take pictures of every page of `trix serve`: 390, 820 and 1440 points wide, light and dark.

    scripts/screenshots [FOLDER] [--index INDEX] [--query WORDS] [--pages NAME...]

A picture shows what a reader sees without scrolling. Without an index the handbook is indexed. TRIX_CHROMIUM names a
browser; otherwise it is looked for on the PATH.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, quote_plus

import uvicorn
from playwright.sync_api import sync_playwright

import trix
from scripts.parts.bench.common import ROOT
from trix.web.app import app
from trix.web.serving import listen
from trix.web.site.site import Site

WIDTHS = {390: 844, 820: 1180, 1440: 900}
SCHEMES = ("light", "dark")


def main() -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(
        prog="scripts/screenshots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=str(ROOT / "screenshots"))
    parser.add_argument("--index")
    parser.add_argument("--query", default="overlap")
    parser.add_argument("--pages", nargs="*", default=[], help="all unless given")
    asked = parser.parse_args()
    chromium = os.environ.get("TRIX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("screenshots: there is no Chromium; TRIX_CHROMIUM names one", file=sys.stderr)
        return 2
    Path(asked.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="trix-screenshots-") as scratch:
        path = asked.index
        if path is None:
            path = str(Path(scratch) / "handbook.index")
            trix.build(ROOT / "trix" / "handbook" / "articles", path, jobs=1)
        take(path, asked.query, Path(asked.folder), chromium, asked.pages)
    return 0


def take(path: str, query: str, folder: Path, chromium: str, only: Sequence[str] = ()) -> None:
    """Serve an index and write a picture of each page, or of some."""
    index = trix.open(path)
    best = index.search(query, top=1)
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app(Site(index)), log_level="warning", lifespan="off"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    while not server.started:
        time.sleep(0.02)
    asked = quote_plus(query)
    pages = {"home": "/", "answers": f"/?q={asked}", "one-by-one": f"/?q={asked}&view=flat", "about": "/about"}
    pages |= {"concordance": f"/?q={asked}&view=concordance", "mistake": "/?q=%22never+closed"}
    if len(best):
        pages["document"] = f"/read/{quote(best[0].doc)}?q={asked}"
        pages["passage"] = f"/read/{quote(best[0].doc)}?q={asked}&at={best[0].label}"
        pages["why"] = f"/why?q={asked}&unit={quote(best[0].doc + best[0].path)}"
    pages = {name: address for name, address in pages.items() if not only or name in only}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in SCHEMES:
            for width, height in WIDTHS.items():
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if scheme == "dark" else "light",
                    reduced_motion="reduce",
                    base_url=f"http://127.0.0.1:{listening.getsockname()[1]}",
                )
                page = context.new_page()
                for name, address in pages.items():
                    page.goto(address)
                    page.wait_for_timeout(200)
                    page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                context.close()
        browser.close()
    server.should_exit = True
    print(f"{len(pages) * len(WIDTHS) * len(SCHEMES)} pictures in {folder}")


if __name__ == "__main__":
    sys.exit(main())
