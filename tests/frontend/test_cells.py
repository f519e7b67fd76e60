"""Cells of IPython that begin with a magic -> the functions in them are read."""

import subprocess
import sys

import pytest

PROGRAM = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="NoColor")
CELLS = [
    "import numpy as np, yota_ast as ya",
    "%%time\\ndef f(x): return np.sum(x**2)\\nprint(ya.grad(f, np.ones(2))[1][0])",
    "%%timeit -n1 -r1\\nprint(ya.grad(lambda x: np.sum(x**3), np.ones(2))[1][0])",
    "%timeit -n1 -r1 print(ya.grad(lambda x: np.sum(x**4), np.ones(2))[1][0])",
    "r = %timeit -n1 -r1 -o print(ya.grad(lambda x: np.sum(x**5), np.ones(2))[1][0])",
    "%%timeit -n1 -r1 k = 6\\ndef h(x): return np.sum(x**k)\\nya.grad(h, np.ones(2))",
    "def g(x):\\n    return np.sinn(x)",
    "ya.grad(g, np.ones(2))",
]
for cell in CELLS:
    shell.run_cell(cell, store_history=True)
"""


def test_functions_below_magics_are_read(tmp_path):
    pytest.importorskip("IPython")
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={"IPYTHONDIR": str(tmp_path), "PATH": ""},
    )
    printed = [line for line in ran.stdout.splitlines() if line.startswith("[")]
    assert printed == ["[2. 2.]", "[3. 3.]", "[4. 4.]", "[5. 5.]"]
    setup, refusal = ran.stdout.split("-----\n")[1:]
    assert "SourceUnavailable: `h` may use the setup line of `%%timeit`" in setup
    assert "Define it in a cell of its own." in setup
    assert len(refusal.splitlines()) <= 25
    assert "yota_ast/" not in ran.stdout
    assert ran.stdout.count("UnsupportedCall: ") == 1
