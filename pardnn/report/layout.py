"""Tables for the room there is, and the same as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from pardnn.report.words import safe

PLAIN_WIDTH = 100
_TEXT, _NAME, _FIGURE = range(3)
_NARROWEST = 10
"""A column that breaks keeps so many signs while another can still give way."""
_WAYS = ((_TEXT, 2), (_NAME, 2), (_NAME, 1), (_FIGURE, 1))
"""What may break, and the spaces between columns, from wide screens to narrow ones."""


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
) -> RenderableType:
    """A table without lines: numbers to the right, columns of `left` and `fold` to the left.

    Where it is too wide, texts of `fold` break first, then names of `left`, and figures last of all: none is cut off.
    """
    kinds = [_TEXT if head in fold else _NAME if head in left else _FIGURE for head in heads]
    return _Columns(heads, [[safe(cell) for cell in row] for row in rows], kinds)


class _Columns:
    """A table drawn for the room there is."""

    def __init__(self, heads: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[int]) -> None:
        self._heads, self._rows, self._kinds = heads, rows, kinds
        self._wide = [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        breaks, space = next((way for way in _WAYS if self._least(*way) <= options.max_width), _WAYS[-1])
        drawn = Table(box=None, padding=(0, space, 0, 0), pad_edge=False, header_style="dim")
        for head, kind in zip(self._heads, self._kinds, strict=True):
            justify: Literal["left", "right"] = "right" if kind == _FIGURE else "left"
            drawn.add_column(Text(safe(head)), justify=justify, no_wrap=kind > breaks, overflow="fold")
        for row in self._rows:
            drawn.add_row(*map(Text, row))
        yield drawn

    def _least(self, breaks: int, space: int) -> int:
        """Signs that a line takes at least."""
        wide = (min(w, _NARROWEST) if kind <= breaks else w for w, kind in zip(self._wide, self._kinds, strict=True))
        return sum(wide) + space * (len(self._heads) - 1)
