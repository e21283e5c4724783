"""`pardnn scale`: what a step takes on many workers."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice
from pardnn.errors import CUT_SHORT


class _Strategy(click.Option):
    """Its help names what is registered; that is looked up only where it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """As click does."""
        from pardnn.registry import strategies

        self.help = "; ".join(f"{name}: {entry.summary}" for name, entry in strategies.all().items()) + "."
        return super().get_help_record(ctx)


@click.command(short_help="Step time by number of workers, each of one GPU or several.")
@options.graph_argument
@click.option("--workers", default="1,2,4,8,16,32,64", show_default=True, metavar="N,N,...")
@click.option("--sync", cls=_Strategy, default="ring", show_default=True, metavar="NAME")
@click.option("--overlap/--no-overlap", default=True, show_default=True, help="Send while the backward pass goes on.")
@click.option("--fusion", default="64MB", show_default=True, metavar="SIZE", help="Gradients go together up to it.")
@click.option("--partition", default="0", metavar="SIZE", help="Larger ones go in pieces of it.  [0: whole]")
@click.option("--compression", default="none", show_default=True, metavar="NAME|X", help="fp16, int8, or a share.")
@click.option(
    "--priority", type=click.Choice(("ready", "layer")), default="ready", show_default=True,
    help="layer: first what the next step needs first, which then starts before all is there.",
)  # fmt: skip
@click.option("--hosts", type=int, metavar="N", help="The most workers are spread over so many hosts.")
@click.option("--gpus-per-host", type=click.IntRange(1), metavar="N", help="[the machine's, else 8]")
@click.option("--gpus-per-replica", type=click.IntRange(1), metavar="N", help="A worker is so many GPUs.  [1]")
@click.option("--plan", metavar="PLAN", help="A worker is what this plan says: model and data parallel.")
@click.option("--link", metavar="NAME|FILE|T,R", help="Between GPUs of a host: a preset, a file, or 10us,12GB/s.")
@click.option("--network", metavar="NAME|FILE|T,R", help="Between hosts, likewise.  [the link's or the machine's]")
@click.option("--servers", type=click.IntRange(1), metavar="N", help="Of --sync ps.  [one a host]")
@click.option("--samples", type=click.IntRange(1), metavar="N", help="Of an epoch, whose time is told then.")
@click.option("--epochs", type=click.IntRange(1), default=1, metavar="N", help="[1]")
@click.option("-o", "--output", metavar="FILE.csv", help="Write the table.")
@click.option("--plot", metavar="FILE.png", help="Draw it; needs matplotlib.")
@click.option("--machine", metavar="NAME|FILE.toml", help="See `pardnn machines`.  [pcie3]")
@click.option("--mem", metavar="SIZE", help="Memory per GPU, such as 16GB; or unlimited.  [the machine's]")
@click.option("--mem-fraction", metavar="X", help="Share of the memory that may be planned with.  [0.9]")
@click.option("--latency", metavar="TIME", help="Of a transfer between GPUs, such as 10us.  [the machine's]")
@click.option("--bandwidth", metavar="RATE", help="Between GPUs, such as 12GB/s.  [the machine's]")
@options.method
@options.mode
@options.reading
@options.search
@options.html
@options.force
@options.speech
def command(
    graph: str, workers: str, plan: str | None, gpus_per_replica: int | None, samples: int | None, epochs: int,
    output: str | None, plot: str | None, html: str | None, force: bool, as_json: bool, quiet: bool, verbose: bool,
    **given: Any,
) -> int:  # fmt: skip
    """Simulate one step of GRAPH on N equal workers, each with a batch of its own, for each N.

    \b
    pardnn scale graph.pb --workers 1,2,4,8,16 --batch-size 32 --samples 1281167 --epochs 90
    pardnn scale graph.pb --machine dgx-a100 --sync hierarchical --workers 8,64,512 --plot scaling.png
    pardnn scale graph.pb --gpus-per-replica 4 --link 10us,12GB/s --network 50us,2.9GB/s
    pardnn scale graph.pb --costs measured:costs.csv --machine here.toml    # both from `pardnn profile`

    The gradients of a training step are found by what the optimizer does with them, and synchronised as they become
    ready. All workers do the same at the same time, so one of them stands for all. The scaling factor is the time of a
    step alone over that of a step among N. Stragglers, input pipelines and what a transfer costs the ops beside it are
    not simulated.
    """  # noqa: D301 - click looks for the sign itself
    from pardnn.answers.scaling import scale
    from pardnn.cli.outputs import Outputs, files_read
    from pardnn.placers.atomic import write_files

    voice = Voice(as_json, quiet, verbose)
    paths = [path for path in (output, plot, html) if path is not None]
    Outputs.named(files_read(graph, plan, **given), paths, force=force)
    with voice.progress() as tell:
        found = scale(
            graph, _numbers(workers), plan=plan, gpus_per_replica=gpus_per_replica, samples=samples, epochs=epochs,
            tell=tell, **options.given(**given),
        )  # fmt: skip
        result = found.as_dict() | {"outputs": paths}
        files = [(output, found.csv())] if output else []
        if plot:
            from pardnn.report.scaling import scaling_plot

            files.append((plot, scaling_plot(result)))
        if html:
            from pardnn.cli.pages import scaled

            files.append((html, scaled(result)))
        write_files(files, force=force)
    voice.warn(found.warnings)
    if as_json:
        voice.dump(result)
    else:
        from pardnn.report.scaling import scaling_report

        voice.show(scaling_report(result), *([f"wrote {', '.join(paths)}"] if paths else []))
    return CUT_SHORT if found.timed_out else 0


def _numbers(text: str) -> list[int]:
    parts = options.listed(text.replace(" ", ""))
    if not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise click.UsageError(f"--workers: {text!r} is no list of numbers such as 1,2,4")
    return [int(part) for part in parts]
