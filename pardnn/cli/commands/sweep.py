"""`pardnn sweep`: many graphs, methods and machines; goes on where it was stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice

_LINE_EVERY_S = 10.0


@click.command(short_help="Many graphs, methods and machines; resumable.")
@click.argument("config", metavar="CONFIG.toml")
@click.option("-o", "--output", metavar="FOLDER", help="Where cells, table and plots go.  [STEM.sweep]")
@click.option("--backend", default="local", show_default=True, metavar="NAME", help="local, dask or ray.")
@click.option("--scheduler", metavar="ADDRESS", help="A running cluster's.  [dask, ray: one made here]")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Cells at once on this machine.  [its cores]")
@click.option("--dry-run", is_flag=True, help="Say how many cells there are, and how many are left.")
@options.html
@options.force
@options.speech
def command(
    config: str, output: str | None, backend: str, scheduler: str | None, jobs: int | None, dry_run: bool,
    html: str | None, force: bool, as_json: bool, quiet: bool, verbose: bool,
) -> int:  # fmt: skip
    """Decide every graph by every method on every machine of CONFIG.toml; one row each in a table.

    \b
    graphs = ["graphs/*.json.gz", "model.pbtxt"]     # relative to this file
    methods = ["auto", "heft", "metis"]              # or "all"
    machines = ["pcie3", "lab.toml"]
    gpus = [2, 4, 8]

    Any of hosts, mem, speed, latency, bandwidth, mem_fraction, order, contention, batch_size, costs, effort and seed
    may be a value or a list too; time_limit, targets, pin, keep_devices and tf_shapes hold for all cells.

    FOLDER gets table.parquet, table.csv, seconds.csv (durations, which differ from run to run, stand only there),
    relative.png, speedup.png and heatmap.png. Each finished cell is kept in FOLDER/cells at once: after a kill the same
    command goes on, and when the file asks for more, only that is done. A cell is known by the content of its files,
    its options and the version of pardnn.

    What does not fit or cannot be read is a row with the reason. Needs `pip install 'pardnn[experiments]'`.
    """  # noqa: D301 - click looks for the sign itself
    from pardnn.cli.outputs import Outputs
    from pardnn.cli.pages import swept as page
    from pardnn.experiments.backend import backends
    from pardnn.experiments.config import read_config
    from pardnn.experiments.store import Store
    from pardnn.experiments.sweep import sweep

    voice = Voice(as_json, quiet, verbose)
    run = backends.get(backend).make(jobs, scheduler)
    cells = read_config(config).cells()
    store = Store(Path(output or f"{Path(config).stem}.sweep"))
    report = Outputs.named([config], [html] if html is not None else [], force=force)
    if dry_run:
        there = sum(store.get(cell.key) is not None for cell in cells)
        found = {"format": "pardnn-sweep/1", "cells": len(cells), "kept": there}
        voice.dump(found) if as_json else voice.show(f"{len(cells):,} cells, {len(cells) - there:,} of them to do")
        return 0
    with voice.progress(line_every_s=_LINE_EVERY_S) as tell:
        try:
            swept = sweep(cells, store, run, tell)
        except KeyboardInterrupt:
            voice.warn([f"what is finished is kept in {store.folder}: the same command goes on from there"])
            raise
    report.write([page(config, swept)] * len(report.paths))
    _tell(voice, replace(swept, outputs=(*swept.outputs, *report.paths)))
    return 0


def _tell(voice: Voice, swept: Any) -> None:
    from pardnn.experiments.ratios import summary
    from pardnn.report.sweep import sweep_report

    lines = summary(swept.pairs)
    if voice.as_json:
        result = {"format": "pardnn-sweep/1", "cells": len(swept.pairs), "kept": swept.kept}
        methods = [line._asdict() for line in lines]
        voice.dump({**result, "status": dict(swept.status), "methods": methods, "outputs": list(swept.outputs)})
        return
    voice.show(sweep_report(lines, swept.status, swept.kept), f"wrote {', '.join(swept.outputs)}")
