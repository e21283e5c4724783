"""`pardnn check`: does a stored plan still hold on a graph?"""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="For CI: does a plan still hold on a graph? Exit 0 or 3.")
@options.graph_argument
@options.plan_argument
@click.option("--max-makespan", metavar="+X%|TIME", help="Longest step: above what the plan expects, or a time.")
@options.hardware
@options.mode
@options.reading
@options.speech
def command(
    graph: str, plan: str, max_makespan: str | None, as_json: bool, quiet: bool, verbose: bool, **given: Any
) -> int:
    """Say whether PLAN still holds on GRAPH, which may have changed since it was made.

    It holds where at most 2 % of the ops of either are unknown to the other, groups are whole, pinned ops and those
    without a GPU kernel are in their place, no device is over its limit, and a step takes at most --max-makespan.
    Control edges of the plan that the graph cannot have are left out and told; what the step is like without them
    decides. Options are the plan's unless given. Exit code 3, and one line that says why, where it does not.
    """
    from pardnn.answers.holding import Limit, broken, reasons
    from pardnn.cli.stored import follow_stored
    from pardnn.placers.plan import read_plan
    from pardnn.report.check import holds

    voice = Voice(as_json, quiet, verbose)
    limit = None if max_makespan is None else Limit.of(max_makespan)
    expected = read_plan(plan).expected
    most_ns = None if limit is None else limit.most_ns(expected, plan)
    with voice.progress() as tell:
        made, match = follow_stored(graph, plan, options.given(**given), tell, unmatched=1.0)
    why = reasons(made, match, most_ns)
    found = {
        "format": "pardnn-check/1",
        "holds": not why,
        "reasons": why,
        "matched": match.matched,
        "new_ops": list(match.new),
        "gone_ops": list(match.gone),
        "control_edges_left_out": match.edges_left_out,
        "expected_us": expected.get("makespan_us"),
        "max_makespan_us": None if most_ns is None else most_ns / 1000,
        **{name: value for name, value in made.result().items() if name not in ("format", "outputs")},
    }
    voice.warn(match.notes)
    if as_json:
        voice.dump(found)
    elif not why:
        voice.show(holds(found))
    if why:
        raise broken(why)
    return 0
