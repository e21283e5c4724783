import pytest

from pardnn.errors import InputError
from pardnn.graph.devices import Device, parse


@pytest.mark.parametrize("text", ["/gpu:0", "/device:GPU:0", "GPU:0", "gpu:0", "/GPU:0", "/device:gpu:0", " /gpu:0 "])
def test_all_spellings_of_one_local_device_are_one(text: str) -> None:
    assert parse(text) == Device(kind="GPU", index=0)
    assert parse(text).local == "/device:GPU:0"


def test_a_full_name_keeps_its_machine_and_names_the_same_local_device() -> None:
    full = parse("/job:localhost/replica:0/task:0/device:GPU:0")
    assert full == Device("localhost", 0, 0, "GPU", 0)
    assert full.local == parse("/gpu:0").local
    assert str(full) == "/job:localhost/replica:0/task:0/device:GPU:0"


def test_what_is_left_out_or_a_star_is_open() -> None:
    assert parse("/device:GPU:*") == parse("/gpu") == Device(kind="GPU")
    assert parse("") == parse("*") == Device()
    assert parse("/job:ps/task:1") == Device(job="ps", task=1)
    assert parse("/device:GPU:*").local == ""


@pytest.mark.parametrize(
    ("a", "b", "agree"),
    [
        ("/gpu:0", "/job:worker/task:3/device:GPU:0", True),
        ("/gpu:0", "/gpu:1", False),
        ("/gpu:*", "/gpu:1", True),
        ("/cpu:0", "/gpu:0", False),
        ("", "/gpu:1", True),
        ("/job:ps", "/job:worker/gpu:0", False),
    ],
)
def test_devices_agree_where_no_field_contradicts(a: str, b: str, agree: bool) -> None:
    assert parse(a).agrees(parse(b)) is agree
    assert parse(b).agrees(parse(a)) is agree


@pytest.mark.parametrize("text", ["/device:GPU:x", "/job:a/task:b", "gpu 0", "/device:", "//:0", "/gpu:" + "9" * 5000])
def test_nonsense_is_refused_by_name(text: str) -> None:
    with pytest.raises(InputError, match="is no device") as error:
        parse(text)
    assert len(str(error.value)) < 200


def test_printing_and_parsing_again_gives_the_same_device() -> None:
    for text in ["/gpu:1", "/job:ps/task:2/cpu:0", "/replica:1/device:TPU:*", ""]:
        assert parse(str(parse(text))) == parse(text)
