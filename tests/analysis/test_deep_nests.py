"""Loops within loops are gone through a few times each, not twice for each around."""

import importlib.util

import pytest

import yota_ast as ya
from yota_ast.analysis.same_objects import Objects
from yota_ast.frontend.interpret.finished_blocks import Pruning


def nest_of(depth, folder):
    """A function of loops within each other, which multiplies in the innermost."""
    heads = "".join(f"{'    ' * (k + 1)}for i{k} in range(1):\n" for k in range(depth))
    path = folder / f"nest_of_{depth}.py"
    inside = "    " * (depth + 1)
    path.write_text(
        f"def f(x):\n    s = x\n{heads}{inside}s = s * x + x\n    return s\n"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


@pytest.mark.parametrize(("owner", "name"), [(Objects, "visit"), (Pruning, "block")])
def test_twice_the_depth_takes_no_more_than_four_times_the_visits(
    owner, name, tmp_path, monkeypatch
):
    counts, plain = [], getattr(owner, name)

    def counted(*args):
        counts[-1] += 1
        return plain(*args)

    monkeypatch.setattr(owner, name, counted)
    for depth in (4, 8):
        counts.append(0)
        fn = ya.simplegrad(nest_of(depth, tmp_path), 1.5).fn
        assert fn(1.5) == (3.75, 4.0)
    assert counts[1] <= 4 * counts[0]
