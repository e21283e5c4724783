#!/usr/bin/env python3
"""Reads and partitions every graph file of the shared folder; compares counts and refusals; exit 1 on a fault.

    scripts/prove_files.py SHARED [--only REGEX] [--no-tensorflow]

A row per file: exit code and seconds of `partition --gpus 4 --mem 16GB`, what `inspect` counts, and whether
TensorFlow's protos with networkx and the folder's README count the same. Protobuf takes 80 s for the largest text.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.real.command import table
from tests.real.counted import Counts, documented, look, tensorflow_counts

HEAD = "file exit s nodes edges functions inside loops groups README TensorFlow"


def main() -> int:
    """Print the table, then the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--only", default="", help="files whose name matches")
    parser.add_argument("--no-tensorflow", action="store_true")
    asked = parser.parse_args()
    data = asked.shared / "data"
    said = documented(data / "README.md")
    looked = [look(path, said) for path in sorted(data.glob("graphs/*/*")) if re.search(asked.only, path.name)]
    read = [row.path for row in looked if row.counts]
    theirs = {} if asked.no_tensorflow else dict(zip(read, tensorflow_counts(read), strict=True))
    rows: list[list[object]] = []
    faults = [f"{row.path.name}: {fault}" for row in looked for fault in row.faults]
    for row in looked:
        other = theirs.get(row.path)
        if other and other != row.counts:
            faults.append(f"{row.path.name}: TensorFlow counts {tuple(other)}, we {row.counts}")
        counts = tuple(row.counts or ["-"] * len(Counts._fields))
        known = "same" if row.path.name in said else "-"
        name = f"{row.path.parent.name}/{row.path.name}"
        rows.append(
            [name, row.code, row.seconds, *counts, row.groups, known, "same" if other and other == row.counts else "-"]
        )
    print(table(HEAD, rows))
    print(*faults, sep="\n")
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
