"""Random numbers: written, not read; a counter-based generator takes some tens of operations for each."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    "RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal", "ParameterizedTruncatedNormal",
    "RandomGammaV2", "RandomGamma", "RandomPoissonV2", "Multinomial", "StatelessRandomUniform",
    "StatelessRandomUniformV2", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2",
    "StatelessRandomUniformFullIntV2", "StatelessRandomNormal", "StatelessRandomNormalV2",
    "StatelessTruncatedNormal", "StatelessTruncatedNormalV2", "StatelessMultinomial", "StatefulUniform",
    "StatefulStandardNormalV2", "StatefulTruncatedNormal", "RngReadAndSkip", "StatelessRandomGetKeyCounter",
    "StatelessRandomGetKeyCounterAlg",
)  # fmt: skip
def random(op: Op) -> OpCost:
    """Thirty flops per number drawn."""
    return op.cost("elementwise", 30 * op.output().elements, read=0)


@cost_rule("RandomShuffle")
def shuffle(op: Op) -> OpCost:
    """A gather of rows in random order."""
    return op.cost("gather")
