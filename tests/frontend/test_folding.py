"""How the text spells numbers that are computed while lowering."""

import operator
import random

import pytest

from yota_ast.frontend.expressions import folding
from yota_ast.ir.atoms import Const
from yota_ast.syntax import parse_expr, print_expr

NUMBERS = (1, 2, 7, 0.5, 3.25, 1e-8, 1e22, -2.0, -1, True, 0.0, -0.0, 1j)
SIGNED = (operator.neg, operator.pos)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_spelled_without_parsing_is_as_the_printer_has_it(seed, monkeypatch):
    r = random.Random(seed)
    known = [Const(r.choice(NUMBERS)) for _ in range(5)]
    for _ in range(12):
        fn = r.choice([*folding._BINDING, operator.pow, *SIGNED])
        operands = [r.choice(known) for _ in range(1 if fn in SIGNED else 2)]
        folded = folding.fold(fn, operands)
        with monkeypatch.context() as without:
            without.setattr(folding, "_joined", lambda *_: None)
            plain = folding.fold(fn, operands)
        if folded is None or plain is None:
            assert folded is plain
            continue
        assert folded.text == plain.text
        if folded.text is not None:
            assert print_expr(parse_expr(folded.text)) == folded.text
            if len(folded.text) < 300:
                known.append(folded)
