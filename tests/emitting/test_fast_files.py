"""Files of `emit --fast`: all that other files have."""

import ast

import pytest

PATH = "shop/loss_grad.py"
LIKE = "w=float[n,m], b=float[n], x=float[m]"


@pytest.fixture
def emitted(shop):
    assert shop.run("emit", *COMMAND) == 0
    return shop


COMMAND = ("shop.model:loss", "--fast", "--wrt", "w,b", "--like", LIKE, "-o", PATH)


def test_a_file_says_how_it_was_made(emitted):
    text = emitted.read(PATH)
    assert "--fast" in text.partition('"""')[0]
    assert "Made for speed: numbers may be rounded differently." in text
    assert "seed" not in text
    imports = [n for n in ast.parse(text).body if isinstance(n, ast.Import)]
    assert [a.name for n in imports for a in n.names] == ["numpy"]


def test_check_and_diff(emitted):
    assert emitted.run("emit", *COMMAND, "--check") == 0
    emitted.edit("shop/model.py", "return np.mean(scaled**2)", "return np.sum(scaled)")
    assert emitted.run("emit", *COMMAND, "--check") == 1
    emitted.run("emit", *COMMAND, "--diff")
    assert emitted.out.startswith(f"--- {PATH}")


def test_with_test(shop):
    assert shop.run("emit", *COMMAND, "--with-test") == 0
    assert "loss_grad" in shop.read("shop/test_loss_grad.py")
