"""What functions are given and what they give."""

from functools import partial

import numpy as np

from ..table import VECTOR, Expression, construct, form

enter = partial(construct, "inputs & outputs")

enter(
    "scalar argument",
    form("y = x * x * n", n=3),
    form("y = np.sin(x) * x", np.float64(1.3)),
    form("y = x * x + a", np.array(1.3), a=0.5),
)
enter(
    "list argument",
    form("y = x[0] * x[1] + sum(x) * len(x)", [0.7, 1.3, 0.4]),
    form("""
        y = 0.0
        for i in range(len(x)):
            y = y * x[i] + x[i]
        for v in x:
            y = y * v
        y = y + sum(np.array(x) ** 2)
    """, [0.7, 1.3, 0.4]),
    form("""
        y = 0.0
        for w, b in x:
            y = y + np.sum(w * w) * b
    """, [(VECTOR, 2.0), (VECTOR * 2, 1.5)],
        change="x = [(w * 0.8, b * 0.8 + 0.1) for w, b in x]",
        total="sum(np.sum(w * w) * b for w, b in x)"),
    form("""
        y = 0.0
        for i in range(len(x)):
            y = y * x[i] + x[i] * x[i - 1]
    """, [0.1 * k + 0.3 for k in range(20)]),
)  # fmt: skip
enter(
    "dict argument",
    form("""
        y = x["w"] * x["b"] + x.get("w") * x.get("z", 2.0)
        if "q" in x:
            y = y * 5.0
        for k, v in x.items():
            y = y + v * len(k)
    """, {"w": 0.7, "b": 1.3}),
    form("y = np.sum(np.tanh(x['w'] * x['b']))",
         {"w": VECTOR, "b": np.array([0.5, 1.5, 0.2, 0.3])},
         total="np.sum(x['w'] * x['b'])"),
)  # fmt: skip
enter(
    "nested dict/list/tuple argument",
    form("""
        y = x["p"][0] * x["q"]["r"] + np.sum(x["p"][1][0] * x["p"][1][1])
        for layer in x["layers"]:
            y = y * layer["w"] + layer["b"][0]
    """, {"p": (0.7, [VECTOR, VECTOR * 2]), "q": {"r": 1.3},
          "layers": [{"w": 0.5, "b": (0.2,)}, {"w": 1.5, "b": (0.3,)}]},
        change="x = {**x, 'q': {'r': x['q']['r'] * 0.8}}",
        total="x['q']['r'] * x['p'][0]"),
)  # fmt: skip
MODEL = """
    class Layer:
        def __init__(self, w, b):
            self.w = w
            self.b = b

        def __call__(self, u):
            return np.tanh(self.w * u + self.b)

    class Model:
        def __init__(self, layers, rate):
            self.layers = layers
            self.rate = rate

        def energy(self, u):
            for layer in self.layers:
                u = layer(u)
            return np.sum(u) * self.rate
"""
enter(
    "object (class instance) argument",
    form("y = x(a) * x.w + x.b", Expression("Layer(0.7, 0.2)"), a=1.1, setup=MODEL,
         change="x = Layer(x.w * 0.8, x.b)", total="x.w * x.b"),
    form("y = x.energy(u) * x.rate",
         Expression("Model([Layer(np.ones(4), 0.2), Layer(np.ones(4) * 2, 0.3)], 2.0)"),
         u=VECTOR, setup=MODEL, change="x = Model(x.layers[1:], x.rate * 0.8)",
         total="x.rate ** 2"),
    form("""
        z = 1.0
        x.w = x.w * a
        x.count = 2
        y = x.w * x.b * z
    """, Expression("Layer(0.7, 0.2)"), a=1.1, setup=MODEL,
         change="x = Layer(x.w * 0.8, x.b)", total="x.w * x.b"),
)  # fmt: skip
enter(
    "argument mutated in place (x[0] = ..)",
    form("""
        x[0] = x[1] * x[2]
        y = np.sum(x * x)
    """, VECTOR),
    form("""
        x *= a
        x[1:] += x[:-1]
        y = np.sum(x * x)
    """, VECTOR, a=0.7, skip="closure"),
    form("""
        x[0] = x[1] * x[2]
        x.append(x[0] * 2.0)
        y = sum(x) * x[0]
    """, [0.7, 1.3, 0.4]),
    form("""
        x["w"] = x["w"] * x["b"]
        y = x["w"] * x["w"]
    """, {"w": 0.7, "b": 1.3}),
)  # fmt: skip

beyond = partial(construct, "inputs & outputs", listed=False)

beyond(
    "integer argument",
    form("y = x * k + x ** k", k=3),
)
beyond(
    "float32 array",
    form("y = np.sum(x * x * np.float32(2.0))",
         np.array([0.5, 1.5, 0.25], dtype=np.float32), total="np.sum(x)",
         skip="loop,overwrite,helper,in place,branch,closure"),
)  # fmt: skip
