"""What a dispatch rule says of each node."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Priority:
    """A device takes the ready node with the smallest key; ties go to the smaller node number.

    The key is `rank[v]`, plus, `by_arrival`, the moment at which v became ready.
    """

    rank: NDArray[np.int64]
    by_arrival: bool
