"""What people know from other tools works, or is answered with what to use here."""

import functools
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.other_names import NAMES, PAGE

X = np.array([1.0, 2.0])


def energy(x, k=0.5):
    """The energy of a spring."""
    return np.sum(k * x**2)


def with_rest(x, k):
    y = k * x
    return np.sum(y**2), {"y": y, "n": 3, "kind": "spring"}


def pair(x):
    return np.sum(x), 2 * x


# ---------------------------------------------------------------- grad(f)


def test_grad_without_arguments_gives_the_derivative():
    np.testing.assert_array_equal(ya.grad(energy)(X), X)
    dx, dk = ya.grad(energy, wrt=["x", "k"])(X, 0.5)
    np.testing.assert_array_equal(dx, X)
    assert dk == 5.0
    assert ya.grad(energy, wrt="k")(X) == 5.0
    assert ya.grad(energy, wrt=["k"])(x=X) == 5.0


def test_grad_of_a_function_that_needs_nothing_is_run():
    value, g = ya.grad(lambda x=2.0: x**3)
    assert (value, g["x"]) == (8.0, 12.0)
    assert ya.grad(lambda *xs: 1.5)[0] == 1.5
    assert ya.grad(energy, x=X)[0] == 2.5


def test_grad_of_methods_and_partials_without_arguments():
    class Spring:
        k = 3.0

        def energy(self, x):
            return self.k * x**2

    assert ya.grad(Spring().energy)(2.0) == 12.0
    assert ya.grad(functools.partial(energy, k=2.0))(2.0) == 8.0


def test_grad_without_arguments_nests():
    def outer(x):
        return np.sum(ya.grad(energy)(x) ** 3) + ya.grad(energy, wrt="k")(x, 2.0)

    kept = ya.grad(energy)

    def by_name(x):
        return np.sum(kept(x) ** 3)

    assert ya.gradcheck(outer, X)
    assert ya.gradcheck(by_name, X)
    assert ya.grad(ya.grad(lambda x: x**3))(2.0) == 12.0


def test_a_seed_needs_arguments():
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(energy, seed=2.0)
    assert caught.value.diagnostic == (
        "YotaError: grad: a seed is given, but no arguments\n"
        "Write `value, pullback = vjp(f)(*args)`, then `pullback(seed)`."
    )


# ---------------------------------------------------------------- has_aux


def test_has_aux():
    (value, rest), g = ya.grad(with_rest, X, 2.0, has_aux=True)
    assert (value, rest["n"], rest["kind"]) == (20.0, 3, "spring")
    np.testing.assert_array_equal(rest["y"], 2 * X)
    np.testing.assert_array_equal(g["x"], 8 * X)
    assert g["k"] == 20.0
    (value, _), dx = ya.value_and_grad(with_rest, has_aux=True)(X, 2.0)
    np.testing.assert_array_equal(dx, 8 * X)
    dx, rest = ya.grad(with_rest, has_aux=True)(X, 2.0)
    np.testing.assert_array_equal(dx, 8 * X)
    np.testing.assert_array_equal(rest["y"], 2 * X)


def test_the_gradient_of_the_first_item_computes_nothing_of_the_rest():
    source = ya.grad(with_rest, X, 2.0, has_aux=True)[1].source
    assert "seed=1.0" in source
    assert "seed[" not in source


def test_a_seed_beside_aux_is_of_the_first_item():
    _, g = ya.grad(with_rest, X, 2.0, seed=3.0, has_aux=True)
    np.testing.assert_array_equal(g["x"], 24 * X)


def test_has_aux_of_branches():
    def f(x):
        if x[0] > 3:
            return np.sum(x), "large"
        return np.sum(x**2), "small"

    d = ya.grad(f, has_aux=True)
    assert (d(X)[1], d(4 * X)[1]) == ("small", "large")
    np.testing.assert_array_equal(d(X)[0], 2 * X)
    np.testing.assert_array_equal(d(4 * X)[0], [1.0, 1.0])


def test_has_aux_nests():
    def outer(x):
        (value, rest), dx = ya.value_and_grad(with_rest, has_aux=True)(x, 2.0)
        again, also = ya.grad(with_rest, has_aux=True)(x, 3.0)
        (_, last), g = ya.grad(with_rest, x, 2.0, has_aux=True)
        whole = np.sum(dx * rest["y"]) + np.sum(again * also["y"])
        return value + whole + np.sum(g["x"] * last["y"])

    assert ya.gradcheck(outer, X)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x: np.sum(x),
         ("ShapeError: has_aux: lambda returns float64, not a pair\n"
         "Return a pair of the number and the rest: `return value, aux`.")),
        (lambda x: (x, 1),
         ("ShapeError: has_aux: the first item that lambda returns is "
         "ndarray[float64, 1], not a real number\n"
         "Return a pair of the number and the rest: `return value, aux`.")),
    ],
)  # fmt: skip
def test_has_aux_of_another_value_is_refused(f, text):
    with pytest.raises(ya.ShapeError) as caught:
        ya.grad(f, X, has_aux=True)
    assert caught.value.diagnostic == text


# ---------------------------------------------------------------- wrt


def scaled(x, k, c=1.0):
    return np.sum(c * x * k**3)


def test_jvp_takes_tangents_of_the_arguments_named():
    assert ya.jvp(scaled, wrt="k")(X, 2.0, 1.0) == (24.0, 36.0)
    assert ya.jvp(scaled, wrt=["k", "x"])(X, 2.0, 1.0, X) == (24.0, 60.0)
    assert ya.jvp(scaled, wrt="c")(X, 2.0, 5.0, c=2.0) == (48.0, 120.0)
    assert str(inspect.signature(ya.jvp(scaled, wrt="k"))) == "(x, k, c, dk, /)"
    with pytest.raises(ya.YotaError) as caught:
        ya.jvp(scaled, wrt=["k", "x"])(X)
    assert caught.value.diagnostic == (
        "YotaError: jvp: 2 tangents are needed, for k, x\n"
        "Give them after the arguments."
    )


def longer(parts, x):
    one, other = parts
    parts.append(one * other)
    return np.sum(parts[2] * x)


def test_hvp_of_a_function_that_makes_its_list_longer():
    for _ in range(2):
        parts, along = [X.copy(), 2 * X], [X.copy(), X.copy()]
        one, other = ya.hvp(longer)(parts, along, X)
        np.testing.assert_array_equal([one, other], [X * X, X * X])
        assert len(parts) == 3


def test_hvp_in_another_argument():
    assert ya.hvp(scaled, wrt="k")(X, 1.0, 2.0) == 36.0
    np.testing.assert_array_equal(ya.hvp(scaled, wrt="x")(X, X, 2.0), [0.0, 0.0])


def test_wrt_of_forward_transforms_nests():
    def outer(x):
        return ya.jvp(scaled, wrt="k")(x, x[0], 1.0)[1] + ya.hvp(scaled, wrt="k")(
            x, 1.0, x[1]
        )

    assert ya.gradcheck(outer, X)


# ---------------------------------------------------------------- what they are


@pytest.mark.parametrize(
    "make",
    [ya.grad, ya.value_and_grad, ya.vjp, ya.jvp, ya.hvp, ya.jacobian, ya.hessian,
     ya.simplegrad],
)  # fmt: skip
def test_transforms_have_names_docstrings_and_pickle(make):
    made = make(energy)
    again = pickle.loads(pickle.dumps(made))
    assert made.__name__.startswith("energy_")
    assert made.__doc__
    assert again.__name__ == made.__name__
    assert "x" in inspect.signature(made).parameters


def test_a_transform_says_what_it_gives_and_what_the_function_says():
    assert ya.value_and_grad(energy, wrt="k").__doc__ == (
        "value_and_grad(energy, wrt='k'): A function that gives f's value and its "
        "derivative: `jac=True` for SciPy.\n\nThe energy of a spring."
    )


def test_options_are_pickled():
    made = ya.jacobian(energy, ["k"], "reverse", stack=True)
    again = pickle.loads(pickle.dumps(made))
    assert repr(again) == "jacobian(energy, wrt=['k'], mode='reverse', stack=True)"
    np.testing.assert_array_equal(again(X), [5.0])


SCRIPT = """
import functools
import pickle
from math import tau

import numpy as np

import yota_ast as ya

K = 2.0
WEIGHTS = np.array([1.0, 2.0])


def helper(x):
    return K * WEIGHTS * x**2


def f(x, k=K):
    \'\'\'An energy.\'\'\'
    return np.sum(helper(x)) * k + tau * 0


made = [
    ya.value_and_grad(f), ya.jacobian(f), ya.hessian(f), ya.grad(f, wrt="k"),
    ya.jacobian(ya.grad(f)), ya.value_and_grad(functools.partial(f, k=3.0)),
    ya.vmap(f, in_axes=(0, None)),
]
assert pickle.loads(pickle.dumps(made[0])).f is f
pickle.dump(made, open("made.pickle", "wb"))
print([str(m(np.ones(2))) for m in made])
"""
LOADER = """
import pickle

import numpy as np

made = pickle.load(open("made.pickle", "rb"))
made = pickle.loads(pickle.dumps(made))
print([str(m(np.ones(2))) for m in made])
"""


def test_transforms_of_functions_of_main_are_loaded_elsewhere(tmp_path):
    said = []
    for name, text in (("script.py", SCRIPT), ("loader.py", LOADER)):
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            [sys.executable, name], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        said.append(done.stdout)
        assert done.returncode == 0, done.stderr
    assert said[0] == said[1]


# ---------------------------------------------------------------- other tools


def said(call):
    try:
        call()
    except (AttributeError, TypeError, ya.YotaError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ya.jit,
         ("AttributeError: yota_ast has no `jit`. Use `simplegrad(f, *examples)`, "
         "which gives a plain function: see docs/coming-from.md")),
        (lambda: ya.elementwise_grad,
         ("AttributeError: yota_ast has no `elementwise_grad`. Use "
         "`grad(f, x, seed=np.ones_like(x))`: see docs/coming-from.md")),
        (lambda: ya.gard, ("AttributeError: yota_ast has no `gard`. "
         "Did you mean `grad`?")),
        (lambda: ya.unheard_of,
         ("AttributeError: yota_ast has no `unheard_of`. docs/coming-from.md lists the "
         "names of other tools and what to use here")),
        (lambda: ya.value_and_grad(energy, argnums=0),
         ("TypeError: value_and_grad has no option `argnums=`: "
         "give names or positions as `wrt=`")),
        (lambda: ya.grad(energy, X, argnums=0),
         ("TypeError: grad has no option `argnums=`: "
         "give names or positions as `wrt=`")),
        (lambda: ya.grad(energy, argnum=0),
         ("TypeError: grad has no option `argnum=`: "
         "give names or positions as `wrt=`")),
        (lambda: ya.simplegrad(energy, X, argnums=0),
         ("TypeError: simplegrad has no option `argnums=`: "
         "give names or positions as `wrt=`")),
        (lambda: ya.hessian(energy, vectorize=True),
         "TypeError: hessian has no option `vectorize=`: leave it out"),
        (lambda: ya.jacobian(energy, axis=0),
         ("TypeError: jacobian has no option `axis=`; "
         "it has `wrt=`, `mode=`, `stack=`")),
        (lambda: ya.jacobian(energy, X),
         ("TypeError: `jacobian(f)` gives a function: the arguments of f go there, "
         "jacobian(f)(...)")),
        (lambda: ya.hessian(energy, [1.0, 2.0]),
         ("TypeError: `hessian(f)` gives a function: the arguments of f go there, "
         "hessian(f)(...)")),
        (lambda: ya.jvp(energy, (X,), (X,)),
         ("TypeError: `jvp(f)` gives a function: the arguments of f go there, "
         "jvp(f)(...)")),
        (lambda: ya.hvp(energy, X, X),
         ("TypeError: `hvp(f)` gives a function: the arguments of f go there, "
         "hvp(f)(...)")),
        (lambda: ya.jacobian(energy, mode="both"),
         ("YotaError: jacobian: there is no mode 'both'\n"
         'Give "forward", "reverse" or "auto".')),
        (lambda: ya.value_and_grad(lambda x: x**2)(X),
         ("ShapeError: lambda gives an array: a seed is needed\n"
         "Call `jacobian(f)` for all derivatives, or `vjp(f)`, whose pullback takes a "
         "seed.")),
        (lambda: ya.grad(pair)(X),
         ("ShapeError: pair gives a tuple: a seed is needed\n"
         "Pass `has_aux=True` to differentiate the first item alone, or call "
         "`jacobian(f)`, or `vjp(f)`, whose pullback takes a seed.")),
        (lambda: ya.value_and_grad(lambda x: 1j * x)(1.0),
         ("ShapeError: lambda takes or gives complex numbers: a seed is "
         "needed\nCall `vjp(f)`, whose pullback takes a seed.")),
        (lambda: ya.grad(lambda x: x**2, X),
         ("ShapeError: lambda gives an array: a seed is needed\n"
         "Pass `seed=`, an array of the shape of the value.")),
    ],
)  # fmt: skip
def test_calls_of_other_tools_are_answered(call, text):
    assert said(call) == text


def test_no_name_of_another_tool_is_one_of_ours():
    assert not NAMES.keys() & set(ya.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_other_tools_are_answered(name):
    if not hasattr(ya, name):
        text = said(lambda: getattr(ya, name))
        assert text.startswith(f"AttributeError: yota_ast has no `{name}`. Use ")
        assert text.endswith(PAGE)


# ---------------------------------------------------------------- whole numbers


def roots(p):
    return np.sum(np.sqrt(np.array(p)))


def product(p):
    return p[0] ** 2 * p[1]


@pytest.mark.parametrize("p", [[1, 4], (1, 4), [1, 4.0], (1.0, 4)])
def test_whole_numbers_in_a_container_that_is_named_vary(p):
    for found in (ya.value_and_grad(roots)(p), ya.vjp(roots)(p)):
        value, dp = found
        dp = dp(1.0) if callable(dp) else dp
        assert (value, type(dp), list(dp)) == (3.0, type(p), [0.5, 0.25])
    value, g = ya.grad(product, p, wrt="p")
    assert (value, list(g["p"])) == (4, [8.0, 1.0])
    assert type(value) is type(product(p))


def test_whole_numbers_in_a_container_that_is_not_named_do_not():
    assert ya.grad(product, [1, 4.0])[1]["p"] == [None, 1.0]
    assert 0 not in ya.grad(product, [1, 4])[1]


def test_arrays_of_whole_numbers_in_containers():
    d = {"w": np.array([1, 2]), "i": 1, "s": "x"}
    value, dd = ya.value_and_grad(lambda d: np.sum(d["w"] ** 2) * d["w"][d["i"]])(d)
    assert value == 10
    np.testing.assert_array_equal(dd["w"], [4.0, 13.0])
    assert dd["w"].dtype == float
    assert (dd["i"], dd["s"]) == (0.0, None)


def test_whole_numbers_that_count_and_vary():
    def f(d):
        return sum([d["n"] * d["x"] for _ in range(d["n"])])

    assert ya.value_and_grad(f)({"n": 2, "x": 3.0})[1] == {"n": 6.0, "x": 4.0}


def summed(d):
    t = [d["a"] for i in range(d["n"])]
    return sum(t) * d["x"]


def test_where_whole_numbers_are_not_followed_floats_are():
    dd = ya.value_and_grad(summed)({"a": 3, "n": 2, "x": 3.0})[1]
    assert dd in ({"a": 6.0, "n": 0.0, "x": 6.0}, {"a": None, "n": None, "x": 6.0})
