"""`pardnn estimate`: what a step takes, before training."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="Time and memory per op and in total, before training.")
@options.graph_argument
@click.option("--top", default=10, show_default=True, type=click.IntRange(0), help="Ops that are shown one by one.")
@click.option(
    "-o", "--output", "target", metavar="FILE.csv|.json", help="Write the costs per op, for --costs measured:FILE."
)
@options.hardware
@options.mode
@options.reading
@options.force
@options.speech
def command(
    graph: str, top: int, target: str | None, force: bool, as_json: bool, quiet: bool, verbose: bool, **given: Any
) -> int:
    """Estimate the time and memory that a training step of GRAPH takes on one card, by op and by kind.

    Weights, gradients, optimiser slots, activations and workspace are told apart by what the ops do with them. Unlike
    cards (--mem 6GB,11GB --speed 1,3) are estimated one by one. The table that -o writes can be edited and given back
    with --costs measured:FILE.
    """
    from pardnn.answers.footprint import footprint, listing
    from pardnn.cli.outputs import Outputs
    from pardnn.config import Options
    from pardnn.cost.listing import write_costs
    from pardnn.report.footprint import footprint_report
    from pardnn.subject import pose

    asked = Options.of(**({"gpus": 1} if _one_card(given) else {}) | options.given(**given))
    voice = Voice(as_json, quiet, verbose)
    outputs = Outputs.of([graph], [target], force=force, placed=True) if target else Outputs(())
    with voice.progress() as tell:
        tell(f"reading {graph}")
        subject = pose(graph, asked)
        tell("simulating")
        found = footprint(subject, top) | {"outputs": list(outputs.paths)}
        if target:
            outputs.write([write_costs(listing(subject), as_json=target.endswith(".json"))])
    voice.warn(subject.notes)
    if as_json:
        voice.dump(found)
    else:
        voice.show(footprint_report(found), *([f"wrote {target}"] if target else []))
    return 0


def _one_card(given: dict[str, Any]) -> bool:
    """Whether nothing says that there are several, unlike ones."""
    listed = any("," in str(given[name]) for name in ("mem", "speed") if given[name] is not None)
    return given["machine"] is None and not listed
