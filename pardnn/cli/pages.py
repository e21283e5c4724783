"""The pages of --html that show more than one plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pardnn.config import Options
    from pardnn.experiments.sweep import Swept
    from pardnn.report.html.fit import Points
    from pardnn.report.html.origin import Origin

_COMPARED = (
    "machine", "gpus", "hosts", "mem", "mem_fraction", "order", "contention", "costs", "batch_size", "effort", "seed",
)  # fmt: skip
_SCALED = ("machine", "strategy", "link", "gpus_per_replica", "gpus_per_host", "batch")


def compared(results: Sequence[dict[str, Any]], asked: Options) -> bytes:
    """Of `pardnn compare`."""
    from pardnn.picture import choices
    from pardnn.report.html.comparison import comparison_page

    return comparison_page(results, _origin(choices(asked, _COMPARED)))


def scaled(result: dict[str, Any]) -> bytes:
    """Of `pardnn scale`."""
    from pardnn.report.html.scaling import scaling_page

    return scaling_page(result, _origin([(name.replace("_", " "), str(result[name])) for name in _SCALED]))


def swept(config: str, found: Swept) -> bytes:
    """Of `pardnn sweep`."""
    from pardnn.experiments.overview import overview
    from pardnn.report.html.sweep import sweep_page

    name = Path(config).name
    return sweep_page(name, overview(found), _origin([("configuration", name)]))


def fitted(found: dict[str, Any], table: str, learned: Points, new: Points | None, seed: int) -> bytes:
    """Of `pardnn fit`."""
    from pardnn.report.html.fit import fit_page

    return fit_page(found, table, learned, new, _origin([("table", table), ("seed", str(seed))]))


def _origin(facts: Sequence[tuple[str, str]]) -> Origin:
    """The command as it was typed, with what its result depends on."""
    from pardnn.cli.typed import typed
    from pardnn.picture import versions
    from pardnn.report.html.origin import Origin

    return Origin(typed(), facts, versions())
