"""What the cases of `use_*.py` share: where each is noted, a model that is the same each time, a plan for it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from tests.keras.equal import DEVICES, four_cpus

Facts = dict[str, Any]
CASES: dict[str, Callable[[], Facts]] = {}


def case(function: Callable[[], Facts]) -> Callable[[], Facts]:
    """Add a case to those that run."""
    CASES[function.__name__] = function
    return function


def answer(names: list[str]) -> None:
    """Run the cases of these names, or all, and print [case, facts]: one JSON line each."""
    four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name in names or CASES:
        print(json.dumps([name, CASES[name]()]), flush=True)  # noqa: T201 - the answer


def refusals(asks: Mapping[str, Callable[[], Any]]) -> Facts:
    """[line, exit code, True] of each of these that is refused."""
    from pardnn.errors import PardnnError

    told: Facts = {}
    for name, ask in asks.items():
        try:
            ask()
        except PardnnError as error:
            told[name] = [str(error), error.exit_code, True]
    return told


def fresh(name: str = "cnn") -> Any:
    """(model, x, y), the same weights each time."""
    import keras

    from tests.keras.networks import NETWORKS

    keras.utils.set_random_seed(1)
    return NETWORKS[name]()


def placed(model: Any, **options: Any) -> Any:
    """Its plan over the four devices, neighbours apart."""
    import pardnn

    chosen: Facts = {"gpus": 4, "mem": "1GB", "devices": DEVICES, "method": "round-robin", "cache": False}
    return pardnn.place(model, **chosen | options)


def weights(model: Any) -> Any:
    """All variables as lists."""
    return [v.numpy().tolist() for v in (*model.variables, *model.optimizer.variables)]


def both(use: Callable[[Any, Any, Any], Any], name: str = "cnn") -> Facts:
    """What `use` returns and leaves in the model without a placement and with one."""
    plain, x, y = fresh(name)
    wanted = use(plain, x, y)
    model, x, y = fresh(name)
    plan = placed(model)
    got = use(model, x, y)
    found = plan.verify()
    return {
        "results": got == wanted, "weights": weights(model) == weights(plain), "ok": found.ok, "checked": found.checked,
        "words": plan.warnings,
    }  # fmt: skip
