"""A project in a directory of its own, and the command line in it."""

import importlib
import linecache
import sys
from pathlib import Path

import pytest

from yota_ast.tools.cli.main import main

LAYERS = '''\
"""Layers."""

import numpy as np

EPS = 0.5
KIND = "tanh"
SIZES = (1, 2)


def dense(x, W, b):
    """Apply a layer."""
    return W @ x + b


def act(x):
    """Bend it."""
    if KIND == "tanh":
        return np.tanh(EPS * x)
    return x
'''
MODEL = '''\
# SPDX-License-Identifier: MIT
# A comment.
"""A model."""

from __future__ import annotations

import numpy as np

from shop import layers
from shop.layers import dense

RATE = 2.0


def loss(w: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    """The loss.

    It has no units.
    """
    hidden = layers.act(dense(x, w, b))  # a comment
    scaled = RATE * hidden
    for size in layers.SIZES:
        scaled = scaled + size
    return np.mean(scaled**2)


def energy(x: float, k: float = 0.5) -> float:
    return k * x**2


def other(x):
    return x
'''
LIKE = "w=float[3,4], b=float[3], x=float[4]"
PYPROJECT = f"""\
[project]
name = "shop"

[[tool.yota-ast.targets]]
function = "shop.model:loss"
wrt = ["w", "b"]
like = "{LIKE}"
output = "shop/loss_grad.py"

[[tool.yota-ast.targets]]
function = "shop.model:energy"
output = "shop/energy_grad.py"
"""


class Shop:
    """The project, and what the command said last."""

    def __init__(self, root, capsys):
        self.root, self.capsys = root, capsys
        self.out = self.err = ""

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def edit(self, name, old, new):
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def forget(self):
        """Forget the modules, as a new process would."""
        for name in list(sys.modules):
            if name.partition(".")[0] in ("shop", "flat", "script"):
                del sys.modules[name]
        importlib.invalidate_caches()
        linecache.clearcache()

    def run(self, *arguments):
        """The exit code; what is printed is kept."""
        self.forget()
        self.capsys.readouterr()
        code = main(arguments)
        self.out, self.err = self.capsys.readouterr()
        return code

    def emit(self, *arguments):
        code = self.run("emit", *arguments)
        assert (code, self.err) == (0, "")
        return self.out


@pytest.fixture
def shop(tmp_path, monkeypatch, capsys, texts_kept):
    """A project with two targets, none of them written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    project = Shop(Path(tmp_path), capsys)
    project.write("pyproject.toml", PYPROJECT)
    project.write("shop/__init__.py", "")
    project.write("shop/layers.py", LAYERS)
    project.write("shop/model.py", MODEL)
    yield project
    project.forget()


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """A function that gives a module of a text, and forgets it after the test."""
    names = []

    def module(name, text):
        monkeypatch.syspath_prepend(tmp_path)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        names.append(name)
        return importlib.import_module(name)

    yield module
    for name in names:
        del sys.modules[name]
