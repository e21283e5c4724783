"""Write pardnn/graph/kernels.json: what TensorFlow's own registries say of every op, as the graph package needs it.

Run `python scripts/make_kernel_table.py` in an environment with the `tensorflow` wheel (not tensorflow-cpu): it
registers the GPU kernels even where there is no GPU. pardnn/graph/kernels.py reads the file and describes its format.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Kernel = dict[str, frozenset[int]]
"""A kernel's type constraints: attribute name -> data types; an attribute that is absent may be anything."""

TARGET = Path(__file__).parent.parent / "pardnn" / "graph" / "kernels.json"
# Compiler and TPU internals never stand in a training graph that someone saved; they would double the file.
LEFT_OUT = re.compile("TPU|Xla|Mlir|_Mkl|Tpu|TensorForest|Fake(Queue|Param)|^Risc|^Uniform|^Sdca|Collective.*Instance")
ANY, NONE = "*", "-"


def merged(kernels: Iterable[Kernel]) -> list[Kernel]:
    """The same set of signatures in fewer kernels: two that differ in one attribute become one."""
    found = list({json.dumps({a: sorted(t) for a, t in k.items()}, sort_keys=True): k for k in kernels}.values())
    if {} in found:
        return [{}]
    for attr in sorted({a for k in found for a in k}):
        rest: dict[str, list[Kernel]] = defaultdict(list)
        for kernel in found:
            others = {a: sorted(t) for a, t in kernel.items() if a != attr}
            rest[json.dumps([others, attr in kernel], sort_keys=True)].append(kernel)
        found = [{a: frozenset().union(*(k[a] for k in same)) for a in same[0]} for same in rest.values()]
    return found


def spelled(kernels: Sequence[Kernel]) -> str:
    """Kernels as "T=1,2;Tidx=3,9|T=7": alternatives by '|', attributes by ';'. No constraint is '*', no kernel '-'."""
    if not kernels:
        return NONE
    if {} in kernels:
        return ANY
    one = (";".join(f"{a}={','.join(map(str, sorted(t)))}" for a, t in sorted(k.items())) for k in kernels)
    return "|".join(sorted(one))


def covers(wide: Sequence[Kernel], narrow: Sequence[Kernel]) -> bool:
    """Whether each kernel of `narrow` is contained in one of `wide`."""
    return all(any(all(a in k and k[a] <= w[a] for a in w) for w in wide) for k in narrow)


def argument_type(arg: Any) -> str:
    """An argument's type: "T", a number for a fixed type, "N*T" for a list of one type, "*Tout" for a list of types."""
    if arg.type_list_attr:
        return f"*{arg.type_list_attr}"
    kind = arg.type_attr or str(arg.type)
    return f"{arg.number_attr}*{kind}" if arg.number_attr else kind


def op_record(op: Any, kernels: Sequence[Any]) -> dict[str, Any]:
    """One op's line of the table, empty fields left out."""
    record: dict[str, Any] = {}
    several = len(op.output_arg) > 1
    outputs = (f"{arg.name}:" * several + argument_type(arg) + "&" * arg.is_ref for arg in op.output_arg)
    record["out"] = " ".join(outputs)
    refs = [i for i, arg in enumerate(op.input_arg) if arg.is_ref]
    if refs:
        record["ref"] = [refs[0], -1 if op.input_arg[refs[-1]].number_attr else refs[-1] + 1]
    defaults = {a.name: a.default_value.type for a in op.attr if a.type == "type" and a.HasField("default_value")}
    if defaults:
        record["types"] = defaults
    if op.is_stateful:
        record["state"] = 1
    usable = [k for k in kernels if not k.label]
    by_device: dict[str, list[Kernel]] = {"CPU": [], "GPU": []}
    priority = {"CPU": 0, "GPU": 0}
    for kernel in usable:
        device = "GPU" if kernel.device_type == "DEFAULT" else kernel.device_type
        if device in by_device:
            # constraints on anything but a type (a layout, a flag) narrow no device we could choose
            types = {c.name: frozenset(t) for c in kernel.constraint if (t := c.allowed_values.list.type)}
            by_device[device].append(types)
            priority[device] = max(priority[device], kernel.priority)
            if kernel.device_type == "DEFAULT":
                by_device["CPU"].append(types)
    cpu, gpu = merged(by_device["CPU"]), merged(by_device["GPU"])
    if cpu or gpu:
        record["gpu"] = spelled(gpu)
        if not covers(cpu, gpu):
            record["cpu"] = spelled(cpu)
        if gpu and cpu and priority["CPU"] > priority["GPU"]:
            record["host"] = 1
    return record


def main() -> None:
    """Read the registries of the installed TensorFlow and write the table."""
    import tensorflow as tf
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.client import pywrap_tf_session
    from tensorflow.python.framework import kernels as registry

    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    by_op: dict[str, list[Any]] = defaultdict(list)
    for kernel in registry.get_all_registered_kernels().kernel:
        by_op[kernel.op].append(kernel)
    if not any(k.device_type == "GPU" for k in by_op["MatMul"]):
        raise SystemExit("this TensorFlow lists no GPU kernels: install the `tensorflow` wheel, not tensorflow-cpu")
    table = {op.name: op_record(op, by_op[op.name]) for op in ops.op if not LEFT_OUT.search(op.name)}
    lines = (f"{json.dumps(name)}:{json.dumps(table[name], separators=(',', ':'))}" for name in sorted(table))
    body = ",\n".join(lines)
    TARGET.write_text(f'{{"tensorflow":{json.dumps(tf.__version__)},"ops":{{\n{body}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
