"""What people do with a model around `fit`, placed: `python -m tests.keras.use` prints [case, facts] line by line.

Every case is a function that returns facts as JSON; they share one process, for TensorFlow is slow to start.
"""

from __future__ import annotations

import sys

from tests.keras import use_fit, use_plan, use_values  # noqa: F401 - they note their cases
from tests.keras.cases import answer

if __name__ == "__main__":
    answer(sys.argv[1:])
