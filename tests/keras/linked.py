"""Transfers between two local processes that serve: `python -m tests.keras.linked FOLDER` prints facts as JSON."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from tests.keras.workers import free_addresses, workers

WAIT_S = 60.0


def main(folder: str) -> None:
    """Answer on stdout."""
    from pardnn.cli.run import run
    from pardnn.placers.address import await_all
    from pardnn.placers.cluster import Cluster

    addresses = free_addresses(2)
    with workers(addresses):
        cluster = Cluster.of(addresses)
        assert cluster is not None
        assert await_all(cluster.addresses, WAIT_S, lambda _: None) is None
        program = "profile tests/keras/made.py:functional --batch-size 8 --steps 1 --warmup 0 --quiet --json"
        link = ["--machine-out", f"{folder}/two.toml", "--cluster", ",".join(addresses)]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = run([*program.split(), *link])
        print(json.dumps({"code": code, "link": json.loads(said.getvalue())["link"]}))  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
