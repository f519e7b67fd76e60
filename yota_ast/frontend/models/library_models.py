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
from typing import Any, Final

from yota_ast.support import public_names

_MODULES: Final = {
    "scipy.ndimage": "yota_ast.frontend.models.image_models",
    "scipy.signal": "yota_ast.frontend.models.spectrum_models",
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
