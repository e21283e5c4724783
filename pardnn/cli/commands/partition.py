"""`pardnn partition`: decide, and write the placed graph and the plan."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice
from pardnn.errors import CUT_SHORT

if TYPE_CHECKING:
    from pardnn.cli.voice import Progress
    from pardnn.plan import Plan


@click.command(short_help="Decide which op runs where; write placed graph and plan.")
@options.graph_argument
@options.hardware
@options.method
@options.mode
@options.search
@options.control_edges
@options.reading
@click.option(
    "-o", "--output", multiple=True, metavar="FILE", help="NAME.placement.json is the plan, any other the graph."
)
@options.pictures
@options.force
@click.option("--no-alternatives", is_flag=True, help="Do not compare with data parallelism.")
@click.option("--dry-run", is_flag=True, help="Decide and print; write no graph, no plan.")
@options.speech
def command(
    graph: str,
    output: tuple[str, ...],
    force: bool,
    no_alternatives: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Decide which op of GRAPH runs on which device.

    GRAPH is a GraphDef, MetaGraphDef or SavedModel, binary or text, perhaps gzipped, or a cost graph (JSON). Without -o
    the results are STEM.placed.EXT and STEM.placement.json in the current directory. Where fewer GPUs hold the step
    too, replicas on them are set beside it: 8 GPUs as 1x8, 2x4, 4x2, 8x1.

    Ctrl-C during a search ends it with the best so far (exit 4); pressed again it leaves nothing.
    """
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.cli.pictures import Pictures
    from pardnn.pipeline import prepare, solve
    from pardnn.report.html.sections.replicas import beside
    from pardnn.report.replicas import replicas_report

    pictures = Pictures.taken(given)
    inputs = files_read(graph, **given)
    asked = options.asked(**given)
    voice = Voice(as_json, quiet, verbose)

    def targets(placed: bool) -> Outputs:
        if dry_run:
            return Outputs.named(inputs, pictures.paths, force=force)
        return Outputs.of(inputs, output, force=force, placed=placed, also=pictures.paths)

    targets(placed=bool(output))  # what can be known before the graph is read is told before
    with voice.progress() as tell:
        tell(f"reading {graph}")
        subject = prepare(graph, asked)
        outputs = targets(placed=subject.file is not None)
        plan = solve(subject, asked, tell, patient=True, reach=tell.reach)
        found, cut_short = (None, plan.timed_out) if no_alternatives or plan.timed_out else _beside(plan, tell)
        if found is not None and pictures.html is not None:
            pictures.sections.append(beside(found))
        tell("writing")
        started = time.perf_counter()
        outputs.write(pictures.contents(plan, outputs.paths))
        plan = pictures.noted(plan)
        seconds = time.perf_counter() - started
    if found is None:
        voice.report(plan, outputs.paths, seconds)
    else:
        voice.report(plan, outputs.paths, seconds, {"alternatives": found}, replicas_report(found))
    return CUT_SHORT if cut_short else 0


def _beside(plan: Plan, tell: Progress) -> tuple[dict[str, Any] | None, bool]:
    """Data parallelism beside the plan, and whether Ctrl-C ended the look at it: the plan itself is not lost then."""
    from pardnn.answers.replicas import replicas

    try:
        return replicas(plan, tell), False
    except KeyboardInterrupt:
        tell("interrupted: the plan is there, what data parallelism would do is not")
        return None, True
