"""The shape of gradients, the result of a call, update, and moving between devices."""

import dataclasses
import sys
import types
from typing import NamedTuple

import numpy as np
import pytest

from yota_ast.api.values.structured_gradients import (
    GradientResult,
    structure_like,
    to_cuda,
    to_device,
    update,
)
from yota_ast.errors import ShapeError, YotaError


class Linear:
    def __init__(self, W, b):
        self.W = W
        self.b = b


class Net:
    def __init__(self, *layers, scale=1.0):
        self.layers = layers
        self.scale = scale
        self.name = "net"


class Pair(NamedTuple):
    W: np.ndarray
    b: float


@dataclasses.dataclass(frozen=True)
class Frozen:
    W: np.ndarray
    b: float


class Slotted:
    __slots__ = ("W", "b")


def half(x, gx):
    return x - 0.5 * gx


def message(caught):
    return caught.value.diagnostic


# ---------------------------------------------------------------- structure


def test_arrays_and_numbers_are_their_own_gradient():
    gradient = np.ones(3)
    assert structure_like(np.zeros(3), {(): gradient}) is gradient
    assert structure_like(2.0, {(): 1.5}) == 1.5


def test_containers_have_the_same_structure():
    value = {"W": np.zeros(2), "rest": (1.5, "text", [np.zeros(1), 3, None])}
    leaves = {("W",): "dW", ("rest", 0): 2.0, ("rest", 2, 0): "d20"}
    assert structure_like(value, leaves) == {
        "W": "dW",
        "rest": (2.0, None, ["d20", None, None]),
    }


def test_floats_that_do_not_matter_have_zeros():
    value = [np.ones((2, 1), np.float32), 1.5, 2j, np.float32(3), np.arange(2), True]
    found = structure_like(value, {})
    assert found[0].tolist() == [[0.0], [0.0]]
    assert found[0].dtype == np.float32
    assert [type(g) for g in found[1:]] == [
        float,
        complex,
        np.float32,
        type(None),
        type(None),
    ]


def test_objects_give_their_leaves_by_path():
    net = Net(Linear(np.ones(2), 1.0))
    leaves = {("layers", 0, "W"): "dW", ("scale",): 2.0}
    assert structure_like(net, leaves) == leaves
    assert list(structure_like(net, leaves)) == [("layers", 0, "W"), ("scale",)]
    assert structure_like(net, {}) == {}


def test_objects_in_containers():
    value = [Linear(1.0, 2.0), {"last": Linear(1.0, 2.0)}]
    leaves = {(0, "W"): 5.0, (1, "last", "b"): 6.0}
    assert structure_like(value, leaves) == [{("W",): 5.0}, {"last": {("b",): 6.0}}]


def test_named_tuples_stay_what_they_are():
    assert structure_like(Pair(np.ones(1), 2.0), {(0,): "dW"}) == Pair("dW", 0.0)
    assert isinstance(structure_like(Pair(1.0, 2.0), {}), Pair)


# ---------------------------------------------------------------- the result


def result():
    return GradientResult(
        ("m", "X", "n"),
        {"m": {("W",): np.ones((3, 4))}, "X": np.ones((4, 5), np.float32)},
        {"n": "an int has no gradient"},
        tape="tape",
        source="source",
    )


def test_gradients_by_position_and_name():
    g = result()
    assert g["m"] is g[0] is g[-3] is g[np.int64(0)]
    assert g["X"] is g[1]
    assert len(g) == 3
    assert list(g)[1] is g[1]
    assert list(g)[2] is None
    assert (g.tape, g.source, g.names) == ("tape", "source", ("m", "X", "n"))
    assert [a in g for a in ("m", "X", "n", "other", 0, 2, 3)] == [
        True,
        True,
        False,
        False,
        True,
        False,
        False,
    ]


def test_representation():
    assert repr(result()) == (
        "GradientResult(m={('W',): [[1., 1., 1., 1.], [1., 1., 1., 1.], "
        "[1., 1., 1., 1.]]}, X=float32[4, 5] [1., 1., ..., 1., 1.])"
    )
    g = GradientResult(("x", "y"), {"x": (1.5,), "y": [np.zeros(()), (1.0, None)]})
    assert repr(g) == "GradientResult(x=(1.5,), y=[0., (1.0, None)])"
    assert repr(GradientResult(("x",), {})) == "GradientResult()"


@pytest.mark.parametrize(
    ("argument", "kind", "text"),
    [
        (2, KeyError, "no gradient with respect to 'n': an int has no gradient"),
        ("n", KeyError, "no gradient with respect to 'n': an int has no gradient"),
        ("z", KeyError, "no argument 'z': the arguments are m, X, n"),
        (3, IndexError, "no argument 3: the arguments are m, X, n"),
        (-4, IndexError, "no argument -4: the arguments are m, X, n"),
    ],
)
def test_arguments_without_gradient(argument, kind, text):
    with pytest.raises(kind) as caught:
        result()[argument]
    assert caught.value.args == (text,)


def test_without_a_reason():
    with pytest.raises(KeyError) as caught:
        GradientResult(("x",), {})[0]
    assert caught.value.args == (
        "no gradient with respect to 'x': it is not among wrt",
    )


# ---------------------------------------------------------------- update


def test_arrays_are_written_in_place():
    x = np.array([1.0, 2.0])
    assert update(x, np.array([1.0, 1.0])) is x
    assert x.tolist() == [0.0, 1.0]
    assert update(x, np.array([2.0, 2.0]), half).tolist() == [-1.0, 0.0]


def test_dtypes_are_kept():
    x = np.ones(2, np.float32)
    update(x, np.ones(2), lambda x, gx: x - np.float64(0.5) * gx.astype(np.float64))
    assert x.dtype == np.float32
    assert x.tolist() == [0.5, 0.5]
    assert type(update(np.float32(1), np.float64(0.5))) is np.float32
    assert type(update(1.0, np.float64(0.5))) is float
    zero = np.array(1.0)
    assert update(zero, np.float64(0.25)) is zero
    assert zero == 0.75


def test_updaters_that_write_in_place():
    def descend(x, gx):
        x -= gx
        return x

    x = np.ones(2)
    assert update(x, np.ones(2), descend) is x
    assert x.tolist() == [0.0, 0.0]


def test_numbers_and_tuples_are_returned():
    W = np.ones(2)
    assert update(1.0, 0.25) == 0.75
    assert update(3, 0.5) == 2.5
    new = update((W, 1.0, "text"), (np.ones(2), 0.5, None))
    assert new[0] is W
    assert W.tolist() == [0.0, 0.0]
    assert new[1:] == (0.5, "text")


def test_tuples_of_arrays_stay_what_they_are():
    pair = (np.ones(1), (np.ones(1),))
    assert update(pair, (np.ones(1), (np.ones(1),))) is pair
    assert pair[1][0].tolist() == [0.0]


def test_fields():
    m = Linear(np.ones(2), 1.0)
    W = m.W
    assert update(m, {("W",): np.ones(2), ("b",): 0.5}, half) is m
    assert m.W is W
    assert W.tolist() == [0.5, 0.5]
    assert m.b == 0.75
    update(m, {"b": 0.75})
    assert m.b == 0.0


def test_paths_through_fields_and_containers():
    net = Net(Linear(np.ones(2), 1.0), {"last": [1.0, 2.0]})
    update(
        net,
        {
            ("layers", 0, "W"): np.ones(2),
            ("layers", 0, "b"): 0.5,
            ("layers", 1, "last", 1): 0.5,
            ("scale",): 0.25,
        },
    )
    assert net.layers[0].W.tolist() == [0.0, 0.0]
    assert net.layers[0].b == 0.5
    assert net.layers[1] == {"last": [1.0, 1.5]}
    assert net.scale == 0.75


def test_tuples_in_objects_are_rebuilt():
    net = Net(1.0, np.ones(1), (2.0, 3.0))
    array = net.layers[1]
    update(net, {("layers", 0): 0.5, ("layers", 2, -1): 1.0})
    assert net.layers == (0.5, array, (2.0, 2.0))
    assert net.layers[1] is array


def test_containers():
    m = {"W": np.ones(2), "list": [1.0, (2.0, "text")], "n": 3}
    g = {"W": np.ones(2), "list": [0.5, (0.5, None)], "n": None}
    assert update(m, g) is m
    assert m["W"].tolist() == [0.0, 0.0]
    assert m["list"] == [0.5, (1.5, "text")]
    assert m["n"] == 3


def test_objects_in_containers_are_updated():
    layers = [Linear(1.0, 2.0), Linear(3.0, 4.0)]
    update(layers, [{("W",): 0.5}, {("b",): 0.5}])
    assert [(m.W, m.b) for m in layers] == [(0.5, 2.0), (3.0, 3.5)]


def test_what_is_shared_gets_the_gradient_of_every_path():
    layer = Linear(np.ones(1), 1.0)
    net = Net(layer, layer)
    update(
        net,
        {
            ("layers", 0, "W"): np.array([0.5]),
            ("layers", 1, "W"): np.array([0.25]),
            ("layers", 0, "b"): 0.5,
            ("layers", 1, "b"): 0.25,
        },
    )
    assert layer.W.tolist() == [0.25]
    assert layer.b == 0.25


def test_slots():
    m = Slotted()
    m.W, m.b = np.ones(1), 1.0
    update(m, {("W",): np.ones(1), ("b",): 0.5})
    assert (m.W.tolist(), m.b) == ([0.0], 0.5)


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        ("W", {"W"}),
        (["W"], {"W"}),
        ([("W",)], {"W"}),
        ([("layer", "b")], {"layer.b"}),
        (["layer"], {"layer.W", "layer.b"}),
        (("W", ("layer", "W")), {"W", "layer.W"}),
        ((), set()),
    ],
)
def test_ignored_paths(ignore, left):
    m = Linear(1.0, 1.0)
    m.layer = Linear(1.0, 1.0)
    paths = [("W",), ("b",), ("layer", "W"), ("layer", "b")]
    update(m, dict.fromkeys(paths, 0.5), ignore=ignore)
    values = {"W": m.W, "b": m.b, "layer.W": m.layer.W, "layer.b": m.layer.b}
    assert {name for name, value in values.items() if value == 1.0} == left


def test_ignored_keys_and_positions():
    m = {"W": [1.0, 2.0], "b": 3.0}
    update(m, {"W": [0.5, 0.5], "b": 0.5}, ignore=["b", ("W", 1)])
    assert m == {"W": [0.5, 2.0], "b": 3.0}
    assert update([1.0, 2.0], [0.5, 0.5], ignore=[0]) == [1.0, 1.5]


def test_no_gradient_no_change():
    m = Linear(1.0, 2.0)
    update(m, {("W",): None, ("b",): 1.0})
    assert (m.W, m.b) == (1.0, 1.0)
    assert update(m, None) is m
    assert update(2.0, None) == 2.0


def test_read_only_arrays_are_replaced():
    W = np.ones(2)
    W.flags.writeable = False
    m = Linear(W, 1.0)
    update(m, {("W",): np.ones(2)})
    assert m.W.tolist() == [0.0, 0.0]
    assert W.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("g", "text"),
    [
        (
            {("W",): np.ones(3)},
            (
                "ShapeError: W is an array of shape (2,), "
                "its gradient an array of shape (3,)"
            ),
        ),
        (
            {("b",): np.ones(3)},
            "ShapeError: b is a float, its gradient an array of shape (3,)",
        ),
        (
            {("V",): 1.0},
            "YotaError: there is no path ('V',): the Linear has no 'V'",
        ),
        (
            {("W", 0, "x"): 1.0},
            "YotaError: there is no path ('W', 0, 'x'): the ndarray of W has no 0",
        ),
        ({("name",): 1.0}, "YotaError: name is a str, not an array or a number"),
        ([1.0], "ShapeError: the value is a Linear, its gradient a list of 1"),
        (1.0, "ShapeError: the value is a Linear, its gradient a float"),
    ],
)
def test_gradients_that_do_not_fit_an_object(g, text):
    m = Linear(np.ones(2), 1.0)
    m.name = "first"
    with pytest.raises(YotaError) as caught:
        update(m, g)
    assert message(caught) == text


@pytest.mark.parametrize(
    ("m", "g", "text"),
    [
        ([1.0], [1.0, 2.0], "the value is a list of 1, its gradient a list of 2"),
        ({"W": (1.0,)}, {"W": 1.0}, "W is a tuple of 1, its gradient a float"),
        ({"W": 1.0}, [1.0], "the value is a dict, its gradient a list of 1"),
        (
            np.ones((2, 1)),
            np.ones(2),
            (
                "the value is an array of shape (2, 1), "
                "its gradient an array of shape (2,)"
            ),
        ),
    ],
)
def test_gradients_that_do_not_fit_a_container(m, g, text):
    with pytest.raises(ShapeError) as caught:
        update(m, g)
    assert message(caught) == f"ShapeError: {text}"


def test_unknown_keys():
    with pytest.raises(YotaError) as caught:
        update({"a": {"W": 1.0}}, {"a": {"V": 1.0}})
    assert message(caught) == (
        "YotaError: there is no path ('a', 'V'): the dict of a has no 'V'"
    )


def test_unknown_ignored_paths():
    with pytest.raises(YotaError) as caught:
        update(Linear(1.0, 2.0), {}, ignore=["V"])
    assert (
        message(caught) == "YotaError: there is no path ('V',): the Linear has no 'V'"
    )


def test_all_is_checked_before_anything_changes():
    m = Linear(np.ones(2), 1.0)
    with pytest.raises(YotaError):
        update(m, {("W",): np.ones(2), ("V",): 1.0})
    assert m.W.tolist() == [1.0, 1.0]


def test_the_result_of_a_call_is_not_the_gradient_of_an_argument():
    with pytest.raises(YotaError) as caught:
        update(1.0, GradientResult(("x",), {"x": 1.0}))
    assert message(caught) == (
        "YotaError: update takes the gradient of one argument, but got those of all "
        "arguments\n"
        "Write update(m, g[0])."
    )


def test_updaters_that_change_the_shape():
    with pytest.raises(ShapeError) as caught:
        update({"W": np.ones(2)}, {"W": np.ones(2)}, lambda x, gx: np.ones(3))
    assert message(caught) == (
        "ShapeError: W is an array of shape (2,), but the updater returns an array "
        "of shape (3,)"
    )


def test_updaters_that_change_the_kind():
    with pytest.raises(YotaError) as caught:
        update({"n": np.ones(2, int)}, {"n": np.ones(2)})
    assert message(caught) == "YotaError: n holds int64: it cannot become float64"


def test_frozen_dataclasses():
    m = Frozen(np.ones(2), 1.0)
    assert update(m, {("W",): np.ones(2)}) is m
    assert m.W.tolist() == [0.0, 0.0]
    with pytest.raises(YotaError) as caught:
        update(m, {("W",): np.ones(2), ("b",): 1.0})
    assert message(caught) == (
        "YotaError: cannot replace b: Frozen is a frozen object\n"
        "Keep numbers in arrays, which are updated in place, or use "
        "dataclasses.replace."
    )
    assert m.W.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("m", "g", "found"),
    [
        (Pair(np.ones(1), 1.0), (None, 0.5), Pair(1.0, 0.5)),
        (Pair(np.ones(1), 1.0), Pair(np.ones(1), 0.5), Pair(0.0, 0.5)),
        (Linear(Pair(np.ones(1), 1.0), 1.0), {("W", "b"): 0.5}, Pair(1.0, 0.5)),
        (Linear(Pair(np.ones(1), (1.0,)), 1.0), {("W", "b", 0): 0.5},
         Pair(1.0, (0.5,))),
    ],
)  # fmt: skip
def test_named_tuples(m, g, found):
    made = update(m, g)
    record = made.W if isinstance(made, Linear) else made
    assert type(record) is Pair
    assert record == found


def test_arrays_in_named_tuples():
    m = Pair(np.ones(1), 1.0)
    assert update(m, Pair(np.ones(1), None)) is m
    assert m.W.tolist() == [0.0]


class Computed:
    @property
    def rate(self):
        return 1.0


def test_computed_fields():
    with pytest.raises(YotaError) as caught:
        update(Computed(), {("rate",): 0.5})
    assert message(caught) == (
        "YotaError: cannot replace rate: Computed is a frozen object\n"
        "Keep numbers in arrays, which are updated in place, or use "
        "dataclasses.replace."
    )


# ---------------------------------------------------------------- devices


class DeviceArray:
    """An array of another memory, as far as moving it goes."""

    def __init__(self, host, number=0):
        self.host = host
        self.dtype = host.dtype
        self.shape = host.shape
        self.device = types.SimpleNamespace(id=number)

    def get(self):
        return self.host.copy()


@pytest.fixture
def cupy(monkeypatch):
    """A module that looks like CuPy, with two devices."""
    current = [0]

    class Device:
        def __init__(self, number=None):
            self.id = current[-1] if number is None else number

        def __enter__(self):
            current.append(self.id)

        def __exit__(self, *error):
            current.pop()

    module = types.ModuleType("cupy")
    module.ndarray = DeviceArray
    module.asarray = lambda a: DeviceArray(getattr(a, "host", a), current[-1])
    runtime = types.SimpleNamespace(getDeviceCount=lambda: 2)
    module.cuda = types.SimpleNamespace(
        Device=Device, runtime=runtime, is_available=lambda: True
    )
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def test_host_values_are_on_the_host():
    net = Net(Linear(np.ones(2), 1.0), scale=(np.ones(1), "text"))
    for x in (np.ones(3), 2.0, "text", None, [np.ones(1)], net, {"W": (1, np.ones(2))}):
        assert to_device(x, "cpu") is x


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    for move in (to_cuda, lambda x: to_device(x, "cuda:1")):
        with pytest.raises(YotaError) as caught:
            move(np.ones(3))
        assert message(caught) == (
            "YotaError: there is no CUDA device to use: CuPy is not installed\n"
            "Install yota-ast[cuda12] or yota-ast[cuda13]."
        )


def test_without_a_device(cupy):
    cupy.cuda.is_available = lambda: False
    with pytest.raises(YotaError) as caught:
        to_cuda(np.ones(3))
    assert message(caught) == "YotaError: there is no CUDA device: CuPy finds none"


@pytest.mark.parametrize("device", ["tpu", "CPU", "cuda:", "cuda:x", "cpu:0", ""])
def test_unknown_devices(device):
    with pytest.raises(YotaError) as caught:
        to_device(1.0, device)
    assert message(caught) == (
        f'YotaError: there is no device {device!r}\nDevices are "cpu" and "cuda".'
    )


def test_unknown_device_numbers(cupy):
    with pytest.raises(YotaError) as caught:
        to_device(np.ones(1), "cuda:2")
    assert message(caught) == "YotaError: there is no CUDA device 2, only 2 in all"


def test_arrays_go_there_and_back(cupy):
    x = np.ones(3)
    there = to_cuda(x)
    assert isinstance(there, DeviceArray)
    assert to_cuda(there) is there
    assert to_device(there, "cuda:0") is there
    assert to_device(there, "cuda:1").device.id == 1
    assert to_device(x, "cuda:1").device.id == 1
    back = to_device(there, "cpu")
    assert back.tolist() == [1.0, 1.0, 1.0]
    assert back is not x


def test_what_no_device_holds_stays(cupy):
    for x in (1.0, "text", None, np.array(["text"]), np.float32(2), max):
        assert to_cuda(x) is x


def test_objects_are_copied_and_stay_what_they_were(cupy):
    other = Linear(1.0, "text")
    net = Net(Linear(np.ones(2), 1.0), other, scale=np.ones(1))
    new = to_cuda(net)
    assert type(new) is Net
    assert new is not net
    assert isinstance(new.layers[0].W, DeviceArray)
    assert isinstance(new.scale, DeviceArray)
    assert new.layers[0].b == 1.0
    assert new.layers[1] is other
    assert new.name == "net"
    assert isinstance(net.layers[0].W, np.ndarray)
    assert to_device(new, "cpu").layers[0].W.tolist() == [1.0, 1.0]


def test_containers_are_copied(cupy):
    array = np.ones(1)
    x = {"a": [array, 1], "b": (array, "text"), "c": ["text"], "d": Pair(array, 2.0)}
    new = to_cuda(x)
    assert list(new) == list(x)
    assert new["a"][0] is new["b"][0] is new["d"].W
    assert isinstance(new["a"][0], DeviceArray)
    assert new["c"] is x["c"]
    assert isinstance(new["d"], Pair)
    assert x["a"][0] is array


def test_frozen_and_slotted_objects(cupy):
    slotted = Slotted()
    slotted.W = np.ones(1)
    new = to_cuda([Frozen(np.ones(1), 1.0), slotted])
    assert isinstance(new[0].W, DeviceArray)
    assert new[0].b == 1.0
    assert isinstance(new[1].W, DeviceArray)
    assert isinstance(slotted.W, np.ndarray)


def test_shared_and_circular_references(cupy):
    parent, child = Linear(np.ones(1), None), Linear(None, None)
    parent.b, child.b = child, parent
    child.W = (parent, child)
    new = to_cuda(parent)
    assert new is not parent
    assert new.b is not child
    assert new.b.b is new
    assert isinstance(new.W, DeviceArray)
    assert child.b is parent


class Layer:
    def __init__(self):
        self.W = np.ones(1)
        self.activation = np.tanh
        self.kind = Linear

    def __call__(self, x):
        return x @ self.W


def test_objects_that_can_be_called(cupy):
    new = to_cuda(Layer())
    assert isinstance(new.W, DeviceArray)
    assert new.activation is np.tanh
    assert new.kind is Linear


@pytest.mark.gpu
def test_with_a_device():
    import cupy

    net = to_cuda(Net(Linear(np.ones(2), 1.0)))
    assert isinstance(net.layers[0].W, cupy.ndarray)
    update(net, {("layers", 0, "W"): cupy.ones(2)})
    assert to_device(net, "cpu").layers[0].W.tolist() == [0.0, 0.0]
