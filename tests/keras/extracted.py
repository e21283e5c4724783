"""`pardnn extract` many times in one process: `python -m tests.keras.extracted FOLDER` prints [model, code, words]."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = "tests/keras/made.py"
MODULE = "tests.keras.made"
CALLS = {
    "functional": [f"{MODULE}:functional", "--batch-size", "7"],
    "open": [f"{MODULE}:functional"],
    "sequential": [f"{MODULE}:sequential"],
    "file": [f"{HERE}:with_data"],
    "without_data": [f"{HERE}:without_data"],
    "not_compiled": [f"{HERE}:not_compiled"],
    "broken": [f"{HERE}:broken"],
    "nothing": [f"{HERE}:nothing"],
    "no function": [f"{HERE}:function"],
    "no file": ["nowhere.py:build"],
    "no module": ["nowhere:build"],
    "no colon": ["nowhere"],
}


def main(folder: str) -> None:
    """Answer on stdout."""
    from pardnn.cli.run import run

    def call(*arguments: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(arguments)
        return code, said.getvalue()

    for name, arguments in CALLS.items():
        suffix = "pbtxt" if name == "open" else "pb"
        answer: list[Any] = [name, *call("extract", *arguments, "-o", f"{folder}/{name}.{suffix}")]
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
