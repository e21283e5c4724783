from dataclasses import replace

import numpy as np
import pytest

from pardnn.cost.record import Kernel, OpCost, Precision
from pardnn.cost.roofline import EFFICIENCY, KINDS, kernel_times
from pardnn.machines.card import load_card

V100 = load_card("v100")


def seconds(kernel: Kernel, card: str = "v100") -> float:
    time_ns: float = kernel_times([OpCost((kernel,))], [load_card(card)])[0, 0]
    return time_ns * 1e-9


def test_the_slower_of_arithmetic_and_traffic_counts_and_launches_come_on_top() -> None:
    arithmetic = Kernel("matmul", 10**12, 1, 1)
    assert seconds(arithmetic) == pytest.approx(5e-6 + 1e12 / (0.70 * 15.7e12), rel=1e-6)
    traffic = Kernel("elementwise", 1, 9 * 10**8, 10**8)
    assert seconds(traffic) == pytest.approx(5e-6 + 1e9 / (0.82 * 900e9), rel=1e-6)
    assert seconds(Kernel("copy", 0, 0, 0, launches=40)) == pytest.approx(200e-6)


def test_an_op_without_kernels_takes_no_time_and_several_kernels_add() -> None:
    kernel = Kernel("copy", 0, 900_000, 0)
    times = kernel_times([OpCost(), OpCost((kernel,)), OpCost((kernel, kernel))], [V100])
    assert times[0, 0] == 0
    assert times[2, 0] == pytest.approx(2 * times[1, 0], abs=1)


@pytest.mark.parametrize(
    ("card", "precision", "faster"),
    [
        ("v100", "half", 125 / 15.7),
        ("p100", "half", 18.7 / 9.3),
        ("k80", "half", 1.0),
        ("a100-40", "half", 312 / 19.5),
        ("v100", "double", 1 / 32),
    ],
)
def test_dense_kernels_of_another_precision(card: str, precision: Precision, faster: float) -> None:
    single = Kernel("matmul", 10**13, 1, 1)
    # On an A100 single precision runs in TF32; compare with what its ordinary cores would do.
    plain = replace(load_card(card), tf32_flops_per_s=load_card(card).single_flops_per_s, launch_ns=0)
    costs = [OpCost((single,)), OpCost((single._replace(precision=precision),))]
    times = kernel_times(costs, [plain])[:, 0]
    assert times[0] / times[1] == pytest.approx(faster, rel=0.01)


def test_tf32_serves_dense_kernels_only() -> None:
    assert seconds(Kernel("matmul", 10**13, 1, 1), "a100-40") < 0.2 * seconds(Kernel("matmul", 10**13, 1, 1), "v100")
    softmax = Kernel("softmax", 10**13, 1, 1)
    assert seconds(softmax, "a100-40") == pytest.approx(seconds(softmax, "v100") * 15.7 / 19.5, rel=1e-3)


def test_absurd_sizes_become_long_times_not_negative_ones() -> None:
    assert kernel_times([OpCost((Kernel("matmul", 2**70, 2**60, 0),))], [V100])[0, 0] == 2**52


def test_one_column_per_card() -> None:
    times = kernel_times([OpCost((Kernel("matmul", 10**12, 1, 1),))], [V100, load_card("k80"), load_card("h100")])
    assert times.shape == (1, 3)
    assert times[0, 1] > times[0, 0] > times[0, 2]
    assert times.dtype == np.int64


def test_every_kind_has_its_shares() -> None:
    assert set(EFFICIENCY) == set(KINDS)
    assert all(0 < share <= 1 for shares in EFFICIENCY.values() for share in shares)
