"""Training steps measured in one process: `python -m tests.keras.profiled FOLDER` prints [case, facts] line by line."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
LONG_US = 50.0


def cnn() -> Any:
    """A small convolutional network of which a few ops take most of the step."""
    import keras
    from keras import layers

    model = keras.Sequential([
        keras.Input((32, 32, 3)), layers.Conv2D(32, 3, padding="same", activation="relu"), layers.BatchNormalization(),
        layers.Conv2D(64, 3, padding="same", activation="relu"), layers.MaxPooling2D(),
        layers.GlobalAveragePooling2D(), layers.Dense(10),
    ])  # fmt: skip
    return _compiled(model)


def lstm() -> Any:
    """A recurrent network as a loop of small ops."""
    import keras
    from keras import layers

    model = keras.Sequential([
        keras.Input((25,)), layers.Embedding(1000, 64), layers.LSTM(128), layers.Dense(10)
    ])  # fmt: skip
    return _compiled(model)


def _compiled(model: Any) -> Any:
    import keras

    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def profiles(folder: Path) -> Iterator[tuple[str, Any]]:
    """Each network twice, and what a plan on one device makes of the costs."""
    import pardnn

    for make in (cnn, lstm):
        first, second = (pardnn.profile(make(), steps=6, batch_size=16) for _ in range(2))
        model = make()
        first.save(folder / f"{make.__name__}.csv")
        pardnn.place(
            model, gpus=1, devices=["/device:CPU:0"], costs=first, cache=False
        ).remove()  # taken without a word
        plans = [
            pardnn.partition(model, gpus=1, method="single", batch_size=16, costs=costs)
            for costs in (first, f"measured:{folder / f'{make.__name__}.csv'}")
        ]
        yield (
            make.__name__,
            {
                **first.result(0),
                "agree": _agreement(first, second),
                "planned_us": [plan.makespan_us for plan in plans],
                "covered": [plan.result()["measured_percent"] for plan in plans],
                "notes": [line for line in plans[0].warnings if "times for" in line],
            },
        )


def _agreement(first: Any, second: Any) -> float:
    """Median relative difference of the ops' times in two runs, of those that take more than LONG_US."""
    import numpy as np

    # Names differ by the number that Keras gives a layer of the same kind: the order does not.
    pairs = zip(first.times.ops, second.times.ops, strict=True)
    long = [(a.step_ns, b.step_ns) for a, b in pairs if a.step_ns and b.step_ns and a.step_ns > 1000 * LONG_US]
    return float(np.median([abs(a - b) / max(a, b) for a, b in long]))


def commands(folder: Path) -> Iterator[tuple[str, Any]]:
    """What the command line says, by case: [exit code, words]."""
    import numpy as np

    from pardnn.cli.run import run

    shared = Path(os.environ.get("PARDNN_SHARED", "../shared")) / "data/graphs"
    np.savez(folder / "x.npz", Placeholder=np.zeros((64, 5, 128), np.float32))
    np.savez(folder / "stranger.npz", nobody=np.zeros(3))
    (folder / "broken.npz").write_text("no arrays")
    costs = str(folder / "out.csv")
    cases: dict[str, list[str]] = {
        "model": ["tests/keras/made.py:functional", "--batch-size", "8", "--steps", "2", "-o", costs, "--machine-out",
                  str(folder / "here.toml")],
        "nobody serves": ["tests/keras/made.py:functional", "--batch-size", "8", "--steps", "1", "--machine-out",
                          str(folder / "no.toml"), "--cluster", "127.0.0.1:1,127.0.0.1:2"],
        "existing": ["tests/keras/made.py:functional", "-o", costs],
        "no model": ["tests/keras/made.py:nothing"],
        "cost graph": [str(folder / "cost.json")],
        "cluster alone": ["tests/keras/made.py:functional", "--cluster", "a:1,b:2"],
    }  # fmt: skip
    (folder / "cost.json").write_text(
        '{"time": [1], "resident": [0], "output": [0], "temp": [0], "src": [], "dst": [], "bytes": []}'
    )
    if shared.is_dir():
        loop = str(shared / "made/tf1_while_rnn_train.pb")
        cases |= {
            "open length": [loop],
            "given": [loop, "--feeds", str(folder / "x.npz"), "--steps", "2"],
            "stranger": [loop, "--feeds", str(folder / "stranger.npz")],
            "broken": [loop, "--feeds", str(folder / "broken.npz")],
            "arguments": [str(shared / "graphdef/tf_keras_imagenet_main.pbtxt")],
            "queue": [str(shared / "metagraph/ssd_hikapok_model.ckpt-120000.meta")],
        }
    for name, arguments in cases.items():
        said, out = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = run(["profile", *arguments])
        yield name, [code, said.getvalue(), out.getvalue()]


def main(folder: str) -> None:
    """Answer on stdout."""
    parts: list[Callable[[Path], Iterator[tuple[str, Any]]]] = [profiles, commands]
    for part in parts:
        for name, facts in part(Path(folder)):
            print(json.dumps([name, facts]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
