"""A network that goes on with a film: 3-D convolutions inside LSTM cells that recall their own past by attention.

Y. Wang, L. Jiang, M.-H. Yang, L.-J. Li, M. Long, L. Fei-Fei: Eidetic 3D LSTM, a model for video prediction and beyond,
ICLR 2019. The default is its network for Moving MNIST. Differs from it: normalises over channels alone, and is given
the true frame at every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import layers, ops


class EideticCell(layers.Layer):  # type: ignore[misc] # keras has no types
    """One layer at one moment: from its input, its past, and the memory that zigzags through all layers."""

    def __init__(self, channels: int, kernel: tuple[int, int, int], **given: Any) -> None:
        super().__init__(**given)

        def conv(gates: int, name: str) -> Any:
            return layers.Conv3D(gates * channels, kernel, padding="same", name=name)

        self.of_input, self.of_hidden, self.of_memory = conv(7, "input"), conv(4, "hidden"), conv(4, "memory")
        self.of_cell, self.of_new_memory = conv(1, "cell"), conv(1, "new_memory")
        self.joined = layers.Conv3D(channels, 1, name="joined")
        self.norm = layers.LayerNormalization(name="norm")

    def call(self, x: Any, hidden: Any, cells: Sequence[Any], memory: Any) -> tuple[Any, Any, Any]:
        """(hidden, cell, memory), new; all [batch, frames, height, width, channels]; `cells`: the past, newest last."""
        recall_x, input_x, new_x, put_x, add_x, forget_x, output_x = ops.split(self.of_input(x), 7, axis=-1)
        recall_h, input_h, new_h, output_h = ops.split(self.of_hidden(hidden), 4, axis=-1)
        put_m, add_m, forget_m, output_m = ops.split(self.of_memory(memory), 4, axis=-1)
        recalled = _recall(ops.sigmoid(recall_x + recall_h), cells)
        cell = ops.sigmoid(input_x + input_h) * ops.tanh(new_x + new_h) + self.norm(cells[-1] + recalled)
        memory = ops.sigmoid(put_x + put_m) * ops.tanh(add_x + add_m) + ops.sigmoid(forget_x + forget_m) * memory
        output = ops.sigmoid(output_x + output_h + output_m + self.of_cell(cell) + self.of_new_memory(memory))
        hidden = output * ops.tanh(self.joined(ops.concatenate([cell, memory], axis=-1)))
        return hidden, cell, memory


def _recall(gate: Any, cells: Sequence[Any]) -> Any:
    """What the gate finds in the cells of the past: softmax(gate . cells) . cells over all places and moments."""
    channels = gate.shape[-1]
    asked = ops.reshape(gate, (-1, int(np.prod(gate.shape[1:-1])), channels))
    past = ops.concatenate([ops.reshape(cell, (-1, asked.shape[1], channels)) for cell in cells], axis=1)
    weight = ops.softmax(ops.matmul(asked, ops.transpose(past, (0, 2, 1))), axis=-1)
    return ops.reshape(ops.matmul(weight, past), (-1, *gate.shape[1:]))


class Eidetic(layers.Layer):  # type: ignore[misc] # keras has no types
    """Layers of cells over a film: [batch, steps, height, width, patch] -> the same, each frame the next one."""

    def __init__(self, layer_count: int, channels: int, window: int, filter_side: int, recalled: int) -> None:
        super().__init__(name="eidetic")
        kernel = (window, filter_side, filter_side)
        self.cells = [EideticCell(channels, kernel, name=f"cell_{i}") for i in range(layer_count)]
        self.channels, self.window, self.recalled = channels, window, recalled

    def build(self, shape: Any) -> None:
        """Make what depends on the size of a patch."""
        self.picture = layers.Conv3D(shape[-1], (self.window, 1, 1), name="picture")
        self.built = True

    def call(self, film: Any) -> Any:
        """The next frames, [batch, steps, height, width, patch]."""
        frames = [film[:, :1]] * (self.window - 1) + [film[:, t : t + 1] for t in range(film.shape[1])]
        # As many zeros as the batch is long, which may be open.
        zeros = ops.zeros_like(film[:, :1, :, :, :1]) * ops.zeros((1, self.window, 1, 1, self.channels))
        hidden = [zeros] * len(self.cells)
        cells: list[list[Any]] = [[zeros] for _ in self.cells]
        memory = zeros
        told = []
        for t in range(film.shape[1]):
            x = ops.concatenate(frames[t : t + self.window], axis=1)
            for i, cell in enumerate(self.cells):
                hidden[i], new, memory = cell(x, hidden[i], cells[i][-self.recalled :], memory)
                cells[i].append(new)
                x = hidden[i]
            told.append(self.picture(x))
        return ops.concatenate(told, axis=1)


def build(
    batch: int | None = 4,
    layer_count: int = 4,
    channels: int = 64,
    steps: int = 19,
    side: int = 64,
    patch: int = 4,
    window: int = 2,
    filter_side: int = 5,
    recalled: int = 5,
) -> keras.Model:
    """The compiled Keras model; films [batch, steps, side / patch, side / patch, patch * patch], grey, in and out.

    A frame comes as patches, their pixels as channels. Each frame is seen together with the `window` - 1 before it, and
    a cell recalls its last `recalled` states.
    """
    film = keras.Input((steps, side // patch, side // patch, patch * patch), batch, name="film")
    told = Eidetic(layer_count, channels, window, filter_side, recalled)(film)
    model = keras.Model(film, told, name="eidetic_lstm")
    model.compile(keras.optimizers.Adam(1e-3), "mse", jit_compile=False)
    return model


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Films of a square that moves, and the same films one frame on."""
    _, steps, cells, _, pixels = model.inputs[0].shape
    patch = round(pixels**0.5)
    side = cells * patch
    rng = np.random.default_rng(0)
    start, speed = rng.integers(side, size=(2, examples, 1)), rng.integers(1, 3, (2, examples, 1))
    row, column = (start + speed * np.arange(steps + 1)) % side
    inside = [(np.arange(side) - at[..., None]) % side < side // 4 for at in (row, column)]
    film = (inside[0][..., :, None] & inside[1][..., None, :]).astype("float32")
    patches = film.reshape(examples, steps + 1, cells, patch, cells, patch).swapaxes(3, 4)
    patches = patches.reshape(examples, steps + 1, cells, cells, pixels)
    return patches[:, :-1], patches[:, 1:]


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(None, layer_count=2, channels=4, steps=4, side=16, patch=4, filter_side=3, recalled=2)
    return model, *data(model, 16)
