"""What functions of NumPy mean for arrays of other libraries, where they differ.

The text of a gradient runs on any array that dispatches through NumPy's protocols. A
function whose result there is another would give a wrong number without a word.

>>> MEANINGS["dask"][np.linalg.cholesky]
'gives the upper factor of a Dask array'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

MEANINGS: Final[Mapping[str, Mapping[Callable[..., Any], str]]] = {
    "dask": {
        np.linalg.cholesky: "gives the upper factor of a Dask array",
        np.percentile: "of a Dask array is an approximation",
        np.gradient: "of a Dask array may be a list",
    },
}
"""By the library, the package of its arrays: functions that mean something else."""
GRAPHS: Final = frozenset({"dask"})
"""Libraries in which each store of a loop makes a graph of tasks longer."""
