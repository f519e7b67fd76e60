"""Cases and the ways to their gradients -> an error where any two disagree."""

import copy
import inspect

import numpy as np
from contenders import by_hand, flattened


class DisagreementError(Exception):
    """Two ways to one gradient differ, or differ from finite differences."""


def compare(case, calls, standard="by hand"):
    """Raise DisagreementError where a way differs from `standard` in anything."""
    expected = flattened(calls[standard]())
    for name, call in calls.items():
        found = flattened(call())
        shapes = [leaf.shape for leaf in found]
        if shapes != [leaf.shape for leaf in expected]:
            message = f"{case.title}: {name} has other shapes than {standard}: {shapes}"
            raise DisagreementError(message)
        for place, (a, b) in enumerate(zip(found, expected, strict=True)):
            if not np.allclose(a, b, rtol=1e-9, atol=1e-12):
                what = f"gradient array {place}" if place else "the value"
                raise DisagreementError(
                    f"{case.title}: {name} differs in {what}: {a}, {b}"
                )


def check_by_hand(case):
    """Raise DisagreementError where the hand-written gradient is wrong."""
    check(case, by_hand, "by hand")


def check(case, way, name):
    """Raise DisagreementError where a way to the gradient is wrong.

    Along a random direction its product with the gradient must be the central
    difference of the primal.
    """
    rng = np.random.default_rng(2)
    args = case.arguments(rng, small=True)
    val, *grads = way(case, args)()
    if not np.isclose(val, case.primal(*args), rtol=1e-13, atol=0):
        raise DisagreementError(f"{case.title}: {name} has another value")
    directions = [like(grad, rng) for grad in grads]
    slope = sum(
        float(np.vdot(g, d))
        for g, d in zip(flattened(grads), flattened(directions), strict=True)
    )
    step = 1e-6
    ends = [case.primal(*moved(case, args, directions, h)) for h in (step, -step)]
    difference = (ends[0] - ends[1]) / (2 * step)
    if abs(slope - difference) > 1e-6 * max(1, abs(slope)):
        raise DisagreementError(
            f"{case.title}: {name} {slope}, differences {difference}"
        )


def like(grad, rng):
    """Return random numbers in the structure of a gradient."""
    if isinstance(grad, dict):
        return {path: like(part, rng) for path, part in grad.items()}
    return rng.normal(size=np.shape(grad))


def moved(case, args, directions, step):
    """Return the arguments, those of `wrt` moved by `step` times their direction."""
    named = dict(zip(inspect.signature(case.primal).parameters, args, strict=True))
    for name, direction in zip(case.wrt, directions, strict=True):
        if isinstance(direction, dict):
            named[name] = copy.copy(named[name])
            for (field,), part in direction.items():
                setattr(named[name], field, getattr(named[name], field) + step * part)
        else:
            named[name] = named[name] + step * direction
    return named.values()
