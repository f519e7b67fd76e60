"""Rules are short: helpers with rules of their own carry the rest."""

import statistics

from yota_ast.rules.notation.rule import BOOK


def lengths():
    """How many adjoint statements each built-in rule with an adjoint has, but for the
    distributions of SciPy: their rules are made from a table of formulas, each with
    location and scale."""
    BOOK.open_chapters()
    return {
        rule.name: len(rule.statements)
        for rule in BOOK
        if rule.chapter and rule.adjoints and rule.chapter != "scipy.stats"
    }


def test_the_median_rule_has_at_most_three_adjoint_statements():
    counts = sorted(lengths().values())
    assert len(counts) > 400
    assert statistics.median(counts) <= 3
    assert counts[int(0.95 * len(counts))] <= 4


def test_no_rule_is_long():
    long = {name: n for name, n in lengths().items() if n > 6}
    assert long == {}, long
