"""The table of a sweep as pictures (PNG): methods beside the best, speed-up by devices, and where each is good."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

from pardnn.experiments.needs import need
from pardnn.experiments.ratios import Ratio, by_method, mean
from pardnn.report.words import shorten

_DPI = 120
_MARKERS = "osv^D*PX<>hp"
_LABELLED = 400
"""Fields of a heat map that carry their number, at most."""
_LONGEST = 40
_WORST = 2.0
"""From here on a field is as dark as can be."""


def plots(found: Sequence[Ratio]) -> dict[str, bytes]:
    """File name -> content; nothing where no cell has a placement."""
    if not found:
        return {}
    need("matplotlib").use("Agg")  # no window, whatever the desktop
    return {"relative.png": _relative(found), "speedup.png": _speedup(found), "heatmap.png": _heat(found)}


def _relative(found: Sequence[Ratio]) -> bytes:
    """Step time over the best one of the same question, a box per method."""
    groups = by_method(found)
    figure, (axes,) = _figure(1, 1.5 + 0.55 * len(groups), 4.5)
    axes.boxplot([[ratio.over_best for ratio in those] for those in groups.values()], whis=(0, 100), widths=0.6)
    axes.set_xticks(range(1, len(groups) + 1), groups, rotation=40, ha="right")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:.3g}")
    axes.yaxis.set_minor_formatter("{x:.3g}")
    axes.axhline(1, color="0.6", linewidth=0.8)
    axes.set_ylabel("step time / the best method's")
    axes.set_title("Beside the best: median, quartiles, extremes")
    return _png(figure)


def _speedup(found: Sequence[Ratio]) -> bytes:
    """Mean speed-up over one device by number of devices: a line per method, a panel per machine."""
    machines = list(dict.fromkeys(ratio.machine for ratio in found))
    figure, panels = _figure(len(machines), 1.5 + 3.6 * len(machines), 4.5, sharex=True)
    counts = sorted({ratio.devices for ratio in found})
    for axes, machine in zip(panels, machines, strict=True):
        groups = by_method([ratio for ratio in found if ratio.machine == machine])
        for number, (method, those) in enumerate(groups.items()):
            there = sorted({ratio.devices for ratio in those})
            means = [mean(ratio.speed_up for ratio in those if ratio.devices == k) for k in there]
            axes.plot(there, means, marker=_MARKERS[number % len(_MARKERS)], markersize=5, linewidth=1, label=method)
        axes.set_xscale("log", base=2)
        axes.set_xticks(counts, counts)
        axes.set_xticks([], minor=True)
        axes.set_xlabel("devices")
        axes.set_title(machine)
    panels[0].set_ylabel("speed-up over one device (geometric mean)")
    panels[-1].legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return _png(figure)


def _heat(found: Sequence[Ratio]) -> bytes:
    """Mean of step time over the best, a field per graph and method; empty where a method has no placement."""
    fields: dict[tuple[str, str], list[float]] = {}
    for ratio in found:
        fields.setdefault((ratio.graph, ratio.method), []).append(ratio.over_best)
    graphs, methods = (list(dict.fromkeys(names)) for names in zip(*fields, strict=True))
    means: Mapping[tuple[str, str], float] = {where: mean(ratios) for where, ratios in fields.items()}
    values = [[means.get((graph, method), float("nan")) for method in methods] for graph in graphs]
    figure, (axes,) = _figure(1, 3.5 + 0.6 * len(methods), 2 + 0.3 * len(graphs))
    image = axes.imshow(values, cmap="YlOrRd", vmin=1, vmax=_WORST, aspect="auto")
    axes.set_xticks(range(len(methods)), methods, rotation=40, ha="right")
    axes.set_yticks(range(len(graphs)), _without_folder(graphs))
    if len(graphs) * len(methods) <= _LABELLED:
        for (graph, method), value in means.items():
            place = {"x": methods.index(method), "y": graphs.index(graph)}
            colour = "white" if value > 1 + 0.7 * (_WORST - 1) else "black"
            axes.text(**place, s=f"{value:.2f}", ha="center", va="center", fontsize=7, color=colour)
    figure.colorbar(image, extend="max", label="step time / the best method's")
    return _png(figure)


def _without_folder(graphs: Sequence[str]) -> list[str]:
    """The names without the folder that all of them are in, if it is one."""
    folder = os.path.commonpath([*map(os.path.dirname, graphs)]) if len({*map(os.path.isabs, graphs)}) == 1 else ""
    return [shorten(graph.removeprefix(folder).lstrip("/"), _LONGEST) for graph in graphs]


def _figure(panels: int, width: float, height: float, sharex: bool = False) -> tuple[Any, list[Any]]:
    """A figure with panels side by side, apart from pyplot's list of open ones."""
    figure = need("matplotlib.figure").Figure((max(width, 5), height), dpi=_DPI, layout="constrained")
    return figure, list(figure.subplots(1, panels, sharex=sharex, sharey=True, squeeze=False)[0])


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
