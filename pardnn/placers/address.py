"""Addresses of processes on the network: read, tried, waited for."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pardnn.errors import InputError

_FRAME, _SETTINGS = 9, b"\x04"
_TRY_S = 2.0
_PAUSE_S = 0.25
_HOLD_S = 5.0
_SAID_EVERY_S = 15.0


@dataclass(frozen=True)
class Address:
    """A host and a port."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: Any, origin: str) -> Self:
        """The address written "host:port". Raises InputError."""
        host, colon, port = text.rpartition(":") if isinstance(text, str) else ("", "", "")
        if not colon or not host or "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
            raise InputError(f"{origin}: {text!r:.80} is no address; write it like a.example:2222")
        return cls(host, int(port))

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def answers(address: Address) -> bool:
    """Whether a server of TensorFlow's kind is there: it greets whoever connects with a frame of HTTP/2 settings."""
    try:
        with _connected(address) as there:
            return there.recv(_FRAME)[3:4] == _SETTINGS
    except OSError:
        return False


def is_used(address: Address) -> bool:
    """Whether anything at all listens there."""
    try:
        with _connected(address):
            return True
    except OSError:
        return False


def _connected(address: Address) -> socket.socket:
    return socket.create_connection((address.host.strip("[]"), address.port), _TRY_S)


def is_free(port: int) -> bool:
    """Whether a server can be started at a port of this host; TensorFlow would share it in silence."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True


def await_all(addresses: Sequence[Address], timeout_s: float, say: Callable[[int], None]) -> int | None:
    """The number of the first that does not answer in time, None if all do; `say` hears which is waited for."""
    end = time.monotonic() + timeout_s
    for number, address in enumerate(addresses):
        silent = time.monotonic()
        while not answers(address):
            now = time.monotonic()
            if now >= end:
                return number
            if now >= silent:
                say(number)
                silent = now + _SAID_EVERY_S
            time.sleep(_PAUSE_S)
    return None


def await_end(address: Address) -> None:
    """Return when nobody listens there any more.

    A connection is held, which the end of the other process closes at once; that of its host is seen by trying anew.
    """
    while True:
        try:
            with _connected(address) as held:
                held.settimeout(_HOLD_S)
                while held.recv(1 << 10):
                    pass
        except TimeoutError:
            pass
        except OSError:
            if not any(answers(address) for _ in range(3)):
                return
        time.sleep(_PAUSE_S)
