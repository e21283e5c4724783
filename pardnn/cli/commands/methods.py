"""`pardnn methods`: the methods there are, and the strategies of `scale`."""

from __future__ import annotations

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="The methods there are, and what `scale --sync` takes.")
@options.speech
def command(as_json: bool, quiet: bool, verbose: bool) -> int:
    """Name every method of placing ops and every strategy of synchronising workers, and what it does."""
    from pardnn.methods import summaries
    from pardnn.registry import strategies

    found = {
        "method": summaries(),
        "strategy": {name: entry.summary for name, entry in strategies.all().items()},
    }
    voice = Voice(as_json, quiet, verbose)
    if as_json:
        named = {
            kind: [{"name": name, "summary": text} for name, text in those.items()] for kind, those in found.items()
        }
        voice.dump({"methods": named["method"], "strategies": named["strategy"]})
    else:
        from pardnn.report.layout import table

        tables = [
            table((kind, "what it does"), list(those.items()), left=(kind,), fold=("what it does",))
            for kind, those in found.items()
        ]
        voice.show(tables[0], "", tables[1])
    return 0
