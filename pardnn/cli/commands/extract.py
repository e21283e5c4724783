"""`pardnn extract`: a Keras model's training step as a graph file."""

from __future__ import annotations

import click

from pardnn.cli import options


@click.command(short_help="Write a Keras model's training step as a graph file.")
@click.argument("model")
@click.option("-o", "--output", required=True, metavar="FILE", help="The GraphDef: NAME.pb binary, NAME.pbtxt text.")
@click.option("--batch-size", type=click.IntRange(min=1), metavar="N", help="Where the model leaves it open.")
@options.force
def command(model: str, output: str, batch_size: int | None, force: bool) -> int:
    """Write the training step of MODEL: forward, loss, backward, update, metrics; variables are made in it.

    MODEL is module:function or file.py:function; the function takes no arguments and returns a compiled Keras model, or
    (model, x, y) with the data or specifications of a batch. Needs TensorFlow.
    """
    from pardnn.cli.hush import hushed, quieten
    from pardnn.cli.outputs import Outputs
    from pardnn.placers.extract import TRAIN_OP, extracted, made_by
    from pardnn.placers.needs import require_tensorflow

    outputs = Outputs.named([model.rpartition(":")[0] or model], [output], force=force)
    quieten()
    with hushed():
        require_tensorflow()
    graph, batch = extracted(made_by(model), model, batch_size)
    if output.endswith((".pbtxt", ".txt")):
        from google.protobuf import text_format

        data = text_format.MessageToString(graph).encode()
    else:
        data = graph.SerializeToString(deterministic=True)
    outputs.write([data])
    size = f"batch size {batch}" if batch else "batch size open"
    click.echo(f"{output}: {len(graph.node)} nodes, {size}; the step is the op {TRAIN_OP!r}")
    return 0
