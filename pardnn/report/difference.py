"""What changed from one plan to another, on a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.report.layout import facts, table
from pardnn.report.words import count, percent, short, shorten, us
from pardnn.units import format_size

_ROWS = 20
_NAMES = 5


def difference_report(found: Mapping[str, Any]) -> RenderableType:
    """The page of a difference (`pardnn.answers.difference.difference`); its last line says it in a sentence."""
    return Group(
        facts(_facts(found)),
        "",
        table(("device", "ops", "", "peak", ""), [_device(row) for row in found["devices"]], left=("device",)),
        *_scopes(found["by_scope"]),
        "",
        Text(verdict(found), style="bold"),
    )


def verdict(found: Mapping[str, Any]) -> str:
    """What a user should make of it, in one sentence."""
    strangers = len(found["only_old"]) + len(found["only_new"])
    aside = f"; {count(strangers, 'op')} in one plan only" if strangers else ""
    if not found["moved"]:
        return f"No op moved{aside}."
    if found["renamed"] and not found["moved_but_for_names"]:
        return f"The same placement under other device names{aside}."
    share = f"{found['moved']:,} of {count(found['ops'], 'op')} moved"
    if found["moved_but_for_names"] < found["moved"]:
        share += f" ({found['moved_but_for_names']:,} but for the devices' names)"
    return f"{share}{aside}{_time(found['expected']['makespan_us'])}."


def _time(change: Mapping[str, Any]) -> str:
    if not change["change"] or not change["old"]:
        return "" if change["change"] is None else "; the step takes as long"
    ratio = abs(change["change"]) / change["old"]
    return f"; the step takes {percent(ratio)} {'longer' if change['change'] > 0 else 'less'}"


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    expected = found["expected"]
    rows = [
        ("step time", _ends(expected["makespan_us"], us)),
        ("lower bound", _ends(expected["lower_bound_us"], us)),
        ("sent", _ends(expected["comm_bytes"], format_size)),
    ]
    if edges := _edges(found["control_edges"]):
        rows.append(("control edges", edges))
    names = found["renamed"]
    if names and found["moved_but_for_names"] < found["moved"]:
        rows.append(("renamed", ", ".join(f"{short(a)} to {short(b)}" for a, b in names.items())))
    for title, key in (("only in the old", "only_old"), ("only in the new", "only_new")):
        if found[key]:
            rows.append((title, _some(found[key])))
    rows += [(name, f"{was} -> {now}") for name, (was, now) in found["options"].items()]
    return rows


def _edges(edges: Mapping[str, Any]) -> str:
    """How many control edges there are, and which of the two plans has which; "" where neither has any."""
    if not edges["old"] and not edges["new"]:
        return ""
    only = [(len(edges["only_old"]), "in the old only"), (len(edges["only_new"]), "in the new only")]
    only.append((edges["unmatched"], "with an op that its plan does not place"))
    told = ", ".join(f"{number:,} {where}" for number, where in only if number)
    return f"{edges['old']:,} -> {edges['new']:,}: {told or 'the same'}"


def _ends(change: Mapping[str, Any], form: Callable[[Any], str]) -> str:
    if change["old"] is None or change["new"] is None:
        return "not said by both plans"
    if not change["change"]:
        return f"{form(change['new'])}, as before"
    ratio = f" ({'+' if change['change'] > 0 else '-'}{percent(abs(change['change'] / change['old']))})"
    return f"{form(change['old'])} -> {form(change['new'])}{ratio if change['old'] else ''}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
    return f"{count(len(names), 'op')}: {', '.join(shorten(name, 60) for name in names[:_NAMES])}{more}"


def _device(row: Mapping[str, Any]) -> tuple[str, ...]:
    (was, now), peak = row["ops"], row["peak_bytes"]
    sizes = ["" if peak[end] is None else format_size(peak[end]) for end in ("old", "new")]
    return (short(row["device"]), f"{was:,}", f"-> {now:,}", sizes[0], f"-> {sizes[1]}" if sizes[1] else "")


def _scopes(rows: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    if not rows:
        return []
    drawn = [(row["scope"] or "(no scope)", f"{row['moved']:,} of {row['ops']:,}", _ways(row)) for row in rows[:_ROWS]]
    hidden = len(rows) - _ROWS
    more = [f"... and {count(hidden, 'scope')} more"] if hidden > 0 else []
    return ["", table(("scope", "moved", "from and to"), drawn, fold=("scope", "from and to")), *more]


def _ways(row: Mapping[str, Any]) -> str:
    ways = [f"{way['ops']:,} {short(way['from'])} -> {short(way['to'])}" for way in row["ways"][:4]]
    return ", ".join(ways + ["..."] * (len(row["ways"]) > 4))
