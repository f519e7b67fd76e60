"""`emit --check`: which edits make a file stale, edit by edit, and what is said."""

import codecs

import pytest

from yota_ast.emitting import composing

MODEL, LAYERS, OUT = "shop/model.py", "shop/layers.py", "shop/loss_grad.py"


@pytest.fixture
def written(shop):
    shop.emit()
    assert shop.run("emit", "--check") == 0
    return shop


def checked(shop):
    """The exit code and the line of the loss."""
    code = shop.run("emit", "--check")
    return code, shop.out.splitlines()[0]


# ---------------------------------------------------------------- fresh


def comment(shop):
    shop.edit(MODEL, "# a comment", "# another, which is longer")


def docstring(shop):
    shop.edit(MODEL, "The loss.", "The loss, which is the mean of squares.")


def no_docstring(shop):
    shop.edit(LAYERS, '    """Apply a layer."""\n', "")


def formatting(shop):
    shop.edit(MODEL, "np.mean(scaled**2)", "np.mean(\n        (scaled) ** 2,\n    )")


def quotes(shop):
    shop.edit(LAYERS, 'KIND == "tanh"', "KIND == 'tanh'")


def moved(shop):
    shop.edit(MODEL, "RATE = 2.0\n", "\n\n# Moved down.\n\n\nRATE = 2.0\n")


def windows_source(shop):
    shop.write(MODEL, shop.read(MODEL).replace("\n", "\r\n"))


def windows_output(shop):
    shop.write(OUT, shop.read(OUT).replace("\n", "\r\n"))


def cookie(shop):
    text = shop.read(MODEL).replace("# A comment.", "# Grüße.")
    shop.write(MODEL, f"# -*- coding: latin-1 -*-\n{text}".encode("latin-1"))


def byte_order_mark(shop):
    shop.write(MODEL, codecs.BOM_UTF8 + shop.read(MODEL).encode())


def another_function(shop):
    shop.edit(MODEL, "return x\n", "return x + 1\n\n\ndef more():\n    pass\n")


def another_function_above(shop):
    shop.edit(LAYERS, "def dense", "def above(x):\n    return x\n\n\ndef dense")


def scalar_read_live(shop):
    shop.edit(MODEL, "RATE = 2.0", "RATE = 3.0")


def scalar_of_a_helper_read_live(shop):
    shop.edit(LAYERS, "EPS = 0.5", "EPS = 0.75")


FRESH = (
    comment, docstring, no_docstring, formatting, quotes, moved, windows_source,
    windows_output, cookie, byte_order_mark, another_function, another_function_above,
    scalar_read_live, scalar_of_a_helper_read_live,
)  # fmt: skip


@pytest.mark.parametrize("edit", FRESH, ids=lambda f: f.__name__)
def test_fresh(written, edit):
    edit(written)
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


def test_all_of_them_at_once(written):
    for edit in (comment, docstring, no_docstring, formatting, moved, another_function):
        edit(written)
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


def test_another_yota_ast_that_writes_the_same(written, monkeypatch):
    monkeypatch.setattr(composing, "__version__", "9.9.9")
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


def test_another_numpy(written, monkeypatch):
    import numpy as np

    monkeypatch.setattr(np, "__version__", "99.0.0")
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


# ---------------------------------------------------------------- stale


def body(shop):
    shop.edit(MODEL, "RATE * hidden", "RATE * hidden * 2")


def renamed_local(shop):
    shop.edit(MODEL, "scaled", "grown")


def local_that_only_comments_name(shop):
    shop.edit(LAYERS, "    return W @ x + b", "    y = W @ x\n    return y + b")


def helper(shop):
    shop.edit(LAYERS, "W @ x + b", "W @ x - b")


STALE = {
    body: "shop.model:loss has changed",
    renamed_local: "shop.model:loss has changed",
    local_that_only_comments_name: "shop.layers:dense has changed",
    helper: "shop.layers:dense has changed",
}


@pytest.mark.parametrize("edit", STALE, ids=lambda f: f.__name__)
def test_stale(written, edit):
    edit(written)
    assert checked(written) == (1, f"shop/loss_grad.py: stale: {STALE[edit]}")


def test_stale_by_another_helper_of_the_same_name(written):
    written.edit(
        LAYERS, "def act", "def dense_2(x, W, b):\n    return W @ x\n\n\ndef act"
    )
    written.edit(MODEL, "import dense\n", "import dense_2 as dense\n")
    code, line = checked(written)
    assert code == 1
    assert line == (
        "shop/loss_grad.py: stale: shop.layers:dense_2 is used now; "
        "shop.layers:dense is used no more"
    )


FOLDED = """\
import numpy as np

MODE = "double"
TABLE = {"double": lambda x: 2 * x, "square": lambda x: x * x}


def chosen(x):
    return np.sum(TABLE[MODE](x))


def made(factor):
    def scaled(x):
        return factor * np.sum(x)

    return scaled


scaled = made(2.5)


FACTOR = 0.5


def halved(x, factor=FACTOR):
    return factor * np.sum(x)
"""


@pytest.mark.parametrize(
    ("name", "old", "new", "why"),
    [
        ("scaled", "made(2.5)", "made(3.5)", "the constant shop.fold.<closure>.factor"),
        (
            "halved",
            "FACTOR = 0.5",
            "FACTOR = 0.25",
            "the constant shop.fold.halved.<defaults>",
        ),
    ],
)
def test_stale_by_a_folded_constant(shop, name, old, new, why):
    shop.write("shop/fold.py", FOLDED)
    target = f"shop.fold:{name}"
    shop.emit(target, "--like", "x=float[3]")
    shop.edit("shop/fold.py", old, new)
    options = ("--check", target, "--like", "x=float[3]")
    assert shop.run("emit", *options) == 1
    assert shop.out.startswith(f"shop/{name}_grad.py: stale: {why} has changed\n")


RULE = """\
import numpy as np
import yota_ast as ya


def soft(x):
    return np.logaddexp(0.0, x)


ya.diffrule("soft(x)", "x", "dy / (1 + np.exp(-x))")


def total(x):
    return np.sum(soft(x))
"""


def test_stale_by_a_rule(shop):
    shop.write("shop/ruled.py", RULE)
    target = ("shop.ruled:total", "--like", "x=float[3]")
    shop.emit(*target)
    shop.edit("shop/ruled.py", "dy / (1 + np.exp(-x))", "dy - dy / (1 + np.exp(x))")
    assert shop.run("emit", "--check", *target) == 1
    assert shop.out.startswith(
        "shop/total_grad.py: stale: the rule of shop.ruled.soft has changed\n"
    )


def test_stale_by_annotations(written):
    written.write("shop/grad_of.py", "def f(x: float):\n    return x * x\n")
    written.emit("shop.grad_of:f")
    written.write("shop/grad_of.py", "def f(x: 'list[float]'):\n    return x[0] ** 2\n")
    written.write("shop/grad_of.py", "def f(x):\n    return x * x\n")
    assert written.run("emit", "--check", "shop.grad_of:f") == 1
    assert written.out.startswith(
        "shop/f_grad.py: stale: what is known of the arguments has changed\n"
    )


def test_stale_by_other_options(written):
    written.edit("pyproject.toml", 'wrt = ["w", "b"]', 'wrt = "w"')
    code, line = checked(written)
    assert code == 1
    assert line.startswith("shop/loss_grad.py: stale: it was made by `yota-ast emit ")


# ---------------------------------------------------------------- edited, missing


def test_edited(written):
    written.edit(OUT, "    # reverse\n", "    # reverse, by hand\n")
    assert checked(written) == (1, "shop/loss_grad.py: edited by hand")
    before = written.read(OUT)
    assert written.run("emit") == 2
    command = (
        'yota-ast emit shop.model:loss --wrt w,b --like "w=float[3,4], b=float[3], '
        'x=float[4]" -o shop/loss_grad.py --force'
    )
    assert written.err == (
        "yota-ast: shop/loss_grad.py has been edited by hand, and is left as it is\n"
        f"To overwrite it: {command}\n"
    )
    assert written.read(OUT) == before
    written.emit("--force")
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


def test_an_edit_of_the_header_alone(written):
    written.edit(OUT, "# Regenerate: yota-ast", "# Regenerate: python -m yota_ast")
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


def test_missing(shop):
    assert checked(shop) == (1, "shop/loss_grad.py: not there")
    assert "+++ shop/loss_grad.py (as it would be)\n" in shop.out


def test_a_file_that_is_not_ours(shop):
    shop.write(OUT, "print('mine')\n")
    assert checked(shop) == (1, "shop/loss_grad.py: not a generated file")
    assert shop.run("emit") == 2
    assert "shop/loss_grad.py is not one of ours, and is left as it is" in shop.err
    assert shop.read(OUT) == "print('mine')\n"


# ---------------------------------------------------------------- what is printed


def test_the_diff_and_the_command(written):
    energy = "shop/energy_grad.py"
    written.edit(MODEL, "k * x**2", "k * x**3")
    assert written.run("emit", "--check") == 1
    lines = written.out.splitlines()
    assert lines[:4] == [
        "shop/loss_grad.py: fresh",
        "shop/energy_grad.py: stale: shop.model:energy has changed",
        f"--- {energy}",
        f"+++ {energy} (as it would be)",
    ]
    assert "-    val = k * x**2" in lines
    assert "+    val = k * x**3" in lines
    assert lines[-2:] == [
        "Run: yota-ast emit shop.model:energy -o shop/energy_grad.py",
        "2 files: 1 fresh, 1 stale",
    ]
    before = written.read(energy)
    assert written.emit("--diff") == "\n".join([*lines[2:-2], ""])
    assert written.read(energy) == before
    command = lines[-2].removeprefix("Run: yota-ast ").split()
    assert written.run(*command) == 0
    assert written.run("emit", "--check") == 0


def test_a_refusal_leaves_the_file_and_does_the_others(written):
    before = written.read(OUT)
    written.edit(MODEL, "return np.mean(scaled**2)", "yield scaled")
    written.edit(MODEL, "k * x**2", "k * x**3")
    assert written.run("emit") == 2
    assert "UnsupportedSyntax" in written.err
    assert written.out == "shop/energy_grad.py: written\n"
    assert written.read(OUT) == before
    assert written.run("emit", "--check") == 2
    assert written.out.endswith("2 files: 1 fresh, 1 refused\n")
