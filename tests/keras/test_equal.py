"""Networks of many kinds train placed as they do unplaced, bit for bit, and every op runs where the plan says."""

from typing import Any

import pytest

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions

Facts = dict[str, Any]

NETWORKS = (
    "dense", "cnn", "transformer", "lstm_loop", "lstm_unrolled", "bidirectional", "mixed_precision", "two_in_two_out",
    "siamese", "unet", "clipped_schedule", "accumulated", "compiled", "own_train_step", "scaled_step", "gan", "vae",
    "branching", "looped",
)  # fmt: skip
METHODS = ("round-robin", "auto")


@pytest.fixture(scope="module")
def trained() -> dict[tuple[str, str], Facts]:
    return {(a["network"], a["method"]): a for a in answers("equal", ",".join(METHODS))}


def test_every_network_is_trained(trained: dict[tuple[str, str], Facts]) -> None:
    assert {network for network, _ in trained} == set(NETWORKS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("network", NETWORKS)
def test_losses_and_weights_equal_those_of_the_unplaced_run(
    trained: dict[tuple[str, str], Facts], network: str, method: str
) -> None:
    found = trained[network, method]
    assert len(found["losses"][0]) == 3
    assert found["placed_losses"] == found["losses"]
    assert found["variables"] >= 10
    assert found["weights"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("network", NETWORKS)
def test_every_op_that_runs_is_on_its_device(trained: dict[tuple[str, str], Facts], network: str, method: str) -> None:
    found = trained[network, method]
    assert found["moved"] == {}
    assert found["bare"] == []
    assert found["report_bare"] == 0
    # The rest are arguments, and constants, of which each device that uses them gets copies under other names.
    assert found["checked"] > 0.88 * found["ops"]
    assert found["gone"] < 0.06 * found["ops"]
    if method == "round-robin":
        assert len(found["used"]) == 4


def test_only_xla_is_worth_a_word(trained: dict[tuple[str, str], Facts]) -> None:
    said = {network: found["warnings"] for (network, _), found in trained.items() if found["warnings"]}
    assert said == {"compiled": ["jit_compile is turned off: XLA would run the whole step on one device"]}
