"""Rotations of SciPy: gradients, tangents and second derivatives."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import yota_ast as ya

C = np.arange(9.0).reshape(3, 3)
R = np.array([0.3, -0.5, 0.7])
V = np.array([0.2, 0.1, -1.0])
Q = np.array([0.3, -0.5, 0.7, 0.9])
ROWS = np.random.default_rng(0).normal(size=(4, 3)) / 2
QUATS = np.random.default_rng(1).normal(size=(4, 4))
FIXED = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])


def in_the_plane(a):
    return np.sum(Rotation.from_euler("z", a).as_matrix()[0:2, 0:2] * C[:2, 1:])


def of_angles(a):
    return np.sum(Rotation.from_euler("zyx", a).as_matrix() * C)


def of_degrees(a):
    return np.sum(Rotation.from_euler("ZY", 50 * a[:2], degrees=True).apply(C[1]))


def of_a_list(a):
    return np.sum(Rotation.from_euler("zyx", [a[0], a[1], 0.3]).as_matrix() * C)


def of_columns(a):
    return np.sum(Rotation.from_euler("X", a).as_quat() * np.arange(4.0))


def of_quaternions(q):
    return np.sum(Rotation.from_quat(q).as_rotvec() * C[1])


def to_angles(q):
    turned = Rotation.from_quat(q, scalar_first=True)
    return np.sum(turned.as_euler("ZYX", degrees=True) * C[0])


def to_quaternions(r):
    q = Rotation.from_rotvec(r).inv().as_quat(scalar_first=True)
    return np.sum(q * np.arange(4.0)) + Rotation.from_rotvec(20 * r, True).as_quat()[0]


def applied(r, v):
    return np.sum(Rotation.from_rotvec(r).apply(v) * C[1])


def multiplied(r, v):
    return np.sum(
        (Rotation.from_rotvec(r) * FIXED * Rotation.from_rotvec(v)).as_rotvec()
    )


def magnitudes(r):
    return np.sum(Rotation.from_rotvec(r).magnitude() ** 2)


def in_a_loop(rows, v):
    turned = Rotation.from_rotvec(rows[0])
    for k in range(1, len(rows)):
        turned = turned * Rotation.from_rotvec(rows[k])
        v = turned.apply(v) + 0.1 * v
    return np.sum(v * C[1])


def in_a_branch(rows, v):
    turned = Rotation.from_rotvec(rows[0])
    if v[0] > 0:
        turned = Rotation.from_quat([rows[1, 0], rows[1, 1], 0.5, 1.0])
    return np.sum(turned.as_matrix() * C)


def by_one_outside(v):
    return np.sum(FIXED.apply(v) * v * v)


class Body:
    def __init__(self, r):
        self.attitude = Rotation.from_rotvec(r)

    def turn(self, r):
        self.attitude = self.attitude * Rotation.from_rotvec(r)


def of_an_object(rows):
    body = Body(rows[0])
    body.turn(rows[1])
    return np.sum(body.attitude.apply(rows[2]) * C[1])


def raised(r, n):
    turned = Rotation.from_rotvec(r)
    return np.sum((turned**n * turned**-1 * turned**2).as_matrix() * C)


def picked(rows):
    turned = Rotation.from_rotvec(rows)
    parts = turned[1:3].as_rotvec() @ C[0] + turned[[0, 2]].as_rotvec() @ C[1]
    return np.sum(parts) + np.sum((turned[-1] * turned[0]).as_matrix() * C)


def picked_in_a_loop(rows):
    turned = Rotation.from_rotvec(rows)
    total = turned[0]
    for k in range(1, len(turned)):
        total = total * turned[k] ** 0.5
    return np.sum(total.as_matrix() * C)


CASES = [
    (raised, R, 0.3), (raised, ROWS, 1.7), (picked, ROWS), (picked_in_a_loop, ROWS),
    (in_the_plane, 0.3), (of_angles, R), (of_angles, ROWS[:1]), (of_degrees, R),
    (of_a_list, R), (of_columns, ROWS[:, :1].copy()),
    (of_quaternions, Q), (of_quaternions, QUATS), (to_angles, Q), (to_angles, QUATS),
    (to_quaternions, R), (to_quaternions, 1e-4 * R), (applied, R, V),
    (applied, R, ROWS), (applied, ROWS, V), (applied, ROWS, ROWS[::-1].copy()),
    (multiplied, R, V), (multiplied, ROWS, V), (magnitudes, R), (magnitudes, ROWS),
    (in_a_loop, ROWS, V), (in_a_branch, ROWS, V), (in_a_branch, ROWS, -V),
    (by_one_outside, V), (of_an_object, ROWS),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args"), [(fn, args) for fn, *args in CASES])
def test_derivatives_are_slopes(fn, args):
    value, gradient = ya.grad(fn, *args)
    assert value == fn(*args)
    report = ya.gradcheck(fn, *args)
    assert report, str(report)
    first, rest = args[0], args[1:]
    d, h = np.cos(first), 1e-5
    assert np.isclose(ya.jvp(fn, 0)(*args, d)[1], np.sum(gradient[0] * d))
    ahead, behind = (ya.grad(fn, first + s * d, *rest)[1][0] for s in (h, -h))
    second = ya.hvp(fn)(first, d, *rest)
    assert np.allclose(second, (ahead - behind) / (2 * h), rtol=1e-5, atol=1e-6)


def test_items_of_a_list_that_are_not_read():
    def first_and_third(rows):
        turned = [Rotation.from_rotvec(r) for r in rows]
        return np.sum(turned[0].as_matrix() @ turned[2].as_matrix() * C)

    assert ya.gradcheck(first_and_third, ROWS)


def test_generated_code_is_written_with_the_class():
    source = ya.simplegrad(multiplied, R, V).source
    assert "from scipy.spatial import transform\n" in source
    assert "t1 = transform.Rotation.from_rotvec(r)\n" in source
    assert " = t1 * FIXED\n" in source


def of_a_matrix(m):
    return np.sum(Rotation.from_matrix(m).as_rotvec())


def test_matrices_are_refused():
    with pytest.raises(ya.NoRule) as found:
        ya.grad(of_a_matrix, np.eye(3))
    assert str(found.value).splitlines()[0] == (
        f"{__file__}:{of_a_matrix.__code__.co_firstlineno + 1}:5: the rules of "
        "from_matrix give no derivative with respect to matrix: a matrix that is no "
        "rotation is made one first"
    )


LOCK = "as_euler has no derivative at gimbal lock, where two axes are parallel"


def to_three_angles(r, sequence):
    return np.sum(Rotation.from_rotvec(r).as_euler(sequence) * C[1])


@pytest.mark.filterwarnings("ignore:Gimbal lock")
@pytest.mark.parametrize(("sequence", "middle"), [("ZYX", np.pi / 2), ("zxz", 0.0)])
def test_angles_at_gimbal_lock_have_no_derivative(sequence, middle):
    at = Rotation.from_euler(sequence, [0.1, middle, 0.3]).as_rotvec()
    for kind, asked in (
        ("grad", lambda: ya.grad(to_three_angles, at, sequence)),
        ("jvp", lambda: ya.jvp(to_three_angles, 0)(at, sequence, R)),
        ("grad_jvp", lambda: ya.hvp(to_three_angles)(at, R, sequence)),
    ):
        with pytest.raises(np.linalg.LinAlgError) as found:
            asked()
        assert str(found.value) == f"to_three_angles_{kind}: {LOCK}"
