"""Tables of costs from whatever holds them: a CSV, a JSON, a RunMetadata, or the traces of some steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pardnn.cost.model import CostModel, cost_model
from pardnn.cost.models.measured import Measured
from pardnn.cost.table import CostTable, Row, read_costs
from pardnn.errors import InputError
from pardnn.traces.op_times import OpTime, OpTimes, op_times
from pardnn.traces.run_metadata import read_run_metadata

_SAMPLE = 65536
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def read_table(path: str) -> CostTable:
    """The table in a file. Raises InputError naming the file and the line of whatever is wrong."""
    try:
        with Path(path).open("rb") as file:
            binary = _CONTROL.search(file.read(_SAMPLE))
            file.seek(0)
            data = file.read() if binary else b""
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError:  # a NUL in the name
        raise InputError(f"{path!a}: is no name of a file") from None
    return CostTable(path, rows_of(op_times([read_run_metadata(data, path)]), path)) if data else read_costs(path)


def model_of(costs: Any) -> CostModel:
    """The cost model that `--costs` names, or that reads the table it brings. Raises InputError."""
    return Measured(costs) if isinstance(costs, CostTable) else cost_model(str(costs), read_table)


def rows_of(times: OpTimes, path: str, overhead_ns: float = 0.0) -> Mapping[str, Row]:
    """A row per op of what was traced, with what the runtime itself takes for each run added to its time."""
    return {op.name: _row(op, path, overhead_ns) for op in times.ops}


def _row(op: OpTime, path: str, overhead_ns: float) -> Row:
    time = None if op.step_ns is None else round(op.step_ns / op.runs + overhead_ns)
    return Row(f"{path}: {op.name}", time, op.output_bytes, op.temp_bytes, None, "measured", op.runs, op.op)
