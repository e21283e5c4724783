"""Transfers between two local processes that serve: `python -m tests.keras.linked FOLDER` prints facts as JSON."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(port: int) -> None:
    """Until the server listens."""
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)
    raise RuntimeError(f"nothing listens on port {port}")


def main(folder: str) -> None:
    """Answer on stdout."""
    ports = [_free_port(), _free_port()]
    workers = [f"127.0.0.1:{port}" for port in ports]
    servers = [
        subprocess.Popen(
            [sys.executable, "-m", "pardnn", "serve", "--cluster", ",".join(workers), "--task", str(task)],
            stderr=subprocess.DEVNULL,
        )
        for task in range(2)
    ]
    try:
        for port in ports:
            _wait(port)
        from pardnn.cli.run import run

        said = io.StringIO()
        arguments = [
            "tests/keras/made.py:functional",
            "--batch-size",
            "8",
            "--steps",
            "1",
            "--warmup",
            "0",
            "-q",
            "--json",
        ]
        with contextlib.redirect_stdout(said):
            code = run(["profile", *arguments, "--machine-out", f"{folder}/two.toml", "--cluster", ",".join(workers)])
        print(json.dumps({"code": code, "link": json.loads(said.getvalue())["link"]}))  # noqa: T201 - the answer
    finally:
        for server in servers:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main(sys.argv[1])
