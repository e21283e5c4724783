import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from pardnn.graph.union import Sets


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30))
def test_sets_are_the_connected_components(joins: list[tuple[int, int]]) -> None:
    sets = Sets(20)
    for u, v in joins:
        sets.join(u, v)
    peer: nx.Graph[int] = nx.Graph(joins)
    peer.add_nodes_from(range(20))
    number = sets.numbers(range(20)).tolist()
    expected = {frozenset(c) for c in nx.connected_components(peer)}
    assert {frozenset(v for v in range(20) if number[v] == g) for g in set(number)} == expected
    assert list(dict.fromkeys(number)) == list(range(len(expected)))


def test_numbers_are_dense_over_the_nodes_asked_for() -> None:
    sets = Sets(6)
    sets.join(5, 1)
    assert sets.numbers([2, 5, 4, 1]).tolist() == [0, 1, 2, 1]
