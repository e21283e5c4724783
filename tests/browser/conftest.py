"""A page in headless Chromium, with all that it says and asks for written down."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_READY_MS = 60_000


@dataclass
class Opened:
    """A page that stands, and what went on while it came to stand."""

    page: Any
    messages: list[str] = field(default_factory=list)
    """Of the console, errors that were not caught, dialogs."""
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """What is to be read there."""
        return str(self.page.locator(selector).inner_text())

    def number(self, expression: str) -> float:
        """What a script comes to."""
        return float(self.page.evaluate(expression))


Open = Callable[..., Opened]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser. Skips where there is none, or no playwright to speak to it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """opened(html, width=..., dark=...): the page from a file, once everything on it is drawn."""
    contexts = []

    def open_page(html: bytes, width: int = 1600, *, dark: bool = False) -> Opened:
        path = tmp_path / "report.html"
        path.write_bytes(html)
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
        )
        contexts.append(context)
        found = Opened(context.new_page())
        page = found.page
        page.on("console", lambda message: found.messages.append(message.text))
        page.on("pageerror", lambda error: found.messages.append(str(error)))
        page.on("dialog", lambda dialog: found.messages.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: found.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached", timeout=_READY_MS)
        return found

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def album(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go that someone should look at: $PARDNN_SCREENSHOTS, else a folder of this run."""
    folder = os.environ.get("PARDNN_SCREENSHOTS")
    found = Path(folder) if folder else tmp_path_factory.mktemp("screenshots")
    found.mkdir(parents=True, exist_ok=True)
    return found
