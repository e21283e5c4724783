"""Output files: which, whether they may be written, and all of them or none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pardnn.errors import InputError
from pardnn.placers.atomic import refuse_existing, write_files

PLAN = ".placement.json"


@dataclass(frozen=True)
class Outputs:
    """Where the plan and the placed graph go."""

    paths: tuple[str, ...]
    force: bool = False

    @classmethod
    def of(cls, inputs: Sequence[str], asked: Sequence[str], *, force: bool, placed: bool) -> Outputs:
        """What -o names, else STEM.placed.EXT (where there is a graph to place) and STEM.placement.json, here.

        The first of the inputs is the graph, and none of them is ever overwritten.
        Raises InputError where one may not be written, so that nobody waits for a result that is then lost.
        """
        try:
            Path.cwd()
        except FileNotFoundError:
            raise InputError("the current directory is gone: change to one that exists") from None
        stem, extension = _split(Path(inputs[0]).name)
        default = [f"{stem}.placed{extension}"] if placed else []
        outputs = cls(tuple(asked) or (*default, f"{stem}{PLAN}"), force)
        outputs._check(inputs, placed=placed)
        return outputs

    def write(self, contents: Sequence[bytes]) -> None:
        """Write them all; where one fails, everything stays as it was."""
        write_files(list(zip(self.paths, contents, strict=True)), force=self.force)

    def _check(self, inputs: Sequence[str], *, placed: bool) -> None:
        seen = set()
        for path in self.paths:
            if not path:
                raise InputError("-o '': is no name of a file")
            if not placed and not path.endswith(PLAN):
                raise InputError(f"-o {path}: a cost graph yields a plan only; name it {path}{PLAN}")
            if any(_same(path, given) for given in inputs):
                raise InputError(f"-o {path}: is an input, and inputs are never overwritten")
            real = os.path.realpath(path)
            if real in seen:
                raise InputError(f"-o {path}: is named twice")
            seen.add(real)
            refuse_existing(path, force=self.force)


def _split(name: str) -> tuple[str, str]:
    """Stem and extension; a .gz goes with the extension before it.

    >>> _split("x.pbtxt.gz"), _split("model.ckpt-7.meta"), _split("graph")
    (('x', '.pbtxt.gz'), ('model.ckpt-7', '.meta'), ('graph', ''))
    """
    packed = ".gz" if name.endswith(".gz") else ""
    bare = Path(name.removesuffix(".gz"))
    return bare.stem, bare.suffix + packed


def _same(path: str, other: str) -> bool:
    """Whether two names are one file."""
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):
        return False
