"""`pardnn` itself: finds its commands, one a module of `pardnn.cli.commands`, and imports the one that is run."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import click

import pardnn
from pardnn.cli import commands

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """A group of the commands there are as modules; their own imports are light, so that listing them is."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, sorted."""
        return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a misspelt name."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from difflib import get_close_matches

            known = self.list_commands(ctx)
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
            raise click.UsageError(f"no command {name!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, invoke_without_command=True, context_settings=_SETTINGS)
@click.version_option(pardnn.__version__, prog_name="pardnn", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
@click.pass_context
def app(context: click.Context, /, **_: Any) -> None:
    """Partition a TensorFlow training graph over several GPUs.

    \b
    pardnn partition graph.pbtxt --gpus 4 --mem 16GB

    decides which op runs on which GPU and writes the graph with its devices, and a plan.

    \b
    Exit codes: 0 done; 1 a bug of ours; 2 bad input or usage; 3 does not fit;
                4 time limit reached or search interrupted, best so far written.
    """  # noqa: D301 - click looks for the sign itself
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
