"""The table of a sweep: a row per cell with all figures, and apart from it what each cell took in seconds."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pardnn.experiments.cell import Cell
from pardnn.experiments.needs import need
from pardnn.experiments.outcome import Outcome

Pairs = Sequence[tuple[Cell, Outcome]]
_ASKED = {
    "method": "text", "machine": "text", "gpus": "text", "hosts": "int", "mem": "text", "speed": "text",
    "latency": "text", "bandwidth": "text", "mem_fraction": "text", "order": "text", "contention": "text",
    "batch_size": "int", "costs": "text", "effort": "text", "seed": "int", "time_limit": "text", "targets": "texts",
    "pin": "text", "keep_devices": "flag", "tf_shapes": "flag",
}  # fmt: skip
"""Options; those that can be written in several ways stay text."""
_FIGURES = {
    "nodes": "int", "edges": "int", "devices": "int", "makespan_us": "real", "single_device_us": "real",
    "single_device_fits": "flag", "lower_bound_us": "real", "gap": "real", "fits": "flag", "peak_bytes": "ints",
    "limit_bytes": "ints", "comm_bytes": "int", "transfers": "int", "warnings": "texts",
}  # fmt: skip
_COVERAGE = ("measured", "learned", "roofline", "unknown_shape", "pruned", "grouped")
COLUMNS: Mapping[str, str] = {
    "cell": "text", "graph": "text", "sha256": "text", **_ASKED, "status": "text", "error": "text", **_FIGURES,
    **{f"coverage_{kind}": "int" for kind in _COVERAGE}, "version": "text",
}  # fmt: skip
"""Name -> kind. No durations: the table of the same sweep is the same to the byte."""
_SECONDS = ("read", "cost", "partition", "compile")
_SHOWN = 16  # digits of a cell's key


def row(cell: Cell, outcome: Outcome) -> dict[str, Any]:
    """A value per column; None where there is none."""
    asked = asdict(cell.asked)
    coverage = outcome.figures.get("coverage", {})
    found = {
        "cell": cell.key[:_SHOWN], "graph": cell.graph, "sha256": cell.sha256 or None, "version": cell.version,
        "status": outcome.status, "error": outcome.error,
        **{name: outcome.figures.get(name) for name in _FIGURES},
        **{f"coverage_{kind}": coverage.get(kind) for kind in _COVERAGE},
        **{name: _text(asked[name]) if kind == "text" else asked[name] for name, kind in _ASKED.items()},
    }  # fmt: skip
    return {name: found[name] for name in COLUMNS}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def tables(pairs: Pairs) -> dict[str, bytes]:
    """File name -> content: the table as Parquet and as CSV, and the seconds of each cell."""
    pandas, arrow = need("pandas"), need("pyarrow")
    kinds = {
        "text": arrow.string(), "int": arrow.int64(), "real": arrow.float64(), "flag": arrow.bool_(),
        "ints": arrow.list_(arrow.int64()), "texts": arrow.list_(arrow.string()),
    }  # fmt: skip
    rows = [row(cell, outcome) for cell, outcome in pairs]
    frame = pandas.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    parquet = io.BytesIO()
    schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    frame.to_parquet(parquet, engine="pyarrow", index=False, schema=schema)
    for name, kind in COLUMNS.items():
        if kind in ("ints", "texts"):
            frame[name] = [_joined(values) for values in frame[name]]
    seconds = pandas.DataFrame([_seconds(*pair) for pair in pairs])
    return {"table.parquet": parquet.getvalue(), "table.csv": _csv(frame), "seconds.csv": _csv(seconds)}


def _joined(values: Sequence[Any] | None) -> str | None:
    """A list in one field of a CSV; what has no limit is "unlimited"."""
    return None if values is None else "; ".join("unlimited" if value is None else str(value) for value in values)


def _seconds(cell: Cell, outcome: Outcome) -> dict[str, Any]:
    asked = cell.asked
    named = {"cell": cell.key[:_SHOWN], "graph": cell.graph, "method": asked.method, "machine": asked.machine}
    return {**named, "gpus": asked.gpus, **{what: outcome.seconds.get(what) for what in _SECONDS}}


def _csv(frame: Any) -> bytes:
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text.encode(errors="backslashreplace")
