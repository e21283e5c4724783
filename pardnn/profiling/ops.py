"""What the ops of training steps take on a device of the user's own, and the learned costs brought to it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pardnn.cost.learned import store, vector
from pardnn.cost.learned.cases import drawn
from pardnn.cost.learned.device import figures as figures_of
from pardnn.cost.learned.family import Family
from pardnn.cost.learned.refit import FEWEST, measured_figures, refit
from pardnn.errors import InputError
from pardnn.machines.card import card_names, load_card


@dataclass(frozen=True, eq=False)
class Benchmarked:
    """What was found on one device."""

    families: dict[str, Family]
    result: dict[str, Any]

    def content(self) -> bytes:
        """The file for --costs learned:FILE."""
        return store.save(self.families)


def benchmark_ops(
    *, count: int, warmup: int, repeats: int, limit_bytes: int, limit_flops: float, card: str | None, seed: int,
    tell: Callable[[str], None] = lambda text: None,
) -> Benchmarked:  # fmt: skip
    """Measure `count` ops of each family and train the shipped networks further on them. Needs TensorFlow."""
    from pardnn.placers.op_timer import device_name, timed

    if card is not None and card not in card_names():
        raise InputError(f"--card {card}: no such card; there are: {', '.join(card_names())}")
    cases = drawn(count, limit_bytes, limit_flops, np.random.default_rng(seed))
    ms = {}
    for name, rows in cases.items():

        def say(done: int, name: str = name) -> None:
            tell(f"measuring {name} ops: {done} of {count}")

        ms[name] = timed(name, rows, vector.OPS, warmup=warmup, repeats=repeats, tell=say)
    ran = {name: np.flatnonzero(np.isfinite(times)) for name, times in ms.items()}
    cases = {name: {c: v[ran[name]] for c, v in rows.items()} for name, rows in cases.items()}
    ms = {name: times[ran[name]] for name, times in ms.items()}
    short = [name for name, times in ms.items() if len(times) < FEWEST]
    if short:
        raise InputError(f"only {len(ms[short[0]])} {short[0]} ops ran: raise --ops, {FEWEST} are needed")
    work = {n: (store.RULES[n].flops_of(rows), store.RULES[n].bytes_of(rows)) for n, rows in cases.items()}
    figures = figures_of(load_card(card)) if card else measured_figures(work, ms, os.cpu_count() or 1)
    done = {}
    for name, rows in cases.items():
        tell(f"learning {name} ops")
        done[name] = refit(store.shipped()[name], rows, ms[name], figures)
    result = {
        "device": device_name(), "flops_per_s": figures[0] * 1e3, "bytes_per_s": figures[1] * 1e3,
        "families": {
            name: {"ops": len(ms[name]), "error_before": one.before, "error_after": one.after}
            for name, one in done.items()
        },
    }  # fmt: skip
    return Benchmarked({name: one.family for name, one in done.items()}, result)
