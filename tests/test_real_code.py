"""What functions of published packages, written for no such tool, brought to light."""

import cmath
import enum
import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import fact_of


def test_modules_and_dtype_classes_are_no_arrays():
    assert fact_of(np).kind != "array"
    assert fact_of(np.float64).kind == "callable"
    assert fact_of(np.ndarray).kind == "callable"


def test_a_seed_without_default_follows_a_default():
    def scaled(x, factor=2.0):
        return x * factor

    x = np.array([1.0, 2.0])
    _, g = ya.grad(scaled, x, seed=np.array([1.0, 10.0]))
    assert g["x"].tolist() == [2.0, 20.0]
    assert g["factor"] == 21.0


def test_a_seed_stands_before_keywords():
    def doubled(x, **options):
        return 2 * x

    assert ya.grad(doubled, 1.5)[1]["x"] == 2.0


def test_an_annotation_that_the_text_cannot_name_is_left_out():
    def halved(x: "NumberLike", n: int = 2):
        return x / n

    _, g = ya.grad(halved, 3.0)
    assert g["x"] == 0.5
    assert "(x, n=2, seed=1.0)" in g.source


def test_a_folded_constant_keeps_its_parentheses():
    def powers(x):
        return x ** (2 / 3) + x / (1 / 3) ** 2 - x ** (2 / 3) * (3 / 2)

    val, g = ya.grad(powers, 1.7)
    assert val == powers(1.7)
    slope = 2 / 3 * 1.7 ** (-1 / 3) * (1 - 3 / 2) + 9
    assert abs(g["x"] - slope) < 1e-12


def test_an_infinite_slope_does_not_pass_a_clip():
    def hour_angle(x):
        return np.arccos(np.clip(x, -1, 1)) + x

    with np.errstate(divide="ignore"):
        assert ya.grad(hour_angle, 1.5)[1]["x"] == 1.0


def test_fabs_takes_the_scalars_of_numpy():
    def size(x):
        return math.fabs(np.sin(x))

    assert ya.grad(size, -0.5)[1]["x"] == -math.cos(-0.5)


def test_what_comes_out_of_an_iterator_is_no_constant():
    def inner(x, y):
        total = 0.0
        for u, v in zip(x, y, strict=True):
            total += u * v
        return total

    x, y = np.array([0.7, 1.3]), np.array([1.5, 0.4])
    try:
        _, g = ya.grad(inner, x, y)
    except ya.UnsupportedSyntax:
        return
    assert g["x"].tolist() == y.tolist()
    assert g["y"].tolist() == x.tolist()


def test_a_result_of_one_arm_beside_a_raise_in_the_other():
    def checked(x):
        if x is not None:
            if x > 1.0:
                return x * x
            else:  # noqa: RET505 - the form that is tested
                raise ValueError("small")
        return 3 * x

    def chosen(x, kind):
        if kind == "a":
            return x * x
        elif kind == "b":  # noqa: RET505 - the form that is tested
            return 3 * x
        else:
            raise ValueError(kind)

    assert ya.grad(checked, 2.0)[1]["x"] == 4.0
    assert ya.grad(chosen, 2.0, "b")[1]["x"] == 3.0
    with pytest.raises(ValueError, match="small"):
        ya.grad(checked, 0.5)
    source = ya.grad(chosen, 2.0, "a")[1].source
    assert "None" not in source
    assert "True" not in source


# ---------------------------------------------------------------- what `+=` writes into


def rising_product(x):
    p = 1
    for i in range(3):
        p *= x + i
    return np.sum(p)


def products_of_sums(x):
    p, q = 1, x * 2
    for _ in range(2):
        q *= x
        p = p + q * q
        q += p
    return np.sum(p * q)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("x", [0.7, np.array([0.7, 1.3])], ids=["float", "array"])
@pytest.mark.parametrize("function", [rising_product, products_of_sums])
def test_what_may_be_an_array_is_copied_before_it_is_written(
    function, x, general, passes, monkeypatch
):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    _, dx = ya.simplegrad(function, *(() if general else (x,)))(x)
    for place in np.ndindex(np.shape(x)):
        unit = np.zeros(np.shape(x))
        unit[place] = 1e-6
        difference = (function(x + unit) - function(x - unit)) / 2e-6
        assert np.asarray(dx)[place] == pytest.approx(difference, rel=1e-6)


# ---------------------------------------------------------------- a root finder


def newton(fn, start, args=(), maxiter=100, ytol=None, xtol=1.48e-08, last=False):
    p0 = 1.0 * start
    it = 0
    while it < maxiter:
        fval, fder = fn(p0, *args)
        if fval == 0.0:
            return p0
        p = p0 - fval / fder
        if xtol is not None:
            if abs(p - p0) < abs(xtol * p):
                return p0 if last else p
        elif ytol is not None and abs(fval) < ytol:
            return p
        it += 1
        p0 = p
    raise ValueError("no convergence")


def square_root_of(p, a):
    return p * p - a, 2 * p


def square_root(a):
    return newton(square_root_of, a, args=(a,))


@pytest.mark.parametrize("passes", ["all", "none", "-tidy", "-again", "-inplace"])
def test_a_root_finder_with_returns_in_its_loop(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, da = ya.simplegrad(square_root, 2.0)(2.0)
    assert value == square_root(2.0)
    assert da == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-9)


# ---------------------------------------------------------------- complex amplitudes


def scattered(m, x, mu):
    mu = np.atleast_1d(mu)
    if np.imag(m) > 0:
        m = np.conj(m)
    a = x * (m**2 - 1) * 1j
    s = a * np.ones_like(mu)
    return np.sum((s * np.conj(s)).real)


def normalised_amplitude(m, x, mu):
    s = x * (m**2 - 1) * 1j * np.array([mu, 1.0])
    s *= m
    s[0] /= x * mu + 1j
    s[1] += mu
    return np.sum(np.abs(s) ** 2)


def mixed_by_branch(m, x, mu):
    z = m * 1j if x > 0 else m
    w = z if mu > 1 else x
    total = 0.0
    for k in range(3):
        total = total * w + (z if k == 1 else mu)
    return np.abs(total) ** 2 + np.real(w * (1 + 2j)) * mu


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("function", [scattered, normalised_amplitude, mixed_by_branch])
@pytest.mark.filterwarnings("error")
def test_real_arguments_of_complex_amplitudes(function, known, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x in ([1.3, 0.7, 0.4], [1.3, -0.7, 1.4]):
        dfunction = ya.simplegrad(function, *(x if known else ()))
        val, *found = dfunction(*x)
        assert val == function(*x)
        for k, slope in enumerate(found):
            up, down = list(x), list(x)
            up[k] += 1e-6
            down[k] -= 1e-6
            difference = (function(*up) - function(*down)) / 2e-6
            assert float(slope) == pytest.approx(difference, rel=1e-6, abs=1e-6)


# ---------------------------------------------------------------- enumerations


class Formula(enum.Enum):
    SQUARE = "square"
    CUBE = "cube"


def by_formula(x, formula="square"):
    if formula == Formula.SQUARE.value:
        return x * x
    if formula == Formula.CUBE.value:
        return x**3
    raise ValueError(Formula.SQUARE.name)


def by_member(x, formula=Formula.SQUARE):
    return x * x if formula is Formula.SQUARE else x**3


def by_union(x):
    if isinstance(x, int | float):
        return 2 * x
    return np.sum(x)


def test_members_of_enumerations():
    for picked, slope in (("square", 2.6), ("cube", 5.07)):
        assert ya.grad(by_formula, 1.3, picked)[1]["x"] == pytest.approx(slope)
        found = ya.grad(by_member, 1.3, Formula(picked))[1]["x"]
        assert found == pytest.approx(slope)


def test_a_union_of_classes():
    assert ya.grad(by_union, 1.3)[1]["x"] == 2.0
    assert ya.grad(by_union, np.array([1.0, 2.0]))[1]["x"].tolist() == [1.0, 1.0]


def test_numpy_scalars_are_cast():
    def cast(x):
        return (np.sin(x) * 2).astype(float) + np.float64(x * x).astype("float32")

    val, g = ya.grad(cast, 1.3)
    assert val == cast(1.3)
    assert g["x"] == pytest.approx(2 * math.cos(1.3) + 2.6, rel=1e-6)


def test_the_slopes_of_a_table_of_whole_numbers():
    def pressure(h):
        return np.interp(h, np.linspace(0, 3e3, 4), np.array([101325, 89876, 79501, 1]))

    assert ya.grad(pressure, 1500.0)[1]["h"] == pytest.approx(-10.375)


def test_a_complex_value_of_a_real_argument():
    def transmitted(n):
        return np.real(np.emath.arcsin(n) * (1 + 2j)) + abs(np.emath.sqrt(1 - n))

    for n in (0.4, 1.7):
        difference = (transmitted(n + 1e-6) - transmitted(n - 1e-6)) / 2e-6
        assert ya.grad(transmitted, n)[1]["n"] == pytest.approx(difference, rel=1e-6)


# ---------------------------------------------------------------- scalars and arrays


def named_projection(x):
    projection = 2 * np.cos(x)
    try:
        projection.name = "projection"
    except AttributeError:
        pass
    return projection * x


def squeezed(x):
    axes = [0] if np.isscalar(x) else []
    return np.squeeze(2 * np.atleast_1d(x), axis=tuple(axes))


def python_number(x):
    y = np.sin(x)
    return y.item() if np.ndim(y) == 0 else y


def test_an_attribute_that_no_array_takes():
    val, g = ya.grad(named_projection, 1.3)
    assert val == named_projection(1.3)
    assert g["x"] == pytest.approx(2 * math.cos(1.3) - 2.6 * math.sin(1.3))
    x = np.array([0.3, 1.3])
    _, g = ya.grad(named_projection, x, seed=np.ones(2))
    assert g["x"] == pytest.approx(2 * np.cos(x) - 2 * x * np.sin(x))


def test_an_array_that_may_have_no_axes_needs_no_seed():
    assert ya.grad(squeezed, 1.3)[1]["x"] == 2.0
    with pytest.raises(ValueError, match="seed"):
        ya.grad(squeezed, np.array([1.3, 2.0]))
    _, g = ya.grad(squeezed, np.array([1.3, 2.0]), seed=np.array([1.0, 2.0]))
    assert g["x"].tolist() == [2.0, 4.0]


def test_the_python_number_of_a_numpy_scalar():
    assert ya.grad(python_number, 1.3)[1]["x"] == pytest.approx(math.cos(1.3))


def payment(x):
    y = 2 * x
    try:
        y = np.where(x > 1, y / (1 + x), y)
        y = np.where(x > 5, 0.0, y)
    except IndexError:
        pass
    return np.sum(y)


def turned(x):
    try:
        x[x > 2] = 2 * x[x > 2]
    except TypeError:
        if x > 2:
            x = 2 * x
    return np.sum(x * x)


def collected(x):
    x = 1.0 * x
    try:
        out = np.zeros(3)
        out[0] = x[0]
        out[1:] = 2 * x[1]
    except (TypeError, IndexError):
        out = x
    return np.sum(out**2)


def inverses(x):
    y = 1.0
    try:
        y = y / x
        y = y / (x - 1)
        z = y * 3
    except ZeroDivisionError:
        z = y * 10
    return z * y


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (payment, 1.3, 2 / 2.3**2),
        (payment, np.array([0.5, 1.0, 6.0]), [2.0, 2.0, 0.0]),
        (turned, np.array([1.0, 3.0]), [2.0, 24.0]),
        (turned, 3.0, 24.0),
        (turned, 1.5, 3.0),
        (collected, np.array([1.0, 2.0]), [2.0, 32.0]),
        (collected, np.array([1.0]), [2.0]),
        (inverses, 2.0, -2.25),
        (inverses, 1.0, -20.0),
        (inverses, 0.0, 0.0),
    ],
)
def test_a_try_that_may_stop_halfway(function, x, slope, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with np.errstate(all="ignore"):
        val, g = ya.grad(function, np.copy(x) if np.ndim(x) else x)
        assert val == function(np.copy(x) if np.ndim(x) else x)
    assert np.asarray(g["x"]) == pytest.approx(np.asarray(slope))


def filled(x):
    y = x * x
    try:
        y.fillna(0, inplace=True)
        y = y.values * 2
    except AttributeError:
        y = y * 3
    try:
        return np.sum(x.to_series())
    except AttributeError:
        return np.sum(y)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_method_that_no_array_has_raises_within_try(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x in (1.3, np.array([1.3, 2.0])):
        val, g = ya.grad(filled, x)
        assert val == filled(x)
        assert g["x"] == pytest.approx(6 * x)


# ---------------------------------------------------------------- plain Python


def transmission(x):
    r, phi = cmath.polar(cmath.sqrt(complex(x, -1.0)) * cmath.exp(1j * x))
    return r * phi + abs(cmath.rect(x, 0.3).conjugate() - cmath.log(-x))


def united(x):
    terms = {"a": x, "b": 2 * x}
    terms |= {"b": x * x} | {"c": 3 * x}
    return sum(terms.values()) * float("%.1f" % x)  # noqa: UP031


def locked(x):
    y = np.sin(x)
    y.setflags(write=False)
    return np.sum(y * y)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("function", [transmission, united])
def test_plain_python(function, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(function, 1.31)
    assert val == function(1.31)
    difference = (function(1.31 + 1e-6) - function(1.31 - 1e-6)) / 2e-6
    assert g["x"] == pytest.approx(difference, rel=1e-6)


def test_an_array_that_is_locked():
    x = np.array([1.3, 2.0])
    assert ya.grad(locked, x)[1]["x"] == pytest.approx(np.sin(2 * x))


def weighted_roots(z, roots=None):
    n = len(z)
    if roots is None:
        roots = [0.0] * n
        for i in range(n):
            roots[i] = math.sqrt(z[i])
    total = 0.0
    for i in range(n):
        total += roots[i] * z[i]
    return total * sum(roots)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("kind", [np.array, list])
def test_a_list_as_long_as_an_array_is_filled(kind, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    z = [1.3, 2.0, 0.4]
    val, g = ya.grad(weighted_roots, kind(z))
    assert val == weighted_roots(z)
    r = np.sqrt(z)
    slope = 1.5 * r * np.sum(r) + 0.5 / r * np.sum(r**3)
    assert np.asarray(g["z"]) == pytest.approx(slope)


class Backend:
    """What `prysm` calls `np`: a module behind an object."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


def transfer_function(np):
    def transfer(v):
        return 2 / np.pi * (np.arccos(v) - v * np.sqrt(1 - v**2))

    return transfer


transfer = transfer_function(Backend(np))


def all_of_it(v):
    return np.sum(transfer(v))


def test_a_module_behind_an_object():
    """The text read `np._module.pi` of NumPy."""
    v = np.array([0.3, 0.4])
    assert ya.gradcheck(all_of_it, v)
    for f in (all_of_it, transfer):
        text = ya.simplegrad(f, v).source
        assert "2 / np.pi * " in text
        assert "_module" not in text


ZONES = "CDEFGHJKLMNPQRSTUVWXX"


def zone_of(latitude):
    if -80 <= latitude <= 84:
        return ZONES[int(latitude + 80) >> 3]
    return None


def northing(latitude, zone=None):
    zone = zone_of(latitude) if zone is None else zone
    return latitude * 2 if zone.upper() >= "N" else latitude * 3


def test_a_string_or_none():
    assert ya.grad(northing, 40.0)[1][0] == 2.0
    assert ya.grad(northing, -40.0)[1][0] == 3.0
    assert ya.grad(northing, -40.0, "q")[1][0] == 2.0
    for f in (northing, lambda x: ya.grad(northing, x)):
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
            f(85.0)


class Unit(enum.StrEnum):
    KILOMETRE = "km"
    METRE = "m"


class Scale(enum.Enum):
    LINEAR = 1
    LOG = 2


IN_UNITS = {Unit.KILOMETRE: 1.0, Unit.METRE: 1000.0}
FACTORS = {Scale.LINEAR: 2.0, Scale.LOG: 3.0}


def in_unit(unit=Unit.KILOMETRE):
    return IN_UNITS[unit]


def converted(x):
    return x * in_unit() * FACTORS[Scale.LOG] + x * in_unit(Unit.METRE)


def test_members_of_enumerations_are_keys():
    """The text read `IN_UNITS[<Unit.KILOMETRE: 'km'>]`."""
    text = ya.simplegrad(converted, 2.0)
    assert text(2.0) == (converted(2.0), 1003.0)
    keys = ["IN_UNITS[Unit.KILOMETRE]", "FACTORS[Scale.LOG]", "IN_UNITS[Unit.METRE]"]
    for key in keys:
        assert key in text.source
    assert text.source.count("raise") == text.source.count("made for a number x") == 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


BOTH = Access.READ | Access.WRITE
COSTS = {Access.READ: 1.0, BOTH: 3.0}


def cost_of(access=BOTH):
    return COSTS[access]


def charged(x):
    return x * cost_of() + x * cost_of(Access.READ)


def test_flags_together_have_no_name_of_their_own():
    """The text read `COSTS[Access.READ|WRITE]`."""
    text = ya.simplegrad(charged, 2.0)
    assert text(2.0) == (8.0, 4.0)
    assert "COSTS[Access.READ]" in text.source


def pairs_of_a_plant(positions, speed):
    optimize = pytest.importorskip("scipy.optimize")
    count = len(positions)
    found = optimize.fmin(lambda x: (x**2 - count) ** 2, np.sqrt(count), disp=False)
    n = np.round(found).item()
    return n**2 / (2 * np.sum(np.exp(-positions / speed)) + n)


def test_an_objective_that_gives_an_array_of_one_number():
    """`fn_grad` got no value for `seed`."""
    positions = np.array([1.0, 2.0, 0.3])
    assert ya.gradcheck(pairs_of_a_plant, positions, 2.0)


class Extension:
    """A dtype of pandas, which is none of NumPy."""

    name = "str"


class Column:
    dtype = Extension()
    shape = (3,)


def test_what_has_another_dtype_is_no_array():
    assert fact_of(Column()).kind == "object"


def of_coefficients(x, c):
    return np.polynomial.Polynomial(coef=c)(x)


def test_coefficients_by_name():
    assert ya.gradcheck(of_coefficients, 0.3, np.array([1.0, 2.0, 3.0]))


NUMBERS = {hash("a"): 2.0, hash("b"): 3.0}


def number_from_the_cache(x):
    return NUMBERS[hash("b")] * x


def test_a_number_that_a_dict_gives_by_an_unknown_key():
    assert ya.grad(number_from_the_cache, 3.0)[1][0] == 3.0


def as_floats(a, dtype=np.float64):
    return dtype(a)


def lit(x, k):
    y = as_floats(np.abs(x) if k else x)
    y[x > 0.4] = 3.0
    return np.sum(y)


def lit_beside(x):
    y = as_floats(x * 2)
    y[x > 0.4] = 3.0
    return np.sum(y * x)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_an_array_that_a_type_of_numpy_makes_is_written(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([0.5, 1.5, 0.2])
    for k in (0.7, 0.0):
        value = lit(x.copy(), k)
        assert ya.grad(lit, x.copy(), k, wrt=["x"])[0] == value
    assert ya.gradcheck(lit, x, 0.7, wrt=["x"])
    assert ya.gradcheck(lit_beside, x)
    narrow = x.astype(np.float32)
    assert ya.grad(lit_beside, narrow)[0] == lit_beside(narrow)
