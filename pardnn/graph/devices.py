"""Device strings in every spelling TensorFlow accepts, as one value that can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pardnn.errors import InputError

_PART = re.compile(r"(job|replica|task|device):([^/:]+)(?::([^/:]+))?", re.IGNORECASE)
_DIGITS = 9  # of any sane number in a device; `int` refuses thousands
_SHORT = re.compile(r"([A-Za-z_]\w*)(?::(\d+|\*))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Device:
    """A possibly partial device: `None` (or a "*" in the string) stands for any.

    >>> parse("/gpu:0") == parse("/device:GPU:0") == parse("gpu:0")
    True
    >>> str(parse("/job:ps/replica:0/task:3/gpu:*"))
    '/job:ps/replica:0/task:3/device:GPU:*'
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    """Device type in upper case: "CPU", "GPU", ..."""
    index: int | None = None

    def __str__(self) -> str:
        parts = ((name, getattr(self, name)) for name in ("job", "replica", "task"))
        text = "".join(f"/{name}:{value}" for name, value in parts if value is not None)
        if self.kind is None:
            return text
        return f"{text}/device:{self.kind}:{'*' if self.index is None else self.index}"

    @property
    def local(self) -> str:
        """The device within its machine, as placements write it: "/device:GPU:0"; "" if type or number is open."""
        return "" if self.kind is None or self.index is None else f"/device:{self.kind}:{self.index}"

    def agrees(self, other: Device) -> bool:
        """Whether one device can be both: each field is equal or open on one side."""
        mine, its = self._fields(), other._fields()
        return all(a is None or b is None or a == b for a, b in zip(mine, its, strict=True))

    def _fields(self) -> tuple[str | int | None, ...]:
        return self.job, self.replica, self.task, self.kind, self.index


def parse(text: str) -> Device:
    """The device a string names; "" is any device. Raises InputError for what is no device string.

    Accepts full names, "/gpu:0", "GPU:0", "/device:gpu", "*" and "/job:ps/task:1", in upper or lower case.
    """
    fields: dict[str, str | int | None] = {}
    for part in text.strip().strip("/").split("/"):
        if part in ("", "*"):
            continue
        long, short = _PART.fullmatch(part), _SHORT.fullmatch(part)
        if long and long[1].lower() != "device" and long[3] is None:
            name = long[1].lower()
            fields[name] = long[2] if name == "job" else _number(long[2], text)
        elif long and long[1].lower() == "device":
            fields["kind"], fields["index"] = _kind(long[2]), _number(long[3], text)
        elif short:
            fields["kind"], fields["index"] = _kind(short[1]), _number(short[2], text)
        else:
            raise _refused(text)
    return Device(**fields)  # type: ignore[arg-type]  # each value has been given its field's type above


def _kind(text: str) -> str | None:
    return None if text == "*" else text.upper()


def _number(text: str | None, whole: str) -> int | None:
    if text is None or text == "*":
        return None
    if not text.isdecimal() or len(text) > _DIGITS:
        raise _refused(whole)
    return int(text)


def _refused(text: str) -> InputError:
    return InputError(f"'{text[:80]}' is no device: write it like /device:GPU:0 or /job:worker/task:1/device:CPU:0")
