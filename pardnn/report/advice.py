"""Whether a step fits, and the changes that were seen to work, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.report.layout import table
from pardnn.report.words import us
from pardnn.units import format_size

_KINDS = {
    "gpus": "number of GPUs",
    "batch": "batch",
    "accumulation": "accumulation",
    "recomputation": "recomputation",
    "offload": "host offload",
}


def advice_report(found: Mapping[str, Any]) -> RenderableType:
    """A sentence on the memory, a row per change, a line per kind of change that there is none of."""
    parts: list[RenderableType] = [Text(_memory(found), style="bold")]
    if found["advice"]:
        heads = ("what works (each simulated)", "GPUs", "step", "peak", "")
        rows = [_row(piece) for piece in found["advice"]]
        parts += ["", table(heads, rows, left=heads[:1], fold=(heads[0], heads[-1]))]
    if found["no_advice"]:
        parts += ["", *(Text(f"no {_KINDS[kind]}: {why}") for kind, why in found["no_advice"].items())]
    return Group(*parts)


def _memory(found: Mapping[str, Any]) -> str:
    if found["fits"]:
        return "It fits as it is."
    works = f"{found['memory_works']} works (tried)" if found["memory_works"] else "no memory was seen to work"
    return f"It does not fit; {works}, below {found['memory_bound']} no placement can fit (proven)."


def _row(piece: Mapping[str, Any]) -> tuple[str, ...]:
    rate = piece.get("samples_per_second")
    note = piece["note"] or (f"{rate:,.6g} samples a second" if rate else "")
    return (piece["change"], str(piece["gpus"]), us(piece["step_us"]), format_size(max(piece["peak_bytes"])), note)
