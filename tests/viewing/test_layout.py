"""The graph: boxes apart, arrows downward, every op of the tape drawn."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viewing.shown import FUNCTIONS, lstm, network, view_of
from yota_ast.ir.nodes import Apply, Read, Store, walk
from yota_ast.tools.report.graph import graph, nodes_of
from yota_ast.tools.report.graph_layers import GAP, Arrow, Box, layered


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 14))
    sizes = st.tuples(st.integers(8, 120), st.integers(10, 200))
    boxes = [Box(f"b{k}", *draw(sizes)) for k in range(count)]
    pairs = list(combinations(range(count), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=24)) if pairs else []
    return boxes, [Arrow(f"b{i}", f"b{j}") for i, j in chosen]


@given(graphs())
def test_boxes_are_apart_and_arrows_go_down(drawn):
    boxes, arrows = drawn
    done = layered(boxes, arrows)
    size = {b.name: (b.width, b.height) for b in boxes}
    for (a, (x, y)), (b, (v, w)) in combinations(done.places.items(), 2):
        beside = x + size[a][0] + GAP <= v + 1 or v + size[b][0] + GAP <= x + 1
        assert beside or y + size[a][1] < w or w + size[b][1] < y
    for arrow, way in zip(arrows, done.ways, strict=True):
        assert all(p[1] < q[1] for p, q in pairwise(way))
        for name, (x, y), edge in (
            (arrow.source, way[0], 1),
            (arrow.target, way[-1], 0),
        ):
            left, top = done.places[name]
            assert left <= x <= left + size[name][0]
            assert y == top + edge * size[name][1]
    for name, (x, y) in done.places.items():
        assert 0 <= x <= done.width - size[name][0]
        assert 0 <= y <= done.height - size[name][1]
    assert layered(boxes, arrows) == done


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_op_is_drawn_once(function):
    tape = view_of(function).tape
    drawn = [n.op for n in nodes_of(graph(tape)) if n.kind in ("op", "read")]
    blocks = [tape.block, *(f.block for f in tape.functions)]
    ops = [op for block in blocks for op in walk(block)]
    plain = [op for op in ops if isinstance(op, (Apply, Read, Store))]
    counts = [sum(d is op for d in drawn) for op in plain]
    assert counts == [1] * len(plain)


def test_a_loop_is_a_box_with_what_it_carries():
    drawn = graph(view_of(lstm).tape)
    [loop] = [n for n in drawn.nodes if n.kind == "loop"]
    assert loop.label == "for x in xs:"
    kinds = [(n.kind, n.label) for n in loop.inner.nodes]
    assert kinds.count(("carry", "h")) == kinds.count(("carry", "c")) == 2
    assert ("item", "x") in kinds
    assert ("port", "W") in kinds


def test_straight_code_has_no_boxes_within():
    assert all(n.inner is None for n in nodes_of(graph(view_of(network).tape)))
