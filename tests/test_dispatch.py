"""Texts run on arrays of other libraries, through NumPy's protocols.

`golden/dispatch.txt` lists the operations whose text does not: it makes an ndarray of
an argument, or mixes one with them. With CuPy installed (`make cupy-tests`; no GPU is
needed), every function that was dispatched must reach CuPy: an array over null memory
shows it, for what then fails is CUDA. `golden/not_in_cupy.txt` lists those that do not.
"""

import copy
import inspect
import sys
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import yota_ast as ya

from .adjoint.checking import leaves
from .adjoint.test_operations import REAL
from .duck import Duck, given, taken
from .tangent.test_tangent import flat, seed_like

LONG = hypothesis.settings.get_current_profile_name() == "fuzz"  # `make fuzz-tests`
LISTED = Path(__file__).parent / "golden" / "dispatch.txt"
WITH_ARRAYS = [
    o for o in REAL if any(isinstance(v, np.ndarray) for v in o.sample().values())
]
NOT_IN_CUPY = Path(__file__).parent / "golden" / "not_in_cupy.txt"
"""What CuPy 14 has not. Texts add `polyder`, the slope of `polyval`, and `svdvals`, for
`polyfit`; all others stand in the functions themselves."""


def dispatches(o, given=given, taken=taken):
    """Whether the text of an operation's gradient runs on another library's arrays,
    and gives what it gives on NumPy's. given, taken: there and back."""
    args = list(o.sample().values())
    asked = [k for k, a in enumerate(args) if list(leaves(a))]
    with np.errstate(all="ignore"):
        seed = seed_like(o.fn(*copy.deepcopy(args)))
        text = ya.simplegrad(o.fn, *args, wrt=asked)
        (*_, name) = inspect.signature(text).parameters
        expected = text(*copy.deepcopy(args), **{name: seed})
        other = seed if isinstance(seed, float) else given(seed)
        try:
            found = taken(text(*map(given, args), **{name: other}))
        except (TypeError, AttributeError, ValueError):
            return False
    np.testing.assert_allclose(
        flat(found[1:]), flat(expected[1:]), rtol=1e-6, atol=1e-12
    )
    return True


@pytest.mark.parametrize("o", WITH_ARRAYS if LONG else WITH_ARRAYS[::5], ids=str)
def test_texts_run_on_other_arrays(o):
    listed = LISTED.read_text(encoding="utf-8").splitlines()
    namesakes = [other for other in WITH_ARRAYS if str(other) == str(o)]
    assert all(map(dispatches, namesakes)) == (str(o) not in listed), str(o)


def test_the_list_is_of_operations():
    listed = LISTED.read_text(encoding="utf-8").splitlines()
    names = {str(o) for o in WITH_ARRAYS}
    assert set(listed) <= names
    assert len(listed) <= 60


def test_a_planted_ndarray_is_found():
    with pytest.raises(TypeError, match="mixed"):
        np.add(Duck(np.ones(3)), np.empty(3))
    with pytest.raises(TypeError, match="is made an ndarray"):
        np.asarray(Duck(np.ones(3)))


def test_what_is_dispatched_reaches_cupy(golden):
    cupy = pytest.importorskip("cupy")
    Duck.called.clear()
    for o in WITH_ARRAYS if LONG else WITH_ARRAYS[::7]:
        dispatches(o)
    memory = cupy.cuda.UnownedMemory(0, 1 << 16, object(), 0)
    x = cupy.ndarray((2, 2), np.float64, cupy.cuda.MemoryPointer(memory, 0))
    absent = [fn for fn in Duck.called if not reaches(x, fn)]
    missing = sorted(f"{fn.__module__}.{fn.__name__}" for fn in absent)
    if LONG:
        golden(NOT_IN_CUPY, "".join(f"{name}\n" for name in missing))
    listed = NOT_IN_CUPY.read_text(encoding="utf-8").splitlines()
    assert set(missing) <= set(listed)


def reaches(x, fn):
    """Whether a function of an array of CuPy's is CuPy's to compute."""
    try:
        if isinstance(fn, np.ufunc):
            answer = x.__array_ufunc__(fn, "__call__", *[x] * fn.nin)
        else:
            answer = x.__array_function__(fn, (type(x),), (x,), {})
    except Exception:  # CUDA is not there, or arguments are missing
        return True
    home = fn.__module__.replace("numpy", "cupy", 1) if fn.__module__ else "cupy"
    there = hasattr(sys.modules.get(home, sys.modules["cupy"]), fn.__name__)
    return answer is not NotImplemented or there
