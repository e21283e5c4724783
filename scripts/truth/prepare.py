"""A model's training step as files: graph.pb, values.npz (what variables hold), feeds.npz and by_layer.json.

python -m scripts.truth.prepare MODEL FOLDER
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

from scripts.truth.settings import MODELS, Model

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = Path(__file__).parent


def made(model: Model) -> tuple[Any, Any, Any]:
    """(compiled model, x, y) with data for one batch."""
    import keras

    file, _, function = model.file.partition(":")
    path = HERE / file if function else HERE.parents[1] / "models" / file
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    keras.utils.set_random_seed(1)
    built = getattr(module, function or "build")(**model.options)
    return built, *module.data(built, model.options["batch"])


def main(name: str, folder: str) -> None:
    """Write the files."""
    model = next(model for model in MODELS if model.name == name)
    into = Path(folder)
    into.mkdir(parents=True, exist_ok=True)
    _write_step(made(model), into)


def _write_step(whole: tuple[Any, Any, Any], into: Path) -> None:
    import numpy as np

    from pardnn.placers.profile_model import live_step

    step = live_step(whole, into.name)
    (into / "graph.pb").write_bytes(step.message.SerializeToString(deterministic=True))
    np.savez(into / "values.npz", **step.values)  # type: ignore[arg-type]
    np.savez(into / "feeds.npz", **step.feeds)  # type: ignore[arg-type]
    (into / "by_layer.json").write_text(json.dumps([layer.name for layer in whole[0].layers if layer.weights]))


if __name__ == "__main__":
    main(*sys.argv[1:])
