"""Costs from a table; what the table does not say comes from the roofline, brought to the table's scale."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.graph import GraphCosts
from pardnn.cost.model import Estimate, cost_models
from pardnn.cost.models.roofline import Roofline
from pardnn.cost.record import Source
from pardnn.cost.table import Row, read_costs
from pardnn.errors import InputError
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import Card


@cost_models.register("measured", summary="from a table: measured:FILE, CSV or JSON with the columns op, time_us")
@dataclass(frozen=True)
class Measured:
    """The times of a table are those of the first card, in host ops those of the host; other cards take what the
    roofline makes of the difference. Ops that are not in the table take the roofline's time, times the ratio of
    measured to predicted time in total over the ops that are.
    """

    file: str

    def __call__(self, graph: OpGraph, costs: GraphCosts, cards: tuple[Card, ...]) -> Estimate:
        """The estimate; InputError if the file is faulty or names no op of the graph."""
        table = read_costs(self.file)
        names = [table.find(name) for name in graph.names]
        rows = [None if name is None else table.rows[name] for name in names]
        known = np.fromiter((row is not None and row.time_ns is not None for row in rows), np.bool_, len(rows))
        if not known.any():
            raise InputError(f"{self.file}: none of its {len(table.rows)} rows has a time for an op of this graph")
        base = Roofline()(graph, costs, cards)
        measured = np.fromiter((row.time_ns or 0 if row else 0 for row in rows), np.int64, len(rows))
        scale = _scale(measured, base.time_ns[:, 0], known & ~graph.host)
        time_ns = np.where(
            known[:, None],
            _on_cards(measured, base.time_ns, graph.host),
            np.rint(base.time_ns * scale).astype(np.int64),
        )
        source: tuple[Source, ...] = tuple(
            row.source if row and k else s for row, k, s in zip(rows, known, base.source, strict=True)
        )
        strangers = len(table.rows.keys() - set(names))
        return replace(
            base,
            time_ns=time_ns,
            resident_bytes=_override(base.resident_bytes, rows, "resident_bytes"),
            output_bytes=_override(base.output_bytes, rows, "output_bytes"),
            temp_bytes=_override(base.temp_bytes, rows, "temp_bytes"),
            source=source,
            notes=(_note(self.file, int(known.sum()), len(rows), scale, strangers),),
        )


def _scale(measured: NDArray[np.int64], predicted: NDArray[np.int64], where: NDArray[np.bool_]) -> float:
    total = float(predicted[where].sum())
    return float(measured[where].sum()) / total if total and measured[where].any() else 1.0


def _on_cards(measured: NDArray[np.int64], predicted: NDArray[np.int64], host: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[n, c] the measured time on the card it was measured on, scaled by the roofline's ratio on the others."""
    first = predicted[:, :1]
    ratio = np.where((first > 0) & ~host[:, None], predicted / np.maximum(first, 1), 1.0)
    return np.asarray(np.rint(measured[:, None] * ratio).astype(np.int64))


def _override(base: NDArray[np.int64], rows: list[Row | None], column: str) -> NDArray[np.int64]:
    result = base.copy()
    for v, row in enumerate(rows):
        value = None if row is None else getattr(row, column)
        if value is not None:
            result[v] = value
    return result


def _note(file: str, known: int, ops: int, scale: float, strangers: int) -> str:
    rest = f"; the rest by roofline x {scale:.3g}" if known < ops else ""
    unknown = f"; {strangers} rows name no op of the graph" if strangers else ""
    return f"{file}: times for {known} of {ops} ops ({100 * known / ops:.0f} %){rest}{unknown}"
