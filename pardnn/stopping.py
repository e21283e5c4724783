"""The first Ctrl-C ends a search with the best so far; only the second one gives everything up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def never() -> bool:
    """Nobody asks to stop."""
    return False


@contextmanager
def gently(tell: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; pressed again it raises KeyboardInterrupt.

    Only the main thread hears it: in others, and where the program is told to ignore it, nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield never
        return
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        tell("interrupted: stopping with the best so far; Ctrl-C again gives it up")

    signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
