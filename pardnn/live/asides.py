"""Evaluation and prediction: steps beside the training step, which decides where their variables are.

Their forward pass is the training step's, op by op and under the same names, so each of these ops goes where the
training step has it, and what is left beside its neighbours. Nothing is searched for then.
"""

from __future__ import annotations

from dataclasses import replace

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.pipeline import breaches, follow, measured
from pardnn.plan import Plan
from pardnn.subject import Subject


def alongside(subject: Subject, options: Options, main: Plan) -> tuple[Plan, int] | None:
    """(the plan of a step along another's, how many ops have their devices from there); None if it does not hold.

    The step's own pins and groups go first: its variables are pinned where they are.
    """
    ops = dict(zip(main.subject.names, main.subject.ops, strict=True))
    devices = subject.problem.machine.devices
    pairs = zip(subject.names, subject.ops, strict=True)
    same = {name: main.placement[name] for name, op in pairs if ops.get(name) == op}
    known = {name: device for name, device in same.items() if device in devices}
    try:
        rough, _ = follow(subject, options, replace(main.file(), placement=known, control_edges=()), unmatched=1)
    except InputError:
        return None
    plan = measured(subject, options, subject.problem.settle(rough.device))
    return (plan, len(known)) if plan.fits and not breaches(plan) else None
