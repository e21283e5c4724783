#!/usr/bin/env python3
"""Places real training graphs from the command line and lets TensorFlow judge the files; exit 1 on a fault.

    scripts/prove_placed.py SHARED [--only REGEX] [--no-run]

A row per graph: ops placed; whether only devices changed and groups are whole; ops TensorFlow imported with the plan's
devices; whether its placer agrees with every device and group (no soft placement); ops of one training step that ran,
and how many of them elsewhere than planned. SHARED is the folder with data/graphs. Needs tensorflow.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.real.command import table
from tests.real.placed import EXAMPLE, GRAPHS, ask_tensorflow, place

HEAD = "graph exit s placed file imported placer ran elsewhere"


def main() -> int:
    """Print the table, then the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--only", default="", help="graphs whose name matches")
    parser.add_argument("--no-run", action="store_true", help="load and place, run no step")
    asked = parser.parse_args()
    graphs = [(EXAMPLE, False), *((asked.shared / "data" / "graphs" / name, runs) for name, runs in GRAPHS)]
    rows: list[list[object]] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        chosen = [(path, runs and not asked.no_run) for path, runs in graphs if re.search(asked.only, str(path))]
        done = [place(path, Path(folder), runs=runs) for path, runs in chosen]
        for one in done:
            faults += [f"{one.source.name}: {fault}" for fault in one.faults]
        good = [one for one in done if not one.faults]
        answers = {Path(answer["graph"]).name: answer for answer in ask_tensorflow(good)}
        for one in done:
            answer = answers.get(one.source.name, {})
            if "error" in answer:
                faults.append(f"{one.source.name}: {answer['stage']}: {answer['error']}")
            faults += [f"{one.source.name}: {op} is elsewhere" for op in answer.get("elsewhere", ())]
            placer = "accepts" if answer.get("stage") in ("run", "done") else "-"
            file = "wrong" if one.faults else "devices only"
            ours = (one.source.name, one.answer.code, one.answer.seconds, 0 if one.faults else len(one.placement), file)
            theirs = (answer.get("loaded", "-"), placer, answer.get("executed", "-"), len(answer.get("elsewhere", ())))
            rows.append([*ours, *theirs])
        placements = {one.source.name: one.placement for one in good}
    print(table(HEAD, rows))
    for text, binary in (("ssd_hikapok_graph.pbtxt", "ssd_hikapok_model.ckpt-120000.meta"),):
        if text in placements and binary in placements and placements[text] != placements[binary]:
            faults.append(f"{text} and {binary} hold one graph and have two plans")
    print(*faults, sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
