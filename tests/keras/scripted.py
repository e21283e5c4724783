"""Scripts of others, run as they are and with one line inserted.

`python -m tests.keras.scripted METHOD[,METHOD] SCRIPT...` prints one JSON line per script and method (or "as it
is"): what it printed and what became of its plans. Each run is a process of its own, forked from one that has imported
TensorFlow and done nothing with it.
"""

from __future__ import annotations

import ast
import contextlib
import json
import logging
import os
import re
import runpy
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # as in tests.keras.equal

AS_IT_IS = "as it is"
LINE = "import pardnn; pardnn.place({model}, gpus=2, mem='1GB', devices=['/device:CPU:0', '/device:CPU:1']{more})"
_TIMES = re.compile(r"\b\d+(ms|s|us)(/(step|epoch))?(?=\W|$)")
_BAR = re.compile(r".*\x08|.*\r|\x1b\[[0-9;]*m")


def inserted(source: str, method: str) -> str:
    """The script with one line before its first `fit`, made for the model that is trained there."""
    found: list[tuple[ast.stmt, ast.expr]] = []
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Expr | ast.Assign | ast.Return):
            calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
            found += [(statement, f.value) for f in calls if isinstance(f, ast.Attribute) and f.attr == "fit"]
    first, model = min(found, key=lambda item: item[0].lineno)
    more = "" if method == "auto" else f", method={method!r}"
    lines = source.splitlines(keepends=True)
    line = " " * first.col_offset + LINE.format(model=ast.unparse(model), more=more) + "\n"
    return "".join([*lines[: first.lineno - 1], line, *lines[first.lineno - 1 :]])


def without_times(printed: str) -> list[str]:
    """What a script printed, line by line; only the last state of a progress bar, and no durations."""
    lines = (_TIMES.sub("", _BAR.sub("", line)).strip() for line in printed.split("\n"))
    return [line for line in lines if line]


def run(script: Path, method: str, folder: Path) -> dict[str, Any]:
    """What a script prints, and its plans, in a process of its own."""
    source = script.read_text()
    copy = folder / script.name
    copy.write_text(source if method == AS_IT_IS else inserted(source, method))
    printed, facts = folder / "printed", folder / "facts"
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException), printed.open("w") as out, contextlib.redirect_stdout(out):
            try:
                facts.write_text(json.dumps(_plans_of(copy)))
                code = 0
            except BaseException:  # noqa: BLE001 - the script's or ours, it is told
                traceback.print_exc()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    lines = without_times(printed.read_text())
    answer = {"script": script.stem, "method": method, "code": os.waitstatus_to_exitcode(status), "printed": lines}
    return answer | {"plans": json.loads(facts.read_text()) if answer["code"] == 0 else []}


def _plans_of(script: Path) -> list[Any]:
    """Run a script as the main program on two logical CPUs. Returns what its plans have to say."""
    import tensorflow as tf

    import pardnn

    plans: list[Any] = []
    place = pardnn.place

    def recorded(*given: Any, **named: Any) -> Any:
        plans.append(place(*given, **named))
        return plans[-1]

    pardnn.place = recorded  # the script's own import finds it
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    runpy.run_path(str(script), run_name="__main__")
    return [_facts(plan) for plan in plans]


def _facts(plan: Any) -> dict[str, Any]:
    found = plan.verify()
    return {
        "ok": found.ok, "read": str(found), "moved": dict(found.moved), "bare": plan.report.without_device,
        "ops": plan.report.ops, "used": sorted(set(plan.placement.values())), "words": plan.warnings,
        "cached": plan.from_cache,
    }  # fmt: skip


def main(methods: list[str], names: list[str]) -> None:
    """Answer on stdout."""
    import keras  # noqa: F401 - here once, not in every process
    import tensorflow as tf  # noqa: F401

    here = Path(__file__).parents[1] / "scripts_of_others"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PARDNN_CACHE_DIR"] = folder
        for name in names:
            for method in (AS_IT_IS, *methods):
                print(json.dumps(run(here / f"{name}.py", method, Path(folder))), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1].split(","), sys.argv[2:])
