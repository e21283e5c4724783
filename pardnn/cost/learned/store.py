"""Trained families in one file of plain arrays, a zip of .npy files: nothing in it is code."""

from __future__ import annotations

import io
import itertools
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned import convolution, product, vector
from pardnn.cost.learned.device import Devices
from pardnn.cost.learned.ensemble import Ensemble
from pardnn.cost.learned.family import Family, floats
from pardnn.cost.learned.network import Network
from pardnn.errors import InputError, one_line

RULES: Mapping[str, ModuleType] = {"convolution": convolution, "product": product, "vector": vector}
SHIPPED = Path(__file__).with_name("weights.npz")
_LARGEST = 50_000_000
_Arrays = dict[str, NDArray[Any]]


@cache
def shipped() -> Mapping[str, Family]:
    """The families that come with the package, by name."""
    return load(SHIPPED)


def save(families: Mapping[str, Family]) -> bytes:
    """The file; equal in, equal out. Weights as 16-bit floats: half the size, errors far below the networks' own."""
    content = io.BytesIO()
    arrays: _Arrays = {}
    for name, family in families.items():
        arrays |= {f"{name}/{key}": value for key, value in _arrays(family).items()}
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


def load(path: Path) -> dict[str, Family]:
    """The families in a file. Raises InputError where it is none of ours."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path}: over {_LARGEST} bytes; trained networks are far smaller")
        if not zipfile.is_zipfile(path):
            raise ValueError("not a .npz file")
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        if not arrays:
            raise ValueError("holds no arrays")
        if strange := [key for key, value in arrays.items() if not np.isfinite(value).all()]:
            raise ValueError(f"{strange[0]} holds what is no number")
        names = sorted({key.split("/")[0] for key in arrays})
        return {name: _family(name, {k: v for k, v in arrays.items() if k.startswith(f"{name}/")}) for name in names}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, IndexError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: no networks of pardnn benchmark-ops: {one_line(error)[:100]}") from None


def _arrays(family: Family) -> _Arrays:
    found: _Arrays = {
        "trained": family.trained,
        "doubts": np.array([family.doubts_known, family.doubts_unseen]),
    }
    found |= _of_ensemble("", family.ensemble)
    return found | (_of_ensemble("blind/", family.blind) if family.blind else {})


def _of_ensemble(head: str, ensemble: Ensemble) -> _Arrays:
    found: _Arrays = {
        f"{head}low": ensemble.low, f"{head}high": ensemble.high,
        f"{head}bounds": np.array(ensemble.bounds, np.int64),
        f"{head}open_above": np.array(ensemble.open_above, np.int64),
    }  # fmt: skip
    for i, network in enumerate(ensemble.networks):
        found |= {f"{head}{i}/shift": network.shift, f"{head}{i}/scale": network.scale}
        for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
            found |= {f"{head}{i}/w{layer}": weight.astype(np.float16), f"{head}{i}/b{layer}": bias.astype(np.float16)}
    return found


def _family(name: str, arrays: _Arrays) -> Family:
    rule, trained = RULES[name.split(".", maxsplit=1)[0]], np.asarray(arrays[f"{name}/trained"], np.float64)
    known, unseen = (float(v) for v in arrays[f"{name}/doubts"])
    blind = _ensemble(f"{name}/blind/", arrays) if f"{name}/blind/low" in arrays else None
    family = Family(rule, _ensemble(f"{name}/", arrays), blind, trained, known, unseen)
    if trained.shape != (len(trained), len(Devices.__dataclass_fields__)) or not len(trained):
        raise ValueError("its devices have other figures")
    if not all(_sound(ensemble, _width(rule)) for ensemble in (family.ensemble, blind) if ensemble is not None):
        raise ValueError("its networks do not go with their features")
    return family


def _width(rule: ModuleType) -> int:
    """How many features an op of a family has."""
    one = np.ones(1)
    return int(rule.features(dict.fromkeys(rule.COLUMNS, one), Devices(one, one, one, one, one, one)).shape[1])


def _sound(ensemble: Ensemble, width: int) -> bool:
    """Whether all its arrays go together, for so many features."""

    def fits(network: Network) -> bool:
        sizes = [width, *(len(bias) for bias in network.biases)]
        shapes = [array.shape for array in (network.shift, network.scale, *network.weights)]
        return sizes[-1] == 1 and shapes == [(width,), (width,), *pairwise(sizes)]

    ranges = ensemble.low.shape == ensemble.high.shape == (width,)
    placed = all(0 <= at < width for at in (*ensemble.bounds, *ensemble.open_above))
    return ranges and placed and bool(ensemble.networks) and all(map(fits, ensemble.networks))


def _ensemble(head: str, arrays: _Arrays) -> Ensemble:
    def count(pattern: str) -> int:
        return next(i for i in itertools.count() if head + pattern.format(i) not in arrays)

    networks = [
        Network(
            floats(arrays[f"{head}{i}/shift"]), floats(arrays[f"{head}{i}/scale"]),
            tuple(floats(arrays[f"{head}{i}/w{layer}"]) for layer in range(count(f"{i}/w{{}}"))),
            tuple(floats(arrays[f"{head}{i}/b{layer}"]) for layer in range(count(f"{i}/b{{}}"))),
        )
        for i in range(count("{}/shift"))
    ]  # fmt: skip
    bounds, above = (tuple(int(v) for v in arrays[head + key]) for key in ("bounds", "open_above"))
    return Ensemble(tuple(networks), floats(arrays[f"{head}low"]), floats(arrays[f"{head}high"]), bounds, above)
