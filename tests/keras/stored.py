"""What a placed model leaves on the disk, and a process without pardnn and with one CPU that takes it up again.

`python -m tests.keras.stored FOLDER` trains placed and writes everything and the expected answers into the folder, and
`python tests/keras/stored.py FOLDER` from elsewhere restores all of it: one JSON line [what, [largest difference]].
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"


def network(tf: Any) -> Any:
    """A model whose code both processes have."""
    keras = tf.keras
    layers = [
        keras.Input((8, 8, 3)), keras.layers.Conv2D(4, 3, activation="relu"), keras.layers.BatchNormalization(),
        keras.layers.Flatten(), keras.layers.Dense(4, activation="softmax"),
    ]  # fmt: skip
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    return model


def data() -> tuple[Any, Any]:
    """24 pictures."""
    import numpy as np

    return np.random.RandomState(0).rand(24, 8, 8, 3).astype("float32"), np.arange(24) % 4


def trainer(tf: Any) -> Any:
    """A tf.Module that trains itself in a tf.function, and predicts in another."""

    class Trainer(tf.Module):  # type: ignore[misc] # tensorflow has no types
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(tf.ones((6, 3)) / 3)
            self.b = tf.Variable(tf.zeros(3))

        @tf.function(input_signature=[tf.TensorSpec((None, 6))])  # type: ignore[untyped-decorator]
        def predict(self, x: Any) -> Any:
            return tf.tanh(x @ self.w + self.b)

        @tf.function(input_signature=[tf.TensorSpec((8, 6))])  # type: ignore[untyped-decorator]
        def step(self, x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.tanh(x @ self.w + self.b) - 0.3) ** 2)
            for variable, slope in zip((self.w, self.b), tape.gradient(loss, (self.w, self.b)), strict=True):
                variable.assign_sub(0.1 * slope)
            return loss

    return Trainer()


def write(folder: str) -> None:
    """Train placed, and write."""
    import numpy as np

    import pardnn
    from tests.keras.equal import DEVICES, four_cpus

    tf = four_cpus()
    tf.keras.utils.set_random_seed(1)
    asked: dict[str, Any] = {"gpus": 4, "devices": DEVICES, "method": "round-robin", "cache": False}
    model, (x, y) = network(tf), data()
    plan = pardnn.place(model, **asked)
    model.fit(x, y, batch_size=8, epochs=2, verbose=0)
    assert plan.verify().ok
    model.save(f"{folder}/model.keras")
    model.save(f"{folder}/model.h5")
    model.save_weights(f"{folder}/model.weights.h5")
    tf.train.Checkpoint(model=model).write(f"{folder}/checkpoint")
    model.export(f"{folder}/exported", verbose=False)
    tf.saved_model.save(model, f"{folder}/saved")
    answers = {"model": model.predict(x, verbose=0)}
    model.fit(x, y, batch_size=24, shuffle=False, verbose=0)  # one step more
    answers["trained on"] = model.predict(x, verbose=0)

    module = trainer(tf)
    plan = pardnn.place(module.step, **asked)
    rows = tf.constant(np.random.RandomState(1).rand(8, 6), "float32")
    module.step(rows)
    assert plan.verify().ok
    tf.saved_model.save(module, f"{folder}/module")
    tf.saved_model.save(module, f"{folder}/signed", signatures={"step": module.step, "predict": module.predict})
    tf.train.Checkpoint(module=module).write(f"{folder}/module_checkpoint")
    answers |= {"rows": rows.numpy(), "module": module.predict(rows).numpy()}
    answers["loss"] = module.step(rows).numpy()
    answers["module trained on"] = module.predict(rows).numpy()
    np.savez(f"{folder}/answers.npz", **answers)


class Absent:
    """A finder that has no pardnn."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise for it, look no further for others."""
        if name.partition(".")[0] in ("pardnn", "scheduler"):
            raise ModuleNotFoundError(name)


def devices_in(folder: str) -> list[str]:
    """The devices that a SavedModel names."""
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

    with open(f"{folder}/saved_model.pb", "rb") as file:
        saved = SavedModel.FromString(file.read())
    graph = saved.meta_graphs[0].graph_def
    nodes = [*graph.node, *(node for function in graph.library.function for node in function.node_def)]
    return sorted({node.device for node in nodes} - {""})


def restore(folder: str) -> None:
    """Restore everything, in a process that has nothing of ours."""
    import numpy as np
    import tensorflow as tf

    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    answers, (x, y) = np.load(f"{folder}/answers.npz"), data()
    rows = tf.constant(answers["rows"])

    def tell(name: str, *pairs: tuple[Any, str]) -> None:
        off = [float(np.abs(np.asarray(found) - answers[key]).max()) for found, key in pairs]
        print(json.dumps([name, off]), flush=True)  # noqa: T201 - the answer

    model = tf.keras.models.load_model(f"{folder}/model.keras")
    first = model.predict(x, verbose=0)
    model.fit(x, y, batch_size=24, shuffle=False, verbose=0)
    tell("keras", (first, "model"), (model.predict(x, verbose=0), "trained on"))
    model = tf.keras.models.load_model(f"{folder}/model.h5")
    tell("h5", (model.predict(x, verbose=0), "model"))
    model = network(tf)
    model.load_weights(f"{folder}/model.weights.h5")
    tell("weights", (model.predict(x, verbose=0), "model"))
    model = network(tf)
    tf.train.Checkpoint(model=model).read(f"{folder}/checkpoint").expect_partial()
    tell("checkpoint", (model.predict(x, verbose=0), "model"))
    served, saved = (tf.saved_model.load(f"{folder}/{name}") for name in ("exported", "saved"))
    tell("exported", (served.serve(x), "model"))
    (answer,) = saved.signatures["serving_default"](tf.constant(x)).values()
    tell("saved", (answer, "model"))
    named = {name: devices_in(f"{folder}/{name}") for name in ("exported", "saved", "module", "signed")}
    print(json.dumps(["devices", named]), flush=True)  # noqa: T201 - the answer
    for soft in (True, False):
        tf.config.set_soft_device_placement(soft)
        for name in ("module", "signed"):
            module = tf.saved_model.load(f"{folder}/{name}")
            first = module.predict(rows)
            loss = module.step(rows)
            pairs = (first, "module"), (loss, "loss"), (module.predict(rows), "module trained on")
            tell(f"{name}, {'soft' if soft else 'hard'}", *pairs)
    module = trainer(tf)
    tf.train.Checkpoint(module=module).read(f"{folder}/module_checkpoint").expect_partial()
    tell("module checkpoint", (module.predict(rows), "module"))


if __name__ == "__main__":
    if __package__:
        write(sys.argv[1])
    else:
        sys.meta_path.insert(0, Absent())
        restore(sys.argv[1])
