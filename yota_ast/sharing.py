"""An op -> whether its result has memory of its own, or may share that of an argument.

"fresh": its own. "view": of the first argument, certainly. "same": the first argument
itself, certainly. "maybe": a view, a copy or the argument itself, by layout, type or
value.

>>> x, y = Var("x", array_fact("f8", (None, None))), Var("y")
>>> sharing(Apply(y, np.exp, (x,)))
'fresh'
>>> sharing(Apply(y, operator.getitem, (x, Const(0))))
'view'
>>> sharing(Apply(y, np.reshape, (x, Const(-1))))
'maybe'
>>> sharing(Apply(y, np.asarray, (x,))), sharing(Apply(y, np.atleast_2d, (x,)))
('same', 'same')
"""

from __future__ import annotations

import copy
import enum
import operator
from typing import Any, Final, Literal

import numpy as np

from yota_ast.facts import CONTAINERS, FLOAT, UNKNOWN, Fact, array_fact
from yota_ast.tape import Apply, Atom, Const, Outlined, Var, builds, fact_of_atom

__all__ = [
    "FRESH_HELPERS",
    "FRESH_OF_SCIPY",
    "Sharing",
    "Var",
    "array_fact",
    "is_basic",
    "sharing",
    "takes_all",
    "writes",
]

Sharing = Literal["fresh", "view", "same", "maybe"]

_VIEWS: Final = frozenset(
    [
        "transpose",
        "matrix_transpose",
        "permute_dims",
        "swapaxes",
        "expand_dims",
        "broadcast_to",
        "moveaxis",
        "rollaxis",
        "diagonal",
        "flip",
        "fliplr",
        "flipud",
    ]
)
_MAYBE: Final = frozenset(
    [
        "asarray",
        "asanyarray",
        "ascontiguousarray",
        "asfortranarray",
        "asarray_chkfinite",
        "reshape",
        "ravel",
        "squeeze",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "broadcast_arrays",
        "split",
        "array_split",
        "hsplit",
        "vsplit",
        "dsplit",
        "unstack",
        "real",
        "imag",
        "einsum",
        "diag",
        "require",
        "resize",
        "meshgrid",
        "trim_zeros",
        "rot90",
        "round",
        "around",
        "matrix_power",
        "real_if_close",
        "apply_over_axes",
        "lookfor",
        "ix_",
        "view",
        "getfield",
        "frombuffer",
        "from_dlpack",
        "astype",
        "as_strided",
        "sliding_window_view",
        "nan_to_num",
        "fix",
        "ogrid",
        "mgrid",
        "item",
        "tolist",
        "histogram",
        "histogram2d",
        "histogramdd",
        "histogram_bin_edges",
        "asmatrix",
        "nditer",
        "memmap",
    ]
)
_CONVERTING: Final = ("asarray", "asanyarray", "asarray_chkfinite")
_NONE: Final = Const(None)
_COPYING: Final = {"astype": 5, "nan_to_num": 1}
"""What makes a copy, as np.array does, if not told otherwise; the place of `copy`."""
_RAISING: Final = {"atleast_1d": 1, "atleast_2d": 2, "atleast_3d": 3}
_WRAPPING: Final = ("numpy.ma", "numpy.rec", "numpy.matrixlib")
_CONTAINING: Final = frozenset(
    "tuple list dict set frozenset sorted reversed iter next zip enumerate map filter"
    " memoryview vars getattr".split()
)
"""Builtins whose result holds what they are given."""
_HELPERS: Final = f"{__package__}.runtime"
_OWN_MODULES: Final = ("numpy", "_operator", "math", "builtins")
_WRITING: Final = frozenset(
    [
        "copyto",
        "put",
        "place",
        "putmask",
        "fill_diagonal",
        "put_along_axis",
        "shuffle",
        "at",
        "sort",
        "partition",
        "resize",
        "setfield",
        "itemset",
        "byteswap",
        "setflags",
    ]
)
_BASIC: Final = ("int", "none")
FRESH_HELPERS: Final = frozenset(
    """expand like unsum ungetitem unset unmax unnorm unmatrix_norm uncumsum
    prod_of_others uncumprod untake untake_along_axis unmatmul_left unmatmul_right
    undot_left undot_right uninner_left uninner_right untensordot_left
    untensordot_right cofactors unpinv undiagonal power_slope log_or_zero
    sinc_slope unstore unpower divided bounded unused uneinsum reeinsum
    cofactors_along cofactors_along_both prods_along prods_along_both
    unmulti_dot remulti_dot unsort unpartition unquantile unmedian ununique
    unrfft unirfft unfft unifft unrfftn unirfftn unfftn unifftn unconvolve_left
    unconvolve_right uncorrelate_left uncorrelate_right uninterp_values uninterp_knots
    unpolyval unroots unsvd unsvdvals uneigh uneigvalsh unqr unlower one_triangle
    unsolve outer_last turned unvander untrace unkron_left unkron_right
    unsum_where uncast both_triangles along_curve with_real with_imag stored""".split()
)
"""The runtime helpers that make new memory; others may hand on what they get."""
FRESH_OF_SCIPY: Final = frozenset(
    """uncubic unpiecewise unsorted along_interpolant unlogsumexp unfiltfilt
    unsosfiltfilt""".split()
)
"""The same of those on SciPy, which are not imported before they are called."""

_NEW_OF_SCIPY: Final = frozenset(
    """comb factorial lambertw log_softmax logsumexp multigammaln polygamma softmax
    softplus spherical_in spherical_jn spherical_kn spherical_yn zeta
    block_diag cho_factor cho_solve cholesky circulant det eigh eigvalsh expm
    expm_frechet inv logm lstsq lu lu_factor lu_solve norm pinv polar qr schur solve
    solve_banded solve_continuous_lyapunov solve_discrete_lyapunov solve_lyapunov
    solve_sylvester solve_triangular sqrtm svd svdvals toeplitz
    cumulative_trapezoid simpson trapezoid
    convolve convolve2d correlate correlate2d detrend fftconvolve hilbert lfilter
    oaconvolve resample resample_poly savgol_filter filtfilt sosfilt sosfiltfilt
    dct dst fft fft2 fftn fftshift hfft idct idst ifft ifft2 ifftn ifftshift ihfft irfft
    irfft2 irfftn rfft rfft2 rfftn
    gaussian_filter gaussian_filter1d uniform_filter uniform_filter1d sobel laplace
    correlate1d convolve1d map_coordinates splev bisplev
    entropy gmean hmean kurtosis skew zscore
    pdf logpdf cdf logcdf sf logsf ppf isf pmf logpmf
    cdist pdist""".split()
)
"""SciPy's functions with a rule that make new memory; the rules know no `overwrite_a`
and the like, which hand on what they get."""
_OF_AXES: Final = ("fft2", "ifft2", "fftn", "ifftn")
"""Those that give the array itself where there are no axes."""


def sharing(op: Apply) -> Sharing:
    """Whether the result may share memory with the arguments."""
    if op.form == "operator" and op.out.fact is FLOAT:  # what most are
        return "fresh"
    return _sharing(op)


def _sharing(op: Apply) -> Sharing:
    fn = op.fn
    if isinstance(fn, Outlined):
        return "fresh" if fn.fresh else "maybe"
    if fn is operator.getitem:
        return _of_subscript(op.args[0], op.args[1])
    if builds(fn) or fn is getattr or fn in (max, min) or _hands_on(op):
        return "maybe"
    if fn in (copy.deepcopy, abs, sum):
        return "fresh"
    name = getattr(fn, "__name__", "")
    if isinstance(fn, np.ufunc):
        return "maybe" if name == "conjugate" and op.form == "method" else "fresh"
    home = str(getattr(fn, "__module__", None) or "builtins")
    module = home.partition(".")[0]
    if home.startswith(_WRAPPING) or name in _CONTAINING:
        return "maybe"
    if isinstance(fn, type) and issubclass(fn, np.generic):
        return _of_conversion(op, name, Const(fn))
    if fn is np.array or name in _COPYING:
        return _of_copying(op, name)
    if _is_einsum_of_several(op):
        return "fresh"
    if fn is np.ndarray.view and len(op.args) == 1 and not op.kwargs:
        return "view"
    if fn is np.diag and fact_of_atom(op.args[0]).rank is not None:
        return "view" if fact_of_atom(op.args[0]).rank == 2 else "fresh"
    if name in ("diff", "polyder", "polyint"):
        return _of_order(op)
    if name in _RAISING and len(op.args) > 1:
        return "maybe"
    if module == "numpy" and name in (*_CONVERTING, *_RAISING):
        return _of_conversion(op, name)
    if fn in (np.real, np.squeeze, np.imag) and _is_array(op.args[:1]):
        return "view" if fn is not np.imag or _is_complex(op.args[0]) else "maybe"
    if (
        not _is_told_of(op, home, name)
        or name in _MAYBE
        or (name in _OF_AXES and _may_lack_axes(op))
    ):
        return "maybe"
    return _of_view(op) if name in _VIEWS else "fresh"


def _is_told_of(op: Apply, home: str, name: str) -> bool:
    """Whether a function is one of which the lists here tell: NumPy's, some of SciPy's,
    the helpers that a gradient calls which is differentiated."""
    if home.startswith(_HELPERS):
        return name in FRESH_HELPERS and op.out.fact.kind not in CONTAINERS
    module = home.partition(".")[0]
    return module in _OWN_MODULES or (module == "scipy" and name in _NEW_OF_SCIPY)


def _is_complex(atom: Atom) -> bool:
    dtype = fact_of_atom(atom).dtype
    return dtype is not None and dtype.kind == "c"


def _of_order(op: Apply) -> Sharing:
    """A derivative of order 0 is the argument itself."""
    orders = [*op.args[1:2], *(v for k, v in op.kwargs if k in ("n", "m"))]
    values = [a.value if isinstance(a, Const) else 0 for a in orders]
    return "fresh" if all(isinstance(v, int) and v > 0 for v in values) else "maybe"


def _of_view(op: Apply) -> Sharing:
    """A view of an array: a number, or a list, is made an array first."""
    if _is_array(op.args[:1]):
        return "view"
    known = fact_of_atom(op.args[0]) if op.args else None
    numbers = known is not None and known.is_number and known.is_python
    return "fresh" if numbers else "maybe"


def _hands_on(op: Apply) -> bool:
    """Whether the result is a container that holds what another one holds: `p + q`,
    `2 * p`, `p.copy()` of lists."""
    whole = op.fn is not copy.deepcopy and op.out.fact.kind in CONTAINERS
    atoms = (*op.args, *(a for _, a in op.kwargs))
    return whole and any(fact_of_atom(a).kind in CONTAINERS for a in atoms)


def _of_conversion(op: Apply, name: str, to: Const = _NONE) -> Sharing:
    """np.asarray of an array of that type is the array, of a number a new one; so is
    np.float64 of an array."""
    if len(op.args) == 1 and not op.kwargs and isinstance(op.args[0], Const):
        return "maybe" if isinstance(op.args[0].value, np.ndarray) else "fresh"
    given = {k: v for k, v in op.kwargs if k != "copy"}
    dtypes = [*op.args[1:], *(given.pop(k) for k in ("dtype",) if k in given)]
    if not op.args or given or len(dtypes) > 1:
        return "maybe"
    fact = fact_of_atom(op.args[0])
    if fact.is_number or fact.kind in ("list", "tuple"):
        return "fresh"
    if not _is_array(op.args[:1]):
        return "maybe"
    if name in _RAISING:
        enough = fact.rank is not None and fact.rank >= _RAISING[name]
        return "same" if enough else "view"
    return _of_dtype(dtypes[0] if dtypes else to, fact)


def _is_set(flag: Any) -> bool:
    """Whether `copy` is set: of NumPy's three modes one is, and none is a bool."""
    return flag.value is True if isinstance(flag, enum.Enum) else bool(flag)


def _of_copying(op: Apply, name: str) -> Sharing:
    """What makes a copy, unless `copy` is False or None."""
    place = _COPYING.get(name, len(op.args))
    flags = [*op.args[place:][:1], *(a for k, a in op.kwargs if k == "copy")]
    if not all(isinstance(a, Const) for a in flags):
        return "maybe"
    if all(isinstance(a, Const) and _is_set(a.value) for a in flags):
        return "fresh"
    if op.fn is np.array:
        return _of_conversion(op, name)
    plain = len(op.args) == 2 and all(k == "copy" for k, _ in op.kwargs)
    if op.fn is np.ndarray.astype and plain and _is_array(op.args[:1]):
        return _of_dtype(op.args[1], fact_of_atom(op.args[0]))
    return "maybe"


def _of_dtype(wanted: Atom, fact: Fact) -> Sharing:
    """An array made one of a type that it may have already."""
    if isinstance(wanted, Const) and wanted.value is None:
        return "same"
    same = _is_dtype(wanted, fact)
    return "maybe" if same is None else "same" if same else "fresh"


def _is_dtype(atom: Atom, fact: Fact) -> bool | None:
    """Whether an atom is the type that an array has already; None: not known."""
    if not isinstance(atom, Const) or fact.dtype is None:
        return None
    wanted: object = atom.value
    if not isinstance(wanted, (type, np.dtype, str)):
        return None
    try:
        return np.dtype(wanted) == fact.dtype
    except TypeError:
        return None


def _is_array(atoms: tuple[Atom, ...]) -> bool:
    return bool(atoms) and fact_of_atom(atoms[0]).kind == "array"


def _may_lack_axes(op: Apply) -> bool:
    """Whether a transform may be one along no axis."""
    given = [*op.args[1:3], *(a for k, a in op.kwargs if k in ("s", "axes"))]
    axes: list[Any] = [a for a in given if a != Const(None)]
    sizes = [
        np.asarray(a.value).size if isinstance(a, Const) else a.fact.items for a in axes
    ]
    if not all(sizes):
        return True
    known = fact_of_atom(op.args[0]) if op.args else UNKNOWN
    return known.kind != "array" or not known.rank


def _is_einsum_of_several(op: Apply) -> bool:
    """Whether an op sums products of several arrays; of one it may make a view."""
    several = op.fn is np.einsum and len(op.args) > 2
    return several and fact_of_atom(op.args[0]).kind == "str"


def _of_subscript(owner: Atom, index: Atom) -> Sharing:
    """A basic index makes a view, an array or a list a copy."""
    owner_fact = fact_of_atom(owner)
    if owner_fact.kind not in ("array", "real", "unknown"):
        return "maybe"
    fact = fact_of_atom(index)
    parts = fact.items if fact.kind == "tuple" and fact.items is not None else (fact,)
    if any(p.kind == "list" or _is_index_array(p) for p in parts):
        return "fresh" if owner_fact.kind == "array" else "maybe"
    if not all(is_basic(p) for p in parts) or owner_fact.kind == "unknown":
        return "maybe"
    # Of unknown rank, an element may be a number, which is no view.
    ranked = owner_fact.rank is not None or any(
        p.kind not in ("int", "scalar") for p in parts
    )
    return "view" if ranked else "maybe"


def _is_index_array(fact: Fact) -> bool:
    return fact.kind == "array" and fact.dtype is not None and fact.dtype.kind in "iub"


def is_basic(fact: Fact) -> bool:
    """Whether a part of an index takes a view: a number, a slice, None, an ellipsis."""
    if fact.kind == "scalar":
        return fact.dtype is not None and fact.dtype.kind in "iu"
    return fact.kind in _BASIC or fact.cls in (slice, type(...))


def takes_all(index: Atom, owner: Atom) -> bool:
    """Whether an index takes all of an array: `y[...]`, `y[:]` of one with axes.

    >>> x = Var("x", array_fact("f8", (None, None)))
    >>> takes_all(Const(slice(None)), x), takes_all(Const(slice(None)), Var("y"))
    (True, False)
    """
    if not isinstance(index, Const):
        return False
    if index.value is Ellipsis:
        return True
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    if not all(type(p) is slice and p == slice(None) for p in parts):
        return False
    known = fact_of_atom(owner)
    rank = known.rank if known.kind == "array" else None
    return rank is not None and 0 < len(parts) <= rank


def writes(fn: object) -> str:
    """The name of a function that writes into its arguments, else ''."""
    name = str(getattr(fn, "__name__", ""))
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc) and name == "at":
        return f"{owner.__name__}.at"
    module = str(getattr(fn, "__module__", None) or "")
    known = module.partition(".")[0] == "numpy" and name in _WRITING
    return name if known and name not in ("sort", "partition", "resize") else ""
