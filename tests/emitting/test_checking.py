"""`emit --check`: which edits make a file stale, edit by edit, and what is said."""

import codecs
import re
import shlex
import sys

import pytest

from yota_ast.files import composing
from yota_ast.files.hashed_parts import sha256
from yota_ast.files.header import like_options, parse

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
        "shop.layers:dense is no longer used"
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


# ---------------------------------------------------------------- of other versions


def older(shop, version="0.1.0", rule="np.mean"):
    """Make the file one of another version, in which a rule was another."""
    made = parse(shop.read(OUT))
    text = shop.read(OUT).replace(
        f"rule:{rule}={made.parts[f'rule:{rule}']}", f"rule:{rule}=000000"
    )
    assert "=000000" in text
    text = text.replace("    # reverse\n", "    # reverse\n    0.0\n")
    mark = f"# body-sha256: {'0' * 64}\n"
    head, _, below = re.sub(r"# body-sha256: \w+\n", mark, text).partition(mark)
    head = re.sub(r"yota-ast [\d.]+ from", f"yota-ast {version} from", head)
    shop.write(OUT, f"{head}# body-sha256: {sha256(below)}\n{below}")


NOW = "0.2.0"
UNCHANGED = f"and {NOW} writes other code: your functions have not changed"


@pytest.mark.parametrize(
    ("version", "edit", "why"),
    [
        ("0.1.0", None, f"yota-ast 0.1.0 wrote it, {UNCHANGED}"),
        ("0.10.3", None, f"the newer yota-ast 0.10.3 wrote it, {UNCHANGED}"),
        ("0.1.0", scalar_read_live, f"yota-ast 0.1.0 wrote it, {UNCHANGED}"),
        (
            "0.1.0",
            body,
            "shop.model:loss has changed; yota-ast 0.1.0 wrote it, this is 0.2.0",
        ),
        (NOW, None, "the rule of np.mean has changed"),
        (NOW, body, "shop.model:loss has changed"),
    ],
)
def test_a_file_of_another_version_is_told_from_a_changed_function(
    written, monkeypatch, version, edit, why
):
    monkeypatch.setattr(composing, "__version__", NOW)
    older(written, version)
    if edit is not None:
        edit(written)
    assert checked(written) == (1, f"shop/loss_grad.py: stale: {why}")
    command = re.search(r"^Run: yota-ast (.*)$", written.out, re.MULTILINE)[1]
    assert written.run(*shlex.split(command)) == 0
    assert checked(written) == (0, "shop/loss_grad.py: fresh")


def test_a_function_of_another_library_is_said_to_be_one(shop):
    shop.write("shop/area.py", "import numpy as np\n\n\ndef area(y):\n"
               "    return np.linalg.vector_norm(y) + statistics_like.half(y[0])\n\n\n"
               "import statistics_like\n")  # fmt: skip
    place = shop.root / "site-packages"
    shop.write("site-packages/statistics_like.py", "def half(x):\n    return x / 2\n")
    sys.path.insert(0, str(place))  # of the list that the fixture put there
    target = ("shop.area:area", "--like", "y=float[3]")
    shop.emit(*target)
    shop.edit("site-packages/statistics_like.py", "x / 2", "0.5 * x")
    sys.modules.pop("statistics_like")
    assert shop.run("emit", "--check", *target) == 1
    assert shop.out.startswith(
        "shop/area_grad.py: stale: statistics_like:half has changed, "
        "in another version of statistics_like\n"
    )
    sys.modules.pop("statistics_like")


def test_stale_by_annotations(written):
    written.write("shop/grad_of.py", "def f(x: float):\n    return x * x\n")
    written.emit("shop.grad_of:f")
    written.write("shop/grad_of.py", "def f(x: 'list[float]'):\n    return x[0] ** 2\n")
    written.write("shop/grad_of.py", "def f(x):\n    return x * x\n")
    assert written.run("emit", "--check", "shop.grad_of:f") == 1
    assert written.out.startswith(
        "shop/f_grad.py: stale: the types or shapes of the arguments have changed\n"
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
    assert (
        "shop/loss_grad.py was not written by yota-ast, and is left as it is"
        in shop.err
    )
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


OF_FIELDS = {
    "x=float[m], shift=float[k], m=Net(weights=float[n,m], bias=float[units_of_it])": [
        '--like "x=float[m], shift=float[k]"',
        '--like "m=Net(weights=float[n,m], bias=float[units_of_it])"',
    ],
    "m=Net(weights_of_the_first_layer=float[number_of_units,m], bias=float[number])": [
        '--like "m=Net(weights_of_the_first_layer=float[number_of_units,m]"',
        '--like "bias=float[number])"',
    ],
}


@pytest.mark.parametrize("like", OF_FIELDS)
def test_fields_of_an_object_stay_together_where_they_fit(shop, like):
    assert like_options(like) == OF_FIELDS[like]
    b, w = "bias", "weights" if "weights=" in like else "weights_of_the_first_layer"
    shop.write(
        "shop/deep.py",
        "import numpy as np\n\n\nclass Net:\n    pass\n\n\n"
        "def loss(m, x=0.5, shift=0.5):\n"
        f"    return np.sum(np.tanh(m.{w} @ x + m.{b} + shift))\n",
    )
    target = ("shop.deep:loss", "-o", "shop/deep_grad.py")
    shop.emit(*target, "--like", like)
    written = parse(shop.read("shop/deep_grad.py"))
    assert max(map(len, shop.read("shop/deep_grad.py").splitlines())) <= 88
    assert shop.run(*shlex.split(written.header.command)[1:], "--check") == 0
