"""What is run, fixed before any result was looked at: models and which of them are held out, plans, workers, repeats.

A model that is held out serves no correction and is looked at once, when the simulator is done: whatever that was
taught comes from the others and from graphs made for it (`micro.py`). Sizes are such that a step takes 0.1 to 0.4 s on
one core, but for the tiny ones.
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
    Model("transformer", "transformer.py", False, {
        "batch": 8, "blocks": 2, "width": 256, "inner": 1024, "heads": 4, "steps": 32, "words": 4000}),
    Model("wide_resnet", "wide_resnet.py", False, {"batch": 16, "depth": 16, "widen": 2, "side": 32}),
    Model("char_cnn_rnn", "char_cnn_rnn.py", False, {
        "batch": 8, "layer_count": 2, "units": 512, "steps": 8, "words": 2000, "letters": 12}),
    Model("eidetic_lstm", "eidetic_lstm.py", False, {
        "batch": 8, "layer_count": 2, "channels": 32, "steps": 5, "side": 32, "filter_side": 3, "recalled": 2}),
    Model("recommender", "networks.py:recommender", False, {"batch": 1024, "width": 1024}),
    Model("drawn_dense", "networks.py:drawn", True, {"batch": 192, "seed": 1, "width": 768}),
    Model("drawn_conv", "networks.py:drawn", True, {"batch": 24, "seed": 2, "width": 24, "side": 24}),
    Model("drawn_wide", "networks.py:drawn", True, {"batch": 384, "seed": 3, "width": 512, "count": 16}),
    Model("word_rnn_2", "word_rnn.py", True, {"batch": 32, "layer_count": 2, "units": 640, "steps": 10, "words": 3000}),
    Model("transformer_2", "transformer.py", True, {
        "batch": 6, "blocks": 1, "width": 384, "inner": 1536, "heads": 6, "steps": 40, "words": 3000}),
    Model("wide_resnet_2", "wide_resnet.py", True, {"batch": 20, "depth": 10, "widen": 3, "side": 32}),
    Model("four_view_cnn_2", "four_view_cnn.py", True, {"batch": 20, "side": 96, "width": 16, "classes": 50}),
    Model("tiny_2", "networks.py:towers", True, {"batch": 16, "width": 64, "depth": 5}),
)  # fmt: skip

ONE, CORES = "one", "cores"
PLANS = (ONE, "auto", "heft", "metis", "layers")
"""Methods of the package, but for `layers`: one layer to each worker by turns, with its gradients and its update."""
ALL_PLANS = (*PLANS, CORES)
"""`cores` is `auto` for a machine whose devices are cores; it came last, when the others had been measured."""

WORKERS = 2
INTER_OP_THREADS = 2
"""Of each worker, which is pinned to a core; an op has one thread. With one, sends wait for the op that runs."""
RUNS = 3
"""Pairs of workers, one after the other."""
WARM_UP = 2
STEPS = 9
"""Untraced steps of each plan in each run, the plans of a model by turns."""
PROFILED_STEPS = 10
SENT = ((4, 200), (1 << 12, 200), (1 << 16, 100), (1 << 18, 50), (1 << 20, 24), (1 << 22, 12), (1 << 24, 4))
"""(bytes of a tensor, tensors) that `micro` sends in a step."""
SENT_STEPS = 12
PROBED = ((4, 200), (1 << 16, 100), (1 << 20, 24))
"""The like, sent before each model's steps: what a transfer costs in those minutes."""
PROBE_STEPS = 6
SEED = 0
