"""What TensorFlow's own definitions and networkx count in graph files: `python -m tests.real.tf_counts FILE...`.

A JSON object a line: nodes, edges (pairs of producer and consumer), functions, nodes inside functions, loops (strongly
connected components that are cycles).
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.real.tf_session import content, graph_in, message_of


def counts(graph: Any) -> dict[str, int]:
    """The counts of a GraphDef."""
    import networkx as nx

    found = nx.DiGraph()
    found.add_nodes_from(node.name for node in graph.node)
    for node in graph.node:
        for text in node.input:
            name, colon, port = text.removeprefix("^").rpartition(":")
            found.add_edge(name if colon and port.isdigit() else text.removeprefix("^"), node.name)
    looped = sum(1 for part in nx.strongly_connected_components(found) if len(part) > 1)
    return {
        "nodes": len(graph.node),
        "edges": found.number_of_edges(),
        "functions": len(graph.library.function),
        "inside": sum(len(function.node_def) for function in graph.library.function),
        "loops": looped + nx.number_of_selfloops(found),
    }


def main() -> None:
    """A line per file named on the command line."""
    for path in sys.argv[1:]:
        print(json.dumps({"graph": path, **counts(graph_in(message_of(path, content(path))))}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
