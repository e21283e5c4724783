"""How a rule is registered and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pardnn.graph.raw import AttrValue, Shape
from pardnn.graph.shape_rules.dims import Dims, Value


@dataclass(slots=True)
class Held:
    """What a handle refers to: the shapes of a variable (one), of a queue's components, of a list's elements (one).

    One object per variable, queue or list, shared by all handles to it; a rule that learns more writes it here.
    """

    shapes: list[Dims]
    numbers: Value | None = None
    """The numbers in a stack's elements, where they are known: the shapes a loop keeps for its gradient."""


@dataclass(slots=True)
class Call:
    """One op as a rule sees it: its attributes, and shape, known numbers and referent of each data input."""

    op: str
    attrs: Mapping[str, AttrValue]
    shapes: Sequence[Dims]
    values: Sequence[Value | None]
    held: Sequence[Held | None]
    outputs: int
    results: list[Dims] = field(default_factory=list)
    """The shapes of the outputs, for value rules, which run after the shape rule."""
    creates: Held | None = None
    """What the op's handle output refers to, set by its rule."""

    def shape(self, i: int) -> Dims:
        """The shape of data input i, unknown if there is no such input; a negative i counts from the end."""
        return self.shapes[i] if -len(self.shapes) <= i < len(self.shapes) else None

    def value(self, i: int) -> Value | None:
        """The numbers in data input i, None if they are not known."""
        return self.values[i] if -len(self.values) <= i < len(self.values) else None

    def scalar(self, i: int) -> int | None:
        """The number that data input i holds, None if it is not known or not one."""
        value = self.value(i)
        return value[0] if value is not None and len(value) == 1 else None

    def refers(self, i: int) -> Held | None:
        """What the handle at data input i refers to."""
        return self.held[i] if i < len(self.held) else None

    def number(self, name: str, default: int = 0) -> int:
        """An integer attribute."""
        value = self.attrs.get(name, default)
        return int(value) if isinstance(value, int) else default

    def numbers(self, name: str) -> tuple[int, ...]:
        """A list attribute of integers."""
        value = self.attrs.get(name)
        return tuple(item for item in value if isinstance(item, int)) if isinstance(value, tuple) else ()

    def flag(self, name: str) -> bool:
        """A boolean attribute, False if absent."""
        return bool(self.attrs.get(name, False))

    def text(self, name: str, default: str = "") -> str:
        """A string attribute."""
        value = self.attrs.get(name)
        return value.decode(errors="replace") if isinstance(value, bytes) else default

    def dims(self, name: str) -> Dims:
        """A shape attribute, unknown if absent."""
        value = self.attrs.get(name)
        return value.dims if isinstance(value, Shape) else None

    def listed(self, name: str) -> list[Dims]:
        """A list attribute of shapes."""
        value = self.attrs.get(name)
        return [item.dims for item in value if isinstance(item, Shape)] if isinstance(value, tuple) else []


ShapeRule = Callable[[Call], Sequence[Dims]]
ValueRule = Callable[[Call], Sequence[Value | None]]

SHAPE_RULES: dict[str, ShapeRule] = {}
"""By op type: the shapes of the outputs; where a rule returns fewer than there are outputs, the rest is unknown."""
HANDLE_RULES: set[str] = set()
"""Op types whose shape rule makes a handle or learns what it refers to, so it runs even where the shapes are stated."""
VALUE_RULES: dict[str, ValueRule] = {}
"""By op type: the numbers in the outputs, None where they are not known."""


def shape_rule(*ops: str) -> Callable[[ShapeRule], ShapeRule]:
    """Register a function as the shape rule of these op types."""

    def register(rule: ShapeRule) -> ShapeRule:
        for op in ops:
            assert op not in SHAPE_RULES, f"{op} has two shape rules"
            SHAPE_RULES[op] = rule
        return rule

    return register


def handle_rule(*ops: str) -> Callable[[ShapeRule], ShapeRule]:
    """Register a shape rule that also works on `Held`."""
    HANDLE_RULES.update(ops)
    return shape_rule(*ops)


def value_rule(*ops: str) -> Callable[[ValueRule], ValueRule]:
    """Register a function as the value rule of these op types."""

    def register(rule: ValueRule) -> ValueRule:
        for op in ops:
            assert op not in VALUE_RULES, f"{op} has two value rules"
            VALUE_RULES[op] = rule
        return rule

    return register
