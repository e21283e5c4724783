"""`pardnn inspect`: what was read."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="What was read: nodes, groups, loops, shapes, devices.")
@options.graph_argument
@click.option("--export", "target", metavar="FILE.json[.gz]", help="Write the graph with its costs as a cost graph.")
@options.hardware
@options.reading
@options.force
@options.speech
def command(
    graph: str, target: str | None, force: bool, as_json: bool, quiet: bool, verbose: bool, **given: Any
) -> int:
    """Show what PARDNN understands of GRAPH, before anything is decided."""
    from pardnn.answers.survey import export, survey
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.config import Options
    from pardnn.readers.costgraph import write_cost_graph
    from pardnn.report.survey import survey_report
    from pardnn.subject import pose

    # The graph is what matters here; without a number of GPUs it is looked at as on one.
    asked = Options.of(**({"gpus": 1} if given["machine"] is None else {}) | options.given(**given))
    voice = Voice(as_json, quiet, verbose)
    inputs = files_read(graph, **given)
    outputs = Outputs.of(inputs, [target], force=force, placed=True) if target else Outputs(())
    with voice.progress() as tell:
        tell(f"reading {graph}")
        subject = pose(graph, asked)
        found = survey(subject) | {"outputs": list(outputs.paths)}
        if target:
            outputs.write([write_cost_graph(export(subject), packed=target.endswith(".gz"))])
    voice.warn(subject.notes)
    if as_json:
        voice.dump(found)
    else:
        voice.show(survey_report(found), *([f"wrote {target}"] if target else []))
    return 0
