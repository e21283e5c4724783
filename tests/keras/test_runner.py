"""A traced step in a session: what it computes, changes and tells is what Keras's own does."""

import pytest

from pardnn.placers import runner
from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions


def test_steps_equal_those_of_keras_and_tell_where_each_op_ran() -> None:
    found = list(answers("runs", "cnn", "lstm_loop", "mixed_precision"))
    assert len(found) == 3
    for facts in found:
        assert facts["variables"] > 10
        assert all(facts[name] for name in ("outputs", "again", "changed", "weights", "bytes", "one"))
        assert facts["traced"] > 0.7
        assert facts["elsewhere"] == []
        assert facts["partitions"] == 4


def test_values_travel_in_messages_of_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_LOAD_BYTES", 10)
    assert list(runner._loads({"a": 4, "b": 6, "c": 1, "d": 99, "e": 0})) == [["a", "b"], ["c"], ["d"], ["e"]]
    assert list(runner._loads({})) == []
