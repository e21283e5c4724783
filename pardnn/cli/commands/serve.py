"""`pardnn serve`: this host's part in a training that runs over several."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

import click


@click.command(short_help="Lend this host's devices to a training over several hosts.")
@click.option("--cluster", metavar="HOST:PORT,...", help="All hosts, in the order of their tasks.  [TF_CONFIG's]")
@click.option("--task", type=int, metavar="N", help="Which of them this one is, from 0 on.")
def command(cluster: str | None, task: int | None) -> None:
    """Serve a task of a cluster until stopped with Ctrl-C or a TERM signal.

    The training script runs anywhere, with pardnn.place(model, cluster=[...]) and the same addresses. Needs TensorFlow.
    """
    from pardnn.cli.hush import quieten
    from pardnn.errors import InputError
    from pardnn.placers.cluster import Cluster
    from pardnn.placers.joining import serve
    from pardnn.placers.needs import require_tensorflow

    if (cluster is None) != (task is None):
        raise InputError("give both --cluster and --task, or neither and set TF_CONFIG")
    found = Cluster.of(cluster.split(",") if cluster else None, task)
    if found is None or found.task is None:
        raise InputError("which hosts? give --cluster a:2222,b:2222 --task 1, or set TF_CONFIG")
    quieten()
    require_tensorflow()
    serve(found, found.task, lambda line: click.echo(f"pardnn: {line}", err=True))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        while True:  # a signal that another thread receives is handled when this one wakes up
            time.sleep(1)
    sys.stderr.flush()
    os._exit(0)  # a server that has served cannot be taken down in order: TensorFlow would wait for its clients
