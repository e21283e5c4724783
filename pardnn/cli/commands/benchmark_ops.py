"""`pardnn benchmark-ops`: the learned costs brought to a device of the user's own."""

from __future__ import annotations

from math import isnan
from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command("benchmark-ops", short_help="Measure ops on this machine's device; learned costs for it.")
@click.option("-o", "--output", required=True, metavar="FILE.npz", help="Write what --costs learned:FILE takes.")
@click.option("--ops", default=60, show_default=True, type=click.IntRange(12), help="Of each family that are measured.")
@click.option("--warmup", default=2, show_default=True, type=click.IntRange(0), help="Steps before, not counted.")
@click.option("--repeats", default=7, show_default=True, type=click.IntRange(1), help="Steps whose median counts.")
@click.option("--mem", default="512MB", show_default=True, help="Bytes that an op's tensors take at most.")
@click.option(
    "--gflop", default=20.0, show_default=True, type=click.FloatRange(0.001, 1e6), help="Work of an op at most."
)
@click.option("--card", metavar="NAME", help="The device, if it is one that `pardnn machines` knows.  [measured]")
@click.option("--seed", default=0, show_default=True, help="Which ops are drawn.")
@options.force
@options.speech
def command(
    output: str, ops: int, warmup: int, repeats: int, mem: str, gflop: float, card: str | None, seed: int, force: bool,
    as_json: bool, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Measure matrix products, convolutions and element-wise ops on the GPU, or the CPU where there is none.

    \b
    pardnn benchmark-ops -o here.npz
    pardnn estimate graph.pb --costs learned:here.npz

    Each op runs several times in a step of its own; what an empty step takes is subtracted, and the median of the
    repeats counts. The networks that ship are trained further on three of four ops; the fourth tells how well that
    went. Needs TensorFlow.
    """  # noqa: D301 - click looks for the sign itself
    from pardnn.cli.hush import hushed, quieten
    from pardnn.cli.outputs import Outputs
    from pardnn.placers.needs import require_tensorflow
    from pardnn.profiling.ops import benchmark_ops
    from pardnn.units import parse_size

    limit = parse_size(mem)
    if isnan(gflop):  # which no range keeps out
        raise click.UsageError("--gflop: nan is no number")
    outputs = Outputs.named([], [output], force=force)
    quieten()
    voice = Voice(as_json, quiet, verbose)
    with hushed():
        require_tensorflow()
    with voice.progress() as tell:
        found = benchmark_ops(
            count=ops, warmup=warmup, repeats=repeats, limit_bytes=limit, limit_flops=gflop * 1e9, card=card, seed=seed,
            tell=tell,
        )  # fmt: skip
        outputs.write([found.content()])
    result = {"format": "pardnn-benchmark-ops/1"} | found.result | {"outputs": [output]}
    if as_json:
        voice.dump(result)
    else:
        voice.show(*_page(result))
    return 0


def _page(result: dict[str, Any]) -> list[Any]:
    from pardnn.report.layout import facts, table
    from pardnn.units import format_rate

    rows = [
        (name, str(one["ops"]), f"{one['error_before']:.0f} %", f"{one['error_after']:.0f} %")
        for name, one in result["families"].items()
    ]
    device = (
        f"{result['device']}: {result['flops_per_s'] / 1e9:,.0f} GFLOP/s, {format_rate(int(result['bytes_per_s']))}"
    )
    heads = ("family", "ops", "mean error as shipped", "for this device")
    return [facts([("device", device)]), "", table(heads, rows, left=("family",)), f"wrote {result['outputs'][0]}"]
