"""A table of costs written, so that it can be edited and given back with --costs measured:FILE."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pardnn.cost.table import NUMBERS


@dataclass(frozen=True)
class Listing:
    """Columns over the ops; times of one run. None says nothing."""

    names: Sequence[str]
    time_ns: Sequence[int | None]
    output_bytes: Sequence[int | None]
    temp_bytes: Sequence[int | None]
    resident_bytes: Sequence[int | None]
    source: Sequence[str]
    more: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """Columns to add, by name."""


def write_costs(listing: Listing, *, as_json: bool) -> bytes:
    """The table as CSV, or as JSON: read back, it gives these very figures (times below 26 days). Equal in, equal out.

    A name that begins or ends with blanks would not survive a CSV's cells; TensorFlow allows none.
    """
    times = [None if ns is None else ns // 1000 if ns % 1000 == 0 else ns / 1000 for ns in listing.time_ns]
    sizes = (listing.output_bytes, listing.temp_bytes, listing.resident_bytes)
    rows = zip(listing.names, times, *sizes, listing.source, *listing.more.values(), strict=True)
    fields = (*NUMBERS, "source", *listing.more)
    if as_json:
        content: Mapping[str, object] = {name: dict(zip(fields, row, strict=True)) for name, *row in rows}
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("op", *fields))
    writer.writerows(rows)
    return text.getvalue().encode()
