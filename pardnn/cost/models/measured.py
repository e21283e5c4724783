"""Costs from a table; what the table does not say comes from the roofline, brought to the table's scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.graph import GraphCosts
from pardnn.cost.match import Matched, match
from pardnn.cost.model import Estimate, cost_models
from pardnn.cost.models.roofline import Roofline
from pardnn.cost.record import Source
from pardnn.cost.scale import scales
from pardnn.cost.table import CostTable, Row
from pardnn.errors import InputError
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import Card


@cost_models.register("measured", summary="from a table: measured:FILE, CSV or JSON (op, time_us), or a RunMetadata")
@dataclass(frozen=True)
class Measured:
    """The times of a table are those of the first card, in host ops those of the host; other cards take what the
    roofline makes of the difference. Ops that are not in the table take the roofline's time, times the ratio of
    measured to predicted time among the ops that are: of their type where enough of it were measured, else of all.
    """

    table: CostTable

    def __call__(self, graph: OpGraph, costs: GraphCosts, cards: tuple[Card, ...]) -> Estimate:
        """The estimate; InputError if the table names no op of the graph."""
        base = Roofline()(graph, costs, cards)
        found = match(self.table, graph, costs, base.time_ns[:, 0])
        rows, known = found.rows, found.known
        if not known.any():
            lines = len(self.table.rows)
            raise InputError(f"{self.table.path}: none of its {lines} rows has a time for an op of this graph")
        measured = np.fromiter((row.time_ns or 0 if row else 0 for row in rows), np.int64, len(rows))
        types = [node.op for node in graph.nodes]
        ratio, overall = scales(measured, base.time_ns[:, 0], known & ~graph.host, types)
        ratio[graph.host] = scales(measured, base.time_ns[:, -1], known & graph.host, types)[0][graph.host]
        time_ns = np.where(
            known[:, None],
            _on_cards(measured, base.time_ns, graph.host),
            np.rint(base.time_ns * ratio[:, None]).astype(np.int64),
        )
        source: tuple[Source, ...] = tuple(
            row.source if row and k else s for row, k, s in zip(rows, known, base.source, strict=True)
        )
        return replace(
            base,
            time_ns=time_ns,
            resident_bytes=_override(base.resident_bytes, rows, "resident_bytes"),
            output_bytes=_override(base.output_bytes, rows, "output_bytes"),
            temp_bytes=_override(base.temp_bytes, rows, "temp_bytes"),
            source=source,
            notes=(_note(self.table.path, found, ratio, overall),),
        )


def _on_cards(measured: NDArray[np.int64], predicted: NDArray[np.int64], host: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[n, c] the measured time on the card it was measured on, scaled by the roofline's ratio on the others."""
    first = predicted[:, :1]
    ratio = np.where((first > 0) & ~host[:, None], predicted / np.maximum(first, 1), 1.0)
    return np.asarray(np.rint(measured[:, None] * ratio).astype(np.int64))


def _override(base: NDArray[np.int64], rows: Sequence[Row | None], column: str) -> NDArray[np.int64]:
    """The sizes with those of the table; a trace also tells of outputs that are another op's buffer, named again."""
    result = base.copy()
    for v, row in enumerate(rows):
        value = None if row is None else getattr(row, column)
        borrowed = row is not None and row.runs is not None and column == "output_bytes" and not base[v]
        if value is not None and not borrowed:
            result[v] = value
    return result


def _note(path: str, found: Matched, ratio: NDArray[np.float64], overall: float) -> str:
    known, ops = int(found.known.sum()), len(found.rows)
    own = int((ratio[~found.known] != overall).sum())
    by_type = f" ({own} by their type's own factor)" if own else ""
    rest = f"; the rest by roofline x {overall:.3g}{by_type}" if known < ops else ""
    again = f"; {found.renumbered} of them by name but for its numbers" if found.renumbered else ""
    fused = f"; {found.fused} of them by their share in a fused kernel" if found.fused else ""
    unknown = f"; {found.strangers} rows name no op of the graph" if found.strangers else ""
    return f"{path}: times for {known} of {ops} ops ({_percent(known, ops)} %){again}{fused}{rest}{unknown}"


def _percent(part: int, whole: int) -> str:
    """Whole per cents, but never 100 of less than all.

    >>> _percent(999, 1000), _percent(1, 4)
    ('99.9', '25')
    """
    exact = 100 * part / whole
    return f"{exact:.0f}" if part == whole or round(exact) < 100 else f"{min(exact, 99.9):.1f}"
