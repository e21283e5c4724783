"""Data for what a step is fed, drawn where none is given: such that the step does the work it always does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.feeds import Feed

Values = Mapping[str, NDArray[Any]]
"""Arrays by the name of a placeholder, or of a variable."""
_OPTION = "give it in a file of arrays by placeholder name: --feeds data.npz"


def read_feeds(path: str) -> Values:
    """The arrays of an .npz file by name. Raises InputError."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if not hasattr(file, "files"):
                raise InputError(f"{path}: is a single array: save several by name with numpy.savez")
            return {name: file[name] for name in file.files}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or 'is it an .npz file?'}") from None
    except (ValueError, EOFError):
        raise InputError(f"{path}: is no .npz file of plain arrays: make it with numpy.savez") from None


def drawn(
    needed: Iterable[Feed], given: Values, batch_size: int | None, name: str, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """An array for each placeholder: what is given, else drawn: fractions of 1; whole numbers that can be looked up.

    Raises InputError for what cannot be drawn, and for a given array that no placeholder takes.
    """
    fed = tuple(needed)
    if strangers := sorted(given.keys() - {feed.name for feed in fed}):
        names = ", ".join(feed.name for feed in fed) or "none"
        raise InputError(f"--feeds: the step has no placeholder {strangers[0]!r}; it has: {names}")
    return {
        feed.name: _given(feed, given[feed.name], name) if feed.name in given else _draw(feed, batch_size, name, rng)
        for feed in fed
    }


def _given(feed: Feed, value: NDArray[Any], name: str) -> NDArray[Any]:
    dims = feed.shape.dims
    if dims is not None and (
        len(dims) != value.ndim or any(d not in (-1, n) for d, n in zip(dims, value.shape, strict=True))
    ):
        raise InputError(f"{name}: placeholder {feed.name!r} has shape {list(dims)}, its array {list(value.shape)}")
    return value.astype(_numpy(feed, name), copy=False)


def _draw(feed: Feed, batch_size: int | None, name: str, rng: np.random.Generator) -> NDArray[Any]:
    told = f"{name}: placeholder {feed.name!r}"
    dtype = _numpy(feed, name)
    if feed.shape.dims is None:
        raise InputError(f"{told} has no shape: {_OPTION}")
    if any(d < 0 for d in feed.shape.dims[1:]):
        raise InputError(f"{told} has shape {list(feed.shape.dims)}: {_OPTION}")
    if feed.shape.dims[:1] == (-1,) and batch_size is None:
        raise InputError(f"{told} leaves its first dimension open: say how many examples a step takes, --batch-size N")
    shape = tuple((batch_size or 1) if d < 0 else d for d in feed.shape.dims)
    if feed.below is not None:
        return np.asarray(rng.integers(0, feed.below, shape)).astype(dtype)
    if feed.whole and feed.decides is not None:
        raise InputError(f"{told}: how much the step does depends on it, at {feed.decides!r}: {_OPTION}")
    if feed.whole or dtype == np.dtype(bool):
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    return np.asarray(rng.random(shape) if shape else 0.5).astype(dtype)


def _numpy(feed: Feed, name: str) -> np.dtype[Any]:
    from tensorflow import as_dtype

    try:
        kind = as_dtype(int(feed.dtype))
        if kind.is_numeric or kind.is_bool:
            dtype: np.dtype[Any] = np.dtype(kind.as_numpy_dtype)
            return dtype
    except TypeError:
        pass
    raise InputError(
        f"{name}: placeholder {feed.name!r} takes no numbers; of a Keras model `pardnn extract` makes the file"
    )
