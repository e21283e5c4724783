"""The networks of `models/` in their small sizes, trained as they are and placed: one JSON line each, in one process.

`python -m tests.keras.trained FOLDER` also has `pardnn extract` write each small one to FOLDER/NAME.pb.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import sys
from typing import Any

from tests.conftest import ROOT
from tests.keras.equal import DEVICES, four_cpus

BATCH = 8


def trained(name: str, place: bool) -> tuple[list[float], list[Any], Any]:
    """(losses, weights, plan) of two epochs."""
    import keras

    import pardnn

    keras.utils.set_random_seed(1)
    model, x, y = importlib.import_module(f"models.{name}").small()
    options: dict[str, Any] = {"gpus": 4, "mem": "1GB", "devices": DEVICES, "effort": "fast", "cache": False}
    plan = pardnn.place(model, **options) if place else None
    losses = model.fit(x, y, batch_size=BATCH, epochs=2, verbose=0).history["loss"]
    variables = (*model.variables, *model.optimizer.variables)
    return losses, [variable.numpy().tolist() for variable in variables], plan


def main(folder: str) -> None:
    """Answer on stdout."""
    four_cpus()
    from pardnn.cli.run import run

    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name in sorted(path.stem for path in (ROOT / "models").glob("*.py")):
        losses, weights, _ = trained(name, place=False)
        placed_losses, placed_weights, plan = trained(name, place=True)
        found = plan.verify()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = run(("extract", f"models/{name}.py:small", "-o", f"{folder}/{name}.pb"))
        answer = {
            "network": name, "losses": losses, "equal": [placed_losses == losses, placed_weights == weights],
            "ok": found.ok, "checked": found.checked, "ops": plan.report.ops, "bare": plan.report.without_device,
            "used": sorted(set(plan.placement.values())), "warnings": plan.warnings,
            "extracted": [code, said.getvalue()],
        }  # fmt: skip
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
