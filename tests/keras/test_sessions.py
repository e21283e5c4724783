"""A plan put to use in TF1 code: `graph.device(pardnn.device_function(plan))`."""

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions


def test_a_graph_made_or_imported_under_the_plan_trains_the_same() -> None:
    (found,) = answers("sessions")
    # TensorFlow makes these two under a device scope of its own: a read sits with its variable, a NoOp does nothing.
    assert found["elsewhere"] == [["NoOp", "ReadVariableOp"], []]
    assert found["losses"] == found["made"] == found["imported"]
    assert found["losses"][4] < found["losses"][0]
    assert found["ops"] > 50
    assert len(found["used"]) == 3
