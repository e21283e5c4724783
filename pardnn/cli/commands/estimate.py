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
@click.option("--batch-size", "batches", metavar="N[,N...]", help="Of what is fed, where it is open; several: a table.")
@click.option("--samples", type=click.IntRange(1), metavar="N", help="Of an epoch, whose time is told then.")
@click.option("--epochs", type=click.IntRange(1), default=1, metavar="N", help="So many of them.  [1]")
@options.hardware
@options.mode
@options.reading_but_batch
@options.force
@options.speech
def command(
    graph: str, top: int, target: str | None, batches: str | None, samples: int | None, epochs: int, force: bool,
    as_json: bool, quiet: bool, verbose: bool, **given: Any,
) -> int:  # fmt: skip
    """Estimate the time and memory that a training step of GRAPH takes on one card, by op and by kind.

    Weights, gradients, optimiser slots, activations and workspace are told apart by what the ops do with them. Unlike
    cards (--mem 6GB,11GB --speed 1,3) are estimated one by one. The table that -o writes can be edited and given back
    with --costs measured:FILE.

    \b
    pardnn estimate graph.pb --batch-size 32 --samples 1281167 --epochs 90
    pardnn estimate graph.pb --batch-size 8,16,32,64 --gpus 4 --mem 16GB

    Times come with the band in which the truth lies for 9 of 10 ops, by where the figure comes from. Several batch
    sizes give a table, and the largest batch that 1, 2, 4, ... cards hold, each seen in a plan.
    """  # noqa: D301 - click looks for the sign itself
    from pardnn.answers.by_batch import by_batch, largest
    from pardnn.answers.by_batch import epochs as epochs_of
    from pardnn.answers.footprint import footprint, listing
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.config import Options
    from pardnn.cost.listing import write_costs
    from pardnn.report.by_batch import batches_report, epochs_fact
    from pardnn.report.footprint import footprint_report
    from pardnn.subject import pose

    sizes = _sizes(batches)
    cards = _number(given.pop("gpus")) if len(sizes) > 1 else 1
    if sizes:
        given["batch_size"] = sizes[0]
    asked = Options.of(**({"gpus": 1} if _one_card(given) else {}) | options.given(**given))
    if epochs != 1 and samples is None:
        raise click.UsageError("--epochs: of how many samples? Give --samples N")
    voice = Voice(as_json, quiet, verbose)
    inputs = files_read(graph, **given)
    outputs = Outputs.of(inputs, [target], force=force, placed=True) if target else Outputs(())
    with voice.progress() as tell:
        tell(f"reading {graph}")
        subject = pose(graph, asked)
        tell("simulating")
        found = footprint(subject, top) | {"outputs": list(outputs.paths)}
        found["epochs"] = epochs_of(subject, asked, found["steps"][0], samples, epochs)
        if len(sizes) > 1:
            found["batches"] = by_batch(subject, asked, sizes, tell)
            found["largest_batches"] = largest(subject, asked, cards, tell)
        if target:
            outputs.write([write_costs(listing(subject), as_json=target.endswith(".json"))])
    voice.warn(subject.notes)
    if as_json:
        voice.dump(found)
    else:
        page = batches_report(found["batches"], found["largest_batches"]) if sizes[1:] else footprint_report(found)
        more = [epochs_fact(found["epochs"])] if found["epochs"] else []
        voice.show(page, *more, *([f"wrote {target}"] if target else []))
    return 0


def _sizes(text: str | None) -> list[int]:
    """The batch sizes of an option, each once, in the order given."""
    parts = options.listed(text)
    if wrong := [part for part in parts if not part.strip().isdecimal() or not int(part)]:
        raise click.UsageError(f"--batch-size: {wrong[0]!r} is not a whole number from 1 on")
    return list(dict.fromkeys(int(part) for part in parts))


def _number(gpus: str | None) -> int:
    """Of cards up to which the largest batch is sought."""
    if gpus is not None and not gpus.isdecimal():
        raise click.UsageError("--gpus: with several batch sizes it is a number of cards")
    return int(gpus or 1)


def _one_card(given: dict[str, Any]) -> bool:
    """Whether nothing says that there are several, unlike ones."""
    listed = any("," in str(given[name]) for name in ("mem", "speed") if given[name] is not None)
    return given["machine"] is None and not listed
