"""What each strategy sends, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from pardnn.distribute.expand import Replica
from pardnn.distribute.fleet import Fleet, Leg
from pardnn.distribute.policy import Policy
from pardnn.distribute.strategies.hierarchical import Hierarchical
from pardnn.distribute.strategies.ring import Ring
from pardnn.distribute.strategies.servers import Servers
from pardnn.distribute.strategies.tree import Tree
from pardnn.machines.curve import Curve
from pardnn.machines.wires import Group, wire_names
from pardnn.registry import strategies
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload
from tests.distribute.networks import WIRES, layers, step


def test_a_ring_over_hosts_is_as_slow_as_the_network() -> None:
    """4 workers on 2 hosts: 6 rounds of 100 ns and 25 bytes at 10 ns."""
    assert Ring()(100, Fleet(4, 2, WIRES)) == (Leg("network", 6 * (100 + 250), 6 * 110),)


def test_more_cards_carry_side_by_side() -> None:
    assert Ring()(100, Fleet(4, 2, replace(WIRES, cards=5))) == (Leg("network", 6 * (100 + 50), 6 * 110),)


def test_a_measured_ring_takes_what_was_measured() -> None:
    curve = Curve((10, 1000), (500.0, 5000.0))
    wires = replace(WIRES, all_reduce=(Group(1, 4, curve),))
    assert Ring()(1000, Fleet(4, 8, wires)) == (Leg("link", 5000, 500),)
    assert Ring()(1000, Fleet(2, 8, wires)) == (Leg("link", 2 * (10 + 500), 2 * 11),)  # smaller than what was measured


def test_up_a_tree_and_down_again() -> None:
    """8 workers, 3 levels. 64 bytes: 6 x 74 whole, 8 x 42 in two pieces, 12 x 26 in four, 20 x 18 in eight."""
    assert Tree(1)(64, Fleet(8, 8, WIRES)) == (Leg("link", 444, 66),)
    assert Tree(2)(64, Fleet(8, 8, WIRES))[0].ns == 336
    assert Tree()(64, Fleet(8, 8, WIRES))[0].ns == 312


def test_a_tree_over_hosts_has_levels_of_both() -> None:
    """2 hosts of 4: two levels inside, one across; one byte."""
    assert Tree()(1, Fleet(8, 4, WIRES)) == (Leg("network", 2 * (2 * 11 + 110), 2 * (2 * 11 + 110)),)


def test_inside_then_across_then_inside() -> None:
    """2 hosts of 4, 400 bytes: 3 rounds of 100 bytes inside, 2 rounds in which a host sends 200, 3 rounds inside."""
    inside = Leg("link", 3 * 110, 3 * 11)
    assert Hierarchical()(400, Fleet(8, 4, WIRES)) == (inside, Leg("network", 2 * (100 + 2000), 220), inside)


def test_on_one_host_that_is_a_ring() -> None:
    legs = Hierarchical()(400, Fleet(4, 4, WIRES))
    assert sum(leg.ns for leg in legs) == Ring()(400, Fleet(4, 4, WIRES))[0].ns


def test_servers_get_from_all() -> None:
    """8 workers on 2 hosts push 100 bytes each: 400 leave a host, 400 enter each of two servers, 800 a single one."""
    assert Servers()(100, Fleet(8, 4, WIRES))[0] == Leg("push", 100 + 4000, 100 + 40)
    assert Servers()(100, Fleet(8, 4, WIRES, servers=1))[1] == Leg("pull", 100 + 8000, 100 + 80)
    assert Servers()(100, Fleet(4, 4, WIRES))[0].ns == 10 + 400


def test_every_strategy_and_link_is_described() -> None:
    text = (Path(__file__).parents[2] / "docs" / "scaling.md").read_text()
    assert [name for name in (*strategies.all(), *wire_names()) if f"| `{name}`" not in text] == []


def test_devices_of_a_worker_share_what_leaves_the_host() -> None:
    """Two devices with a gradient each: links are their own, the network and the ways to servers one for both."""
    one = layers([100, 100], [60, 60])
    both = Replica(
        Workload.build(
            one.workload.dag, np.repeat(one.workload.time_ns, 2, axis=1), one.workload.edge_bytes, *[np.zeros(6)] * 3
        ),
        Machine.uniform(2, UNLIMITED, 0, 10**12), np.array([0, 1, 1, 0, 0, 1], np.int32), one.gradients,
    )  # fmt: skip
    assert set(step(both, 2, Policy(), "ring").streams) == {"link 0", "link 1"}
    assert set(step(both, 2, Policy(), "ring", per_host=1).streams) == {"network"}
    assert set(step(both, 2, Policy(), "ps", per_host=1).streams) == {"push", "pull"}
