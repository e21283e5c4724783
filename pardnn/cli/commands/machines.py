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
    from pardnn.machines.wires import load_wires, wire_names

    found = [_described(load_machine(name)) for name in preset_names()]
    links = [_link(load_wires(name, load_machine())) for name in wire_names()]
    voice = Voice(as_json, quiet, verbose)
    if as_json:
        voice.dump({"machines": found, "links": links})
    else:
        voice.show(_table(found), "", _links(links))
    return 0


def _link(wires: Any) -> dict[str, Any]:
    """A link of measured all-reduces, for `scale --link`."""
    return {
        "name": wires.name,
        "description": wires.description,
        "latency_ns": wires.inside.latency_ns,
        "bytes_per_s": wires.inside.bytes_per_s,
        "network_latency_ns": wires.network.latency_ns,
        "network_bytes_per_s": wires.network.bytes_per_s,
        "all_reduce": [f"{group.hosts}x{group.gpus}" for group in wires.all_reduce],
    }


def _links(links: list[dict[str, Any]]) -> Any:
    from pardnn.report.layout import table
    from pardnn.units import format_rate, format_time

    rows = [
        (
            link["name"],
            f"{format_time(link['latency_ns'])} + {format_rate(link['bytes_per_s'])}",
            f"{format_time(link['network_latency_ns'])} + {format_rate(link['network_bytes_per_s'])}",
            link["description"],
        )
        for link in links
    ]
    heads = ("link of scale", "in a host", "between hosts", "")
    return table(heads, rows, left=("link of scale", "in a host", "between hosts"), fold=("",))


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
