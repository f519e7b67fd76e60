"""Tables and quantities inside a differentiated function: constants of the run."""

import inspect

import array_api_strict
import numpy as np
import pandas as pd
import pint
import pytest
import xarray as xr

import yota_ast as ya

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame({"x": RNG.random(6), "y": RNG.random(6), "n": [1, 2, 3, 1, 2, 0]})
FRAME["k"] = list("aabbcc")
SERIES = FRAME["x"]
CUBE = xr.Dataset(
    {"a": (("t", "s"), RNG.random((3, 2))), "b": ("t", RNG.random(3))},
    coords={"t": [0, 1, 2], "s": ["u", "v"]},
)
UNITS = pint.UnitRegistry()
LENGTH = 3.0 * UNITS.meter
P = np.array([0.3, 0.2, 0.7, 0.5])


def of_a_series(p):
    return np.sum((SERIES.values - p[0]) ** 2)


def of_columns(p):
    return np.sum((FRAME["y"].to_numpy() - p[0] * np.asarray(FRAME.x)) ** 2)


def by_a_mask(p):
    return np.sum((FRAME[FRAME.y > 0.5].y.to_numpy() - p[0]) ** 2)


def over_rows(p):
    total = 0.0
    for row in FRAME.itertuples():
        total = total + (row.y - p[0] * row.x) ** 2
    return total


def over_groups(p):
    total = 0.0
    for i, (_, g) in enumerate(FRAME.groupby("k")):
        total = total + np.sum((g.y.to_numpy() - p[i] * g["x"].values) ** 2) / len(g)
    return total


def over_two_columns(p):
    total = 0.0
    for x, y in zip(FRAME.x, FRAME.y, strict=True):
        total = total + (y - p[0] * x) ** 2
    return total


def over_names(p):
    for name in FRAME.columns[:2]:
        p = p * FRAME[name].mean()
    return np.sum(p**2)


def by_indices(p):
    return np.sum(p[FRAME["n"].to_numpy()] ** 2)


def of_a_matrix(p):
    X = np.column_stack([np.ones(len(FRAME)), FRAME.x, FRAME[["y"]]])
    return np.sum((X @ p[:3]) ** 2)


def of_numbers(p):
    at = FRAME.columns.get_loc("x")
    n, m = FRAME.shape
    first = FRAME.iloc[0]["y"]
    return FRAME.iloc[0, at] * p[0] + FRAME.loc[2, "y"] * p[1] ** m + first * n * p[2]


def by_tests(p):
    if "x" in FRAME.columns and not FRAME.empty and FRAME.x.max() > 0:
        return p[0] ** 2 * FRAME["x"].iloc[-1]
    return p[1]


def of_a_pipeline(p):
    kept = FRAME.assign(z=FRAME.x * 2).query("z > 0.2").sort_values("z")
    table = pd.concat([kept, kept]).groupby("k")[["z", "y"]].mean()
    z, y = table.to_numpy().T
    return np.sum((z - p[0] * y) ** 2) + SERIES.rolling(2).mean().dropna().sum() * p[1]


def in_a_try(p):
    try:
        column = FRAME["none"].to_numpy()
    except KeyError:
        column = FRAME["x"].to_numpy()
    return np.sum(column * p[0] ** 2)


def of_xarray(p):
    fixed = CUBE["a"].sel(t=1).values
    return np.sum((fixed - p[:2]) ** 2) + float(CUBE.b.mean(dim="t")) * p[2] ** 2


def of_quantities(p):
    speed = (LENGTH / (2.0 * UNITS.second)).to("km/hour").m
    return speed * p[0] ** 2 + LENGTH.to("cm").magnitude * p[1]


RIGHT = (
    of_a_series, of_columns, by_a_mask, over_rows, over_groups, over_two_columns,
    over_names, by_indices, of_a_matrix, of_numbers, by_tests, of_a_pipeline, in_a_try,
    of_xarray, of_quantities,
)  # fmt: skip


def slopes(fn, *rest):
    steps = 1e-6 * np.eye(len(P))
    return np.array([(fn(P + h, *rest) - fn(P - h, *rest)) / 2e-6 for h in steps])


@pytest.mark.parametrize("fn", RIGHT)
def test_gradients(fn):
    val, g = ya.grad(fn, P)
    assert val == pytest.approx(fn(P))
    np.testing.assert_allclose(g["p"], slopes(fn), atol=1e-6)


@pytest.mark.parametrize("fn", RIGHT)
def test_other_modes(fn):
    v = np.array([1.0, -2.0, 0.5, 3.0])
    _, tangent = ya.jvp(fn)(P, v)
    assert tangent == pytest.approx(slopes(fn) @ v, abs=1e-5)
    step = 1e-5 * v
    value_and_grad = ya.value_and_grad(fn)
    up, down = value_and_grad(P + step)[1], value_and_grad(P - step)[1]
    np.testing.assert_allclose(ya.hvp(fn)(P, v), (up - down) / 2e-5, atol=1e-4)


def chi2(p, df):
    return np.sum((df["y"].to_numpy() - p[0] * df.x.values) ** 2)


class Fit:
    """A model that holds its table."""

    def __init__(self, df, weight):
        self.df, self.weight = df, weight

    def loss(self, p):
        return self.weight * np.sum(
            (self.df.y.to_numpy() - p[0] * self.df.x.values) ** 2
        )


def beside_a_number(given, p):
    return given["scale"] * chi2(p, given["df"])


def nested(p, df):
    return np.sum(ya.value_and_grad(chi2)(p, df)[1] ** 2)


def test_as_an_argument():
    _, g = ya.grad(chi2, P, FRAME)
    np.testing.assert_allclose(g["p"], slopes(chi2, FRAME), atol=1e-6)
    with pytest.raises(KeyError, match="a DataFrame, and not in wrt"):
        g["df"]
    hessian = ya.hessian(chi2)(P, FRAME)
    assert hessian[0, 0] == pytest.approx(2 * np.sum(FRAME.x.to_numpy() ** 2))
    np.testing.assert_allclose(
        ya.value_and_grad(nested)(P, FRAME)[1], slopes(nested, FRAME), rtol=1e-5
    )


def test_a_table_is_held_fixed_by_no_tangent():
    _, tangent = ya.jvp(chi2)(P, FRAME, np.ones(4), None)
    assert tangent == pytest.approx(slopes(chi2, FRAME).sum())


def test_in_fields_and_items():
    fit = Fit(FRAME, 2.0)
    _, g = ya.grad(Fit.loss, fit, P)
    np.testing.assert_allclose(g["p"], 2 * slopes(chi2, FRAME), atol=1e-5)
    assert list(g[0]) == [("weight",)]
    _, g = ya.grad(beside_a_number, {"df": FRAME, "scale": 2.0}, P)
    assert g[0] == {"df": None, "scale": pytest.approx(chi2(P, FRAME))}


def test_data_are_read_at_every_call():
    dchi2 = ya.simplegrad(chi2, P, FRAME, wrt="p")
    other = pd.DataFrame({"y": [1, 2], "x": [0.5, 0.25]})
    np.testing.assert_allclose(dchi2(P, other)[1], slopes(chi2, other), atol=1e-6)
    text = pd.DataFrame({"y": ["a", "b"], "x": [0.5, 0.25]})
    with pytest.raises(
        ValueError, match="made for dtypes of the kinds 'biuf', not 'O'"
    ):
        dchi2(P, text)
    assert 'numbers(df["y"].to_numpy(), 1)' in dchi2.source


def test_a_closure_reads_its_own_table():
    def made(df):
        return lambda p: np.sum(df.x.to_numpy() * p[0])

    for df in (FRAME, pd.DataFrame({"x": [1.0, 2.0]})):
        assert ya.value_and_grad(made(df))(P)[1][0] == pytest.approx(df.x.sum())


def annotated(p, df: pd.DataFrame):
    return np.sum((df["y"].to_numpy() - p[0] * df.x.to_numpy()) ** 2)


def test_an_annotation_is_enough():
    dloss = ya.simplegrad(annotated)
    np.testing.assert_allclose(dloss(P, FRAME)[1], slopes(chi2, FRAME), atol=1e-6)


def test_print_happens_once(capsys):
    def printing(p):
        print(SERIES.head(1))
        return p[0] * len(SERIES)

    ya.grad(printing, P)
    assert capsys.readouterr().out.count("Name: x") == 1


def times_a_series(p):
    return np.sum(FRAME.y * p[0])


def in_a_dot_product(p):
    return np.dot(FRAME.x, np.ones(6) * p[0])


def in_a_new_column(p):
    return FRAME.assign(z=np.ones(6) * p[0]).z.sum()


def as_a_series(p):
    return pd.Series(p).sum()


def in_a_choice(p):
    return np.sum(np.where(FRAME.k == "a", p[0], p[1]) * FRAME.x.values)


def as_a_length(p):
    return (p[0] * LENGTH).magnitude


def as_a_data_array(p):
    return np.sum(xr.DataArray(p, dims="i").values ** 2)


REFUSED = (
    times_a_series, in_a_dot_product, in_a_new_column, as_a_series, in_a_choice,
    as_a_length, as_a_data_array,
)  # fmt: skip


@pytest.mark.parametrize("fn", REFUSED)
@pytest.mark.parametrize("transform", [ya.value_and_grad, ya.hessian])
def test_refused_at_the_line_of_the_user(fn, transform):
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        transform(fn)(P)
    first, shown, *_, remedy = str(caught.value).splitlines()
    assert first.startswith(f"{__file__}:")
    assert first.endswith(
        ": a differentiated value is combined with a table, or with an array "
        "of another library"
    )
    assert shown.strip() == inspect.getsource(fn).splitlines()[1].strip()
    assert remedy == (
        "Give its numbers: s.to_numpy() of pandas and xarray, q.magnitude of pint, "
        "np.asarray(a) of others."
    )


def sets_a_column(p):
    d = FRAME.copy()
    d["z"] = d.x * 2
    return p[0] * d.z.sum()


def drops_in_place(p):
    d = FRAME.copy()
    d.drop(columns="k", inplace=True)
    return p[0] * d.x.sum()


def draws(p):
    return p[0] * FRAME.sample(2).x.sum()


def reads(p):
    return p[0] * pd.read_csv("none.csv").x.sum()


@pytest.mark.parametrize(
    ("fn", "call"),
    [
        (drops_in_place, "d.drop"),
        (draws, "FRAME.sample"),
        (reads, "pd.read_csv"),
    ],
)
def test_what_acts_is_refused(fn, call):
    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.grad(fn, P)
    first, *_, remedy = str(caught.value).splitlines()
    assert first.startswith(f"{__file__}:")
    assert first.endswith(
        f": `{call}` may change a table, use a file or draw random numbers"
    )
    assert remedy == "Do it before the call, and pass the result as an argument."


def test_a_change_is_refused():
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        ya.grad(sets_a_column, P)
    first, shown, *_, remedy = str(caught.value).splitlines()
    assert first.endswith(
        ": the function changes a table, or an array of another library"
    )
    assert shown.strip() == 'd["z"] = d.x * 2'
    assert remedy == (
        "Change it before the call, or make another: df.assign(z=values), "
        "s.where(test, value)."
    )


def square(x):
    return np.sum(x**2)


def item(given):
    return np.sum(given["x"] ** 2)


GIVEN = (
    (SERIES, "a Series", "x.to_numpy()"),
    (FRAME[["x"]], "a DataFrame", "x.to_numpy()"),
    (CUBE.b, "a DataArray", "x.to_numpy()"),
    (LENGTH, "a Quantity", "x.magnitude"),
    (array_api_strict.asarray([1.0, 2.0]), "an Array", "np.asarray(x)"),
)


@pytest.mark.parametrize(("value", "kind", "numbers"), GIVEN)
@pytest.mark.parametrize(
    "entry",
    [
        lambda x: ya.grad(square, x), lambda x: ya.grad(square, x, wrt="x"),
        lambda x: ya.value_and_grad(square)(x), lambda x: ya.simplegrad(square, x),
        lambda x: ya.vjp(square)(x), lambda x: ya.jvp(square)(x, x),
        lambda x: ya.hvp(square)(x, x), lambda x: ya.hessian(square)(x),
        lambda x: ya.jacobian(square)(x),
    ],
)  # fmt: skip
def test_what_is_no_array_is_refused_as_the_argument(entry, value, kind, numbers):
    with pytest.raises(ya.YotaError) as caught:
        entry(value)
    reason = f"wrt: 'x' is {kind}, which is not differentiated"
    assert str(caught.value) == f"{reason}\nGive its numbers: {numbers}."
