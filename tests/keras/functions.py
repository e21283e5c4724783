"""Training loops of one's own, placed: `python -m tests.keras.functions` prints [case, facts] line by line."""

from __future__ import annotations

import json
import logging
import sys

from tests.keras import functions_kept, functions_placed, functions_refused  # noqa: F401 - they note their cases
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
