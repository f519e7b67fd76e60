"""Which law fits? Formulas that users type are fitted with their exact Jacobians.

A formula comes from a file or a field on the screen, and is made a function by `eval`,
so it has no source that could be read. It is called once with values that record what
is done with them, and the record is code that can be differentiated.
"""

import numpy as np
from running import run
from scipy.optimize import least_squares

import yota_ast as ya

FORMULAS = {
    "exponential": "a * exp(-b * t)",
    "hyperbola": "a / (1 + b * t)",
    "power law": "a * (1 + t) ** -b",
    "stretched": "a * exp(-((b * t) ** c))",
    "with a floor": "c + (a - c) * exp(-b * t)",
}
NOISE = 0.02


def typed(formula):
    """A formula of a, b, c and t as a function of p and t."""
    names = {name: getattr(np, name) for name in ("exp", "log", "sqrt")}
    # Whoever types a formula may run any code.
    return eval(f"lambda p, t: (lambda a, b, c: {formula})(*p)", names)  # noqa: S307


def fit(formula, t, y):
    """The parameters, the curve, and Akaike's criterion: the least is the best."""
    start = np.array([1.0, 0.5, 0.5])
    _, tape = ya.trace(typed(formula), start, t, tracer="values")
    curve = ya.compile(tape)
    jacobian = ya.jacobian(curve)
    found = least_squares(lambda p: curve(p, t) - y, start, lambda p: jacobian(p, t))
    count = 3 if "c" in formula else 2
    return found.x, curve(found.x, t), 2 * found.cost / NOISE**2 + 2 * count


def main():
    rng = np.random.default_rng(5)
    t = np.linspace(0.1, 12.0, 60)
    y = 1.2 * np.exp(-((0.4 * t) ** 0.6)) + NOISE * rng.standard_normal(t.size)
    found = {name: fit(formula, t, y) for name, formula in FORMULAS.items()}
    print("best:", min(found, key=lambda name: found[name][2]))

    p, formula = found["stretched"][0], FORMULAS["stretched"]
    _, tape = ya.trace(typed(formula), p, t, tracer="values")
    J, (a, b, c) = ya.jacobian(ya.compile(tape))(p, t), p
    shrunk = np.exp(-((b * t) ** c))
    by_hand = -a * shrunk * (b * t) ** c * np.log(b * t)
    print("Jacobian as by hand:", np.allclose(J[:, 2], by_hand))
    return t, y, found


def plot(figure, found):
    t, y, curves = found
    left, right = figure.subplots(1, 2)
    left.plot(t, y, "o", color="0.5", ms=3)
    left.set(xlabel="time", ylabel="signal")
    for name, (_, curve, _) in curves.items():
        left.plot(t, curve, lw=1, label=name)
    left.legend(frameon=False)
    scores = [score for _, _, score in curves.values()]
    right.barh(list(curves), scores, color=[f"C{k}" for k in range(len(curves))])
    right.invert_yaxis()
    right.set(xlabel="Akaike's criterion")


if __name__ == "__main__":
    run(main, plot)
