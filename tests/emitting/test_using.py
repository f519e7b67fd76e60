"""`@differentiable(emitted=...)`: the checked-in file where it is fresh."""

import importlib
import sys
import warnings

import numpy as np
import pytest

import yota_ast as ya

MODEL = """\
import numpy as np
import yota_ast as ya

RATE = 2.0


@ya.differentiable(wrt=["w"], emitted="shop/loss_grad.py")
def loss(w, x):
    return RATE * np.sum(w * x**2)


class Line:
    def __init__(self, w):
        self.w = w

    @ya.differentiable(emitted="shop/line_grad.py")
    def at(self, x):
        return self.w * x
"""
W, X = np.array([1.0, 2.0]), np.array([3.0, 4.0])
EMIT = ("shop.model:loss", "--wrt", "w", "-o", "shop/loss_grad.py")


@pytest.fixture
def model(shop):
    """What gives the module anew; the project has the gradient written."""
    (shop.root / "pyproject.toml").write_text("")
    shop.write("shop/model.py", MODEL)
    shop.emit(*EMIT)
    sys.path.insert(0, str(shop.root))  # of the list that the fixture put there

    def imported():
        shop.forget()
        return importlib.import_module("shop.model")

    return imported


def test_a_fresh_file_is_what_runs(shop, model):
    module = model()
    val, g = module.loss.grad(W, X)
    assert (val, g["w"].tolist()) == (82.0, [18.0, 32.0])
    assert g.source == shop.read("shop/loss_grad.py")
    assert "seed" in g.source
    with pytest.raises(KeyError):
        g["x"]
    assert str(g.tape).startswith("Tape")
    module.RATE = 3.0  # read live
    assert module.loss.grad(W, X)[1]["w"].tolist() == [27.0, 48.0]
    assert module.loss.grad(W, X, seed=2.0)[1]["w"].tolist() == [54.0, 96.0]
    with pytest.raises(ya.ShapeError):
        module.loss.grad(W, X, seed=np.ones(3))


def test_it_is_the_text_of_the_file_indeed(shop, model):
    """What is compiled must not pass for it: the function is that of the module."""
    module = model()
    module.loss.grad(W, X)
    file = importlib.import_module("shop.loss_grad")
    assert module.loss.emitted.found[0].fn is file.loss_grad


def test_another_wrt_is_compiled(model):
    _, g = model().loss.grad(W, X, wrt="x")
    assert g["x"].tolist() == [12.0, 32.0]
    assert not g.source.startswith("# Generated")


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda shop: shop.edit("shop/model.py", "x**2", "x**3"), "stale: "),
        (
            lambda shop: shop.edit("shop/loss_grad.py", "# forward", "#"),
            "edited by hand",
        ),
        (lambda shop: (shop.root / "shop/loss_grad.py").unlink(), "not there"),
    ],
    ids=["stale", "edited", "missing"],
)
def test_another_file_warns_once(shop, model, edit, why):
    edit(shop)
    module = model()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            val, g = module.loss.grad(W, X)
    [warning] = caught
    text = str(warning.message)
    assert text.startswith(f"shop/loss_grad.py: {why}")
    assert "The gradient of loss is compiled instead." in text
    command = text.partition("Run: yota-ast ")[2].split()
    assert command[:2] == ["emit", "shop.model:loss"]
    assert warning.filename == __file__
    assert val == module.loss(W, X)
    assert g["w"].tolist() == (2 * X**3 if why == "stale: " else 2 * X**2).tolist()


def test_the_command_of_the_warning_mends_it(shop, model):
    shop.edit("shop/model.py", "x**2", "x**3")
    module = model()
    with pytest.warns(UserWarning, match="stale") as caught:
        module.loss.grad(W, X)
    command = str(caught[0].message).partition("Run: yota-ast ")[2].split()
    assert shop.run(*command) == 0
    module = model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module.loss.grad(W, X)[1].source.startswith("# Generated")


def test_arguments_that_the_file_is_not_made_for(shop, model):
    like = ("--like", "w=float[2], x=float[2]")
    shop.emit(*EMIT[:3], *like, *EMIT[3:], "--force")
    module = model()
    assert module.loss.grad(W, X)[1].source.startswith("# Generated")
    val, g = module.loss.grad(2.0, X)  # a float, and no array
    assert (val, g["w"]) == (100.0, 50.0)
    assert not g.source.startswith("# Generated")
    _, g = module.loss.grad(W.astype(np.float32), X)
    assert g["w"].dtype == np.float32
    assert not g.source.startswith("# Generated")


def test_methods(shop, model):
    shop.emit("shop.model:Line.at", "-o", "shop/line_grad.py")
    module = model()
    val, g = module.Line(2.0).at.grad(3.0)
    assert (val, g["x"]) == (6.0, 2.0)
    (shop.root / "shop/line_grad.py").unlink()
    line = model().Line(2.0)
    with pytest.warns(UserWarning, match=r"not there"):
        line.at.grad(3.0)


CUT = """\
import numpy as np
import yota_ast as ya

PLACE, SCALE, CUT = 1, 2.0, slice(0, 2)


@ya.differentiable(emitted="shop/cut_grad.py")
def cut(x):
    return SCALE * np.sum(x[CUT]) + x[PLACE] ** 2
"""


def test_what_is_bound_anew_is_looked_at_again(shop, model):
    """A slice is written out in the file, and an index is checked by it."""
    shop.write("shop/cut.py", CUT)
    shop.emit("shop.cut:cut", "--like", "x=float[3]", "-o", "shop/cut_grad.py")
    model()
    module = importlib.import_module("shop.cut")
    x = np.array([1.0, 2.0, 3.0])

    def gradient():
        _, g = module.cut.grad(x)
        return g["x"].tolist(), g.source == shop.read("shop/cut_grad.py")

    assert gradient() == ([2.0, 6.0, 0.0], True)
    module.SCALE = 1.0
    assert gradient() == ([1.0, 5.0, 0.0], True)
    module.CUT = slice(1, 3)
    with pytest.warns(UserWarning, match="stale: the constant shop.cut.CUT has"):
        assert gradient() == ([0.0, 5.0, 1.0], False)
    module.CUT, module.PLACE = slice(0, 2), 0
    with pytest.warns(UserWarning, match="stale: the constant shop.cut.PLACE has"):
        assert gradient() == ([3.0, 1.0, 0.0], False)
    module.PLACE = 1
    assert gradient() == ([1.0, 5.0, 0.0], True)


BESIDE = """\
import numpy as np
import yota_ast as ya


class Spring:
    def __init__(self, k):
        self.k = k

    def force(self, x):
        return self.k * x


@ya.differentiable(wrt=["x"], emitted="work_grad.py")
def work(x, spring):
    return 0.5 * x * spring.force(x)
"""
TARGET = """\
[[tool.yota-ast.targets]]
function = "flat.work:work"
wrt = ["x"]
like = "x=float, spring=Spring(k=float)"
output = "src/flat/work_grad.py"
"""


@pytest.fixture
def beside(shop):
    """What gives a module anew of a `src` layout, whose gradient is to stand there."""
    shop.write("src/flat/work.py", BESIDE)
    shop.write("src/flat/__init__.py", "")
    sys.path.insert(0, str(shop.root / "src"))  # of the list that the fixture put there

    def imported():
        shop.forget()
        return importlib.import_module("flat.work")

    return imported


def test_a_file_beside_the_module(shop, beside):
    (shop.root / "pyproject.toml").write_text(TARGET)
    shop.emit()
    module = beside()
    _, g = module.work.grad(3.0, module.Spring(2.0))
    assert (g["x"], g.source) == (6.0, shop.read("src/flat/work_grad.py"))


@pytest.mark.parametrize(
    ("settings", "command"),
    [
        (
            TARGET,
            (
                'flat.work:work --wrt x --like "x=float, spring=Spring(k=float)" '
                "-o src/flat/work_grad.py"
            ),
        ),
        ("", "flat.work:work --wrt x -o work_grad.py"),
    ],
    ids=["listed", "not listed"],
)
def test_a_file_that_is_missing(shop, beside, settings, command):
    """No refusal hides that: without a file nothing is known of `spring`."""
    (shop.root / "pyproject.toml").write_text(settings)
    module = beside()
    with pytest.warns(UserWarning, match="not there") as caught:
        module.work.grad(3.0, module.Spring(2.0))
    [warning] = caught
    name = command.split()[-1]
    assert str(warning.message) == (
        f"{name}: not there. The gradient of work is compiled instead. "
        f"Run: yota-ast emit {command}"
    )
    assert warning.filename == __file__
