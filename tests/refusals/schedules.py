# ruff: noqa: RUF005
"""Loops of which few iterations are to be kept, and that are refused."""

import inspect
from functools import partial

import numpy as np

import yota_ast as ya

from .cases import refused as _refused
from .groups import LOOP

refused = partial(_refused, group=LOOP)
X = np.array([0.3, 0.7, 0.2, 0.9])


def by_line(fn, args):
    """The gradient, with a schedule for the line of the first loop."""
    lines, first = inspect.getsourcelines(fn)
    loops = [k for k, s in enumerate(lines) if s.lstrip().startswith(("for", "while"))]
    return ya.simplegrad(fn, *args, checkpoint={first + loops[0]: "sqrt"})


# ---------------------------------------------------------------- how it is asked for


def goes_through_pairs_by_position(u, forces):
    for k in ya.checkpoint(range(len(forces))):
        u = np.tanh(u) + k * forces[k]
    return np.sum(u)


@refused("The loop that runs over it is to keep few states.", X, X,
         works=goes_through_pairs_by_position)  # fmt: skip
def keeps_few_states_of_pairs(u, forces):
    for k, force in zip(ya.checkpoint(range(len(forces))), forces, strict=True):
        u = np.tanh(u) + k * force
    return np.sum(u)


def goes_through_positions(u, forces):
    for k in ya.checkpoint(range(len(forces))):
        u = np.tanh(u) + forces[k]
    return np.sum(u)


@refused("Segments of the loop are ranges.", X, X, works=goes_through_positions)
def keeps_few_states_of_items(u, forces):
    for force in ya.checkpoint(forces):
        u = np.tanh(u) + force
    return np.sum(u)


def keeps_thirty(u, n):
    for _ in ya.checkpoint(range(n), slots=30):
        u = np.tanh(u)
    return np.sum(u)


@refused("The number is a part of the generated code.", known=False,
         works=keeps_thirty)  # fmt: skip
def keeps_as_many_states_as_an_argument_says(u, n, slots):
    for _ in ya.checkpoint(range(n), slots=slots):
        u = np.tanh(u)
    return np.sum(u)


def halves_so_many_times(x, n):
    for _ in range(n):
        x = np.sin(x) / 2
    return np.sum(x)


@refused('Asked for with `checkpoint={2: "sqrt"}`. Only a `for` has a schedule.', X, 5,
         works=halves_so_many_times, ask=by_line)  # fmt: skip
def keeps_few_states_of_a_while(x, n):
    while n > 0:
        x = np.sin(x) / 2
        n -= 1
    return np.sum(x)


# ---------------------------------------------------------------- which loop it is


def goes_through_times_by_position(u, n):
    times = np.linspace(0.0, 1.0, n)
    for k in range(len(times)):
        u = np.tanh(u) + times[k]
    return np.sum(u)


@refused('Asked for with `checkpoint={2: "sqrt"}`. Segments of the loop are ranges.',
         X, 5, works=goes_through_times_by_position, ask=by_line)  # fmt: skip
def keeps_few_states_over_times(u, n):
    for t in np.linspace(0.0, 1.0, n):
        u = np.tanh(u) + t
    return np.sum(u)


def steps_by_two(u, n):
    for k in ya.checkpoint(range(0, 2 * n, 2)):
        u = np.tanh(u) + k * 0.1
    return np.sum(u)


@refused("The sign of the step decides where a segment ends.", known=False,
         works=steps_by_two)  # fmt: skip
def keeps_few_states_of_any_step(u, n, by):
    for k in ya.checkpoint(range(0, n, by)):
        u = np.tanh(u) + k * 0.1
    return np.sum(u)


def goes_on_to_the_end(u, n):
    for _ in ya.checkpoint(range(n)):
        u = np.where(np.sum(u) < 0.5, u, np.tanh(u))
    return np.sum(u)


@refused("The number of steps to run again is unknown.", X, 5, works=goes_on_to_the_end)
def stops_a_loop_of_few_states(u, n):
    for _ in ya.checkpoint(range(n)):
        u = np.tanh(u)
        if np.sum(u) < 0.5:
            break
    return np.sum(u)


def saves_all_in_a_branch(u, n):
    if u[0] > 0:
        for _ in range(n):
            u = np.tanh(u)
    return np.sum(u)


@refused("The states would be kept in one branch alone.", X, 5,
         works=saves_all_in_a_branch)  # fmt: skip
def keeps_few_states_in_a_branch(u, n):
    if u[0] > 0:
        for _ in ya.checkpoint(range(n)):
            u = np.tanh(u)
    return np.sum(u)


def keeps_segments_of_each_epoch(u, n):
    for _ in range(n):
        u = 1.1 * u
        for _ in ya.checkpoint(range(n), every=30):
            u = np.tanh(u)
    return np.sum(u)


@refused("The list of the states is that of one loop.", X, 5,
         works=keeps_segments_of_each_epoch)  # fmt: skip
def keeps_slots_of_each_epoch(u, n):
    for _ in range(n):
        u = 1.1 * u
        for _ in ya.checkpoint(range(n), slots=30):
            u = np.tanh(u)
    return np.sum(u)


@refused("An iteration of the outer loop runs the inner loop again.", X, 5,
         works=keeps_segments_of_each_epoch)  # fmt: skip
def keeps_few_states_twice(u, n):
    for _ in ya.checkpoint(range(n)):
        u = 1.1 * u
        for _ in ya.checkpoint(range(n)):
            u = np.tanh(u)
    return np.sum(u)


# ---------------------------------------------------------------- what its steps do


def draws_before(u, n):
    noise = np.random.default_rng(0).normal(size=n)
    for k in ya.checkpoint(range(n)):
        u = np.tanh(u) * (1 + 0.1 * noise[k])
    return np.sum(u)


@refused("The second run of a step would draw other numbers.", X, 5, works=draws_before)
def draws_in_a_loop_of_few_states(u, n):
    rng = np.random.default_rng(0)
    for _ in ya.checkpoint(range(n)):
        u = np.tanh(u) * (1 + 0.1 * rng.normal())
    return np.sum(u)


def assigns_before(u, n):
    last = np.ones_like(u)
    for k in ya.checkpoint(range(n)):
        if k > 0:
            u = np.sin(u) * last
        last = np.cos(u)
    return np.sum(u)


@refused("A state is what a step starts from.", X, 5, works=assigns_before)
def assigns_later_in_a_loop_of_few_states(u, n):
    for k in ya.checkpoint(range(n)):
        if k > 0:
            u = np.sin(u) * last
        last = np.cos(u)
    return np.sum(u)


def saves_all_of_a_list(u, n):
    history = [u, np.sin(u)]
    for k in range(n):
        history[k % 2] = np.sin(history[0] * history[1])
    return np.sum(history[0])


@refused("Only arrays and numbers are copied into a state.", X, 5,
         works=saves_all_of_a_list)  # fmt: skip
def changes_a_list_in_a_loop_of_few_states(u, n):
    history = [u, np.sin(u)]
    for k in ya.checkpoint(range(n)):
        history[k % 2] = np.sin(history[0] * history[1])
    return np.sum(history[0])


def makes_new_arrays(u, n):
    v = np.zeros_like(u)
    for _ in ya.checkpoint(range(n)):
        u, v = np.concatenate([u[:1], np.sin(v[1:]) + u[1:]]), u
    return np.sum(u)


@refused("Two copies of one array would be two arrays.", X, 5, works=makes_new_arrays)
def swaps_arrays_in_a_loop_of_few_states(u, n):
    v, u = np.zeros_like(u), u.copy()
    for _ in ya.checkpoint(range(n)):
        v[1:] = np.sin(v[1:]) + u[1:]
        u, v = v, u
    return np.sum(u)


def copies_a_half(u, n):
    left, right = np.split(1.0 * u, 2)
    left = left.copy()
    v = u[:2]
    for _ in ya.checkpoint(range(n)):
        v = np.sin(v) * left
        right[0] = np.sin(right[0]) * v[0]
    left[0] = 2.0
    return np.sum(v) + np.sum(left * right)


@refused("The second run of a step would find what the first has written.", X, 5,
         works=copies_a_half)  # fmt: skip
def writes_a_half_in_a_loop_of_few_states(u, n):
    left, right = np.split(1.0 * u, 2)
    v = u[:2]
    for _ in ya.checkpoint(range(n)):
        v = np.sin(v) * left
        right[0] = np.sin(right[0]) * v[0]
    left[0] = 2.0
    return np.sum(v) + np.sum(left * right)


def makes_a_list_behind_a_loop_of_few_states(u, n):
    gains = [k * u for k in range(len(u))]
    for k in ya.checkpoint(range(n)):
        u = np.sin(u) * gains[k % 4]
    gains = gains + [u]
    return np.sum(gains[-1] * gains[1])


@refused("The second run of a step would find the list that was changed.", X, 5,
         works=makes_a_list_behind_a_loop_of_few_states)  # fmt: skip
def changes_a_list_behind_a_loop_of_few_states(u, n):
    gains = [k * u for k in range(len(u))]
    for k in ya.checkpoint(range(n)):
        u = np.sin(u) * gains[k % 4]
    gains.append(u)
    return np.sum(gains[-1] * gains[1])
