"""`global calls; calls += 1`, `Model.count += 1`: it is done once, where it stands."""

import importlib
import pickle

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode

X, V = np.array([1.3, 0.7, 2.1]), np.array([0.5, -1.0, 2.0])
calls, mode, best, ready = 0, "slow", 1e9, False


class Model:
    made = 0

    def __init__(self, weight):
        self.weight = weight
        type(self).count()

    @classmethod
    def count(cls):
        Model.made += 1

    def applied(self, x):
        Model.applied.calls += 1
        return self.weight * x


Model.applied.calls = 0


class Larger(Model):
    pass


def plain(x):
    global calls
    calls += 1
    plain.calls += 1
    return np.sum(x**2)


plain.calls = 0


def in_a_loop(x):
    global calls
    start, total = calls, 0.0
    for v in x:
        calls = calls + 1
        if (calls - start) % 2 == 0:
            total = total + v**2
        else:
            total = total + v**3 * (calls - start)
    return total


def in_an_arm(x):
    global calls, ready
    start = calls
    if x[0] > 0:
        calls += x.shape[0]
        ready = True
    else:
        calls -= 1
    return np.sum(x) ** 2 * (calls - start)


def counted(n):
    global calls
    calls += n
    return calls


def in_a_helper(x):
    first, second = counted(1), counted(2)
    return np.sum(x**2) * (second - first)


def on_a_class(x):
    before = Model.made
    model, larger = Model(x), Larger(2 * x)
    assert larger.made == Larger.made == before + 2
    return np.sum(model.applied(x) * larger.weight) * (Larger.made - before)


def while_it_changes(x):
    global calls
    calls, total = 0, 1.0
    while calls < 3:
        calls += 1
        total = total * x[calls - 1]
    return total


def in_a_try(x):
    global calls, mode
    mode = "quick"
    try:
        calls += 1
        y = np.sum(x) * x[5]
    except IndexError:
        mode = mode + "er"
        y = x[0] ** 2
    return y * len(mode)


PROGRAMS = [
    plain, in_a_loop, in_an_arm, in_a_helper, on_a_class, while_it_changes, in_a_try,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_derivative(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, X, V)


def state():
    return calls, mode, ready, Model.made, Model.applied.calls, plain.calls


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_done_once(f):
    global calls, mode, ready
    gradient = ya.simplegrad(f, X)
    again = pickle.loads(pickle.dumps(gradient))
    found = []
    for run in (f, gradient, again, ya.value_and_grad(f), lambda x: ya.hvp(f)(x, V)):
        calls, mode, ready = 4, "slow", False
        Model.made = Model.applied.calls = plain.calls = 0
        run(X)
        found.append(state())
    assert found == [found[0]] * len(found)


def test_a_file(tmp_path, monkeypatch):
    (tmp_path / "countedmodel.py").write_text(
        "import numpy as np\n\ncalls = 0\n\n\ndef f(x):\n    global calls\n"
        "    calls += 1\n    return np.sum(x**2) * (calls > 0)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("countedmodel")
    ya.simplegrad(model.f, X).save(tmp_path / "countedmodel_grad.py")
    text = (tmp_path / "countedmodel_grad.py").read_text()
    assert "    countedmodel.calls = countedmodel.calls + 1\n" in text
    made = importlib.import_module("countedmodel_grad")
    np.testing.assert_array_equal(made.f_grad(X)[1], 2 * X)
    assert model.calls == 1


def test_the_code_is_kept_between_calls():
    ya.grad(plain, X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("yota_ast.pipeline.lowered", None)
        assert ya.grad(plain, X)[0] == plain(X)


def tracks(x):
    global best
    value = np.sum(x**2)
    best = min(best, value)
    return value * best


def of_a_class_in_c(x):
    np.ndarray.calls = 3
    return x


@pytest.mark.parametrize("f", [tracks, of_a_class_in_c])
def test_what_holds_a_derivative_or_cannot_be_set_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax):
        ya.grad(f, X[:1])
