"""Print a picture with black and white dots alone: a gradient through a step function.

Each dot is 0 or 1, and from afar they should look like the picture. A step has the
derivative 0, from which nothing can be learnt. So the dots are computed by the step,
and their gradient passes on as if it were not there, for pixels that are not yet sure.
"""

import numpy as np
from running import run

import yota_ast as ya

SIDE = 48
NEAR = np.subtract.outer(np.arange(SIDE), np.arange(SIDE))
BLUR = np.exp(-(NEAR**2) / 2)
BLUR /= BLUR.sum(axis=1, keepdims=True)


def dots(x):
    """The pixels above 0: they act as x where it is between -1 and 1."""
    open_ = np.abs(x) < 1
    x = ya.replace_grad(x, lambda d: d * open_)
    return x + ya.stop_gradient((x > 0) - x)


def seen(image):
    """How an image looks from afar: it is blurred along both axes."""
    return BLUR @ image @ BLUR.T


def cost(x, wanted):
    return np.sum((seen(dots(x)) - seen(wanted)) ** 2)


def descend(x, wanted, *, rounds=400, rate=0.4):
    for step in range(rounds):
        _, dx = ya.value_and_grad(cost)(x, wanted)
        x = np.clip(x - rate * (1 - step / rounds) * dx, -1.2, 1.2)
    return x


def picture():
    """A ball in the light, on a shaded floor."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1) * 2 - 1
    height = np.sqrt(np.maximum(0.5 - x**2 - y**2, 0.0))
    light = np.clip((-0.5 * x - 0.5 * y + 0.8 * height) / 0.75, 0.05, 1.0)
    return np.where(height > 0, light, 0.5 - 0.35 * y)


def main():
    wanted = picture()
    start = 2 * wanted - 1
    start = start + 0.2 * np.random.default_rng(1).standard_normal(start.shape)
    x = descend(start, wanted)
    rounded, found = (start > 0) * 1.0, dots(x)
    off = [np.sqrt(np.mean((seen(d) - seen(wanted)) ** 2)) for d in (rounded, found)]
    print("dots are black or white:", set(np.unique(found)) == {0.0, 1.0})
    print(f"off by rounding: {off[0]:.3f}, fitted: {off[1]:.3f}")
    return wanted, rounded, found


def plot(figure, found):
    for axes, image, title in zip(
        figure.subplots(1, 3), found, ("picture", "rounded", "fitted"), strict=True
    ):
        axes.imshow(image, cmap="gray", vmin=0, vmax=1)
        axes.set_title(title, fontsize=9)
        axes.axis("off")


if __name__ == "__main__":
    run(main, plot)
