"""Tables as rich draws them, and the same as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Literal

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from pardnn.report.words import safe

PLAIN_WIDTH = 100


def plain(*parts: RenderableType, width: int = PLAIN_WIDTH) -> str:
    """The parts below each other as text without colours, no spaces at the ends of lines."""
    out = StringIO()
    console = Console(
        file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False, soft_wrap=True
    )
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, Text(safe(value)))
    return grid


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[str] = (), fold: Sequence[str] = ()
) -> Table:
    """A table without lines: numbers to the right, columns of `left` and `fold` to the left; the latter may break."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for head in heads:
        side: Literal["left", "right"] = "left" if head in left or head in fold else "right"
        drawn.add_column(head, justify=side, no_wrap=head not in fold, overflow="fold", min_width=len(head))
    for row in rows:
        drawn.add_row(*(Text(safe(cell)) for cell in row))
    return drawn
