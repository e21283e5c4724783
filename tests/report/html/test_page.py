"""The page without a browser: what is in its bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from functools import cache
from typing import Any

import numpy as np
import pytest

import pardnn
from pardnn.errors import InputError
from pardnn.picture import picture, why
from pardnn.plan import Plan
from pardnn.report.html.comparison import comparison_page
from pardnn.report.html.markup import NAME_LENGTH, shown, tag
from pardnn.report.html.origin import Origin
from pardnn.report.html.pack import names, pack
from pardnn.report.html.page import _SCRIPTS, assets
from pardnn.report.html.sections.summary import headline
from pardnn.report.html.sections.timeline import timeline
from pardnn.report.html.step import at_peak, envelope, shares, traffic
from scheduler.memory import peaks
from tests.browser.graphs import HOSTILE, hostile, layered


@cache
def plan(n: int = 100) -> Plan:
    return pardnn.partition(layered(n), gpus=3, mem="1GB", method="heft")


def unpacked(block: str) -> tuple[dict[str, Any], dict[str, tuple[str, bytes]]]:
    """The header's values and the columns, read as the page's script reads them."""
    data = zlib.decompress(base64.b64decode(block))
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    start = 4 + length
    return head["values"], {name: (kind, data[start + a : start + a + b]) for name, kind, a, b in head["columns"]}


def numbers(column: tuple[str, bytes]) -> list[float]:
    kind, data = column
    planes = np.frombuffer(data, np.uint8).reshape(int(kind[1]), -1)
    return list(np.ascontiguousarray(planes.T).view(f"<{kind}").ravel().tolist())


@pytest.mark.parametrize("column", [[0, 255], [256, 1], [2**32 - 1, 70_000], [2**40, 3], [-1, 5], []])
def test_numbers_come_back_from_a_pack(column: list[int]) -> None:
    _, columns = unpacked(pack({}, {"x": np.array(column, np.int64)}))
    assert numbers(columns["x"]) == column


def test_names_come_back_though_each_tells_only_how_it_differs() -> None:
    texts = ["net/a", "net/b", "net/b/c", "x", "é/1", "é/2", "\nz", ""]
    columns = names(texts)
    suffixes = bytes(columns["suffix"]).decode().split("\n")  # type: ignore[arg-type]
    found, before = [], ""
    for prefix, suffix in zip(np.asarray(columns["prefix"]).tolist(), suffixes, strict=True):
        before = before[:prefix] + suffix
        found.append(before)
    assert found == [shown(text) for text in texts]


def test_the_same_plan_gives_the_same_bytes_and_no_time_of_day() -> None:
    again = pardnn.partition(layered(100), gpus=3, mem="1GB", method="heft")
    assert plan().report() == again.report()


def test_the_policy_lets_in_the_pages_own_script_and_style_and_nothing_else() -> None:
    page = plan().report().decode()
    script = re.findall(r"<script>(.*?)</script>", page, re.S)
    style = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert len(script) == len(style) == 1
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    for text in (*script, *style):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy[1]
    assert policy[1].startswith("default-src &#x27;none&#x27;;")
    assert "unsafe" not in policy[1]
    assert not re.search(r'(src|href)="(?!#)', page)
    assert not re.search(r' (style|on\w+)="', page)


def test_no_script_of_ours_makes_markup_or_code_from_text() -> None:
    ours = assets(tuple(name for name in _SCRIPTS if not name.startswith("uplot/")))
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttp", ours
    )


def test_names_that_mean_harm_are_only_text() -> None:
    page = pardnn.partition(hostile(), gpus=2, method="round-robin").report().decode()
    assert page.count("<script") == page.count("</script>") == 3  # two blocks of data and the script
    assert "onerror=alert(1)>" not in page
    assert not re.search("[\x00-\x08\x1b\u2028\u2029\u202a-\u202e]", page)
    assert max(len(shown(name)) for name in HOSTILE) == NAME_LENGTH


def test_markup_escapes_what_is_not_markup() -> None:
    assert tag("p", "<b>", tag("i", "&"), title='"><x') == '<p title="&quot;&gt;&lt;x">&lt;b&gt;<i>&amp;</i></p>'


def test_time_at_work_receiving_and_idle_is_the_whole_step() -> None:
    step = picture(plan())
    found = shares(step)
    assert (found.sum(axis=1) == step.makespan_ns).all()
    assert found[:, 0].tolist() == [int(step.time_ns[step.place == d].sum()) for d in range(3)]
    assert found.min() >= 0


def test_traffic_is_what_is_sent() -> None:
    step = picture(plan())
    assert traffic(step).sum() == plan().result()["comm_bytes"]
    assert not traffic(step).diagonal().any()


def test_memory_over_time_reaches_the_simulators_peaks_and_the_table_explains_them() -> None:
    step = picture(plan())
    most = peaks(step.workload, step.machine, step.schedule)
    for d, (time, held) in enumerate(step.held()):
        assert held.max() == most[d]
        everything = at_peak(step, d, int(time[held.argmax()]), 10**6)
        assert sum(size for _, _, size in everything) == most[d]
        for bins in (3, 50):
            assert envelope(time, held, step.makespan_ns, bins)[1].max() == most[d]


def test_of_a_large_graph_the_longest_ops_are_sent_and_the_rest_is_a_shade() -> None:
    step = picture(plan())
    values, columns = unpacked(timeline(step, most_ops=10, most_transfers=5).data)
    assert numbers(columns["time"]) == [68000.0] * 10
    assert len(numbers(columns["sent_op"])) == 5
    assert len(numbers(columns["shade"])) == 3 * values["bins"]
    assert max(numbers(columns["shade"])) <= 1000
    assert "the 10 longest of 100 ops" in timeline(step, most_ops=10).body


def test_devices_of_several_hosts_have_short_names_everywhere() -> None:
    hosts = pardnn.partition(layered(60), gpus=2, hosts=2, machine="ethernet-25g", method="round-robin")
    page = hosts.report().decode()
    assert "host 1 GPU:0" in page
    assert "/job:worker" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.S)


def test_why_says_what_ties_an_op_to_its_place() -> None:
    words = why(plan())
    assert set(words) <= {
        f"{where}{what}"
        for where in ("beside its ", "away from its ")
        for what in ("inputs and readers", "inputs", "readers", "inputs, not its readers", "readers, not its inputs")
    }


@pytest.mark.parametrize(
    ("changes", "mem", "said"),
    [
        (
            {},
            [16 * 10**9] * 4,
            ("Fits on 4 × 16 GB", "2.9× faster than one card", "at most 11 % from the best possible"),
        ),
        (
            {"single_device_fits": False, "gap": 0.0},
            [None] * 4,
            (
                "Runs on 4 cards of unlimited memory",
                "2.9× faster than one card, which could not hold it",
                "nothing can be faster",
            ),
        ),
        (
            {"makespan_us": 290.0, "gap": None},
            [2**33, 2**34, 2**34, 2**34],
            (
                "Fits on 4 cards of 8 GiB, 16 GiB, 16 GiB, 16 GiB",
                "one card is as fast: do not split",
                "how good it could be at best is not known",
            ),
        ),
        (
            {"makespan_us": 0.0, "single_device_us": 0.0, "gap": None},
            [2**33] * 4,
            ("Fits on 4 × 8 GiB", "one card is as fast: do not split", "nothing can be faster"),
        ),
        (
            {"fits": False, "gap": 2.0},
            [10] * 4,
            (
                "Does not fit: GPU:0 needs 20 B and has 9 B",
                "2.9× faster than one card",
                "at most 3.0 times the best possible",
            ),
        ),
    ],
)
def test_the_headline(changes: dict[str, Any], mem: list[int | None], said: tuple[str, ...]) -> None:
    device = {"device": "/device:GPU:0", "peak_bytes": 20, "limit_bytes": 9}
    result = {
        "devices": 4, "fits": True, "makespan_us": 100.0, "single_device_us": 290.0, "single_device_fits": True,
        "gap": 0.11, "per_device": [device],
    }  # fmt: skip
    assert headline(result | changes, mem) == f"{'; '.join(said)}."


def test_a_report_is_written_and_kept(tmp_path: Any) -> None:
    path = tmp_path / "report.html"
    assert plan().report(path) == path.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        plan().report(path)


def test_a_comparison_ranks_methods_and_says_why_some_have_no_placement() -> None:
    good = plan().result() | {"error": None}
    slow = good | {"method": "<b>slow</b>", "makespan_us": 2 * good["makespan_us"]}
    failed = {"graph": good["graph"], "method": "fill", "fits": False, "error": "op 'x' is <too> big"}
    page = comparison_page([slow, failed, good], Origin("pardnn compare g.json")).decode()
    assert page.index(">heft<") < page.index("&lt;b&gt;slow&lt;/b&gt;")
    assert "op &#x27;x&#x27; is &lt;too&gt; big" in page
    assert "heft is fastest" in page
