"""Training loops of one's own, placed: `python -m tests.keras.functions` prints [case, facts] line by line."""

from __future__ import annotations

import sys

from tests.keras import functions_kept, functions_placed, functions_refused  # noqa: F401 - they note their cases
from tests.keras.cases import answer

if __name__ == "__main__":
    answer(sys.argv[1:])
