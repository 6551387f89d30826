"""Chromium for tests of pages: the program, and windows whose complaints fail a test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

CHROMIUM = os.environ.get("TRIX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")

MARKS = [
    pytest.mark.reading, pytest.mark.browser, pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium; TRIX_CHROMIUM names one"),
]  # fmt: skip

Opens = Callable[..., Page]
"""Opens an address in a fresh window; takes its width and height, and options of a browser context."""

expect.set_options(timeout=20_000)  # the machine has other work


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; skip the test where it does not start."""
    with sync_playwright() as playwright:
        try:
            made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"Chromium does not start: {str(error).splitlines()[0]}")
        yield made
        made.close()


@contextmanager
def windows(browser: Browser, site: str, kinds: tuple[str, ...] = ("error",)) -> Iterator[Opens]:
    """Open windows on a site; fail on errors, on messages of these kinds, dialogs, and requests elsewhere."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(address: str = "", width: int = 1280, height: int = 900, **given: Any) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", base_url=site, **given
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type in kinds else None)
        page.on("dialog", lambda dialog: complaints.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: None if request.url.startswith(site) else complaints.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
