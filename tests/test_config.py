"""Options are checked at the door, whoever gives them: the command line, a script, a stored plan."""

from typing import Any

import pytest

from pardnn.config import Options
from pardnn.errors import InputError


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("costs", 5, "--costs: 5 is no name"),
        ("method", ["heft"], r"--method: \['heft'\] is no name"),
        ("machine", None, "--machine: None is no name"),
        ("targets", "train", "--targets: 'train' is no list of names"),
        ("targets", [1], r"--targets: \[1\] is no list of names"),
        ("targets", 5, "--targets: 5 is no list of names"),
        ("gpus", 2.5, "--gpus: 2.5 is neither a count"),
        ("gpus", [1, "a"], r"--gpus: \[1, 'a'\] is neither a count"),
        ("pin", 5, "--pin: 5 is no name of a file"),
        ("latency", 10, "--latency: 10 is no text with a unit"),
        ("bandwidth", 1.0, "--bandwidth: 1.0 is no text with a unit"),
        ("batch_size", 0, "--batch-size: 0 is not"),
        ("batch_size", 1.5, "--batch-size: 1.5 is not"),
        ("batch_size", True, "--batch-size: True is not"),
        ("seed", -1, "--seed: -1 is not"),
        ("order", "lifo", "--order: 'lifo' is not one of fifo, blevel"),
        ("time_limit", "0s", "--time-limit: 0s is no time"),
        ("colour", "red", "no option 'colour'"),
    ],
)
def test_what_no_option_can_be_is_refused_by_name(name: str, value: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Options.of(**{name: value})
