"""Why an op sits where it sits, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pardnn.report.words import count, percent, shorten, us
from pardnn.units import format_size

_NAMES = 4  # of a group told by name


@dataclass(frozen=True)
class Traffic:
    """What an op's group exchanges with the ops on one device."""

    device: str
    reads: int
    """Tensors and control inputs from there."""
    read_bytes: int
    feeds: int
    fed_bytes: int


@dataclass(frozen=True)
class Move:
    """What another device would cost."""

    device: str
    change_us: float
    """Of the step's time."""
    peak_bytes: int
    """Of that device."""
    fits: bool


@dataclass(frozen=True)
class Explanation:
    """What there is to know of one op in a plan. Times in microseconds."""

    op: str
    kind: str
    device: str
    time_us: float
    start_us: float
    slack_us: float
    """How much later it could run with nothing else changed."""
    makespan_us: float
    pinned: str
    """Why it may sit nowhere else; empty if it may."""
    group: Sequence[str]
    """The other ops that must sit with it."""
    traffic: Sequence[Traffic]
    moves: Sequence[Move]
    """The other GPUs, the best first; none if it is pinned."""


def sentences(why: Explanation) -> list[str]:
    """The explanation, a sentence a line."""
    return [
        f"{shorten(why.op, 200)} ({shorten(why.kind or 'op', 60)}) sits on {why.device}.",
        f"It runs for {us(why.time_us)}, from {us(why.start_us)} into a step of {us(why.makespan_us)}.",
        _urgency(why),
        *([_group(why)] if why.group else []),
        *([f"It may sit nowhere else: {why.pinned}."] if why.pinned else []),
        *_traffic(why),
        *_moves(why),
    ]


def _urgency(why: Explanation) -> str:
    if why.slack_us <= 0:
        return "It is critical: each moment it takes longer, the step takes longer."
    return f"It is not critical: it could end {us(why.slack_us)} later and the step would take as long."


def _group(why: Explanation) -> str:
    names = ", ".join(shorten(name, 60) for name in why.group[:_NAMES])
    more = f" and {len(why.group) - _NAMES:,} more" if len(why.group) > _NAMES else ""
    return f"It must share its device with {count(len(why.group), 'op')}: {names}{more}."


def _traffic(why: Explanation) -> list[str]:
    whose = "Its group" if why.group else "It"
    lines = []
    for verb, noun, number, size in (
        ("reads", "input", "reads", "read_bytes"),
        ("feeds", "reader", "feeds", "fed_bytes"),
    ):
        parts = [
            f"{count(getattr(t, number), noun)} on {t.device} ({format_size(getattr(t, size))})"
            for t in why.traffic
            if getattr(t, number)
        ]
        lines.append(f"{whose} {verb} {', '.join(parts) or 'nothing'}.")
    return lines


def _moves(why: Explanation) -> list[str]:
    if not why.moves:
        return [] if why.pinned else ["There is no other GPU."]
    what = "group" if why.group else "op"
    lines = [f"Second best: {_move(why, why.moves[0], what)}."]
    lines += [f"Else: {_move(why, move, what)}." for move in why.moves[1:]]
    return lines


def _move(why: Explanation, move: Move, what: str) -> str:
    share = abs(move.change_us) / why.makespan_us if why.makespan_us else 0.0
    if move.change_us == 0:
        cost = "the step would take as long"
    else:
        way = "longer" if move.change_us > 0 else "less"
        cost = f"the step would take {us(abs(move.change_us))} ({percent(share)}) {way}"
    memory = f"{move.device} would hold {format_size(move.peak_bytes)} at its peak"
    return f"with the {what} on {move.device} {cost}; {memory}{'' if move.fits else ', more than fits'}"
