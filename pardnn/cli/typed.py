"""The command line that is being carried out, as it was typed."""

from __future__ import annotations

import shlex

import click


def typed() -> str:
    """The whole command, quoted for a shell; "" where there is none."""
    context = click.get_current_context(silent=True)
    arguments = context.find_root().obj if context is not None else None
    return shlex.join(["pardnn", *arguments]) if arguments else ""
