"""`pardnn diff`: what changed from one plan to another."""

from __future__ import annotations

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="What changed from one plan to another.")
@click.argument("old", metavar="PLAN")
@click.argument("new", metavar="PLAN")
@options.speech
def command(old: str, new: str, as_json: bool, quiet: bool, verbose: bool) -> int:
    """Show which ops moved between two plans, by name scope, and the change in time, memory and bytes sent.

    The figures are those that the plans themselves expect. Nothing is simulated; no graph is needed.
    """
    from pardnn.answers.difference import difference
    from pardnn.placers.plan import read_plan
    from pardnn.report.difference import difference_report

    voice = Voice(as_json, quiet, verbose)
    found = difference(read_plan(old), read_plan(new))
    if as_json:
        voice.dump(found | {"old": old, "new": new})
        return 0
    voice.warn(found["notes"])
    voice.show(difference_report(found))
    return 0
