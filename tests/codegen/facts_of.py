"""What is known of the variables of the example texts."""

from yota_ast.ir.abstract_values import FLOAT, INT

_ALL_FLOAT = dict.fromkeys(["x", "k", "q", "p", "rate", "cost", "a", "b"], FLOAT)
FACTS = {
    "passage_grad": _ALL_FLOAT,
    "price_grad": _ALL_FLOAT,
    "root_grad": _ALL_FLOAT,
    "solve_grad": {"n": INT},
}
