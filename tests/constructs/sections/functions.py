"""Functions, their arguments, and functions of functions."""

from functools import partial

from ..table import VECTOR, construct, form

enter = partial(construct, "functions")

enter(
    "call another user function",
    form("y = scaled(x) * scaled(a, x)", a=0.7, setup="""
        RATE = 1.5

        def scaled(u, v=2.0):
            w = u * v
            return w * RATE + u
    """),
    form("""
        y = energy(x) * energy(x * a)
    """, VECTOR, a=0.7, setup="""
        def energy(u):
            u = np.sin(u) * u
            return np.sum(squared(u))

        def squared(u):
            return u * u
    """),
)  # fmt: skip
enter(
    "default and keyword arguments",
    form("y = power(x) + power(x, k=3) * power(x=a, k=1, shift=x)", a=0.7, setup="""
        def power(x, k=2, shift=0.5):
            return x ** k + shift
    """),
    form("""
        def power(u, k=2, shift=x):
            return u ** k + shift

        y = power(x) + power(x, shift=a, k=3)
    """, a=0.7),
)  # fmt: skip
enter(
    "*args",
    form("y = total(x, a, x * a) * total(x)", a=0.7, setup="""
        def total(first, *rest):
            for v in rest:
                first = first * v + v
            return first * (1 + len(rest))
    """),
    form("y = total(x, a, 2.0) + total()", a=0.7, setup="""
        def total(*terms):
            return sum(t * t for t in terms) + (terms[0] if terms else 1.0)
    """),
)  # fmt: skip
enter(
    "**kwargs",
    form("y = named(x, rate=a, power=3) * named(x)", a=0.7, setup="""
        def named(u, **options):
            return options.get("rate", 2.0) * u ** options.get("power", 2)
    """),
    form("y = outer(x, rate=a) * outer(x)", a=0.7, setup="""
        def outer(u, **options):
            if "rate" in options:
                options["rate"] = options["rate"] * u
            return inner(u, **options)

        def inner(u, rate=2.0, **more):
            return u * rate + len(more)
    """),
)  # fmt: skip
enter(
    "call with *seq / **dict",
    form("""
        pair = [x, a]
        options = {"shift": x * a}
        y = combine(*pair, **options) + combine(*(a, x), shift=2.0)
    """, a=0.7, setup="""
        def combine(u, v, shift=1.0):
            return u * u * v + shift
    """),
    form("y = combine(*x[:2], shift=x[2])", VECTOR, setup="""
        def combine(u, v, shift=1.0):
            return u * u * v + shift
    """),
)  # fmt: skip
enter(
    "nested def, no closure",
    form("""
        def square(u):
            w = u * u
            return w + u

        y = square(x) * square(square(x))
    """),
    form("""
        def energy(u, v):
            return np.sum(u * v * v)

        y = energy(x, x[::-1]) * energy(v=x, u=x)
    """, VECTOR),
)  # fmt: skip
enter(
    "nested def closing over an active variable",
    form("""
        w = x * x

        def inner(u):
            return u * w * x

        y = inner(x)
        w = w + a
        y = y * inner(a)
    """, a=0.7),
    form("""
        w = x * 2.0

        def inner(i):
            return w[i] * x[i - 1]

        y = 0.0
        for i in range(len(x)):
            y = y + inner(i) * y + inner(0)
            w = w * x
    """, VECTOR),
)  # fmt: skip
enter(
    "function made by a factory (closure over a constant)",
    form("y = make(3.0)(x) * triple(x)", setup="""
        def make(rate):
            def scaled(u):
                return u * rate + u * u
            return scaled

        triple = make(0.5)
    """),
    form("""
        first, second = make(x), make(2.0)
        y = first(x) * second(first(a))
    """, a=0.7, setup="""
        def make(rate):
            return lambda u: u * rate + u * u
    """),
)  # fmt: skip
enter(
    "lambda",
    form("""
        square = lambda u: u * u
        y = square(x) + (lambda u, v=a: u * v * x)(x)
    """, a=0.7),
    form("""
        steps = [lambda u: u * x, lambda u: np.sin(u)]
        z = x
        for step in steps:
            z = step(z)
        y = np.sum(z)
    """, VECTOR),
)  # fmt: skip
enter(
    "recursion",
    form("y = power(x, 3) * power(a, n)", a=0.7, n=2, setup="""
        def power(u, k):
            if k == 0:
                return 1.0
            return u * power(u, k - 1)
    """),
    form("y = total(x)", VECTOR, setup="""
        def total(u):
            if len(u) == 1:
                return u[0] * u[0]
            half = len(u) // 2
            return total(u[:half]) * total(u[half:])
    """),
)  # fmt: skip
enter(
    "function passed as an argument",
    form("y = twice(square, x) + twice(lambda u: u * a, x)", a=0.7, setup="""
        def twice(g, u):
            return g(g(u)) * u

        def square(u):
            return u * u
    """),
    form("y = apply(np.sin, x) * apply(np.sum, x) + apply(math.exp, x[0])", VECTOR,
         setup="""
        def apply(g, u):
            return np.sum(g(u))
    """),
)  # fmt: skip
enter(
    "map",
    form("""
        y = sum(map(lambda v: v * v, [x, x * a, a]))
        first, second = map(math.sin, (x, a))
        y = y * first + second
    """, a=0.7),
    form("""
        y = 0.0
        for v in map(square, x):
            y = y * v + v
        y = y + sum(map(operator.mul, x, x[::-1]))
    """, VECTOR, setup="""
        def square(u):
            return u * u
    """),
    form("y = np.sum(np.array(list(map(math.sin, x))) * x)", VECTOR),
)  # fmt: skip
enter(
    "functools.reduce",
    form("y = functools.reduce(lambda p, v: p * v + x, [x, a, x * a], 2.0)", a=0.7),
    form("y = functools.reduce(lambda p, v: p * v + v, x)", VECTOR),
    form("y = functools.reduce(operator.mul, x, 0.5)", VECTOR),
)
enter(
    "functools.partial",
    form("""
        scaled = functools.partial(combine, x, shift=a)
        y = scaled(a) * half(x)
    """, a=0.7, setup="""
        def combine(u, v, shift=1.0):
            return u * u * v + shift

        half = functools.partial(combine, 0.5, shift=2.0)
    """),
    form("""
        terms = list(map(functools.partial(operator.mul, x), [x, 2.0, a]))
        y = terms[0] * terms[1] + terms[2]
    """, a=0.7),
)  # fmt: skip
enter(
    "decorated helper (functools.wraps)",
    form("y = square(x) * square(a)", a=0.7, setup="""
        def logged(g):
            @functools.wraps(g)
            def wrapper(*args, **kwargs):
                return g(*args, **kwargs)
            return wrapper

        @logged
        def square(u):
            return u * u
    """),
    form("y = square(x) + square(x, scale=a)", a=0.7, setup="""
        def doubled(by):
            def decorate(g):
                @functools.wraps(g)
                def wrapper(*args, **kwargs):
                    return by * g(*args, **kwargs) + args[0]
                return wrapper
            return decorate

        @doubled(by=3.0)
        def square(u, scale=1.0):
            return u * u * scale
    """),
)  # fmt: skip
enter(
    "signature type annotations",
    form("y = scaled(x, 3) * scaled(a)", a=0.7, setup="""
        from typing import Optional

        def scaled(u: float, k: int = 2, shift: "Optional[float]" = None) -> float:
            shift = 1.0 if shift is None else shift
            return u ** k + shift
    """),
    form("y = energy(x)", VECTOR, setup="""
        def energy(u: np.ndarray) -> "np.floating":
            return np.sum(u * u)
    """),
)  # fmt: skip
enter(
    "generator function (yield)",
    form("""
        y = 1.0
        for term in terms(x, 4):
            y = y * 0.5 + term * x
    """, setup="""
        def terms(u, n):
            p = u
            for i in range(n):
                yield p * p
                p = p * u
    """),
    form("y = sum(terms(x)) * max(terms(x))", VECTOR, setup="""
        def terms(u):
            for v in u:
                if v > 0.8:
                    yield v * v
            yield u[0]
    """),
    form("""
        y = 0.0
        for i, (p, q) in enumerate(pairs(x)):
            if i > 5:
                break
            y = y + p * q * i
    """, VECTOR, setup="""
        def pairs(u):
            previous = u[0]
            for v in u[1:]:
                yield previous, v
                previous = v
    """),
    form("y = np.sum(np.array(list(powers(x, 3))) ** 2)", setup="""
        def powers(u, n):
            yield 1.0
            yield from (u * k for k in range(n))
    """),
)  # fmt: skip
enter(
    "read a global",
    form("y = x * RATE + np.sum(TABLE) * x + LIMITS['low'] * NAMES[1]", setup="""
        RATE = 1.5
        TABLE = np.array([0.5, 2.0])
        LIMITS = {"low": 0.25}
        NAMES = [1.0, 2.0]
    """),
    form("y = np.sum(x * WEIGHTS) * WEIGHTS[0]", VECTOR, setup="""
        WEIGHTS = np.array([0.5, 2.0, 1.0, 3.0])
    """),
)  # fmt: skip
enter(
    "global statement (write)",
    form("""
        y = bump(x)
    """, setup="""
        COUNT = 0.0

        def bump(u):
            global COUNT
            COUNT = COUNT + 1.0
            return u * u
    """, refused="the function assigns the global `COUNT`"),
    note="what a global holds after the call is no result, and a second call would "
    "start from it",
)  # fmt: skip
enter(
    "nonlocal write",
    form("""
        w = x

        def grow(by):
            nonlocal w
            w = w * by + x
            return w

        grow(a)
        y = grow(x) * w
    """, a=0.7),
    form("""
        total = 0.0

        def add(v):
            nonlocal total
            total += v * v

        for i in range(len(x)):
            add(x[i])
        y = total * x[0]
    """, VECTOR),
)  # fmt: skip
enter(
    "keyword-only arguments",
    form("y = power(x, k=3) * power(a, k=1, shift=x)", a=0.7, setup="""
        def power(u, *, k, shift=0.5):
            return u ** k + shift
    """),
    form("y = power(x, 2) + power(a, 3, shift=x)", a=0.7, setup="""
        def power(u, k, /, *, shift=0.5):
            return u ** k + shift
    """),
)  # fmt: skip

beyond = partial(construct, "functions", listed=False)

beyond(
    "filter",
    form("y = sum(filter(lambda v: v is not None, [x, None, x * x]))"),
    form("""
        y = 0.0
        for v in filter(lambda v: v > 1.0, x):
            y = y * v + v
    """, VECTOR),
    form("y = sum(v * v for v in filter(lambda v: v > 1.0, [x, a, 2.0 * a]))", a=0.7),
)  # fmt: skip
beyond(
    "sorted, sorted(key=)",
    form("""
        low, middle, high = sorted([x, a, 1.0])
        y = low * middle - high * x
    """, a=0.7),
    form("""
        z = sorted(x)
        y = z[0] * z[-1] + z[1] * x[0]
    """, VECTOR),
    form("""
        names = sorted({"q": 1, "p": 2}, key=len)
        z = sorted([(x, a), (a, x)], key=lambda pair: pair[0])
        y = z[0][0] * z[1][0] + z[0][1] * len(names)
    """, a=0.7),
    form("""
        z = sorted([x, -a, 1.0], key=abs, reverse=True)
        y = z[0] * z[0] + z[1]
    """, a=0.7),
)  # fmt: skip
beyond(
    "any, all",
    form("""
        y = x * x if any(v > 1.0 for v in [x, a]) else x
        if all([x > 0.0, a > 0.0]):
            y = y * a
    """, a=0.7),
    form("""
        y = np.sum(x) * 2.0 if any(v > 1.2 for v in x) else np.sum(x)
        if all(v > 0.0 for v in x):
            y = y * x[0]
    """, VECTOR),
)  # fmt: skip
beyond(
    "min(key=), max(key=)",
    form("""
        y = max([x, a, -2.0 * a], key=abs) * min(x, a, key=lambda v: -v)
    """, a=0.7),
    form("""
        best = max(range(len(x)), key=lambda i: x[i])
        y = x[best] * x[0]
    """, VECTOR),
)  # fmt: skip
beyond(
    "functools.lru_cache",
    form("y = x * coefficient(3) + coefficient(2)", setup="""
        @functools.lru_cache(maxsize=None)
        def coefficient(k):
            return 1.5 * k
    """),
    form("y = x * square(x)", setup="""
        @functools.cache
        def square(u):
            return u * u
    """),
)  # fmt: skip
beyond(
    "function chosen by a branch",
    form("""
        if mode == "square":
            g = lambda u: u * u
        else:
            g = math.sin
        y = g(x) * g(a)
    """, a=0.7, mode="square"),
    form("""
        g = math.sin if x > a else math.cos
        y = g(x) * a + g(a)
    """, a=0.7),
    form("""
        def square(u):
            return u * u * x

        def cube(u):
            return u ** 3

        g = square if x > a else cube
        y = g(x) * a
        if x > 5.0:
            g = cube
        y = y * g(a)
    """, a=0.7),
)  # fmt: skip
beyond(
    "function from a table",
    form("y = RULES[mode](x) * RULES['sine'](a)", a=0.7, mode="square", setup="""
        def square(u):
            return u * u

        RULES = {"square": square, "sine": math.sin, "twice": lambda u: 2.0 * u}
    """),
    form("""
        rules = {"square": lambda u: u * u, "sine": math.sin}
        y = rules["square"](x) * rules["sine"](a)
    """, a=0.7),
)  # fmt: skip
beyond(
    "helper that writes into its argument",
    form("""
        z = x * a
        scale(z, x)
        y = np.sum(z * z)
    """, VECTOR, a=0.7, setup="""
        def scale(u, v):
            u *= v
            u[0] = v[1] * v[2]
    """),
    form("""
        zs = [x]
        extend(zs, a)
        y = zs[0] * zs[1] * zs[2]
    """, a=0.7, setup="""
        def extend(items, v):
            items.append(v * items[0])
            items[0] = items[0] * v
            items.append(v)
    """),
)  # fmt: skip
beyond(
    "random draws, kept",
    form("""
        rng = np.random.default_rng(5)
        z = x * rng.normal(size=4) + rng.random()
        y = np.sum(z * z * x)
    """, VECTOR),
    form("""
        np.random.seed(3)
        z = x * np.random.rand(4) + np.random.normal(0.0, 1.0)
        y = np.sum(z * z * x)
    """, VECTOR),
    form("""
        y = 0.0
        rng = np.random.default_rng(n)
        for i in range(3):
            e = rng.normal()
            if e > 0.0:
                y = y + e * x
            else:
                y = y * x - e
    """, n=4),
)  # fmt: skip
