"""TF1: graphs made in code, placed in every way there is, trained in a session: prints [graph, facts] line by line."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.keras.equal import DEVICES, four_cpus

Facts = dict[str, Any]
PLAYED = DEVICES[1:]


def data(tf: Any) -> Any:
    """Eight examples in the graph, the same in every session."""
    return tf.random.stateless_normal((8, 6), [1, 2])


def adam(tf: Any) -> Any:
    """Two layers, as people wrote them."""
    v1 = tf.compat.v1
    w = v1.get_variable("w", (6, 5), use_resource=True)
    b = v1.get_variable("b", (5, 1), use_resource=True)
    loss = tf.reduce_mean((tf.tanh(data(tf) @ w) @ b - 1.0) ** 2, name="loss")
    return v1.train.AdamOptimizer(0.1).minimize(loss, name="train")


def reference_variables(tf: Any) -> Any:
    """Variables from before there were resources."""
    v1 = tf.compat.v1
    w = v1.get_variable("w", (6, 5), use_resource=False)
    b = v1.get_variable("b", (5, 1), use_resource=False)
    loss = tf.reduce_mean((tf.tanh(data(tf) @ w) @ b - 1.0) ** 2, name="loss")
    return v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, name="train")


def repeated(tf: Any) -> Any:
    """A loop of the functions of today."""
    v1 = tf.compat.v1
    x, w = data(tf), v1.get_variable("w", (6, 6), use_resource=True)
    h = v1.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(h @ w)), [tf.constant(0), x])[1]
    h = tf.cond(tf.reduce_sum(h) > 0, lambda: h * 2.0, lambda: h * 3.0)
    loss = tf.reduce_mean((h - 1.0) ** 2, name="loss")
    return v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")


def looped(tf: Any) -> Any:
    """The same loop of frames, as it was in TF1."""
    tf.compat.v1.disable_control_flow_v2()
    try:
        return repeated(tf)
    finally:
        tf.compat.v1.enable_control_flow_v2()


def with_function(tf: Any) -> Any:
    """A tf.function in the graph, and a batch that is left open."""
    v1 = tf.compat.v1
    x = v1.placeholder_with_default(data(tf), (None, 6))
    w = v1.get_variable("w", (6, 6), use_resource=True)

    @tf.function  # type: ignore[untyped-decorator] # tensorflow has no types
    def layer(x: Any, w: Any) -> Any:
        return tf.tanh(x @ w) + tf.sigmoid(x @ w)

    loss = tf.reduce_mean((layer(x, w.read_value()) - 1.0) ** 2, name="loss")
    return v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")


GRAPHS: dict[str, Callable[[Any], Any]] = {
    made.__name__: made for made in (adam, reference_variables, repeated, looped, with_function)
}


def graph_of(tf: Any, build: Callable[[Any], Any], device: Any = None) -> Any:
    """The graph of a network, its code run under a device function if there is one."""
    with tf.Graph().as_default() as graph, graph.device(device):
        tf.compat.v1.set_random_seed(3)
        build(tf)
        tf.group(tf.compat.v1.global_variables_initializer(), name="init")
    return graph


def imported(tf: Any, definition: Any, device: Any = None) -> Any:
    """The graph of a GraphDef."""
    with tf.Graph().as_default() as graph, graph.device(device):
        tf.import_graph_def(definition, name="")
    return graph


def losses(tf: Any, graph: Any, plan: Any = None) -> tuple[list[float], Any]:
    """(the losses of five steps in a session that forgives nothing, what the plan reads back)."""
    config = tf.compat.v1.ConfigProto(device_count={"CPU": 4}, allow_soft_placement=False)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.compat.v1.Session(graph=graph, config=config) as session:
        session.run("init")
        found = [float(session.run(["loss:0", "train"])[0]) for _ in range(5)]
        return found, plan.verify(session) if plan is not None else None


def trained(tf: Any, build: Callable[[Any], Any]) -> Facts:
    """The losses by every way from a plan to a session."""
    import pardnn

    asked: Facts = {"gpus": 3, "method": "round-robin"}
    plain = graph_of(tf, build)
    want, _ = losses(tf, plain)
    definition = plain.as_graph_def(add_shapes=True)

    live = graph_of(tf, build)
    plan = pardnn.place(live, devices=PLAYED, cache=False, **asked)
    result, found = losses(tf, live, plan)
    facts: Facts = {
        "falling": want[4] < want[0], "placed": result == want, "ok": found.ok, "checked": found.checked,
        "ops": plan.report.ops, "bare": plan.report.without_device, "words": plan.warnings,
        "used": sorted({op.device for op in live.get_operations()} - {""}),
    }  # fmt: skip

    again = imported(tf, definition)
    before = again.as_graph_def(add_shapes=True)
    plan = pardnn.place(again, devices=PLAYED, targets=["train"], cache=False, **asked)
    result, found = losses(tf, again, plan)
    facts |= {"imported": result == want, "imported ok": found.ok}
    plan.remove()
    plan.remove()
    cleared = again.as_graph_def(add_shapes=True)
    for graph in (cleared, before):
        graph.library.Clear()  # copies of functions stay in it, which nothing calls
    facts["removed"] = cleared == before and losses(tf, again)[0] == want

    stored = pardnn.partition(plain.as_graph_def(add_shapes=True), targets=["train"], batch_size=8, **asked)
    device = pardnn.device_function(stored, PLAYED)
    made = graph_of(tf, build, device)
    ops = [op for op in made.get_operations() if op.name in stored.placement]
    facts |= {
        "built under": losses(tf, made)[0] == want,
        "imported under": losses(tf, imported(tf, plain.as_graph_def(), device))[0] == want,
        "built elsewhere": sorted({op.type for op in ops if op.device != device(op)}),
    }
    return facts


def from_file(tf: Any) -> Facts:
    """A placed .pbtxt of the command line, imported and run."""
    from google.protobuf import text_format

    from pardnn.cli.run import run

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        plain = graph_of(tf, adam)
        want, _ = losses(tf, plain)
        path = Path(folder) / "graph.pbtxt"
        tf.io.write_graph(plain, folder, path.name)
        placed = str(path.with_suffix(".placed.pbtxt"))
        code = run(["partition", str(path), "--gpus", "2", "--targets", "train", "-o", placed, "-q"])
        text = Path(placed).read_text().replace("/device:GPU:", "/device:CPU:")  # the CPUs play the GPUs
        definition = text_format.Parse(text, tf.compat.v1.GraphDef())
    graph = imported(tf, definition)
    return {
        "code": code, "equal": losses(tf, graph)[0] == want,
        "devices": sorted({op.device[-5:] for op in graph.get_operations()} - {""}),
    }  # fmt: skip


def refused(tf: Any) -> Facts:
    """The one line of each error; the graph is as it was."""
    import pardnn
    from pardnn.errors import PardnnError

    told: Facts = {}
    want, _ = losses(tf, graph_of(tf, adam))

    def attempt(name: str, use: Callable[[Any], Any]) -> None:
        graph = graph_of(tf, adam)
        before = graph.as_graph_def()
        try:
            use(graph)
            told[name] = ["no error", 0, False]
        except PardnnError as error:
            told[name] = [str(error), error.exit_code, graph.as_graph_def() == before and losses(tf, graph)[0] == want]

    def place(graph: Any, **options: Any) -> Any:
        asked: Facts = {"gpus": 3, "devices": PLAYED, "cache": False}
        return pardnn.place(graph, **asked | options)

    def in_session(graph: Any) -> None:
        with tf.compat.v1.Session(graph=graph):
            place(graph)

    def function(_: Any) -> None:
        place(tf.function(lambda x: x).get_concrete_function(1.0).graph)

    attempt("no fit", lambda graph: place(graph, mem=100))
    attempt("session", in_session)
    attempt("target", lambda graph: place(graph, targets=["nowhere"]))
    attempt("empty", lambda _: place(tf.Graph()))
    attempt("function", function)
    attempt("no session", lambda graph: (plan := place(graph), plan.remove(), plan.verify()))
    return told


def main() -> None:
    """Answer on stdout."""
    tf = four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name, build in GRAPHS.items():
        print(json.dumps([name, trained(tf, build)]), flush=True)  # noqa: T201 - the answer
    for answer in (from_file, refused):
        print(json.dumps([answer.__name__, answer(tf)]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
