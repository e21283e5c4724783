"""Every public name is documented: what comes out, what goes in, units, what it raises."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import pardnn
import scheduler
from pardnn.config import Options

WORLD = [f"scheduler.{name}" for _, name, _ in pkgutil.iter_modules(scheduler.__path__) if not name.startswith("_")]
_RAISING = {"partition", "place", "profile", "scale", "device_function", "trace", "report", "save"}


def public() -> Iterator[tuple[str, Any]]:
    """Each public function and class, and the public methods of each class."""
    found = {name: getattr(pardnn, name) for name in pardnn.__all__}
    found |= {name: getattr(importlib.import_module("pardnn.errors"), name) for name in ("InputError", "DoesNotFit")}
    for module in (importlib.import_module(name) for name in WORLD):
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__ and callable(value):
                found[f"{module.__name__}.{name}"] = value
    for name, value in found.items():
        yield name, value
        if inspect.isclass(value):
            for inner, attribute in vars(value).items():
                what = getattr(attribute, "fget", None) or getattr(attribute, "func", None) or attribute
                what = getattr(what, "__func__", what)
                if not inner.startswith("_") and inspect.isfunction(what):
                    yield f"{name}.{inner}", what


NAMES = dict(public())


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_comes_out(name: str) -> None:
    text = inspect.getdoc(NAMES[name]) or ""
    assert len(text.split()) >= 2, f"{name} has no docstring"
    if is_dataclass(NAMES[name]):
        assert not text.startswith(f"{NAMES[name].__name__}("), f"{name} has only what dataclass writes"


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("scheduler.")])
def test_the_world_s_columns_and_arguments_say_their_shape_or_unit(name: str) -> None:
    """An array's shape stands in brackets, [n], near its name; a number's unit in its name."""
    what = NAMES[name]
    if is_dataclass(what) and inspect.isclass(what):
        arrays = [field.name for field in fields(what) if "NDArray" in str(field.type)]
        source = inspect.getsource(what)
        assert not arrays or re.search(r"\[[a-z]", source), f"{name}: no shape of {arrays}"
    elif inspect.isfunction(what) and "NDArray" in str(inspect.signature(what).return_annotation):
        assert re.search(r"\[[a-z.]|column", inspect.getdoc(what) or ""), f"{name}: what shape comes out?"


@pytest.mark.parametrize("name", [name for name in NAMES if name.rpartition(".")[2] in _RAISING])
def test_what_may_go_wrong_is_said(name: str) -> None:
    text = inspect.getdoc(NAMES[name]) or ""
    assert re.search(r"Raises|raises|written|whole or not", text), f"{name} does not say what it raises"


@pytest.mark.parametrize("name", [name for name in pardnn.__all__ if inspect.isfunction(getattr(pardnn, name))])
def test_each_parameter_is_spoken_of(name: str) -> None:
    """In the docstring itself, or it is an option that `Options` and the command line explain."""
    options = {field.name for field in fields(Options)}
    what = getattr(pardnn, name)
    text = (inspect.getdoc(what) or "").replace("`", "")
    said = [parameter for parameter in inspect.signature(what).parameters if parameter not in options]
    unsaid = [parameter for parameter in said if not re.search(rf"\b{parameter}\b", text, re.IGNORECASE)]
    assert unsaid == [], f"{name} does not say what {', '.join(unsaid)} is"


def test_every_option_is_explained_by_the_command_line() -> None:
    from pardnn.cli.commands.partition import command

    helped = {parameter.name for parameter in command.params if getattr(parameter, "help", None)}
    assert {field.name for field in fields(Options)} <= helped


def test_what_there_is_to_document() -> None:
    assert {"partition", "Plan.summary", "Plan.trace", "scheduler.simulate.simulate", "scheduler.dag.Dag.order"} <= set(
        NAMES
    )
