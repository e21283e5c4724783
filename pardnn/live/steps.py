"""The decision for a live training step: planned when it is first traced, kept when it is traced again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pardnn.config import Options
from pardnn.errors import DoesNotFit, InputError, from_python
from pardnn.live.asides import alongside
from pardnn.machines.build import HOST
from pardnn.pipeline import UNMATCHED, breaches, decide, follow, prepare, solve
from pardnn.placers.plan import PlanFile
from pardnn.placers.trace import CALLED, MAIN, Devices, Kind, Step
from pardnn.plan import Plan
from pardnn.shelf import Shelf, key_of
from pardnn.subject import Subject

_GUESSED_BATCH = 32
_FED = frozenset({"Placeholder", "PlaceholderWithDefault", "IteratorGetNext", "IteratorV2", "OneShotIterator"})


class StepPlanner:
    """From a traced step to the plan's devices for its ops; `plan` is the last one made. `say` hears what may
    surprise, `note` what is as it should be.

    Keras traces a step anew for data of another shape, and after `compile`. Variables stay then where they are, for
    what was traced before reads them there. Evaluation and prediction go along with the training step.
    """

    def __init__(
        self,
        options: Options,
        say: Callable[[str], None],
        shelf: Shelf | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.plan: Plan | None = None
        self.found = False
        """Whether the first plan was made by an earlier process."""
        self.asides: dict[Kind, Plan] = {}
        """The last plan of each other kind of step."""
        self._options = options
        self._say, self._note = say, note
        self._shelf = shelf

    def __call__(self, step: Step) -> Devices | None:
        """The devices of a step; None of an evaluation or a prediction that cannot be planned.

        A training step that cannot be raises DoesNotFit, or InputError where options and graph contradict each other.
        """
        with _uncollected(), from_python():
            return self._devices(step)

    def _devices(self, step: Step) -> Devices | None:
        size = self._options.batch_size or step.batch
        if size is None and _open(step.graph):
            size = _GUESSED_BATCH
            self._say(f"the batch size is not to be seen: planned for {size}; batch_size=N says another")
        asked = replace(self._options, batch_size=size, targets=step.targets)
        if step.kind != MAIN:
            return self._aside(step, replace(asked, pin=None, control_edges=False))
        self.plan = self._again(step, asked) or self._first(step, asked)
        return Devices(self.plan.placement, self.plan.bodies, self.plan.control_edges)

    def _aside(self, step: Step, asked: Options) -> Devices | None:
        """Where the ops of an evaluation or a prediction go: along the training step, or around its variables."""
        name = CALLED[step.kind]
        try:
            subject = _pinned(step, asked) if step.settled else prepare(step.graph, asked)
            found = alongside(subject, asked, self.plan) if self.plan is not None else None
            plan = found[0] if found else self._shelved(subject, asked)
        except (InputError, DoesNotFit) as error:
            self._say(f"{name} is not planned, TensorFlow puts its ops where it likes: {error}")
            return None
        self.asides[step.kind] = plan
        if found:
            self._note(
                f"{name}: {found[1]} of its {len(subject.names)} ops go where training has them, the others beside"
            )
        elif any(device != HOST for device in step.settled.values()):
            self._say(f"{name}: planned around its variables")
        else:
            self._say(f"{name}: planned with its variables, which a fit moves where training wants them")
        return Devices(plan.placement, plan.bodies)

    def _first(self, step: Step, asked: Options) -> Plan:
        """A plan for the step, from the shelf or made and put there; it heeds what other plans hold, if it can be."""
        if self.plan is None and step.settled:
            try:
                return self._shelved(_pinned(step, asked), asked)
            except (InputError, DoesNotFit):
                self._say("variables that another plan placed are placed anew, for where they are they cannot stay")
        return self._shelved(prepare(step.graph, asked), asked)

    def _shelved(self, subject: Subject, asked: Options) -> Plan:
        if self._shelf is None:
            return solve(subject, asked)
        key = key_of(subject, asked)
        kept = self._shelf.get(key)
        if kept is not None and (plan := _held(subject, asked, kept, unmatched=0)) is not None:
            self.found = True
            return plan
        plan = solve(subject, asked)
        if not plan.timed_out:
            self._shelf.put(key, plan.file())
        return plan

    def _again(self, step: Step, asked: Options) -> Plan | None:
        """A plan with the variables as they sit, the old one where it serves; None = there is none yet, or no way."""
        if self.plan is None:
            return None
        try:
            subject = _pinned(step, asked)
            plan = _held(subject, asked, self.plan.file())
            if plan is not None:
                self._say("the step was traced again: the plan is used again")
                return plan
            plan = decide(subject, asked)
        except (InputError, DoesNotFit):
            self._say("the step was traced again: planned anew, variables too, for where they are they cannot stay")
            return None
        self._say("the step was traced again and is another: planned anew around its variables")
        return plan


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: it would look through all of TensorFlow's objects each time, for nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _open(graph: Any) -> bool:
    """Whether the leading dimension of something that is fed is open."""
    fed = (node for node in graph.node if node.op in _FED)
    shapes = (shape for node in fed for shape in node.attr["_output_shapes"].list.shape)
    return any(shape.unknown_rank or (shape.dim and shape.dim[0].size < 0) for shape in shapes)


def _held(subject: Subject, asked: Options, stored: PlanFile, unmatched: float = UNMATCHED) -> Plan | None:
    """A stored plan put on a step; None where it does not hold there, or is damaged."""
    try:
        plan, _ = follow(subject, asked, stored, unmatched)
    except InputError:
        return None
    return plan if plan.fits and not breaches(plan) else None


def _pinned(step: Step, asked: Options) -> Subject:
    """The step as a subject in which settled variables cannot move."""
    graph = type(step.graph)()
    graph.CopyFrom(step.graph)
    for node in graph.node:
        node.device = step.settled.get(node.name, node.device if asked.keep_devices else "")
    return prepare(graph, replace(asked, keep_devices=True))
