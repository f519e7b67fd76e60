"""Every construct in every context: right, or refused as the table says.

In each run by the text made for the arguments; without facts and without the passes
too where a construct stands alone and in a loop. `YOTA_AST_CONSTRUCTS=all` tries all.
"""

import os
import re
import warnings

import numpy as np
import pytest

from .document import peers
from .running import check
from .sections import TABLE
from .table import CONTEXTS, functions

LONG = os.environ.get("YOTA_AST_CONSTRUCTS") == "all"
ALWAYS = ("plain", "loop")
MODES = {"all": ("all", False), "none": ("none", False), "general": ("all", True)}


def cases():
    for entry in TABLE:
        for number, one in enumerate(entry.forms):
            for function in functions(one):
                for mode in MODES:
                    if mode != "all" and function.context not in ALWAYS and not LONG:
                        continue
                    if mode == "general" and not one.general:
                        continue
                    name = f"{entry.name}-{number}-{function.context}-{mode}"
                    yield pytest.param(one, function, mode, id=name.replace("/", "|"))


@pytest.mark.part(8)
@pytest.mark.parametrize(("one", "function", "mode"), list(cases()))
def test_construct(one, function, mode, monkeypatch, capsys):
    passes, general = MODES[mode]
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        check(one, function, general=general)


def test_every_construct_of_the_list_is_in_the_table():
    listed = [entry.name for entry in TABLE if entry.listed]
    assert len(listed) == len(set(listed)) == 128
    assert set(listed) == set(peers())


def test_what_is_left_out_or_refused_is_explained():
    for entry in TABLE:
        for one in entry.forms:
            assert set(one.skip) <= set(CONTEXTS), entry.name
            hard = one.refused.keys() - {"general"}
            assert hard <= {*CONTEXTS, "all"}, entry.name
            assert not hard or entry.note, f"{entry.name}: say why it is refused"


def test_a_wrong_gradient_is_found(monkeypatch):
    from yota_ast.codegen import compile as compiling

    sound = compiling.compile_text

    def off(module, *rest):
        return sound(re.sub(r"return (\w+), ", r"return \1, 2 * ", module), *rest)

    monkeypatch.setattr("yota_ast.pipeline.compile_text", off)
    one = TABLE[0].forms[0]
    with pytest.raises(AssertionError, match="off by"):
        check(one, next(functions(one)), general=False)
