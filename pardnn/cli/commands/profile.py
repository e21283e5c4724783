"""`pardnn profile`: what the ops of a training step really take."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="Measure time and memory per op over a few real steps.")
@click.argument("graph", metavar="MODEL|GRAPH")
@click.option("-o", "--output", metavar="FILE.csv|.json", help="Write the costs per op, for --costs measured:FILE.")
@click.option("--steps", default=10, show_default=True, type=click.IntRange(1), help="Steps that are traced.")
@click.option("--warmup", default=3, show_default=True, type=click.IntRange(0), help="Steps before, not counted.")
@click.option("--batch-size", type=click.IntRange(1), metavar="N", help="Where the model or the graph leaves it open.")
@click.option("--targets", metavar="OP,...", help="What a step of GRAPH runs.  [found by itself]")
@click.option("--feeds", metavar="FILE.npz", help="Arrays by placeholder name.  [drawn]")
@click.option("--threads", type=click.IntRange(1), metavar="N", help="CPU threads that an op may use.  [all]")
@click.option("--machine-out", metavar="FILE.toml", help="Measure the link between two devices; a file for --machine.")
@click.option("--cluster", metavar="HOST:PORT,...", help="Measure it between the first two hosts that `serve`.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(0), help="Ops that are shown one by one.")
@options.force
@options.speech
def command(
    graph: str, output: str | None, steps: int, warmup: int, batch_size: int | None, targets: str | None,
    feeds: str | None, threads: int | None, machine_out: str | None, cluster: str | None, top: int, force: bool,
    as_json: bool, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Run a few training steps on this machine and write what each op takes: the GPU if there is one, else the CPU.

    MODEL is module:function or file.py:function and returns a compiled Keras model, or (model, x, y) with a batch.
    GRAPH is a graph file with a training step; its variables get small numbers, its placeholders drawn data. Needs
    TensorFlow.

    \b
    pardnn profile train.py:build --batch-size 32 -o costs.csv
    pardnn extract train.py:build --batch-size 32 -o graph.pb
    pardnn partition graph.pb --gpus 4 --costs measured:costs.csv
    pardnn profile graph.pbtxt --feeds batch.npz -o costs.csv --machine-out here.toml

    Ops run one at a time, so that their times do not overlap, and under their own names: TensorFlow's graph rewriting
    is off. What tracing costs is told. --costs measured:FILE also takes a RunMetadata.pb of your own session as it is.
    """  # noqa: D301 - click looks for the sign itself
    from pardnn.cli.hush import hushed, quieten
    from pardnn.cli.outputs import Outputs
    from pardnn.placers.feeds import read_feeds
    from pardnn.placers.needs import require_tensorflow
    from pardnn.placers.profile import start
    from pardnn.profiling.link import measured_machine
    from pardnn.profiling.run import profile

    quieten()
    voice = Voice(as_json, quiet, verbose)
    inputs = [graph, graph.rpartition(":")[0] or graph, *([feeds] if feeds else [])]
    outputs = Outputs.named(inputs, [path for path in (output, machine_out) if path is not None], force=force)
    if cluster and not machine_out:
        raise click.UsageError("--cluster is for --machine-out FILE.toml")
    given = read_feeds(feeds) if feeds else None
    with hushed():
        require_tensorflow()
        start(threads)
    with voice.progress() as tell:
        link, machine = "", b""
        if machine_out:
            tell("measuring the link")
            machine, link = measured_machine(options.listed(cluster))
        found = profile(
            graph, steps=steps, warmup=warmup, batch_size=batch_size, targets=options.listed(targets), feeds=given,
            tell=tell,
        )  # fmt: skip
        contents = [found.content(as_json=output.endswith(".json"))] if output else []
        outputs.write([*contents, machine] if machine_out else contents)
    _tell(voice, found.result(top) | {"link": link or None, "outputs": list(outputs.paths)})
    return 0


def _tell(voice: Voice, found: dict[str, Any]) -> None:
    from pardnn.report.profile import profile_report

    voice.warn(found["warnings"])
    if voice.as_json:
        voice.dump(found)
        return
    link = [f"link         {found['link']}"] if found["link"] else []
    written = [f"wrote {', '.join(found['outputs'])}"] if found["outputs"] else []
    voice.show(profile_report(found), *link, *written)
