"""The networks that ship: size, bounds, range, bands; and their file."""

from pathlib import Path

import numpy as np
import pytest

from pardnn.cost.learned import product, store, vector
from pardnn.cost.learned.device import devices, figures
from pardnn.cost.learned.family import quantile
from pardnn.cost.learned.store import SHIPPED
from pardnn.errors import InputError
from pardnn.machines.card import Card, card_names, load_card


def on(card: Card, rows: dict[str, np.ndarray]):  # type: ignore[no-untyped-def]
    return devices([figures(card)], np.zeros(len(next(iter(rows.values()))), np.intp))


def products(count: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    sizes = {name: np.floor(np.exp(rng.uniform(2, 8, count))) for name in ("m", "n", "k")}
    return {"batch": np.ones(count), "batched": np.zeros(count)} | sizes


def test_they_are_small_and_plain() -> None:
    assert SHIPPED.stat().st_size < 2_000_000
    assert set(store.shipped()) == {"convolution", "product", "vector"}
    with np.load(SHIPPED, allow_pickle=False) as file:
        assert all(file[key].dtype.kind in "fi" for key in file.files)


@pytest.mark.parametrize("name", [name for name in card_names() if name != "cpu"])
def test_no_prediction_undercuts_the_roofline_on_any_card(name: str) -> None:
    rows = products(200)
    device = on(load_card(name), rows)
    found = store.shipped()["product"].predict(rows, device)
    assert (found.ms > product.least_ms(rows, device)).all()
    assert (found.low < 1).all()
    assert (found.high > 1).all()


def test_a_card_that_was_not_trained_on_has_the_wider_band() -> None:
    rows = products(50)
    family = store.shipped()["product"]
    known, unseen = (family.predict(rows, on(load_card(name), rows)) for name in ("t4", "h100"))
    assert np.median(known.high) < np.median(unseen.high)


def test_tiny_ops_and_far_cards_are_outside() -> None:
    family = store.shipped()["vector"]
    rows = {"rows": np.array([1.0, 4096.0]), "width": np.array([1.0, 1024.0]), "op": np.zeros(2)}
    assert family.predict(rows, on(load_card("v100"), rows)).inside.tolist() == [False, True]
    far = devices([(1e12, 1e7, 1e5, 1e3, 1e8, 1e3)], np.zeros(2, np.intp))
    assert not family.predict(rows, far).inside.any()


def test_adding_two_large_matrices_takes_about_their_traffic() -> None:
    """3 x 64 MiB at 900 GB/s on a V100: 0.22 ms at the peak."""
    rows = {"rows": np.array([16384.0]), "width": np.array([1024.0]), "op": np.array([vector.OPS.index("add")], float)}
    found = store.shipped()["vector"].predict(rows, on(load_card("v100"), rows))
    assert 0.22 < found.ms[0] < 0.28


def test_the_file_comes_back_as_it_was(tmp_path: Path) -> None:
    content = store.save(store.shipped())
    (tmp_path / "again.npz").write_bytes(content)
    assert store.save(store.load(tmp_path / "again.npz")) == content


def test_a_file_of_something_else_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"PK no zip")
    with pytest.raises(InputError, match="no networks of pardnn benchmark-ops"):
        store.load(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(InputError, match="no networks of pardnn benchmark-ops"):
        store.load(path)
    np.savez(path, a=np.array([{}], object))
    with pytest.raises(InputError, match="no networks of pardnn benchmark-ops"):
        store.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        store.load(tmp_path / "absent.npz")
    np.savez(path)
    with pytest.raises(InputError, match="no networks of pardnn benchmark-ops: holds no arrays"):
        store.load(path)
    path.write_bytes(b"op,time_us\n")
    with pytest.raises(InputError, match=r"no networks of pardnn benchmark-ops: not a \.npz file"):
        store.load(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="no networks of pardnn benchmark-ops"):
        store.load(path)


@pytest.mark.parametrize("changed", ["0/w0", "doubts", "trained"])
def test_figures_that_are_none_are_refused_in_a_line(tmp_path: Path, changed: str) -> None:
    with np.load(store.SHIPPED) as file:
        arrays = {key: file[key] for key in file.files if key.startswith("vector/")}
    arrays[f"vector/{changed}"] = arrays[f"vector/{changed}"] * np.nan
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError, match=f"vector/{changed} holds what is no number"):
        store.load(tmp_path / "x.npz")


@pytest.mark.parametrize("changed", ["0/w0", "0/b1", "0/shift", "low", "bounds", "trained"])
def test_arrays_that_do_not_go_together_are_refused_in_a_line(tmp_path: Path, changed: str) -> None:
    with np.load(store.SHIPPED) as file:
        arrays = {key: file[key] for key in file.files if key.startswith("vector/")}
    arrays[f"vector/{changed}"] = np.array([1000, 1000])
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError, match="no networks of pardnn benchmark-ops"):
        store.load(tmp_path / "x.npz")


def test_the_conformal_quantile_counts_the_row_to_come() -> None:
    assert quantile(np.arange(1.0, 10.0), 0.9) == 9
    assert quantile(np.arange(1.0, 100.0), 0.9) == 90
