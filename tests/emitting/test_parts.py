"""What a gradient's file is said to be made of."""

import numpy as np

import yota_ast as ya


def ridge(x, scale):
    return np.linalg.slogdet(np.outer(x, x) + scale * np.eye(len(x)))[1]


def test_functions_with_a_rule_are_not_read(tmp_path):
    """NumPy may write `eye` otherwise: the gradient stays what it is."""
    path = ya.simplegrad(ridge, np.ones(2), 0.5).save(tmp_path / "ridge_grad.py")
    made_of = path.read_text(encoding="utf-8").partition("# Made of:")[2]
    assert "rule:np.eye=" in made_of
    assert "numpy:" not in made_of


CUT = slice(1, 3)


def cut(x):
    return np.sum(x[CUT] ** 2)


def test_a_slice_is_a_constant_that_the_file_checks(tmp_path):
    path = ya.simplegrad(cut, np.ones(4)).save(tmp_path / "cut_grad.py")
    text, _, made_of = path.read_text(encoding="utf-8").partition("# Made of:")
    assert f"live:{__name__}.CUT=" in made_of
    assert "if test_parts.CUT != slice(1, 3, None):" in text
