"""Links: the measured tables of all-reduce and send/recv, their held-out sizes, and what is read off for those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pardnn.machines.curve import Curve
from pardnn.machines.link import fit_link
from pardnn.machines.spec import load_machine
from pardnn.machines.wires import load_wires
from scripts.prediction.figures import Figure, Table

SEED, HELD_OUT = 7, 0.2
"""Such a share of each table's sizes is drawn before anything is fitted; neither presets nor curves see them."""
_MARK = 3.0
PRESETS = {
    ("vtrain", "a100"): "a100-nvswitch",
    ("vtrain", "v100"): "v100-nvlink",
    ("vidur", "a100_dgx"): "a100-nvswitch",
    ("vidur", "h100_dgx"): "h100-nvswitch",
    ("vidur", "a100_pairwise_nvlink"): "a100-pairs",
    ("vidur", "h100_pairwise_nvlink"): "h100-pairs",
}
"""Which link in pardnn/machines/links was fitted to a table."""


@dataclass(frozen=True, eq=False)
class Measured:
    """One table: who, what, among how many; sizes rising and times in nanoseconds, and which are held out."""

    source: str
    system: str
    collective: str
    hosts: int
    gpus: int
    nbytes: np.ndarray
    ns: np.ndarray
    test: np.ndarray

    @property
    def name(self) -> str:
        """As the tables below call it."""
        return f"{self.source} {self.system} {self.collective} {self.hosts}x{self.gpus}"

    @property
    def known(self) -> list[tuple[int, float]]:
        """What may be fitted."""
        return list(zip(self.nbytes[~self.test].tolist(), self.ns[~self.test].tolist(), strict=True))

    def errors(self, told: np.ndarray) -> np.ndarray:
        """Relative errors of predictions for the held-out sizes."""
        off: np.ndarray = np.abs(told - self.ns[self.test]) / self.ns[self.test]
        return off


def tables(perf: Path) -> Iterator[Measured]:
    """All of them; of several times for one size the median."""
    frame = pd.read_csv(perf / "vtrain" / "allreduce_lut.csv.gz")
    for (gpu, n), rows in frame.groupby(["gpu", "n"]):
        yield _table("vtrain", str(gpu), "all_reduce", 1, int(n), rows["bytes"], rows["t_oop_ns"])
    frame = pd.read_parquet(perf / "vidur" / "network_allreduce_sendrecv.parquet")
    for (system, collective, n, each), rows in frame.groupby(
        ["system", "collective", "num_workers", "devices_per_node"]
    ):
        ns = rows[f"time_stats.{collective}.median"] * 1e6
        yield _table("vidur", str(system), str(collective), int(n) // int(each), int(each), rows["size"], ns)


def _table(source: str, system: str, collective: str, hosts: int, gpus: int, sizes: object, ns: object) -> Measured:
    medians = pd.DataFrame({"bytes": sizes, "ns": ns}).groupby("bytes")["ns"].median()
    drawn = np.random.default_rng(SEED).permutation(len(medians))[: round(HELD_OUT * len(medians))]
    test = np.zeros(len(medians), bool)
    test[drawn] = True
    test[[0, -1]] = False  # the ends hold the curve
    return Measured(source, system, collective, hosts, gpus, medians.index.to_numpy(), medians.to_numpy(), test)


def link_report(perf: Path) -> Iterator[Figure | Table | str]:
    """Interpolation on held-out sizes, table by table, and all of them together."""
    rows, every = [], []
    for table in tables(perf):
        curve, link = Curve.of(table.known), fit_link(*_columns(table))
        sizes = table.nbytes[table.test].tolist()
        off = table.errors(np.array([curve(size) for size in sizes]))
        straight = table.errors(np.array([link.latency_ns + 1e9 * size / link.bytes_per_s for size in sizes]))
        every.append((table, off))
        rows.append(
            [
                table.name,
                len(off),
                *(100 * float(f(off)) for f in (np.median, np.mean, _p95)),
                100 * np.median(straight),
            ]
        )
    yield Table("held-out sizes, error in %", ("table", "sizes", "median", "mean", "95th", "latency + rate"), rows)
    for collective in ("all_reduce", "send_recv"):
        pooled = np.concatenate([off for table, off in every if table.collective == collective])
        yield Figure(
            f"{collective}: median error on {len(pooled)} held-out sizes", 100 * float(np.median(pooled)), mark=_MARK
        )
        yield Figure(f"{collective}: mean error on them", 100 * float(np.mean(pooled)))
    yield from _presets([table for table, _ in every])
    medians = {table.name: 100 * float(np.median(off)) for table, off in every}
    worst = max(medians, key=medians.__getitem__)
    yield Figure(f"the worst table's median ({worst})", medians[worst], mark=_MARK)
    good = sum(median <= _MARK for median in medians.values())
    yield f"{good} of {len(medians)} tables have a median error of at most {_MARK:g} %"


def _presets(every: Sequence[Measured]) -> Iterator[Figure]:
    """What the links that ship say of the held-out sizes of the tables that they were fitted to."""
    off = []
    for table in every:
        if (table.source, table.system) in PRESETS:
            wires = load_wires(PRESETS[table.source, table.system], load_machine("pcie3"))
            group = [g.curve for g in wires.all_reduce if (g.hosts, g.gpus) == (table.hosts, table.gpus)]
            sent = wires.inside.send if table.hosts == 1 else wires.network.send
            curve = sent if table.collective == "send_recv" else group[0]
            # Of a group of A100 in one host both sources have a table: from 1 MiB on vTrain's counts.
            mixed = (table.system, table.collective, table.hosts) == ("a100_dgx", "all_reduce", 1)
            sizes = table.nbytes[table.test]
            if curve is not None:
                told = np.array([curve(size) for size in sizes.tolist()])
                off.append(table.errors(told)[(sizes < 2**20) | (not mixed)])
    pooled = 100 * np.concatenate(off)
    what = f"the links that ship, on {len(pooled)} held-out sizes of their tables"
    yield Figure(f"{what}: median", float(np.median(pooled)), mark=_MARK)
    yield Figure("the same: mean", float(np.mean(pooled)))


def _columns(table: Measured) -> tuple[list[int], list[float]]:
    """Sizes and seconds to fit a straight line to, few enough for a fit over all pairs."""
    known = table.known[:: max(1, len(table.known) // 200)]
    return [size for size, _ in known], [ns / 1e9 for _, ns in known]


def _p95(values: np.ndarray) -> float:
    return float(np.quantile(values, 0.95))
