"""Objects that the function makes, in lists whose length a loop or a branch decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

import yota_ast as ya

V, W = np.array([0.5, -0.3, 1.2, 0.7]), np.array([0.4, 0.9, 0.3, -2.2])


class Node:
    def __init__(self, pos, cost=0.0, parent=None):
        self.pos, self.cost, self.parent = np.array(pos), cost, parent
        self.tag = "n"

    def far(self, other):
        return np.hypot(self.pos[0] - other.pos[0], self.pos[1] - other.pos[1])

    @property
    def norm(self):
        return np.sqrt(np.sum(self.pos**2))

    def __lt__(self, other):
        return self.cost < other.cost


class Bare:
    """Its objects are equal to themselves alone."""

    def __init__(self, cost):
        self.cost = cost


class Leaf(Node):
    pass


@dataclass(frozen=True)
class Particle:
    weight: float
    at: Node

    def energy(self, k=1.0):
        return k * self.weight * self.at.norm


class Swarm:
    def __init__(self):
        self.items, self.total = [], 0.0

    def add(self, particle):
        self.items.append(particle)
        self.total += particle.weight


def made(x):
    nodes = []
    for i in range(len(x)):
        if x[i] > 0:
            node = Node([x[i], x[i] ** 2], cost=2 * x[i], parent=i)
            nodes.append(node)
    return nodes


def summed(x):
    return sum(n.cost * n.norm for n in made(x) if n.tag == "n")


def of_the_best(x):
    nodes = made(x)
    best, total = nodes[0], 0.0
    for n in nodes:
        if n.cost > best.cost:
            best = n
        total += n.far(nodes[0]) * n.parent
    return total + best.norm + min(nodes, key=lambda n: n.cost).cost


def of_pairs(x):
    nodes, total = made(x), 0.0
    for k, a in enumerate(nodes):
        for b in nodes[k + 1 :]:
            total += a.cost * b.norm
    return total + sum(a.cost * b.cost for a, b in pairwise(nodes))


def sorted_by_a_key(x):
    nodes = sorted(made(x), key=lambda n: -n.cost)
    return nodes[0].cost * 2 + sum(n.norm for n in reversed(nodes))


def of_objects_within(x):
    swarm = Swarm()
    for v in x:
        if v > 0:
            swarm.add(Particle(v**2, Node([v, 1.0])))
    return sum(p.energy(k=2.0) for p in swarm.items) * swarm.total


def replaced(x):
    some = [Particle(v, Node([v, 2.0])) for v in x if v > 0]
    return sum(replace(p, weight=2 * p.weight).energy() for p in some)


def made_anew(x):
    nodes, total = made(x), 0.0
    for k in range(3):
        moved = []
        for n in nodes:
            further = Node(n.pos + 0.1 * k, n.cost * 0.9)
            moved.append(further)
        nodes = moved
        total += sum(n.norm * n.cost for n in nodes)
    return total


def grown(x):
    tree, n = [Node([x[0], x[1]], x[0] * x[2])], 5 if x[0] > 0 else 2
    for k in range(n):
        near = min(tree, key=lambda node: abs(node.cost - 0.3 * k))
        if near.cost < 5:
            tree.append(Node(near.pos * 1.1, near.cost + 0.1 * x[k % 4]))
    return sum(node.norm + node.cost**2 for node in tree)


def in_tuples_and_dicts(x):
    pairs, table = [], {}
    for i in range(len(x)):
        if x[i] > 0:
            pairs.append((x[i], Node([x[i], 1.0], cost=x[i] * 2)))
            table[i] = Node([x[i], 1.0], cost=x[i] ** 2)
    total = sum(w * n.cost for w, n in pairs)
    return total + sum(n.norm * k * n.cost for k, n in table.items())


def in_lists_of_lists(x):
    rows = [[] for _ in range(2)]
    for i, v in enumerate(x):
        if v > 0:
            rows[i % 2].append(Node([v, 1.0], v))
    return sum(n.cost for n in rows[0]) + sum(2 * n.norm for row in rows for n in row)


def another_in_its_place(x):
    nodes = made(x)
    for i in range(len(nodes)):
        nodes[i] = Node(nodes[i].pos, nodes[i].cost * 2)
    nodes.extend(made(2 * x))
    return sum(n.cost * n.norm for n in nodes) + nodes[-1].cost


def of_which_class(x):
    nodes = made(x)
    plain = isinstance(nodes[0], Node) and not isinstance(nodes[0], (Leaf, dict))
    return x[0] * plain + x[1] * (type(nodes[0]) is Node) + (x[2] if nodes[0] else 0.0)


EVERY = (
    summed, of_the_best, of_pairs, sorted_by_a_key, of_objects_within, replaced,
    made_anew, grown, in_tuples_and_dicts, in_lists_of_lists, another_in_its_place,
    of_which_class,
)  # fmt: skip


@pytest.mark.parametrize("x", [V, W])
@pytest.mark.parametrize("f", EVERY)
def test_right(f, x):
    value, slopes = ya.grad(f, x)
    assert value == f(x)
    assert ya.gradcheck(f, x)
    d = np.array([0.3, -0.7, 0.2, 0.9])
    assert ya.jvp(f)(x, d)[1] == pytest.approx(np.dot(slopes["x"], d))


@pytest.mark.parametrize("f", [f for f in EVERY if f is not of_the_best])
def test_second_derivatives(f):
    d, slope = np.array([0.3, -0.7, 0.2, 0.9]), ya.grad(f)
    by_differences = (slope(V + 1e-6 * d) - slope(V - 1e-6 * d)) / 2e-6
    np.testing.assert_allclose(ya.hvp(f)(V, d), by_differences, 1e-5, 1e-7)


def test_a_dict_of_the_fields_stands_in_the_text():
    text = ya.simplegrad(summed, V).source
    assert text.count("nodes.append(") == 1
    assert '"cost": 2 * x[i]' in text
    assert "Node" not in text


def returned(x):
    return made(x)


def printed(x):
    nodes = made(x)
    print(nodes)
    return nodes[0].cost


def compared(x):
    nodes = made(x)
    return x[0] if nodes[0] in nodes else x[1]


def sorted_by_themselves(x):
    ordered = sorted(made(x))
    return ordered[0].cost * ordered[1].cost


def kept_outside(x, swarm):
    swarm.items = made(x)
    return swarm.items[0].cost


def put_into_a_list_of_the_callers(x, rows):
    for v in x:
        if v > 0:
            rows.append(Node([v, 1.0]))
    return x[0]


def of_two_classes(x):
    nodes = []
    for v in x:
        if v > 0:
            nodes.append(Node([v, 1.0], v))
        else:
            nodes.append(Leaf([v, 1.0], v))
    return sum(n.cost * (2.0 if isinstance(n, Leaf) else 1.0) for n in nodes)


PASSED_ON = "an object of class Node, made in the function, is passed on or returned"


@pytest.mark.parametrize(
    ("f", "more"),
    [
        (of_two_classes, ()), (returned, ()), (printed, ()), (compared, ()),
        (sorted_by_themselves, ()),
        (kept_outside, (Swarm(),)), (put_into_a_list_of_the_callers, ([],)),
    ],
)  # fmt: skip
def test_no_dict_leaves_the_text(f, more):
    with pytest.raises(ya.UnsupportedSyntax, match=PASSED_ON):
        ya.grad(f, V, *more)


def written(x):
    nodes = made(x)
    for n in nodes:
        n.cost = n.cost * 2
    return sum(n.cost for n in nodes)


def written_behind(x):
    nodes = []
    for v in x:
        n = Node([v, 1.0], v)
        if v > 0:
            nodes.append(n)
        n.cost = 5.0 * v
    return sum(n.cost for n in nodes)


def put_often(x, node):
    kept = []
    for v in x:
        total = v * 2
        if total > 0:
            kept.append(node)
    return kept


def written_after_the_loop(x):
    node = Node([1.0, 2.0], x[0])
    kept = put_often(x, node)
    node.cost = 5.0
    return sum(n.cost for n in kept) * x[1]


def written_under_another_name(x):
    node = other = Node([1.0, 2.0], x[0])
    kept = []
    for v in x:
        pair = v, node
        if v > 0:
            kept.append(pair)
    other.cost = 5.0
    return sum(n.cost for _, n in kept) * x[1]


def written_within_another(x):
    node, kept = Node([1.0, 2.0], x[0]), []
    for v in x:
        outer = Node([v, 1.0], v, parent=node)
        if v > 0:
            kept.append(outer)
    node.cost = 5.0
    return sum(n.parent.cost for n in kept) * x[1]


def written_after_a_comprehension(x):
    node = Node([1.0, 2.0], x[0])
    kept = [node for v in x if v > 0]
    node.cost = 5.0
    return sum(n.cost for n in kept) * x[1]


def set_by_its_name(x):
    node, kept = Node([1.0, 2.0], x[0]), []
    k = 0
    while k < len(x):
        if x[k] > 0:
            kept.append(node)
        k += 1
    setattr(node, "cost", 3.0)  # noqa: B010
    return sum(n.cost for n in kept) * x[1]


WRITTEN = (
    written, written_behind, written_after_the_loop, written_under_another_name,
    written_within_another, written_after_a_comprehension, set_by_its_name,
)  # fmt: skip


@pytest.mark.parametrize("f", WRITTEN)
def test_what_is_written_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        ya.grad(f, V)
    assert (
        str(caught.value)
        .splitlines()[0]
        .endswith(
            "the function changes an object that is an item of a list, whose length "
            "depends on a loop or a branch"
        )
    )
    assert str(caught.value).endswith("Set its fields before it is put into the list.")


def written_where_the_length_is_known(x):
    nodes = []
    for i in range(len(x)):
        node = Node([x[i], 1.0], x[i])
        nodes.append(node)
    for n in nodes:
        n.cost = n.cost * 2
        n.pos[0] *= 3
    return sum(n.cost * n.norm for n in nodes)


def test_objects_in_lists_of_known_length_may_change():
    assert ya.gradcheck(written_where_the_length_is_known, V)


def array_within(x):
    nodes = made(x)
    for n in nodes:
        n.pos[0] *= 2
    return sum(n.pos[0] for n in nodes)


def array_within_behind(x):
    nodes = []
    for v in x:
        if v > 0:
            n = Node([v, 1.0], v)
            nodes.append(n)
            n.pos[0] = v * 3
    return sum(n.pos[0] * n.cost for n in nodes)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (array_within, "the loop writes into the value that it runs over"),
        (array_within_behind, "may share memory with an array that has changed"),
    ],
)
def test_an_array_within_that_is_written_is_refused(f, why):
    with pytest.raises(ya.UnsupportedSyntax, match=why):
        ya.grad(f, V)


def one_or_another(x):
    nodes = made(x)
    return x[0] if nodes[0] is nodes[0] else x[1]


def the_one_from_before(x):
    node = Node([1.0, 2.0], x[0])
    kept = put_often(x, node)
    return x[0] if kept[0] is node else x[1]


def equal_to_itself(x):
    nodes = [Bare(v) for v in x if v > 0]
    return x[0] if nodes[0] == nodes[0] else x[1]


def every_pair(x):
    nodes, total = [Bare(v) for v in x if v > 0], 0.0
    for a in nodes:
        for b in nodes:
            if a != b:
                total += a.cost * b.cost
    return total


@pytest.mark.parametrize(
    "f", [one_or_another, the_one_from_before, equal_to_itself, every_pair]
)
def test_which_object_it_is_is_not_told(f):
    with pytest.raises(ya.UnsupportedSyntax, match="may or may not be one object"):
        ya.grad(f, V)
