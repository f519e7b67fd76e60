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
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.ir.atoms import Const, Var, fact_of_atom
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


def takes(fn: Any, args: Sequence[Value], named: Mapping[str, Value]) -> bool:
    """Whether the model of a function does what the function does with a call.

    What the function refuses is left to it. An argument that the model says to be a
    `float` has to be known as a number; one of a `Literal` is one of these, or not
    known.

    >>> from scipy import stats
    >>> from yota_ast.ir.atoms import Const
    >>> x = Const(1.0)
    >>> takes(stats.boxcox, [x, x], {}), takes(stats.boxcox, [x, Const(None)], {})
    (True, False)
    >>> takes(stats.moment, [x], {"order": Const(9)}), takes(stats.moment, [], {"u": x})
    (False, False)
    """
    model = model_of(fn)
    try:
        inspect.signature(fn).bind(*args, **named)
        given = inspect.signature(model).bind(*args, **named).arguments
    except TypeError:
        return False
    hints = typing.get_type_hints(model)
    return all(_is_of(hints.get(name, Any), value) for name, value in given.items())


def _is_of(hint: Any, value: Any) -> bool:
    """Whether an argument is what a model says of it."""
    among = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
    if hint is not float and not among:
        return True
    if not isinstance(value, Var | Const) or not fact_of_atom(value).is_number:
        return False
    return not among or isinstance(value, Var) or value.value in among
