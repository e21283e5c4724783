"""Who speaks where: results on stdout; progress, warnings and the log on stderr."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pardnn.report.words import ascii_only, safe, spoken, told

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.status import Status

    from pardnn.plan import Plan

_PATIENCE_S = 1.0


@dataclass(frozen=True)
class Voice:
    """How a command speaks, as its options have it."""

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False

    def show(self, *parts: RenderableType) -> None:
        """Tables and texts on stdout: in colour and as wide as it is on a terminal, plain everywhere else."""
        from rich.text import Text

        from pardnn.report.layout import PLAIN_WIDTH, plain

        parts = tuple(Text(safe(part)) if isinstance(part, str) else part for part in parts)
        terminal = sys.stdout.isatty()
        if terminal and _draws(sys.stdout.encoding) and not os.environ.get("NO_COLOR"):
            from rich.console import Console

            console = Console(highlight=False)
            for part in parts:
                console.print(part)
        else:
            text = plain(*parts, width=shutil.get_terminal_size().columns if terminal else PLAIN_WIDTH)
            print(text if _draws(sys.stdout.encoding) else ascii_only(text))

    def report(
        self,
        plan: Plan,
        outputs: Sequence[str] = (),
        write_s: float = 0.0,
        extra: Mapping[str, Any] = MappingProxyType({}),
        more: RenderableType = "",
    ) -> None:
        """A plan's result, with the files that were written; `extra` in JSON is `more` in text."""
        result = plan.result() | {"outputs": list(outputs), **extra}
        result["seconds"]["write"] = write_s
        self.warn(plan.warnings)
        if self.as_json:
            self.dump(result)
            return
        from pardnn.report.plan import plan_report

        written = f"wrote {', '.join(outputs)}" if outputs else ""
        self.show(plan_report(result), *(part for part in (more, written) if part))

    def dump(self, value: dict[str, Any]) -> None:
        """One JSON object on stdout."""
        print(json.dumps(value, indent=1, allow_nan=False))

    def warn(self, warnings: Iterable[str]) -> None:
        """A line each on stderr."""
        if not self.quiet:
            for warning in warnings:
                print(f"pardnn: warning: {told(warning)}", file=sys.stderr)

    def log(self, line: str) -> None:
        """A line on stderr with -v."""
        if self.verbose and not self.quiet:
            print(f"pardnn: {told(line)}", file=sys.stderr)

    @contextmanager
    def progress(self, line_every_s: float = math.inf) -> Iterator[Progress]:
        """Says on the terminal what is being done, once it has taken a second; gone when it is over.

        Where stderr is no terminal, long work may say so in a plain line now and then.
        """
        progress = Progress(self, math.inf if self.quiet or sys.stderr.isatty() else line_every_s)
        timer = threading.Timer(_PATIENCE_S, progress.appear)
        timer.daemon = True
        if sys.stderr.isatty() and not self.quiet:
            timer.start()
        try:
            yield progress
        finally:
            timer.cancel()
            progress.vanish()


class Progress:
    """The line that says what is being done, and for how long it will go on where that can be told."""

    def __init__(self, voice: Voice, line_every_s: float = math.inf) -> None:
        self._voice, self._doing, self._since = voice, "", time.perf_counter()
        self._marks: list[tuple[float, float]] = []
        self._line_every_s, self._line_at = line_every_s, self._since
        self._status: Status | None = None
        self._over = False
        self._lock = threading.Lock()

    def __call__(self, doing: str, share: float | None = None) -> None:
        """From now on this is being done; None = how much of it is behind us is not known, or begins anew."""
        with self._lock:
            self._voice.log(f"{time.perf_counter() - self._since:7.2f} s  {doing}")
            self._doing = doing
            self._mark(share)
            if not self._voice.verbose and time.perf_counter() - self._line_at >= self._line_every_s:
                self._line_at = time.perf_counter()
                print(f"pardnn: {told(doing)}", file=sys.stderr, flush=True)
            self._update()

    def reach(self, share: float) -> None:
        """So much of what is being done is behind us."""
        with self._lock:
            self._mark(share)
            self._update()

    def appear(self) -> None:
        """Show the line, unless it is all over."""
        from rich.console import Console

        with self._lock:
            if not self._over:
                self._status = Console(stderr=True).status(self._line())
                self._status.start()

    def vanish(self) -> None:
        """Take the line away for good."""
        with self._lock:
            self._over = True
            if self._status is not None:
                self._status.stop()

    def _update(self) -> None:
        if self._status is not None:
            self._status.update(self._line())

    def _line(self) -> RenderableType:
        """As text: a name in it may look like rich's markup."""
        from rich.text import Text

        return Text(f"{told(self._doing)} ...{self._remaining()}")

    def _mark(self, share: float | None) -> None:
        """Keep the first moment at which a share was told, and the last."""
        self._marks = [] if share is None else [*self._marks[:1], (time.perf_counter(), share)]

    def _remaining(self) -> str:
        """By the pace since the first share was told."""
        if len(self._marks) < 2:
            return ""
        (began, first), (now, share) = self._marks
        if not first < share < 1:
            return ""
        return f" {100 * share:.0f} %, about {spoken((now - began) * (1 - share) / (share - first))} left"


def _draws(encoding: str | None) -> bool:
    """Whether a stream can show the signs that bars are drawn with; of one without an encoding nobody knows."""
    return (encoding or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")
