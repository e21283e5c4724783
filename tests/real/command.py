"""The command line inside this process: what a user would type, without the seconds that a new interpreter takes."""

from __future__ import annotations

import contextlib
import io
import json
import time
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What a command ended with, printed and took."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def json(self) -> dict[str, Any]:
        """The object that --json prints."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def error(self) -> str:
        """The last line on stderr."""
        return (self.err.splitlines() or [""])[-1]


def pardnn(*arguments: object) -> Answer:
    """Run `pardnn ARGUMENTS`."""
    from pardnn.cli.run import run

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    started = time.perf_counter()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    seconds = time.perf_counter() - started
    said = []
    for stream in (out, err):
        stream.seek(0)
        said.append(stream.read())
    return Answer(code, said[0], said[1], seconds)


def table(head: str, rows: list[list[object]]) -> str:
    """Rows under a head of names between spaces, in columns; numbers to the right."""
    cells = [head.split(), *([f"{c:.2f}" if isinstance(c, float) else str(c) for c in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(widths))]
    lines = (
        "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)).rstrip()
        for row in cells
    )
    return "\n".join(lines)
