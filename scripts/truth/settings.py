"""What is run, fixed before any result was looked at: models and which of them are held out, plans, workers, repeats.

A model that is held out serves no correction: whatever the simulator was taught comes from the others and from graphs
made for it (`micro.py`). Sizes are such that a step takes 0.2 to 1 s on one core, but for `tiny`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Model:
    """A network of models/, or of networks.py beside this file, with what its `build` is given."""

    name: str
    file: str
    held_out: bool
    options: dict[str, Any] = field(default_factory=dict)


MODELS = (
    Model("towers", "networks.py:towers", False, {"batch": 256, "width": 1800}),
    Model("word_rnn", "word_rnn.py", False, {"batch": 64, "layer_count": 3, "units": 512, "steps": 8, "words": 2000}),
    Model("four_view_cnn", "four_view_cnn.py", False, {"batch": 48, "side": 64, "width": 16, "classes": 100}),
    Model("vgg", "networks.py:vgg", False, {"batch": 96, "side": 32, "width": 32}),
    Model("tiny", "networks.py:tiny", False, {"batch": 32}),
    Model("transformer", "transformer.py", True, {
        "batch": 8, "blocks": 2, "width": 256, "inner": 1024, "heads": 4, "steps": 32, "words": 4000}),
    Model("wide_resnet", "wide_resnet.py", True, {"batch": 16, "depth": 16, "widen": 2, "side": 32}),
    Model("char_cnn_rnn", "char_cnn_rnn.py", True, {
        "batch": 8, "layer_count": 2, "units": 512, "steps": 8, "words": 2000, "letters": 12}),
    Model("eidetic_lstm", "eidetic_lstm.py", True, {
        "batch": 8, "layer_count": 2, "channels": 32, "steps": 5, "side": 32, "filter_side": 3, "recalled": 2}),
    Model("recommender", "networks.py:recommender", True, {"batch": 1024, "width": 1024}),
)  # fmt: skip

PLANS = ("one", "auto", "heft", "metis", "layers")
"""Methods of the package, but for `layers`: one layer to each worker by turns, with its gradients and its update."""

WORKERS = 2
INTER_OP_THREADS = 2
"""Of each worker, which is pinned to a core; an op has one thread. With one, sends wait for the op that runs."""
RUNS = 3
"""Pairs of workers, one after the other."""
WARM_UP = 2
STEPS = 7
"""Untraced steps of each plan in each run, the plans of a model by turns."""
PROFILED_STEPS = 10
SEED = 0
