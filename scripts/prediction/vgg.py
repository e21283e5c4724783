"""Whole VGG-16 steps on a V100 by batch and optimiser: time, memory, and bytes that must be exact.

The graphs are as TensorFlow 1 builds them (scripts/make_vgg_graphs.py); the way to time and memory is that of
`pardnn estimate`. What the allocator adds is fitted to half of the rows here, drawn by a seed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pardnn.answers.footprint import footprint
from pardnn.config import Options
from pardnn.cost.allocator import BY_FILTER, BY_TENSORS, CHUNK, held_bytes, workspace_bytes
from pardnn.cost.estimate import estimate_graph
from pardnn.subject import Subject, pose
from scheduler.memory import peaks
from scheduler.workload import Workload
from scripts.prediction.figures import Figure, Table

SEED = 0
"""Of the rows that the allocator's factors are fitted to."""
PARAMETERS = 138_357_544
"""Of VGG-16, configuration D (Simonyan, Zisserman 2015, table 2: 138 million)."""
_GRAPHS = Path(__file__).parents[2] / "models" / "graphs"
_FORWARD = "logits"
_FROM_BATCH, _MARK = 4, 15.0
Factors = Sequence[float]


@dataclass(frozen=True)
class Run:
    """A measured run: milliseconds and megabytes."""

    kind: str
    batch: int
    ms: float
    mb: float

    @cached_property
    def subject(self) -> Subject:
        """Its graph on a V100 without a limit, by the roofline."""
        return self.costed("roofline")

    def costed(self, costs: str) -> Subject:
        """The same by another cost model."""
        graph = _GRAPHS / f"vgg16_{'adam' if self.kind == 'adam' else 'sgd'}.pb.gz"
        targets = (_FORWARD,) if self.kind == "FW" else ()
        options = Options.of(
            gpus=1, machine="dgx1-v100", mem="unlimited", batch_size=self.batch, costs=costs, targets=targets
        )
        return pose(str(graph), options)


def report(perf: Path) -> Iterator[Figure | Table | str]:
    """Step times, memory as simulated and as the allocator counts it, and the exact bytes."""
    runs = [run for kind in ("FW", "sgd", "adam") for run in _read(perf / "justus2018", kind)]
    yield from _times(runs, "roofline", mark=None)
    yield from _times(runs, "learned", mark=_MARK)
    yield from _memory(runs)
    yield from _exact(runs)


def _times(runs: list[Run], costs: str, mark: float | None) -> Iterator[Figure | Table]:
    """Step times by one cost model, and whether the measured ones are within the band."""
    steps = [footprint(run.costed(costs), 0)["steps"][0] for run in runs]
    ms, low, high = (np.array([step[f"{which}_us"] / 1000 for step in steps]) for which in ("step", "low", "high"))
    measured = np.array([run.ms for run in runs])
    off = 100 * (ms / measured - 1)
    rows = [(run.kind, run.batch, run.ms, *rest) for run, *rest in zip(runs, ms, low, high, off, strict=True)]
    yield Table(
        f"step time, costs {costs}", ("kind", "batch", "measured ms", "ours ms", "low", "high", "error %"), rows
    )
    large = np.array([run.batch >= _FROM_BATCH for run in runs])
    for kind in ("FW", "sgd", "adam"):
        those = large & np.array([run.kind == kind for run in runs])
        said = f"{costs}, {kind}: step time at batch >= {_FROM_BATCH}"
        yield Figure(f"{said}, worst", float(np.abs(off[those]).max()), mark=mark)
        yield Figure(f"{said}, mean", float(np.abs(off[those]).mean()))
    within = (low <= measured) & (measured <= high)
    yield Figure(f"{costs}: steps at batch >= {_FROM_BATCH} within their band", 100 * float(within[large].mean()))


def _memory(runs: list[Run]) -> Iterator[Figure | Table | str]:
    taught = np.zeros(len(runs), np.bool_)
    taught[np.random.default_rng(SEED).permutation(len(runs))[: len(runs) // 2]] = True
    measured = np.array([run.mb for run in runs])
    shapes = [_Shape(run.subject) for run in runs]
    factors = _fitted([s for s, t in zip(shapes, taught, strict=True) if t], measured[taught])
    found = ", ".join(f"{factor:.3g}" for factor in factors)
    yield f"factors fitted to {taught.sum()} of {len(runs)} rows (seed {SEED}): {found}"
    yield f"factors that ship: {CHUNK:.3g}, {BY_TENSORS:.3g}, {BY_FILTER:.3g}"
    plain = np.array([shape.tensors_mb for shape in shapes])
    ours = np.array([shape.in_use_mb((CHUNK, BY_TENSORS, BY_FILTER)) for shape in shapes])
    off = 100 * (ours / measured - 1)
    columns = zip(runs, plain, ours, off, taught, strict=True)
    rows = [(r.kind, r.batch, r.mb, p, o, w, "fitted" if t else "") for r, p, o, w, t in columns]
    yield Table("memory", ("kind", "batch", "measured MB", "tensors MB", "in use MB", "error %", ""), rows)
    yield Figure("memory: worst of the rows not fitted to", float(np.abs(off[~taught]).max()), mark=_MARK)
    yield Figure("memory: mean of the rows not fitted to", float(np.abs(off[~taught]).mean()))
    yield Figure("memory: worst of all rows", float(np.abs(off).max()), mark=_MARK)


class _Shape:
    """A step whose memory is worked out for one set of factors after the other."""

    def __init__(self, subject: Subject) -> None:
        assert subject.graph is not None
        self._subject, self._problem = subject, subject.problem
        self._costs = estimate_graph(subject.graph)
        place = np.where(self._problem.pin < 0, 0, self._problem.pin).astype(np.int32)
        self._schedule = self._problem.simulate(place)

    @property
    def tensors_mb(self) -> float:
        """What the tensors need at the worst moment."""
        return self._peak(self._problem.workload)

    def in_use_mb(self, factors: Factors) -> float:
        """What the allocator counts."""
        work = self._problem.workload
        temp = workspace_bytes(self._costs, work.temp_bytes, *factors[1:])
        return self._peak(replace(work, resident_bytes=held_bytes(work.resident_bytes, factors[0]), temp_bytes=temp))

    def _peak(self, work: Workload) -> float:
        return int(peaks(work, self._problem.machine, self._schedule)[0]) / 1e6


def _fitted(shapes: list[_Shape], measured: NDArray[np.float64]) -> list[float]:
    """The factors of least mean square of the relative error, by a simplex from plausible ones."""
    from scipy.optimize import minimize

    def error(factors: Factors) -> float:
        if min(factors) < 0 or factors[0] < 1:
            return 1e3
        return float(np.mean([(s.in_use_mb(factors) / m - 1) ** 2 for s, m in zip(shapes, measured, strict=True)]))

    found = minimize(
        error, [1.5, 1.75, 5.0], method="Nelder-Mead", options={"maxiter": 300, "xatol": 1e-3, "fatol": 1e-6}
    )
    return [float(x) for x in found.x]


def _exact(runs: list[Run]) -> Iterator[Figure]:
    """Bytes of parameters, gradients and slots beside what the layers' sizes give."""
    for run in runs:
        if run.batch == _FROM_BATCH and run.kind != "FW":
            found = footprint(run.subject, 0)
            slots = 2 * 4 * PARAMETERS if run.kind == "adam" else 0
            expected = {"weights": 4 * PARAMETERS, "slots": slots, "gradients": 4 * PARAMETERS}
            got = {**found["held_bytes"], "gradients": found["gradient_bytes"]}
            for name, size in expected.items():
                yield Figure(f"{run.kind}: bytes of {name} off by", float(abs(got[name] - size)), "bytes", mark=0.0)


def _read(folder: Path, kind: str) -> Iterator[Run]:
    with (folder / f"benchmark_VGG16_V100_{kind}_20181022.csv").open(newline="") as file:
        for row in csv.DictReader(file, skipinitialspace=True):
            yield Run(kind, int(row["batchsize"]), float(row["time per batch (ms)"]), float(row["memory use (MB)"]))
