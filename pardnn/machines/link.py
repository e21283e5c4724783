"""A link from measured transfers, and a machine file that has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pardnn.machines.card import card_names
from pardnn.median import weighted_median
from scheduler.sharing import Sharing

FASTEST = 10**12
"""Bytes per second beyond which nothing is copied: what was measured is how fast a reference is passed on."""
_SMALL = 16384


@dataclass(frozen=True)
class Link:
    """What fits the transfers best: latency + bytes / bandwidth."""

    latency_ns: int
    bytes_per_s: int
    off: float
    """Half of the transfers are nearer to that than this share of their time."""

    @property
    def copies(self) -> bool:
        """Whether more bytes take longer at all."""
        return self.bytes_per_s < FASTEST


def fit_link(sizes: Sequence[int], seconds: Sequence[float]) -> Link:
    """The link of at least two transfers of different sizes. O(n^2 log n).

    The slope is the median over all pairs of transfers, each weighted by how far their sizes are apart (Theil and Sen's
    estimator), the latency the median of what remains of the small ones: a few that were held up change neither.

    >>> fit_link([1000, 2000, 1_001_000], [1.001e-3, 1.002e-3, 2.001e-3])
    Link(latency_ns=1000000, bytes_per_s=1000000000, off=0.0)
    """
    pairs = [(i, j) for i in range(len(sizes)) for j in range(i) if sizes[i] != sizes[j]]
    assert pairs, "transfers of one size make no link"
    slopes = [(seconds[j] - seconds[i]) / (sizes[j] - sizes[i]) for i, j in pairs]
    slope = max(weighted_median(slopes, [abs(sizes[j] - sizes[i]) for i, j in pairs]), 1 / FASTEST)
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    small = [i for i in order if sizes[i] <= _SMALL] or order[:2]
    latency = max(median(seconds[i] - slope * sizes[i] for i in small), 0.0)
    fitted = [latency + slope * size for size in sizes]
    off = median(abs(f - s) / s if s > 0 else 0.0 for f, s in zip(fitted, seconds, strict=True))
    return Link(round(latency * 1e9), round(1 / slope), round(off, 4))


def machine_file(link: Link, how: str, device_name: str, sharing: Sharing | None = None) -> str:
    """The TOML of a machine of any number of such devices, joined like that. `device_name` "" is a processor; with
    `sharing` each device is one core of it.
    """
    card = known_card(device_name) if device_name else "cpu"
    lines = [
        f"# Measured by pardnn profile: half of the transfers are within {100 * link.off:.0f} % of this link.",
        None if link.copies else "# Nothing was copied between the two: the bandwidth is only a large number.",
        f'description = "measured {how}"',
        f'latency = "{link.latency_ns}ns"',
        f'bandwidth = "{link.bytes_per_s}B/s"',
        "",
        None if card else f"# {device_name} is none of the cards: a V100 lends its op times where none are measured.",
        "[[gpu]]",
        f'card = "{card or "v100"}"',
        'memory = "unlimited" # or such as "16GB"',
    ]
    if sharing is not None:
        lines += [
            "",
            "[sharing] # what a core does for each tensor, and so many bytes a second",
            f'send = "{sharing.send_ns}ns"',
            f'send_rate = "{round(1 / sharing.send_s_per_byte)}B/s"',
            f'receive = "{sharing.receive_ns}ns"',
            f'receive_rate = "{round(1 / sharing.receive_s_per_byte)}B/s"',
            f"threads = {sharing.slots}",
        ]
    return "".join(f"{line}\n" for line in lines if line is not None)


def known_card(device_name: str) -> str | None:
    """The card that a device calls itself, the longest name that fits.

    >>> known_card("NVIDIA GeForce RTX 2080 Ti"), known_card("Tesla V100-SXM2-16GB"), known_card("Radeon VII")
    ('rtx2080ti', 'v100', None)
    """
    words = re.findall("[a-z0-9]+", device_name.lower())
    told = {"".join(words[i : i + n]) for i in range(len(words)) for n in (1, 2, 3)}
    fits = [name for name in card_names() if name != "cpu" and name.partition("-")[0] in told]
    sizes = {name: f"{name.partition('-')[2]}gb" in told for name in fits}
    return max(fits, key=lambda name: (len(name.partition("-")[0]), sizes[name], name), default=None)
