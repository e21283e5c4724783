"""Output files: which, whether they may be written, and all of them or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pardnn.errors import InputError
from pardnn.placers.atomic import refuse_existing, write_files

PLAN = ".placement.json"
_MEASURED = "measured:"


@dataclass(frozen=True)
class Outputs:
    """Where the plan and the placed graph go."""

    paths: tuple[str, ...]
    force: bool = False

    @classmethod
    def of(
        cls, inputs: Sequence[str], asked: Sequence[str], *, force: bool, placed: bool, also: Sequence[str] = ()
    ) -> Outputs:
        """What -o names, else STEM.placed.EXT (where there is a graph to place) and STEM.placement.json, here.

        Then what `also` names: files that other options ask for.
        The first of the inputs is the graph, and none of them is ever overwritten.
        Raises InputError where one may not be written, so that nobody waits for a result that is then lost.
        """
        try:
            Path.cwd()
        except FileNotFoundError:
            raise InputError("the current directory is gone: change to one that exists") from None
        stem, extension = _split(Path(inputs[0]).name)
        default = [f"{stem}.placed{extension}"] if placed else []
        named = tuple(asked) or (*default, f"{stem}{PLAN}")
        graphs = [path for path in named if path and not (path.endswith(PLAN) or is_events(path))]
        if graphs and not placed:
            raise InputError(f"-o {graphs[0]}: a cost graph yields a plan only; name it {graphs[0]}{PLAN}")
        return cls.named(inputs, (*named, *also), force=force)

    @classmethod
    def named(cls, inputs: Sequence[str], paths: Sequence[str], *, force: bool) -> Outputs:
        """These files and no others. Raises as `of`."""
        outputs = cls(tuple(paths), force)
        outputs._check(inputs)
        return outputs

    def write(self, contents: Sequence[bytes]) -> None:
        """Write them all; where one fails, everything stays as it was."""
        write_files(list(zip(self.paths, contents, strict=True)), force=self.force)

    def _check(self, inputs: Sequence[str]) -> None:
        seen = set()
        for path in self.paths:
            if not path:
                raise InputError("'': is no name of a file")
            if any(_same(path, given) for given in inputs):
                raise InputError(f"{path}: is an input, and inputs are never overwritten")
            real = os.path.realpath(path)
            if real in seen:
                raise InputError(f"{path}: is named twice")
            seen.add(real)
            refuse_existing(path, force=self.force)


def files_read(*named: str | None, **given: Any) -> list[str]:
    """The files among a command's arguments, and those that its options name: as inputs of `Outputs`.

    >>> files_read("net.pbtxt", None, machine="here.toml", costs="measured:costs.csv", mem="16GB")
    ['net.pbtxt', 'here.toml', 'costs.csv']
    """
    options = [given.get(name) or "" for name in ("machine", "link", "network", "pin", "costs")]
    return [path for path in (*named, *(value.removeprefix(_MEASURED) for value in options)) if path]


def is_events(path: str) -> bool:
    """Whether a file of that name is one that TensorBoard looks at."""
    return "tfevents" in Path(path).name


@dataclass(frozen=True)
class Folder:
    """Where files of known names go, those of them that there are."""

    path: str
    force: bool = False

    @classmethod
    def of(cls, inputs: Sequence[str], path: str, names: Sequence[str], *, force: bool) -> Folder:
        """The folder, made if it is not there. Raises as `Outputs.of`."""
        if not path:
            raise InputError("-o '': is no name of a folder")
        try:
            Path(path).mkdir(exist_ok=True)
        except (OSError, ValueError) as error:
            raise InputError(f"{path!a}: cannot be made: {getattr(error, 'strerror', None) or error}") from None
        Outputs.named(inputs, [str(Path(path, name)) for name in names], force=force)
        return cls(path, force)

    def write(self, files: Iterable[tuple[str, bytes]]) -> list[str]:
        """Write them all, or none; returns their paths."""
        placed = [(str(Path(self.path, name)), content) for name, content in files]
        write_files(placed, force=self.force)
        return [path for path, _ in placed]


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
