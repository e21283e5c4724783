"""The compiled kernels and the plain Python loops decide alike."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import hashlib
import numpy as np
from pardnn.errors import DoesNotFit
from pardnn.partitioners.pardnn import ParDNN
from pardnn.refine.fit import Fit
from tests.factories import FAMILIES, layered

seen = hashlib.sha256()
for make in (*FAMILIES.values(), lambda: layered(20, 10)):
    for order, contention in (("blevel", "none"), ("fifo", "link")):
        problem = make().problem(gpus=3, order=order, contention=contention)
        placement = ParDNN()(problem, np.random.default_rng(0))
        seen.update(placement.tobytes())
        peak = int(problem.peaks(problem.simulate(placement)).max())
        tight = make().problem(gpus=3, memory=peak * 2 // 3, order=order, contention=contention)
        try:
            seen.update(Fit()(tight, placement, np.random.default_rng(0)).tobytes())
        except DoesNotFit as error:
            seen.update(str(error).encode())
print(seen.hexdigest())
"""


def test_same_bytes_without_compilation() -> None:
    digests = set()
    for disabled, seed in (("0", "1"), ("1", "2")):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout)
    assert len(digests) == 1
