#!/usr/bin/env python3
"""Predictions beside published measurements: every table, and each figure with its mark, reached or not.

    scripts/bench_prediction.py [PART...] [--shared FOLDER] [--json FILE]

PART is the name of a module in scripts/prediction (all of them if none is named): it has `report(perf)`, which gives
figures, tables and lines (see figures.py). FOLDER holds data/perf; without it, PARDNN_SHARED or the folder "shared"
above the repository. At the end stand the figures that were missed. Exit code 1 if a part broke, else 0: a figure that
was missed is a result.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.prediction.figures import Figure  # noqa: E402  the path comes first: a script knows only its own folder

_FOLDER = Path(__file__).with_name("prediction")


def parts() -> list[str]:
    """The names of all parts."""
    own = (path.stem for path in _FOLDER.glob("*.py") if "\ndef report(" in path.read_text("utf-8"))
    return sorted(own)


def shared_folder(given: Path | None) -> Path:
    """The folder that holds data/perf."""
    named = [given] if given else [Path(p) for p in [os.environ.get("PARDNN_SHARED", "")] if p]
    for folder in [*named, *(parent / "shared" for parent in ROOT.parents)]:
        if (folder / "data" / "perf").is_dir():
            return folder
    raise SystemExit("no folder with data/perf found: name it with --shared FOLDER")


def main() -> int:
    """Run the parts asked for, print what they give."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts())}")
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.parts) - set(parts())):
        parser.error(f"no part {', '.join(unknown)}; there are: {', '.join(parts())}")
    perf = shared_folder(asked.shared) / "data" / "perf"
    found: dict[str, list[Figure]] = {}
    broken = []
    for name in asked.parts or parts():
        start = time.perf_counter()
        print(f"== {name}", flush=True)
        found[name] = []
        try:
            for item in importlib.import_module(f"scripts.prediction.{name}").report(perf):
                print(item, flush=True)
                found[name] += [item] if isinstance(item, Figure) else []
        except Exception:  # noqa: BLE001  the other parts still have something to say
            broken.append(name)
            traceback.print_exc()
        print(f"({name}: {time.perf_counter() - start:.0f} s)\n", flush=True)
    if asked.json:
        asked.json.write_text(
            json.dumps({name: [_plain(f) for f in figures] for name, figures in found.items()}, indent=1)
        )
    _sum_up(found, broken)
    return 1 if broken else 0


def _sum_up(found: dict[str, list[Figure]], broken: list[str]) -> None:
    marked = [(name, figure) for name, figures in found.items() for figure in figures if figure.reached is not None]
    missed = [(name, figure) for name, figure in marked if not figure.reached]
    print(f"{len(marked) - len(missed)} of {len(marked)} marks reached")
    for name, figure in missed:
        print(f"  {name}: {figure}")
    for name in broken:
        print(f"  {name}: broke, see above")


def _plain(figure: Figure) -> dict[str, object]:
    return {
        "what": figure.what, "value": figure.value, "unit": figure.unit, "mark": figure.mark,
        "stretch": figure.stretch, "reached": figure.reached,
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
