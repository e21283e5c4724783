"""What drives the time of runs, on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.report.layout import facts, table
from pardnn.report.words import count, percent, safe

_ROWS = 10


def fit_report(found: Mapping[str, Any], name: str) -> RenderableType:
    """The page of a fit (`pardnn.answers.runs.fit_result`)."""
    return Group(
        facts(_facts(found, name)),
        "",
        *(Text(safe(f"{_role(row)}{row['words']}")) for row in found["effects"]),
        "",
        _terms(found),
    )


def predictions_report(rows: Sequence[Sequence[str]], total: int) -> RenderableType:
    """The first rows of predictions: line of the file, predicted, low, high, columns beyond what was learned from."""
    heads = ("line", "predicted", "low", "high", "beyond")
    drawn = table(heads, rows[:_ROWS], left=("beyond",))
    return Group(drawn, f"... and {total - _ROWS:,} more") if total > _ROWS else drawn


def _facts(found: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    by_terms = ", ".join(percent(error) for error in found["by_terms"])
    products = count(len(found["terms"]), "product")
    read = f"{count(found['rows'], 'row')} to learn from, {count(len(found['columns']), 'column')}"
    rows = [
        ("table", f"{Path(name).name}: {read}"),
        ("model", f"{found['target']} = constant + {products} of powers, each column over its geometric mean"),
        ("error", _error(found)),
        ("by products", f"{by_terms}: {products} chosen"),
    ]
    return rows + ([("test", _test(found))] if "test_median" in found else [])


def _error(found: Mapping[str, Any]) -> str:
    here, kept_out, straight = (percent(found[f"{of}_mape"]) for of in ("fit", "cross_validation", "linear_fit"))
    return f"{here} on these rows, {kept_out} on rows kept out (cross-validation); a straight line {straight} on these"


def _test(found: Mapping[str, Any]) -> str:
    straight = f"; a straight line {percent(found['linear_test_mape'])}" if "linear_test_mape" in found else ""
    return (
        f"{percent(found['test_mape'])} on {found['test_on']} (median {percent(found['test_median'])}, worst "
        f"{percent(found['test_worst'])}){straight}; {percent(found['test_within_interval'])} of them within their "
        "90 % interval"
    )


def _role(row: Mapping[str, Any]) -> str:
    return f"{row['role']}: " if row["role"] in ("intrinsic", "extrinsic") else ""


def _terms(found: Mapping[str, Any]) -> RenderableType:
    """A row a product: its mean share of the time, its factor, and a power with its interval per column."""
    rows = [("constant", _figure(found["constant"], ".3g"))]
    for term in found["terms"]:
        powers = (f"{name}^{_figure(power, '.2f')}" for name, power in term["powers"].items())
        levels = (f"({name}: x{_figure(factor, '.2f')})" for name, factor in term["levels"].items())
        rows.append((percent(term["share"]), "  ".join((_figure(term["factor"], ".3g"), *powers, *levels))))
    return Group("products by their mean share of the time: factor, powers with their 95 % intervals", facts(rows))


def _figure(figure: Mapping[str, float | None], digits: str) -> str:
    value = f"{figure['value']:{digits}}"
    return value if figure["low"] is None else f"{value} [{figure['low']:{digits}}, {figure['high']:{digits}}]"
