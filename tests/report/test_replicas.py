"""The table of replicas beside a plan."""

from __future__ import annotations

from pardnn.report.layout import plain
from pardnn.report.replicas import replicas_report


def row(name: str, own: float, ring: float) -> dict[str, object]:
    number = int(name[0])
    return {
        "name": name, "replicas": number, "fits": True, "replica_us": own, "allreduce_us": ring, "peak_bytes": 2**30,
        "per_second": number * 1e6 / (own + ring), "per_second_hidden": number * 1e6 / max(own, ring),
    }  # fmt: skip


def test_the_whole_table() -> None:
    found = {
        "unit": "batches", "gradient_bytes": 2**20, "gradients_exact": True, "best": "2x2", "reason": "",
        "rows": [row("1x4", 1000, 0), row("2x2", 1500, 100), row("4x1", 1, 0) | {"fits": False, "per_second": None}],
    }  # fmt: skip
    assert (
        plain(replicas_report(found))
        == """\

replicas      own step  all-reduce       batches/s      peak
1x4            1.00 ms                       1,000  1.00 GiB
2x2            1.50 ms      100 us  1,250 to 1,333  1.00 GiB
4x1       does not fit

2x2 trains 1.25 times as many batches a second as this plan, \
with 100 us of all-reduce (1.00 MiB)
after each step; its batch is 2 times as large."""
    )
