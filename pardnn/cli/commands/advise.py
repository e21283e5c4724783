"""`pardnn advise`: what would make a step fit."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="What would make a step fit: memory, GPUs, batch, host memory.")
@options.graph_argument
@options.hardware
@options.method
@options.mode
@options.search
@options.reading
@click.option(
    "-o", "--output", metavar="FOLDER", help="Write each changed graph there, as a cost graph, with its plan."
)
@options.force
@options.speech
def command(
    graph: str, output: str | None, force: bool, as_json: bool, quiet: bool, verbose: bool, **given: Any
) -> int:
    """Say what would make GRAPH fit, or what else would hold it where it does.

    The smallest memory that works; the fewest GPUs; the largest batch on 1, 2, 4, ... of them, and several batches with
    their gradients summed; activations computed again; activations and optimizer slots kept on the host. Each is a
    placement of the changed step that was simulated and fits. Batches need --batch-size and a graph that leaves it
    open. With -o a graph that is another one is written, to look at or to check with `pardnn simulate`.
    """
    from pardnn.answers.advice import advice
    from pardnn.answers.changed import NAMES, files
    from pardnn.cli.outputs import Folder
    from pardnn.pipeline import prepare
    from pardnn.report.advice import advice_report

    asked = options.asked(**given)
    voice = Voice(as_json, quiet, verbose)
    folder = Folder.of([graph], output, NAMES, force=force) if output is not None else None
    with voice.progress() as tell:
        tell(f"reading {graph}")
        subject = prepare(graph, asked)
        told = advice(subject, asked, tell)
        written = folder.write(files(told.pieces)) if folder is not None else []
    found = told.result() | {"outputs": written}
    voice.warn(subject.notes)
    if as_json:
        voice.dump(found)
    else:
        voice.show(advice_report(found), *([f"wrote {', '.join(written)}"] if written else []))
    return 0
