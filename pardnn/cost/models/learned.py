"""Costs by networks trained on published measurements; what they were not trained on comes from the roofline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.bands import bands
from pardnn.cost.graph import GraphCosts
from pardnn.cost.learned import layer, store
from pardnn.cost.learned.device import Devices, devices, figures
from pardnn.cost.learned.family import Family, Prediction
from pardnn.cost.learned.reading import COLUMNS, Row, row
from pardnn.cost.model import Estimate, cost_models
from pardnn.cost.models.roofline import Roofline
from pardnn.cost.record import Source
from pardnn.cost.roofline import LONGEST_NS
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import Card

_FAMILY = {"gradient": "convolution"}
"""Whose networks speak for a kind of rows, where that is not the family of the same name."""
_DENSE = frozenset({"product", "convolution", "gradient"})
_ALONE_MS = {"vector": 0.06, "product": 0.13, "convolution": 0.2, "gradient": 0.2}
"""Twice what the smallest ops of the tables take, each of which ran alone with the host waiting: in a step that cost is
hidden behind the op before. Ops that are predicted shorter are the roofline's."""


@cost_models.register(
    "learned", summary="networks trained on published op times, or on your device's: learned:FILE of benchmark-ops"
)
@dataclass(frozen=True)
class Learned:
    """Ops of known shapes in 32 bits on ordinary cores, within what was trained on, by their family's networks; all
    others by the roofline. An op is learned on all cards or on none, so that cards compare.
    """

    file: str | None = None
    """Of `pardnn benchmark-ops`; None = what ships."""

    def __call__(self, graph: OpGraph, costs: GraphCosts, cards: tuple[Card, ...]) -> Estimate:
        """The estimate. Equal ops are predicted once; O(nodes + distinct ops * weights)."""
        base = Roofline()(graph, costs, cards)
        families = store.shipped() if self.file is None else store.load(Path(self.file))
        rows = [
            None if host else row(op, cost)
            for op, cost, host in zip(costs.ops, costs.costs, graph.host.tolist(), strict=True)
        ]
        found = _predict(rows, families, _accelerators(cards), own=self.file is not None)
        time_ns, source, band = base.time_ns.copy(), list(base.source), bands(base.source)
        for v, prediction in found.items():
            time_ns[v, : prediction.shape[0]] = prediction[:, 0]
            band[v], source[v] = prediction[0, 1:], "learned"
        sources: tuple[Source, ...] = tuple(source)
        return replace(base, time_ns=time_ns, source=sources, band=band, notes=(_note(rows, found),))


def _accelerators(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The cards but the host's, which is the last where it is not the only one."""
    return cards[:-1] if len(cards) > 1 and cards[-1].name == "cpu" else cards


def _predict(
    rows: Sequence[Row | None], families: Mapping[str, Family], cards: tuple[Card, ...], *, own: bool
) -> dict[int, NDArray[np.float64]]:
    """[c, 3] ns and the band's factors, for the ops that are inside of the training range on all cards.

    `own` = the families know one device, of the user's own, and the cards are such devices whatever their figures say.
    """
    distinct: dict[Row, int] = {}
    for one in rows:
        if one is not None and _FAMILY.get(one.kind, one.kind) in families:
            distinct.setdefault(one, len(distinct))
    if not distinct:
        return {}
    inside = np.ones(len(distinct), np.bool_)
    said = np.zeros((len(distinct), len(cards), 3))
    for name in sorted({one.kind for one in distinct}):
        family = families[_FAMILY.get(name, name)]
        at = np.array([i for one, i in distinct.items() if one.kind == name], np.int64)
        table = np.array([one.figures for one in distinct if one.kind == name], np.float64)
        columns = {column: table[:, c] for c, column in enumerate(COLUMNS[name])}
        for c, card in enumerate(cards):
            found = _own(family, columns) if own else _shipped(name, family, columns, card)
            said[at, c] = np.stack([np.ceil(np.minimum(found.ms * 1e6, LONGEST_NS)), found.low, found.high], 1)
            # With tensor cores, a card runs these on other cores than those that the networks know.
            strange = name in _DENSE and card.tf32_flops_per_s > card.single_flops_per_s and not own
            inside[at] &= found.inside & (not strange) & (own | (found.ms >= _ALONE_MS[name]))
    numbers = ((v, distinct[one]) for v, one in enumerate(rows) if one in distinct)
    return {v: said[i] for v, i in numbers if inside[i]}


def _shipped(name: str, family: Family, columns: Mapping[str, NDArray[np.float64]], card: Card) -> Prediction:
    """What the networks that ship say of rows of a kind; convolutions by what the tables tell of their passes."""
    ways = {"convolution": layer.forward, "gradient": layer.gradient}
    device = _each(figures(card), columns)
    return ways[name](family, columns, device) if name in ways else family.predict(columns, device)


def _own(family: Family, columns: Mapping[str, NDArray[np.float64]]) -> Prediction:
    """On the user's device: measured there as ops, forward; a gradient is taken to use it as the forward pass does."""
    return family.predict(columns, _each(tuple(family.trained[0].tolist()), columns))


def _each(device: tuple[float, ...], columns: Mapping[str, NDArray[np.float64]]) -> Devices:
    """[r] the device beside each row."""
    return devices([device], np.zeros(len(next(iter(columns.values()))), np.intp))


def _note(rows: Sequence[Row | None], found: Mapping[int, object]) -> str:
    outside = Counter(
        _FAMILY.get(one.kind, one.kind) for v, one in enumerate(rows) if one is not None and v not in found
    )
    none = sum(one is None for one in rows)
    parts = [f"{count} {family}" for family, count in sorted(outside.items())]
    beyond = f" and {', '.join(parts)} ops too small or otherwise outside of what was trained on" if parts else ""
    return f"learned: times of {len(found)} of {len(rows)} ops; by roofline {none} of kinds not learned{beyond}"
