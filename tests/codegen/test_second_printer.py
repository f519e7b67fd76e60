"""A printer of another language needs a module of its own, and no change elsewhere."""

import ctypes
import math
import shutil
import subprocess

import pytest

import yota_ast as ya
from yota_ast.pipeline import gradient_program

from .toy_printer import NotInCError, function

COMPILER = shutil.which("cc")


def damped(t: float, k: float) -> float:
    wave = math.sin(k * t)
    return math.exp(-t) * wave + wave**2 / 2.0


def chosen(t: float, k: float) -> float:
    return t if t > k else k * k


DAMPED = """\
void damped_grad(double t, double k, double seed, double *out)
{
    double wave = sin((k * t));
    double t1 = exp((-t));
    double val = ((t1 * wave) + (pow(wave, 2.0) / 2.0));
    double t2 = (((seed * wave) + (seed * t1)) * cos((k * t)));
    double dk = (t2 * t);
    double dt = ((-((seed * wave) * t1)) + (t2 * k));
    out[0] = val;
    out[1] = dt;
    out[2] = dk;
}
"""


def program_of(fn):
    return gradient_program(ya.trace(fn, 0.5, 2.0)[1], None)


def test_it_prints_a_gradient():
    assert function(program_of(damped)) == DAMPED


@pytest.mark.skipif(COMPILER is None, reason="no cc: that the C is right")
def test_what_it_prints_is_right(tmp_path):
    source, library = tmp_path / "damped.c", tmp_path / "damped.so"
    source.write_text(f"#include <math.h>\n{function(program_of(damped))}")
    command = [COMPILER, "-shared", "-fPIC", "-o", library, source, "-lm"]
    subprocess.run(command, check=True)
    out = (ctypes.c_double * 3)()
    number = ctypes.c_double
    ctypes.CDLL(str(library)).damped_grad(number(0.5), number(2.0), number(1.0), out)
    val, dt, dk = ya.simplegrad(damped, 0.5, 2.0)(0.5, 2.0)
    assert list(out) == pytest.approx([val, dt, dk], rel=1e-14)


def test_it_refuses_what_is_no_straight_line():
    with pytest.raises(NotInCError, match="branches and loops are not printed"):
        function(program_of(chosen))
