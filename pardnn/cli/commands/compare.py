"""`pardnn compare`: several methods side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice

if TYPE_CHECKING:
    from pardnn.cli.voice import Progress
    from pardnn.config import Options
    from pardnn.subject import Subject


@click.command(short_help="Several methods side by side.")
@click.argument("graphs", metavar="GRAPH...", nargs=-1, required=True)
@click.option("--methods", metavar="A,B,...", help="See `pardnn methods`.  [all of them]")
@options.hardware
@options.mode
@options.search
@options.reading
@options.html
@options.force
@options.speech
def command(
    graphs: tuple[str, ...], methods: str | None, html: str | None, force: bool, as_json: bool, quiet: bool,
    verbose: bool, **given: Any,
) -> int:  # fmt: skip
    """Decide GRAPH by several methods and show what each costs. Nothing is written but the report of --html.

    A method that finds no placement within the memory limits is a row with the reason; where that is true of all
    methods, the exit code is 3.
    """
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.cli.pages import compared
    from pardnn.errors import DoesNotFit, InputError
    from pardnn.methods import method, summaries
    from pardnn.subject import pose

    asked = options.asked(**given)
    names = list(dict.fromkeys(filter(None, methods.split(",")))) if methods else list(summaries())
    if not names:
        raise InputError(f"--methods {methods}: names no method; see `pardnn methods`")
    for name in names:
        method(name)  # an unknown one is told before the work
    outputs = Outputs.named(files_read(*graphs, **given), [html] if html is not None else [], force=force)
    voice = Voice(as_json, quiet, verbose)
    results: list[dict[str, Any]] = []
    with voice.progress() as tell:
        for graph in graphs:
            tell(f"reading {graph}")
            subject = pose(graph, asked)
            rows = [_row(subject, replace(asked, method=name), tell, at / len(names)) for at, name in enumerate(names)]
            if not as_json:
                _show(voice, subject, rows)
            results += rows
    outputs.write([compared(results, asked)] * len(outputs.paths))
    if as_json:
        voice.dump({"format": "pardnn-comparison/1", "results": results, "outputs": list(outputs.paths)})
    elif outputs.paths:
        voice.show(f"wrote {', '.join(outputs.paths)}")
    if all(row["error"] for row in results):
        raise DoesNotFit("no method found a placement within the memory limits; `pardnn partition` says what would do")
    return 0


def _row(subject: Subject, asked: Options, tell: Progress, share: float) -> dict[str, Any]:
    """The result of a method, or its error."""
    from pardnn.experiments.outcome import answer

    tell(f"{subject.name}: {asked.method}", share)
    return answer(subject, asked)


def _show(voice: Voice, subject: Subject, rows: list[dict[str, Any]]) -> None:
    from pardnn.report.compare import comparison_report

    voice.warn(subject.notes)
    voice.show(comparison_report(subject.name, rows))
