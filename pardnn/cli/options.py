"""Options that several commands share. Each is None unless given: the default is `Options`' own, or the plan's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pardnn.config import CONTENTIONS, EFFORTS, ORDERS, Options

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]

graph_argument = click.argument("graph")
plan_argument = click.argument("plan")

gpus = click.option("--gpus", metavar="N|IDS", help="How many GPUs (4), or which (1,3); with --hosts in each.")
_hardware: tuple[Option, ...] = (
    click.option("--hosts", type=int, metavar="N", help="So many equal hosts, on the machine's network.  [1]"),
    click.option(
        "--mem", metavar="SIZE[,SIZE...]", help="Memory per GPU, such as 16GB; or unlimited.  [the machine's]"
    ),
    click.option("--machine", metavar="NAME|FILE.toml", help="See `pardnn machines`.  [pcie3]"),
    click.option("--speed", metavar="X[,X...]", help="Speed of each GPU beside the machine's.  [1]"),
    click.option("--latency", metavar="TIME", help="Of a transfer between GPUs, such as 10us.  [the machine's]"),
    click.option("--bandwidth", metavar="RATE", help="Between GPUs, such as 12GB/s.  [the machine's]"),
    click.option("--mem-fraction", metavar="X", help="Share of the memory that may be planned with.  [0.9]"),
)
_mode: tuple[Option, ...] = (
    click.option("--order", type=click.Choice(ORDERS), help="Which ready op a device takes next.  [fifo]"),
    click.option("--contention", type=click.Choice(CONTENTIONS), help="Whether transfers wait for links.  [link]"),
)
_batch_size = click.option(
    "--batch-size", type=int, metavar="N", help="Leading dimension of what is fed, where it is open."
)
_reading: tuple[Option, ...] = (
    click.option("--targets", metavar="OP,...", help="What a step runs; the rest is pruned.  [found by itself]"),
    click.option("--pin", metavar="FILE", help="Lines `op-or-scope device`: ops that stay there."),
    click.option("--keep-devices", is_flag=True, default=None, help="Devices in the file are pins, not cleared."),
    click.option(
        "--tf-shapes", is_flag=True, default=None, help="Let TensorFlow, if installed, infer shapes that stay open."
    ),
    click.option("--costs", metavar="MODEL", help="auto, roofline or measured:FILE.  [auto]"),
)
method = click.option("--method", metavar="NAME", help="See `pardnn methods`.  [auto]")
_search: tuple[Option, ...] = (
    click.option(
        "--effort",
        type=click.Choice(EFFORTS),
        help="How long to search; live: no longer than tracing; best: to the limit, else 3 minutes.  [balanced]",
    ),
    click.option("--seed", type=int, metavar="N", help="For methods that draw lots.  [0]"),
    click.option("--time-limit", metavar="TIME", help="Stop the search with the best so far (exit 4), such as 30s."),
)
control_edges = click.option(
    "--control-edges", is_flag=True, default=None, help="Order the ops by edges too: few, no cycle, inputs change."
)
_speech: tuple[Option, ...] = (
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but an error."),
    click.option("-v", "--verbose", is_flag=True, help="Say what is being done."),
    click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."),
)
html = click.option("--html", metavar="FILE.html", help="Write a report to look at in a browser.")
_pictures: tuple[Option, ...] = (
    html,
    click.option("--trace", metavar="FILE.json.gz", help="Write the step as a timeline, for Perfetto."),
    click.option(
        "--max-events", type=click.IntRange(1000), metavar="N", help="At most so many in the timeline.  [1000000]"
    ),
)
force = click.option("--force", is_flag=True, help="Replace output files that exist.")


def _all(options: Sequence[Option]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


hardware = _all((gpus, *_hardware))
"""What the machine is."""
mode = _all(_mode)
reading = _all((_batch_size, *_reading))
"""How the graph is understood."""
reading_but_batch = _all(_reading)
search = _all(_search)
pictures = _all(_pictures)
"""Files that show a plan; `pardnn.cli.pictures` takes them from what was given."""
speech = _all(_speech)
"""How the answer is given: as_json, quiet, verbose."""


def listed(text: str | None) -> tuple[str, ...]:
    """The parts of a text between its commas."""
    return tuple(part for part in (text or "").split(",") if part)


def given(**options: Any) -> dict[str, Any]:
    """The options that were given, by their names in `Options`; lists are split at their commas."""
    if options.get("targets") is not None:
        options["targets"] = listed(options["targets"])
    return {name: value for name, value in options.items() if value is not None}


def asked(**options: Any) -> Options:
    """`Options` of what was given. Raises InputError."""
    return Options.of(**given(**options))
