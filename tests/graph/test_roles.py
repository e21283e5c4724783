"""Weights, slots and gradients are told apart by what ops do with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pardnn.config import Options
from pardnn.cost.tensor import tensor
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.roles import find_roles
from pardnn.subject import pose
from tests.graph.drawn import built

FUSED = """
    w = VarHandleOp() dtype=float shape=[4,3]
    m = VarHandleOp() dtype=float shape=[4,3]
    v = VarHandleOp() dtype=float shape=[4,3]
    power = VarHandleOp() dtype=float shape=[]
    x = Placeholder() dtype=float shape=[8,4]
    read = ReadVariableOp(w) dtype=float
    y = MatMul(x, read) T=float
    g = MatMul(x, y) T=float transpose_a=True -> [4,3]
    p = ReadVariableOp(power) dtype=float
    lr = Const() dtype=float value={1}
    update = ResourceApplyAdam(w, m, v, p, p, lr, lr, lr, lr, g) T=float
    next = Mul(p, lr) T=float
    count = AssignVariableOp(power, next) dtype=float
"""
# Keras 3 writes its optimisers out of plain ops: m += (g - m) * (1 - b); w -= m * lr
PLAIN = """
    w = VarHandleOp() dtype=float shape=[4,3]
    m = VarHandleOp() dtype=float shape=[4,3]
    rate = VarHandleOp() dtype=float shape=[]
    average = VarHandleOp() dtype=float shape=[3]
    x = Placeholder() dtype=float shape=[8,4]
    read = ReadVariableOp(w) dtype=float
    y = MatMul(x, read) T=float -> [8,3]
    axis = Const() dtype=int32 value={0}
    mean = Mean(y, axis) T=float Tidx=int32 -> [3]
    old = ReadVariableOp(average) dtype=float
    apart = Sub(old, mean) T=float -> [3]
    moved = AssignSubVariableOp(average, apart) dtype=float
    g = MatMul(x, y) T=float transpose_a=True -> [4,3]
    m_old = ReadVariableOp(m) dtype=float
    d = Sub(g, m_old) T=float -> [4,3]
    m_new = AssignAddVariableOp(m, d) dtype=float
    m_read = ReadVariableOp(m, ^m_new) dtype=float
    r = ReadVariableOp(rate) dtype=float
    step = Mul(m_read, r) T=float -> [4,3]
    w_new = AssignSubVariableOp(w, step) dtype=float
"""


def roles(graph: OpGraph) -> tuple[dict[str, str], list[str]]:
    found = find_roles(graph)
    return (
        {graph.names[v]: role for v, role in found.variables.items()},
        sorted(f"{graph.names[v]}:{port}" for v, port in found.gradients),
    )


def test_a_fused_update_names_them_by_place() -> None:
    variables, gradients = roles(built(FUSED))
    assert variables == {"w": "weights", "m": "slots", "v": "slots", "power": "state"}
    assert gradients == ["g:0"]


def test_plain_assignments_are_followed_back_to_the_gradient() -> None:
    variables, gradients = roles(built(PLAIN))
    assert variables == {"w": "weights", "m": "slots", "rate": "state", "average": "state"}
    assert gradients == ["g:0"]


def test_reference_variables_are_the_same() -> None:
    variables, gradients = roles(
        built("""
        w = VariableV2() dtype=float shape=[4,3]
        slot = VariableV2() dtype=float shape=[4,3]
        x = Placeholder() dtype=float shape=[8,4]
        read = Identity(w) T=float -> [4,3]
        y = MatMul(x, read) T=float -> [8,3]
        g = MatMul(x, y) T=float transpose_a=True -> [4,3]
        lr = Const() dtype=float value={1}
        update = ApplyMomentum(w, slot, lr, g, lr) T=float
        """)
    )
    assert variables == {"w": "weights", "slot": "slots"}
    assert gradients == ["g:0"]


def test_what_nothing_updates_is_frozen() -> None:
    frozen = FUSED.replace("(x, read)", "(x, both)").replace("y = ", "f = VarHandleOp() dtype=float shape=[4,3]\nfr ="
        " ReadVariableOp(f) dtype=float\nboth = Add(read, fr) T=float\ny = ")  # fmt: skip
    variables, _ = roles(built(frozen))
    assert variables["f"] == "frozen"
    assert variables["w"] == "weights"


def test_a_chain_of_slots_belongs_to_the_weight() -> None:
    """AMSGrad's v only goes into its maximum, which goes into the weight."""
    chained = PLAIN.replace("d = Sub(g, m_old)", "top_old = ReadVariableOp(n) dtype=float\nd = Maximum(top_old, m_old)")
    chained = chained.replace("x = Placeholder", "n = VarHandleOp() dtype=float shape=[4,3]\nx = Placeholder")
    chained += "n_old = ReadVariableOp(n) dtype=float\nn_step = Sub(g, n_old) T=float -> [4,3]\n"
    chained += "n_new = AssignAddVariableOp(n, n_step) dtype=float\n"
    variables, gradients = roles(built(chained))
    assert (variables["n"], variables["m"], variables["average"]) == ("slots", "slots", "state")
    assert gradients == ["g:0"]


@pytest.mark.parametrize(
    ("name", "weights", "per_weight", "state"),
    [
        # ResNet-50: 25,583,592 trained parameters, 53,120 moving averages, the step and the learning rate
        ("made/keras_resnet50_adam_train_bs32.pb", 25_583_592, 2, 53_120 * 4 + 12),
        ("made/tf1_mlp_4gpu_manual.pb", 16_777_216, 1, 0),
    ],
)
def test_real_graphs(shared: Path, name: str, weights: int, per_weight: int, state: int) -> None:
    subject = pose(str(shared / "data/graphs" / name), Options.of(gpus=1))
    assert subject.graph is not None
    found = find_roles(subject.graph)
    sizes = dict.fromkeys(("weights", "slots", "state", "frozen"), 0)
    for v, role in found.variables.items():
        sizes[role] += int(subject.problem.workload.resident_bytes[v])
    assert sizes == {"weights": 4 * weights, "slots": 4 * per_weight * weights, "state": state, "frozen": 0}
    shapes, types = subject.graph.output_shapes, subject.graph.output_dtypes
    assert sum(tensor(types[v][p], shapes[v][p]).bytes for v, p in found.gradients) == 4 * weights
    assert np.isin(list(found.variables), np.arange(subject.graph.dag.n)).all()
