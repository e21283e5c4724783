"""`pardnn simulate`: one step under a given plan."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="One step's time and memory under a given plan.")
@options.graph_argument
@options.plan_argument
@options.hardware
@options.mode
@options.reading
@options.pictures
@options.force
@options.speech
def command(graph: str, plan: str, force: bool, as_json: bool, quiet: bool, verbose: bool, **given: Any) -> int:
    """Time and memory of one step of GRAPH under PLAN, a file that may also be written by hand.

    Control edges of the plan that the graph cannot have are left out and told. Options are the plan's unless given.
    If the plan does not fit, the result is printed all the same, the error says which op overfills which device and
    when, and the exit code is 3.
    """
    from pardnn.answers.overflow import overflow
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.cli.pictures import Pictures
    from pardnn.cli.stored import follow_stored

    voice = Voice(as_json, quiet, verbose)
    pictures = Pictures.taken(given)
    outputs = Outputs.named(files_read(graph, plan, **given), pictures.paths, force=force)
    with voice.progress() as tell:
        made, _ = follow_stored(graph, plan, options.given(**given), tell)
        if outputs.paths:
            tell("writing")
            outputs.write(pictures.contents(made, outputs.paths))
    voice.report(pictures.noted(made), outputs.paths)
    if not made.fits:
        raise overflow(made)
    return 0
