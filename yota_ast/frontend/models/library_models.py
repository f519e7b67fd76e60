"""A function of SciPy -> what it does, in Python, where it is made of others.

The modules with the models import what they model: each is imported when one of its
functions is asked for, which is imported by then.

>>> from scipy import ndimage
>>> model_of(ndimage.grey_opening).__module__.rpartition(".")[2]
'image_models'
>>> model_of(ndimage.grey_erosion) is None
True
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Sequence
from typing import Any, Final

from yota_ast.support import public_names

_MODULES: Final = {
    "scipy.ndimage": "yota_ast.frontend.models.image_models",
    "scipy.signal": "yota_ast.frontend.models.spectrum_models",
    "scipy.stats": "yota_ast.frontend.models.sample_models",
}
"""By the library that holds a function, the module that holds its model."""


def model_of(fn: Any) -> Any:
    """The model of a function; None where it has none."""
    if not public_names.is_of_scipy(fn):
        return None
    library, name = public_names.public_path(fn) or ("", "")
    if library not in _MODULES:
        return None
    return importlib.import_module(_MODULES[library]).MODELS.get(name)


def takes(model: Any, args: Sequence[object], names: Iterable[str]) -> bool:
    """Whether a model knows all that a call gives.

    >>> takes(lambda x, axis=0: x, [1.0], ["axis"]), takes(lambda x: x, [1.0], ["axis"])
    (True, False)
    """
    try:
        inspect.signature(model).bind(*args, **dict.fromkeys(names))
    except TypeError:
        return False
    return True
