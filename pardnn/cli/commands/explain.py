"""`pardnn explain`: why an op sits where it sits."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="Why an op sits there, and what the second best would cost.")
@options.graph_argument
@options.plan_argument
@click.argument("op")
@options.hardware
@options.mode
@options.reading
@options.speech
def command(graph: str, plan: str, op: str, as_json: bool, quiet: bool, verbose: bool, **given: Any) -> int:
    """Say why OP of GRAPH sits where PLAN has it: its group, its neighbours, whether it is critical.

    Its group is simulated on every other GPU, which tells what the second best would cost. Options are the plan's
    unless given.
    """
    from pardnn.answers.reasons import explain
    from pardnn.cli.stored import follow_stored
    from pardnn.report.explain import sentences

    voice = Voice(as_json, quiet, verbose)
    with voice.progress() as tell:
        made, _ = follow_stored(graph, plan, options.given(**given), tell)
        tell("simulating it elsewhere")
        why = explain(made, op)
    voice.warn(made.warnings)
    if as_json:
        voice.dump({"format": "pardnn-explanation/1", **asdict(why)})
    else:
        voice.show(*sentences(why))
    return 0
