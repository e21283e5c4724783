"""`pardnn apply`: a stored plan on a graph."""

from __future__ import annotations

import time
from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="Put a stored plan on a graph.")
@options.graph_argument
@options.plan_argument
@click.option("-o", "--output", multiple=True, required=True, metavar="FILE", help="The placed graph.")
@options.hardware
@options.mode
@options.reading
@options.force
@options.speech
def command(
    graph: str, plan: str, output: tuple[str, ...], force: bool, as_json: bool, quiet: bool, verbose: bool, **given: Any
) -> int:
    """Write GRAPH with the devices of PLAN.

    The graph may have changed since: new ops go where most of their neighbours are, ops that are gone do not matter. If
    over 2 % of the ops do not match, that is an error. Options are the plan's unless given.
    """
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.cli.pictures import Pictures
    from pardnn.cli.stored import follow_stored
    from pardnn.report.words import count

    voice = Voice(as_json, quiet, verbose)
    inputs = files_read(graph, plan, **given)
    Outputs.of(inputs, output, force=force, placed=True)
    with voice.progress() as tell:
        made, match = follow_stored(graph, plan, options.given(**given), tell)
        outputs = Outputs.of(inputs, output, force=force, placed=made.subject.file is not None)
        started = time.perf_counter()
        outputs.write(Pictures().contents(made, outputs.paths))
        seconds = time.perf_counter() - started
    sizes = {"matched": match.matched, "new": len(match.new), "gone": len(match.gone)}
    voice.report(
        made, outputs.paths, seconds, extra={**sizes, "new_ops": list(match.new), "gone_ops": list(match.gone)},
        more=f"{count(match.matched, 'op')} matched, {len(match.new)} new, {len(match.gone)} gone",
    )  # fmt: skip
    return 0
