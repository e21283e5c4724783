#!/usr/bin/env python3
"""Fits the links under pardnn/machines/links to measured tables: scripts/make_links.py [--shared FOLDER]

Each curve has a point every quarter of an octave: the robust local straight line through its neighbours, in logarithms.
The sizes that scripts/prediction/links.py holds out are never seen.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pardnn.machines.link import fit_link  # noqa: E402  the path comes first: a script knows only its own folder
from scripts.bench_prediction import shared_folder  # noqa: E402
from scripts.prediction.links import PRESETS, Measured, tables  # noqa: E402

PER_OCTAVE = 4
_NEIGHBOURS = 9
LINKS = {
    "a100-nvswitch": ("A100 on NVSwitch (DGX A100); hosts with one card of the network in use", ("dgx-a100",)),
    "h100-nvswitch": ("H100 on NVSwitch (DGX H100)", ("dgx-h100",)),
    "v100-nvlink": ("V100 on an NVLink mesh (DGX-1)", ("dgx1-v100",)),
    "a100-pairs": ("A100 joined in pairs by NVLink", ()),
    "h100-pairs": ("H100 joined in pairs by NVLink", ()),
}
"""Description, and the machines that have the link."""
FALLBACK = {"v100-nvlink": ("25us", "23GB/s")}
"""Where no send/recv was measured: that of the machine dgx1-v100."""
ODD = {("h100_pairwise_nvlink", "send_recv", 1)}
"""The same bytes as the A100's in the source: not the H100's, and left out."""


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path)
    perf = shared_folder(parser.parse_args().shared) / "data" / "perf"
    every = list(tables(perf))
    for name, (description, machines) in LINKS.items():
        own = [table for table in every if PRESETS.get((table.source, table.system)) == name]
        path = ROOT / "pardnn" / "machines" / "links" / f"{name}.toml"
        path.write_text(link_file(name, description, machines, own), "utf-8")
        print(f"{path.relative_to(ROOT)}: {len(own)} tables")


def link_file(name: str, description: str, machines: tuple[str, ...], own: list[Measured]) -> str:
    """The TOML of one link."""
    sent = {table.hosts: table for table in own if table.collective == "send_recv"}
    lines = [
        "# Fitted by scripts/make_links.py to measured times: "
        + "; ".join(sorted({f"{table.source} {table.system}" for table in own})) + " (MIT licence).",
        f'description = "{description}"',
        f"machines = {list(machines)}".replace("'", '"'),
    ]  # fmt: skip
    if 1 in sent and (sent[1].system, "send_recv", 1) not in ODD:
        lines += [*_straight(sent[1]), "", "[send_recv]", *_points([sent[1]])]
    else:
        latency, rate = FALLBACK.get(name) or _ring_link(own)
        lines += [f'latency = "{latency}"', f'bandwidth = "{rate}"']
    if 2 in sent and (sent[2].system, "send_recv", 1) not in ODD:
        lines += ["", "[network]", *_straight(sent[2]), "", "[network.send_recv]", *_points([sent[2]])]
    groups: dict[tuple[int, int], list[Measured]] = {}
    for table in own:
        if table.collective == "all_reduce":
            groups.setdefault((table.hosts, table.gpus), []).append(table)
    for (hosts, gpus), those in sorted(groups.items()):
        lines += ["", "[[all_reduce]]", f"hosts = {hosts}", f"gpus = {gpus}", *_points(those)]
    return "".join(f"{line}\n" for line in lines)


def _straight(table: Measured) -> list[str]:
    """Latency and bandwidth that fit a table best."""
    known = table.known[:: max(1, len(table.known) // 400)]
    link = fit_link([size for size, _ in known], [ns / 1e9 for _, ns in known])
    return [f'latency = "{link.latency_ns / 1000:.1f}us"', f'bandwidth = "{link.bytes_per_s / 1e9:.3g}GB/s"']


def _ring_link(own: list[Measured]) -> tuple[str, str]:
    """Latency and bandwidth of the rounds of a ring of two, which is what its all-reduce consists of."""
    pair = next(table for table in own if table.collective == "all_reduce" and table.gpus == 2)
    known = pair.known[:: max(1, len(pair.known) // 400)]
    link = fit_link([size // 2 for size, _ in known], [ns / 2e9 for _, ns in known])
    return f"{link.latency_ns / 1000:.1f}us", f"{link.bytes_per_s / 1e9:.3g}GB/s"


def _points(those: list[Measured]) -> list[str]:
    """The curve of one table, or of a table of small sizes (Vidur) continued by one of large sizes (vTrain)."""
    by_source = {table.source: table for table in those}
    points = dict(_smooth(by_source["vidur"])) if "vidur" in by_source else {}
    if "vtrain" in by_source:
        large = _smooth(by_source["vtrain"])
        points = {size: ns for size, ns in points.items() if size < large[0][0] / 1.01} | dict(large)
    return [_list("bytes", list(points)), _list("us", [float(f"{ns / 1000:.4g}") for ns in points.values()])]


def _list(key: str, values: Sequence[float]) -> str:
    """A TOML array, broken into lines."""
    text = textwrap.fill(", ".join(f"{value:g}" if value < 1e6 else str(round(value)) for value in values), 112)
    return f"{key} = [\n{textwrap.indent(text, '    ')},\n]"


def _smooth(table: Measured) -> list[tuple[int, float]]:
    """(bytes, ns) every part of an octave."""
    sizes, ns = np.array(table.known).T
    x, y = np.log2(sizes), np.log2(ns)
    count = int((x[-1] - x[0]) * PER_OCTAVE) + 1
    knots = np.unique(np.round(2 ** np.linspace(x[0], x[-1], count)).astype(np.int64))
    return [(int(knot), float(2 ** _local(x, y, float(np.log2(knot))))) for knot in knots]


def _local(x: np.ndarray, y: np.ndarray, at: float) -> float:
    """A straight line through what is near, far-off points counting less and less (biweight)."""
    near = np.argsort(np.abs(x - at), kind="stable")
    width = max(0.5 / PER_OCTAVE, float(np.abs(x[near[:_NEIGHBOURS]] - at).max()))
    near = near[np.abs(x[near] - at) <= width]
    design = np.stack([np.ones(len(near)), x[near] - at], 1)
    weights, line = np.ones(len(near)), np.zeros(2)
    for _ in range(5):
        root = np.sqrt(weights)
        line = np.linalg.lstsq(design * root[:, None], y[near] * root, rcond=None)[0]
        off = np.abs(y[near] - design @ line)
        weights = np.clip(1 - (off / (6 * np.median(off) + 1e-9)) ** 2, 1e-3, 1) ** 2
    return float(line[0])


if __name__ == "__main__":
    main()
