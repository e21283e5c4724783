"""What people do with a model around `fit`, placed: `python -m tests.keras.use` prints [case, facts] line by line.

Every case is a function that returns facts as JSON; they share one process, for TensorFlow is slow to start.
"""

from __future__ import annotations

import json
import logging
import sys

from tests.keras import use_fit, use_plan, use_values  # noqa: F401 - they note their cases
from tests.keras.cases import CASES
from tests.keras.equal import four_cpus


def main(names: list[str]) -> None:
    """Run the cases of these names, or all: one JSON line each."""
    four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name in names or CASES:
        print(json.dumps([name, CASES[name]()]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1:])
