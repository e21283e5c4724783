"""`pardnn machines`: the machines that are described."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice


@click.command(short_help="The machines there are for --machine.")
@options.speech
def command(as_json: bool, quiet: bool, verbose: bool) -> int:
    """Name every machine that ships with PARDNN; --machine also takes a TOML file of your own."""
    from pardnn.machines.spec import load_machine, preset_names

    found = [_described(load_machine(name)) for name in preset_names()]
    voice = Voice(as_json, quiet, verbose)
    if as_json:
        voice.dump({"machines": found})
    else:
        voice.show(_table(found))
    return 0


def _described(spec: Any) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "gpus": None if spec.extensible else len(spec.gpus),
        "cards": list(dict.fromkeys(gpu.card.name for gpu in spec.gpus)),
        "mem_bytes": [gpu.memory_bytes for gpu in spec.gpus],
        "latency_ns": spec.latency_ns,
        "bytes_per_s": spec.bytes_per_s,
    }


def _table(found: list[dict[str, Any]]) -> Any:
    from pardnn.report.layout import table
    from pardnn.units import format_rate, format_size, format_time

    rows = []
    for machine in found:
        memory = dict.fromkeys("unlimited" if m is None else format_size(m) for m in machine["mem_bytes"])
        link = f"{format_time(machine['latency_ns'])} + {format_rate(machine['bytes_per_s'])}"
        gpus = "any" if machine["gpus"] is None else str(machine["gpus"])
        rows.append(
            (machine["name"], gpus, ", ".join(machine["cards"]), ", ".join(memory), link, machine["description"])
        )
    heads = ("machine", "GPUs", "op times of", "memory", "link", "")
    return table(heads, rows, left=("machine", "op times of", "link"), fold=("",))
