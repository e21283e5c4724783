"""The changed graphs of a piece of advice as files: a cost graph, and the plan that was simulated on it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pardnn.answers.piece import REWRITTEN, Piece
from pardnn.answers.survey import export
from pardnn.pipeline import measured
from pardnn.placers.plan import plan_bytes
from pardnn.readers.costgraph import write_cost_graph

NAMES = tuple(f"{kind}{end}" for kind in REWRITTEN for end in (".json.gz", ".placement.json"))
"""What the files may be called."""


def files(pieces: Iterable[Piece]) -> Iterator[tuple[str, bytes]]:
    """(name, content) of each changed graph and its plan, which `pardnn simulate` comes to the same figures with."""
    for piece in pieces:
        if piece.kind not in REWRITTEN:
            continue
        name = f"{piece.kind}.json.gz"
        content = write_cost_graph(export(piece.subject), packed=True)
        subject = replace(piece.subject, name=name, sha256=hashlib.sha256(content).hexdigest())
        yield name, content
        yield f"{piece.kind}.placement.json", plan_bytes(measured(subject, piece.options, piece.placement).file())
