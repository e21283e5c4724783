"""A table of costs written, so that it can be edited and given back with --costs measured:FILE."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pardnn.cost.table import NUMBERS


@dataclass(frozen=True)
class Listing:
    """Columns over the ops; times of one run."""

    names: Sequence[str]
    time_ns: Sequence[int]
    output_bytes: Sequence[int]
    temp_bytes: Sequence[int]
    resident_bytes: Sequence[int]
    source: Sequence[str]


def write_costs(listing: Listing, *, as_json: bool) -> bytes:
    """The table as CSV, or as JSON: read back, it gives these very figures (times below 26 days). Equal in, equal out.

    A name that begins or ends with blanks would not survive a CSV's cells; TensorFlow allows none.
    """
    times = [ns // 1000 if ns % 1000 == 0 else ns / 1000 for ns in listing.time_ns]
    columns = (times, listing.output_bytes, listing.temp_bytes, listing.resident_bytes, listing.source)
    rows = zip(listing.names, *columns, strict=True)
    fields = (*NUMBERS, "source")
    if as_json:
        content: Mapping[str, object] = {name: dict(zip(fields, row, strict=True)) for name, *row in rows}
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("op", *fields))
    writer.writerows(rows)
    return text.getvalue().encode()
