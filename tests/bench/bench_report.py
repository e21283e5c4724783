"""How large a report is, how long it takes to make, and how long until a browser has it ready to be used.

`pytest tests/bench/bench_report.py -s`; needs Chromium and playwright. Ready: timeline, memory and the table of ops
stand and answer; counted from the begin of loading, by the browser's clock.
"""

import shutil
import time
from pathlib import Path

import pytest

import pardnn
from tests.browser.graphs import layered

MOST_BYTES, MOST_S = 8_000_000, 3.0


@pytest.mark.parametrize("n", [10, 10_000, 200_000])
def test_a_report_is_small_and_ready_in_three_seconds(tmp_path: Path, n: int) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium") or pytest.skip("needs Chromium")
    plan = pardnn.partition(layered(n), gpus=4, method="round-robin")
    start = time.process_time()
    made = plan.report(tmp_path / "report.html")
    seconds = time.process_time() - start
    with sync_api.sync_playwright() as play:
        page = play.chromium.launch(executable_path=path, args=["--no-sandbox"]).new_page()
        ready: list[float] = []
        zoom: list[float] = []
        search: list[float] = []
        for _ in range(3):
            page.goto((tmp_path / "report.html").as_uri())
            page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
            ready.append(page.evaluate("performance.now()") / 1000)
            zoom.append(page.evaluate(_DRAWN, "zoom") / 1000)
            search.append(page.evaluate(_DRAWN, "search") / 1000)
    words = f"{n:,} ops: {len(made):,} bytes in {seconds:.1f} s of processor; ready in {min(ready):.2f} s, "
    words += f"a zoom is drawn in {min(zoom):.3f} s, a search in {min(search):.3f} s"
    print(f"\n{words}")  # noqa: T201
    assert len(made) < MOST_BYTES
    assert min(ready) < MOST_S


_DRAWN = """(act) => new Promise((done) => {
    const start = performance.now();
    if (act.includes("zoom")) document.querySelector("[data-zoom=in]").click();
    else {
        const field = document.getElementById("search");
        field.value = "op_7";
        field.dispatchEvent(new Event("input"));
    }
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
})"""
