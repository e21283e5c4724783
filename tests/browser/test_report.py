"""The report of a plan as a person meets it: in a browser."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import pardnn
from tests.browser.conftest import Open
from tests.browser.graphs import HOSTILE, hostile, layered

pytestmark = pytest.mark.browser
SECTIONS = ("timeline", "memory", "devices", "traffic", "scopes", "ops", "coverage", "reproduce")
PAINTED = """(selector) => Array.from(document.querySelectorAll(selector)).map((canvas) => new Set(
    new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size)"""


@cache
def report(n: int = 300) -> bytes:
    return pardnn.partition(layered(n), gpus=4, mem="1GB", method="heft").report()


@cache
def of_hostile() -> bytes:
    return pardnn.partition(hostile(), gpus=2, method="round-robin").report()


@pytest.mark.parametrize("n", [10, 300, 10_000])
def test_it_opens_without_a_word_or_a_request_and_every_figure_is_there(opened: Open, n: int) -> None:
    found = opened(report(n))
    assert found.messages == []
    assert [url for url in found.requests if not url.startswith("file://")] == []
    assert len(found.requests) == 1
    assert [section.get_attribute("id") for section in found.page.locator("main > section").all()] == list(SECTIONS)
    assert found.text("#verdict").startswith("Fits on 4 × 1 GB; ")
    colours = found.page.evaluate(PAINTED, "#timeline canvas, #memory canvas")
    assert len(colours) == 5  # the timeline, and four devices' memory
    assert min(colours) > 5
    found.page.locator("#boxes").scroll_into_view_if_needed()
    found.page.wait_for_selector("#boxes .box")


def test_zoom_by_key_button_drag_and_back(opened: Open) -> None:
    found = opened(report())
    whole = found.text("#range")
    found.page.locator("#timeline-plot").focus()
    found.page.keyboard.press("+")
    assert (nearer := found.text("#range")) != whole
    found.page.keyboard.press("ArrowRight")
    assert found.text("#range") != nearer
    found.page.get_by_role("button", name="Whole step").click()
    assert found.text("#range") == whole
    box = found.page.locator("#timeline-plot .u-over").bounding_box()
    found.page.mouse.move(box["x"] + 300, box["y"] + 20)
    found.page.mouse.down()
    found.page.mouse.move(box["x"] + 400, box["y"] + 20, steps=4)
    found.page.mouse.up()
    start, end = found.text("#range").split(" to ")
    assert start != "0"
    assert f"0 to {end}" != whole
    found.page.locator("#timeline-plot .u-over").dblclick()
    assert found.text("#range") == whole


def test_an_op_is_found_by_its_name_and_shown_in_the_timeline(opened: Open) -> None:
    found = opened(report())
    whole = found.text("#range")
    found.page.get_by_label("Search").fill("LAYER_17/op_3")
    found.page.locator("#found", has_text="1 of 300 ops").wait_for()
    row = found.page.locator("#ops-grid [data-place='0']")
    assert "net/block_3/layer_17/op_3/MatMul" in row.inner_text()
    found.page.locator(".scroller").focus()
    found.page.keyboard.press("ArrowDown")
    found.page.keyboard.press("Enter")
    assert found.text("#chosen h3") == "net/block_3/layer_17/op_3/MatMul"
    assert "26.0 us, measured" in found.text("#chosen")
    assert found.text("#range") != whole
    found.page.get_by_label("Search").fill("no such op")
    found.page.locator("#found", has_text="0 of 300 ops").wait_for()
    assert found.messages == []


def test_heads_sort_and_of_many_rows_few_exist(opened: Open) -> None:
    found = opened(report(10_000))
    assert found.number("document.querySelectorAll('#ops-grid [data-place]').length") < 60
    found.page.get_by_role("columnheader", name="op", exact=True).locator("button").click()
    assert "layer_0/op_0/" in found.text("#ops-grid [data-place='0']")
    found.page.locator(".scroller").focus()
    found.page.keyboard.press("End")
    found.page.wait_for_selector("[data-place='9999']")
    assert "block_199/layer_999/op_9/" in found.text("[data-place='9999']")


def test_names_are_sorted_as_people_count(opened: Open) -> None:
    found = opened(report(10_000))
    found.page.get_by_role("columnheader", name="op", exact=True).locator("button").click()
    found.page.locator(".scroller").focus()
    found.page.keyboard.press("End")
    found.page.wait_for_selector("[data-place='9999']")
    order = found.page.evaluate("""() => {
        const names = ["b", "a_10", "a_2", "a", "a_02", "a_2/c_10", "a_2/c_9", "a_x", "10", "9", "A_3"];
        return Array.from(report.natural(names), (at) => names[at]);
    }""")
    assert order == ["9", "10", "A_3", "a", "a_2", "a_02", "a_2/c_9", "a_2/c_10", "a_10", "a_x", "b"]
    found.page.get_by_label("Search").fill("op_3/")
    found.page.locator("#found", has_text="1,000 of 10,000 ops").wait_for()
    found.page.wait_for_selector("#ops-grid [data-place='11']")
    assert "layer_2/op_3/" in found.text("#ops-grid [data-place='2']")
    assert "layer_10/op_3/" in found.text("#ops-grid [data-place='10']")


def test_scopes_open_and_close(opened: Open) -> None:
    found = opened(report())
    boxes, path = found.page.locator("#boxes"), found.page.locator("#path")
    boxes.scroll_into_view_if_needed()
    boxes.locator(".scope > .head", has_text="block_2").first.click()
    assert path.inner_text().split() == ["whole", "graph", "block_2"]
    assert boxes.get_by_role("button", name="layer_10").count() > 0
    found.page.keyboard.press("Escape")
    assert path.inner_text().split() == ["whole", "graph"]
    boxes.locator(".scope > .head", has_text="block_1").first.focus()
    found.page.keyboard.press("Enter")
    assert path.inner_text().split()[-1] == "block_1"
    assert found.messages == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1600])
def test_both_widths_light_and_dark(opened: Open, album: Path, width: int, dark: bool) -> None:
    found = opened(report(), width, dark=dark)
    assert found.number("document.documentElement.scrollWidth") <= width
    brightness = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (brightness == "rgb(20, 23, 28)") == dark
    found.page.locator("#boxes").scroll_into_view_if_needed()
    found.page.wait_for_selector("#boxes .box")
    found.page.evaluate("scrollTo(0, 0)")
    found.page.screenshot(path=album / f"report-{width}-{'dark' if dark else 'light'}.png", full_page=True)
    found.page.locator("#theme").click()
    changed = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (changed == "rgb(20, 23, 28)") != dark
    assert found.messages == []


def test_names_that_mean_harm_stay_text(opened: Open) -> None:
    found = opened(of_hostile())
    found.page.locator("#boxes").scroll_into_view_if_needed()
    found.page.wait_for_selector("#boxes .box")
    shown = found.page.locator("#ops-grid [data-place] .op").all_inner_texts()
    assert len(shown) == len(HOSTILE)
    assert "</script><script>alert(1)</script>" in shown
    assert "\\x1b[31mred\\x1b[0m" in shown
    assert "\\u202eevil\\u202c" in shown
    assert "line\\nbreak\\u2028and\\u2029more" in shown
    assert "&lt;b&gt;" in shown
    assert max(map(len, shown)) == 200
    for place in range(len(HOSTILE)):  # the card of each
        found.page.locator(f"#ops-grid [data-place='{place}']").click()
    found.page.get_by_label("Search").fill("<script>")
    assert found.number("document.scripts.length") == 1
    assert found.number("document.images.length") == 0
    assert found.number("document.documentElement.scrollWidth") <= 1600
    assert found.messages == []


def test_all_of_it_is_reached_by_keyboard(opened: Open) -> None:
    found = opened(report())
    found.page.locator("#boxes").scroll_into_view_if_needed()
    found.page.wait_for_selector("#boxes .head")
    found.page.evaluate("scrollTo(0, 0)")
    found.page.locator("body").press("Tab")
    reached = set()
    for _ in range(80):
        reached.add(found.page.evaluate("document.activeElement.id || document.activeElement.className"))
        found.page.keyboard.press("Tab")
    assert {"skip", "theme", "timeline-plot", "head"} <= reached


def test_paper_is_light_and_pictures_are_drawn_for_its_width(opened: Open) -> None:
    found = opened(report(), dark=True)
    found.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert found.page.evaluate("document.documentElement.dataset.theme") == "light"
    assert found.number("document.querySelector('#timeline-plot .uplot').clientWidth") <= 690  # as wide as a page
    assert len(found.page.pdf()) > 20_000
    found.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert found.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert found.messages == []
