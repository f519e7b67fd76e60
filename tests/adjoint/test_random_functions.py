"""Random functions: gradients against differences, with all passes and with none."""

import copy
import itertools
import linecache
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from yota_ast.errors import InternalError, YotaError

from .checking import check
from .random_functions import source_of

NUMBERS = itertools.count()
LONG = settings.get_current_profile_name() == "fuzz"
EXAMPLES = 2_000 if LONG else 30


def function_of(source):
    """The function `program` of a source, which can be located."""
    name = f"<random function {next(NUMBERS)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    namespace = {"__name__": "random_functions"}
    exec(compile(source, name, "exec"), namespace)
    return namespace["program"]


@st.composite
def cases(draw):
    """A source and arguments for its function."""
    source = source_of(Random(draw(st.integers(0, 2**32 - 1))))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    vectors = (rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
    a, M = float(rng.uniform(-1, 1)), rng.uniform(-1, 1, (3, 3))
    return source, (*vectors, a, M, int(rng.integers(0, 4)))


@pytest.mark.fuzz
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("general", [False, True], ids=["specific", "general"])
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # a seed does not shrink
)
@given(case=cases())
def test_random_function(case, passes, general):
    source, args = case
    fn = function_of(source)
    with np.errstate(all="ignore"):
        fn(*copy.deepcopy(args))
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setenv("YOTA_AST_PASSES", passes)
        try:
            check(fn, args, wrt=[0, 1, 2, 3], general=general, tolerance=5e-5,
                  smooth_only=True)  # fmt: skip
        except InternalError:
            raise
        except YotaError:
            return  # refused, with a reason
        except AssertionError as error:
            raise AssertionError(f"{source}\n{error}") from error
