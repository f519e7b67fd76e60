"""Statements that are no assignment, loop or branch."""

from functools import partial

from ..table import VECTOR, construct, form

enter = partial(construct, "statements")

enter(
    "with (np.errstate)",
    form("""
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.log(x) / (x - x[0])
            z = np.where(np.isfinite(z), z, 0.0)
        y = np.sum(z * x)
    """, VECTOR),
    form("""
        with np.errstate(all="ignore"):
            if x > a:
                z = x * x
            else:
                z = x
            for i in range(2):
                z = z * x
        y = z
    """, a=0.7),
)  # fmt: skip
enter(
    "try/except",
    form("""
        try:
            z = math.sqrt(x) * a
        except ValueError:
            z = -x
        y = z * x
    """, a=0.7),
    form("""
        try:
            z = x[0] / a
            w = z * x[1]
        except (ZeroDivisionError, ValueError) as error:
            w = x[1]
        else:
            w = w * z
        y = w * x[0]
    """, VECTOR, a=0.7),
)  # fmt: skip
enter(
    "try/except where the exception fires",
    form("""
        try:
            z = math.sqrt(-x) * a
        except ValueError:
            z = x * x
        y = z * x
    """, a=0.7),
    form("""
        z = x
        try:
            z = x * x
            w = z / (a - a)
        except ZeroDivisionError:
            w = z * a
        y = w * z
    """, a=0.7),
    form("""
        y = 0.0
        for i in range(3):
            try:
                z = math.log(i - 1.0) * x
            except ValueError:
                z = x * x
            y = y + z
    """),
)  # fmt: skip
enter(
    "try/finally",
    form("""
        z = x
        try:
            z = z * a
        finally:
            z = z * x
        y = z
    """, a=0.7),
    form("""
        try:
            z = math.sqrt(x)
        except ValueError:
            z = x
        finally:
            w = x * a
        y = z * w
    """, a=0.7),
)  # fmt: skip
enter(
    "assert",
    form("""
        assert x > 0.0
        z = x * a
        assert z > 0.0, f"z is {z}"
        y = z * x
    """, a=0.7),
    form("""
        assert x.ndim == 1 and len(x) > 1, "a vector"
        y = np.sum(x * x)
    """, VECTOR),
)  # fmt: skip
enter(
    "raise in a branch not taken",
    form("""
        if x < 0.0:
            raise ValueError("negative")
        y = x * x
        if y > 100.0:
            raise Problem(f"too large: {y}") from None
    """, setup="""
        class Problem(ValueError):
            pass
    """),
    form("""
        for v in x:
            if v < 0.0:
                raise ValueError("negative", v)
        y = np.sum(x * x)
    """, VECTOR),
)  # fmt: skip
enter(
    "print",
    form("""
        z = x * a
        print("z is", z, sep=": ", end="")
        y = z * x
        print(f"{y:.3f}", end="")
    """, a=0.7),
    form("""
        y = 0.0
        for v in x:
            y = y + v * v
            print(v, end="")
    """, VECTOR),
)  # fmt: skip
enter(
    "import inside the function",
    form("""
        import math as m
        from numpy import sin
        y = m.exp(x) * sin(x)
    """),
    form("""
        import numpy.linalg
        from math import *

        y = numpy.linalg.norm(x)
    """.replace("from math import *\n", ""), VECTOR),
)  # fmt: skip
enter(
    "f-string / string operations",
    form("""
        name = f"{mode}_{2 + 1}"
        key = mode.upper().lower().strip() + "d"
        y = x * x if name.startswith("square") and key == "squared" else x
        label = "%s-%d" % (mode, 3)
        text = "{} {:.2f}".format(mode, x)
        if len(text) > 3 and label.endswith("3") and mode[0] == "s":
            y = y * len(mode)
    """, mode="square"),
    form("""
        table = {f"w{i}": x * i for i in range(3)}
        y = table["w1"] * table["w2"] + len(",".join(["a", "b"]).split(","))
    """),
)  # fmt: skip
enter(
    "docstring, pass, comments",
    form('''
        """What stands here is not the docstring."""
        # a comment
        if x > 0.0:
            pass
        else:
            ...
        y = x * x  # another
        y = documented(y)
    ''', setup='''
        def documented(u):
            """Its square."""
            return u * u
    '''),
)  # fmt: skip

beyond = partial(construct, "statements", listed=False)

beyond(
    "return within try, except, finally and with",
    form("""
        y = root(x) * root(-x) + root(a)
    """, a=0.7, setup="""
        def root(u):
            try:
                return math.sqrt(u)
            except ValueError:
                return u * u
    """),
    form("""
        y = root(x) * root(a)
    """, a=0.7, setup="""
        def root(u):
            with np.errstate(all="ignore"):
                if u > 1.0:
                    return u * u
                return u * 3.0
    """),
)  # fmt: skip
beyond(
    "error as a value, raised again",
    form("""
        try:
            z = math.sqrt(x - 9.0)
        except ValueError as error:
            if "domain" not in str(error) and "nonneg" not in str(error):
                raise
            z = x * x
        y = z * x
    """),
)  # fmt: skip
beyond(
    "with several items, contextlib",
    form("""
        with np.errstate(all="ignore"), np.printoptions(precision=3):
            z = x * x
        with contextlib.suppress(ValueError):
            z = z * math.sqrt(x)
        y = z * x
    """, setup="import contextlib"),
)  # fmt: skip
beyond(
    "warnings.warn, logging",
    form("""
        if x < 0.0:
            warnings.warn("negative")
        LOG.debug("x is %s", x)
        y = x * x
    """, setup="""
        import logging
        import warnings

        LOG = logging.getLogger(__name__)
    """),
)  # fmt: skip
