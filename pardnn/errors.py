"""Everything a user can cause, as exceptions with an exit code; whatever else is raised is a bug of ours (exit 1)."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

CUT_SHORT = 4
"""Exit code of an answer, no error: the time limit was reached or Ctrl-C came, and this is the best so far."""
_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)(?: (\d\w*(?:[.,]\d\w*)*|unlimited\b|N\b))?")


def one_line(text: object, most: int = 300) -> str:
    """What another library says, in a line of so many characters at most."""
    return " ".join(str(text).split())[:most]


class PardnnError(Exception):
    """Base of the errors a user can cause; `str(error)` is one line that says what happened and what to do."""

    exit_code = 2


class InputError(PardnnError):
    """Bad input or usage: a broken file, an unknown name, options that contradict each other (exit 2)."""


class DoesNotFit(PardnnError):  # noqa: N818 - an answer, no error of the user's
    """No placement within the memory limits was found (exit 3)."""

    exit_code = 3

    def __init__(self, message: str, node: int | None = None) -> None:
        super().__init__(message)
        self.node = node
        """The op that the message calls "op number N": stages know ops by number only."""

    def named(self, names: Sequence[str]) -> Self:
        """The same with that op by its name."""
        if self.node is None:
            return self
        return type(self)(str(self).replace(f"op number {self.node} ", f"op {names[self.node]!r} ", 1), self.node)


@contextmanager
def from_python() -> Iterator[None]:
    """What is raised inside speaks of options as Python has them: mem="16GB" where the command line has --mem 16GB."""
    try:
        yield
    except PardnnError as error:
        error.args = (as_arguments(str(error)),)
        raise


def as_arguments(text: str) -> str:
    """A message with the options of the command line as arguments of a call.

    >>> as_arguments("--gpus 2 --mem 44.5GB works (tried); --batch-size N says more; --mem: 3")
    'gpus=2 mem="44.5GB" works (tried); batch_size=N says more; mem: 3'
    """

    def argument(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        if value is None:
            return name
        return f"{name}={value}" if value.isdigit() or value == "N" else f'{name}="{value}"'

    return _OPTION.sub(argument, text)
