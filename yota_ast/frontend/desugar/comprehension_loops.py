"""A comprehension -> the loop that builds its list or dict.

>>> from yota_ast.syntax import parse_expr, print_stmts
>>> made = loop_of_comprehension(parse_expr("{k: v for k, v in z if v}"))
>>> print(print_stmts(made).replace(RESULT, "made").rstrip())
for k, v in z:
    if v:
        made[k] = v
"""

from __future__ import annotations

import copy
from typing import Final

from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Node,
    Value,
    holds_rows,
    is_long,
)
from yota_ast.syntax import nodes, quote
from yota_ast.syntax.node_fields import set_fields

RESULT: Final = "%made"
"""The name of what is built."""


def loop_of_comprehension(node: Node) -> list[Node]:
    """Return the statements that build what a comprehension gives in RESULT."""
    made = name_node(RESULT)
    if isinstance(node, nodes.DictComp):
        body = quote("d[k] = e", d=made, k=node.key, e=node.value)
    else:
        body = quote("xs.append(e)", xs=made, e=node.elt)
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = [nodes.If(condition, body, [])]
        body = [nodes.For(generator.target, generator.iter, body, [], None)]
    return [placed(stmt, node) for stmt in body]


def empty_cell(node: Node) -> Cell:
    """Return what the loop of a comprehension begins with."""
    if isinstance(node, nodes.DictComp):
        return Cell("dict", {}, dict)
    return Cell("list", {}, list)


def stays_generator(node: Node, iterable: Value) -> bool:
    """Return whether a generator over a long list, `sum(t * t for t in values)`, is a
    loop, and not an expression for each item."""
    if not isinstance(node, nodes.GeneratorExp) or len(node.generators) > 1:
        return False
    if node.generators[0].ifs or not isinstance(iterable, Argument):
        return False
    long = is_long(iterable.fact) or holds_rows(iterable.fact)
    return long and iterable.fact.kind != "dict"


def targets_of(node: Node) -> frozenset[str]:
    """The names that a comprehension binds."""
    return frozenset(
        n.id
        for generator in node.generators
        for n in nodes.walk(generator.target)
        if isinstance(n, nodes.Name)
    )


def with_own_targets(node: Node) -> Node:
    """A comprehension whose targets are no names of what it runs over, which is
    evaluated outside: `[q * q for q in f(q)]` as `[q_ * q_ for q_ in f(q)]`."""
    first = node.generators[0].iter
    outside = {n.id for n in nodes.walk(first) if isinstance(n, nodes.Name)}
    clashes = targets_of(node) & outside
    if not clashes:
        return node
    made = copy.deepcopy(node)
    set_fields(made.generators[0], iter=nodes.Constant(None, None))
    inside = [n for n in nodes.walk(made) if isinstance(n, nodes.Name)]
    used = outside | {n.id for n in inside}
    for name in sorted(clashes):
        new = name + "_"
        while new in used:
            new += "_"
        for n in inside:
            set_fields(n, id=new if n.id == name else n.id)
    set_fields(made.generators[0], iter=first)
    return made
