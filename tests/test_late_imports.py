"""What only some programs need is imported for those alone."""

import subprocess
import sys

PROGRAM = """
import sys
import numpy as np
import yota_ast as ya


def loss(w, x):
    return np.sum(np.tanh(w @ x) ** 2)


def logged(x):
    import logging

    logging.getLogger("steps").warning("at %s", 1)
    logging.info("at %s", 2)
    return x * x


gradient = ya.simplegrad(loss, np.ones((3, 2)), np.ones(2))
late = ["logging", "difflib", "hashlib", "yota_ast.adjoint.vectors.vector_loops"]
print([name for name in late if name in sys.modules])
print(ya.grad(logged, 3.0)[1][0])
"""


def test_a_first_gradient_imports_little_and_the_rest_when_it_is_met(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n6.0\n"
    assert done.stderr == "at 1\n"
