"""Graph files, read by content: GraphDef, MetaGraphDef and SavedModel as text or binary, cost graphs; also gzipped."""

from __future__ import annotations

from pardnn.readers.file import Form, load, sniff
from pardnn.readers.graph import read_graph

__all__ = ["Form", "load", "read_graph", "sniff"]
