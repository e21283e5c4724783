"""`pardnn methods`: the methods there are."""

from __future__ import annotations

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="The methods there are.")
@options.speech
def command(as_json: bool, quiet: bool, verbose: bool) -> int:
    """Name every method and what it does."""
    from pardnn.methods import summaries

    found = summaries()
    voice = Voice(as_json, quiet, verbose)
    if as_json:
        voice.dump({"methods": [{"name": name, "summary": text} for name, text in found.items()]})
    else:
        from pardnn.report.layout import table

        voice.show(table(("method", "what it does"), list(found.items()), left=("method",), fold=("what it does",)))
    return 0
