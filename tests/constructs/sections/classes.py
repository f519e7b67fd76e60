"""Classes of the user's."""

from functools import partial

from ..table import VECTOR, construct, form

enter = partial(construct, "classes")

enter(
    "method call on a captured object",
    form("y = MODEL.energy(x) * MODEL.rate", setup="""
        class Model:
            def __init__(self, rate):
                self.rate = rate
                self.table = np.array([1.0, 2.0])

            def energy(self, u):
                return self.rate * u * u + self.offset(u) * self.table[1]

            def offset(self, u):
                return u + 1.0

        MODEL = Model(1.5)
    """),
    form("""
        energy = MODEL.energy
        y = energy(x)
    """, VECTOR, setup="""
        class Model:
            weights = np.array([1.0, 2.0, 0.5, 3.0])

            def energy(self, u):
                return np.sum(self.weights * u * u)

        MODEL = Model()
    """),
)  # fmt: skip
BODY = """
    class Body:
        def __init__(self, position, speed):
            self.position = position
            self.speed = speed
            self.history = [position]

        def move(self, dt):
            self.position = self.position + dt * self.speed
            self.speed *= 0.9
            self.history.append(self.position)

        def energy(self):
            return 0.5 * self.speed ** 2 + self.position
"""
enter(
    "object built inside, active attributes",
    form("""
        b = Body(x, a)
        b.move(0.5)
        b.move(x)
        y = b.energy() * b.history[1]
    """, a=0.7, setup=BODY),
    form("""
        b = Body(x, a)
        for i in range(3):
            b.position = b.position + b.speed * x
            b.speed = b.speed * b.position
        y = b.energy()
    """, a=0.7, setup=BODY),
)  # fmt: skip
enter(
    "property",
    form("""
        b = Box(x, a)
        y = b.area * b.area + b.width
        b.side = x * x
        y = y * b.area + b.half
    """, a=0.7, setup="""
        class Box:
            def __init__(self, width, height):
                self.width = width
                self.height = height

            @property
            def area(self):
                return self.width * self.height

            @property
            def side(self):
                return self.width

            @side.setter
            def side(self, value):
                self.width = value
                self.height = value * 2.0

            @functools.cached_property
            def half(self):
                return self.width / 2
    """),
)  # fmt: skip
enter(
    "__call__",
    form("y = Scale(a)(x) * CUBE(x)", a=0.7, setup="""
        class Scale:
            def __init__(self, rate):
                self.rate = rate

            def __call__(self, u, k=2):
                return self.rate * u ** k

        CUBE = Scale(3.0)
    """),
    form("""
        layers = [Dense(x), Dense(x * a)]
        z = np.ones(4)
        for layer in layers:
            z = layer(z)
        y = np.sum(z)
    """, VECTOR, a=0.7, setup="""
        class Dense:
            def __init__(self, w):
                self.w = w

            def __call__(self, u):
                return np.tanh(self.w * u)
    """),
)  # fmt: skip
DUAL = """
    class Vec:
        def __init__(self, u, v):
            self.u, self.v = u, v

        def __add__(self, other):
            if not isinstance(other, Vec):
                return Vec(self.u + other, self.v + other)
            return Vec(self.u + other.u, self.v + other.v)

        __radd__ = __add__

        def __mul__(self, k):
            return Vec(self.u * k, self.v * k)

        def __rmul__(self, k):
            return Vec(k * self.u, k * self.v)

        def __rsub__(self, k):
            return Vec(k - self.u, k - self.v)

        def __neg__(self):
            return self * -1.0

        def __matmul__(self, other):
            return self.u * other.u + self.v * other.v

        def __iadd__(self, other):
            self.u = self.u + other.u
            return self

        def __pow__(self, k):
            return Vec(self.u ** k, self.v ** k)

        def __eq__(self, other):
            return self.u == other.u

        def __lt__(self, other):
            return self.u < other.u

        def __abs__(self):
            return self.u * self.u + self.v * self.v

        def __bool__(self):
            return self.u > 0
"""
enter(
    "operator overloading in a user class",
    form("""
        p, q = Vec(x, a), Vec(a, x * x)
        r = p + q * 2.0 + 0.5
        s = 3.0 * r - -p if False else 1.0 - (2.0 * r + -p)
        s += q
        y = s @ p + (p ** 2).u + abs(q)
        if p < q or p == q:
            y = y * x
        if p:
            y = y + a
    """, a=0.7, setup=DUAL),
    form("""
        p = Vec(x[0], x[1])
        for i in range(2):
            p = p * x[i] + p
        y = p @ p
    """, VECTOR, setup=DUAL),
)  # fmt: skip
SHAPES = """
    class Shape:
        scale = 2.0

        def __init__(self, size):
            self.size = size

        def area(self):
            return self.size * self.scale

        def report(self, k):
            return self.area() * k

    class Square(Shape):
        scale = 3.0

        def __init__(self, size, shift):
            super().__init__(size)
            self.shift = shift

        def area(self):
            return super().area() * self.size + self.shift

    class Cube(Square):
        def area(self):
            return super(Cube, self).area() ** 2
"""
enter(
    "inheritance / super()",
    form("y = Square(x, a).report(x) * Shape(x).area() + Cube(x, a).report(2.0)",
         a=0.7, setup=SHAPES),
)  # fmt: skip
enter(
    "staticmethod / classmethod",
    form("""
        m = Model.made(x, a)
        y = Model.square(x) * m.square(a) + m.rate * m.made(a).rate
    """, a=0.7, setup="""
        class Model:
            start = 0.5

            def __init__(self, rate):
                self.rate = rate

            @staticmethod
            def square(u):
                return u * u

            @classmethod
            def made(cls, u, v=2.0):
                return cls(u * v + cls.start)
    """),
)  # fmt: skip

beyond = partial(construct, "classes", listed=False)

beyond(
    "__getitem__, __len__, __iter__, __contains__",
    form("""
        b = Bag([x, a, x * a])
        b[0] = x * x
        y = b[0] * b[-1] + len(b)
        for v in b:
            y = y * v + v
        if "p" in b:
            y = y * 2.0
    """, a=0.7, setup="""
        class Bag:
            def __init__(self, items):
                self.items = items

            def __getitem__(self, k):
                return self.items[k]

            def __setitem__(self, k, v):
                self.items[k] = v

            def __len__(self):
                return len(self.items)

            def __iter__(self):
                return iter(self.items)

            def __contains__(self, name):
                return name == "p"
    """),
)  # fmt: skip
beyond(
    "class with state, stepped in a loop",
    form("""
        f = Filter(a)
        y = 0.0
        for v in x:
            y = y + f.step(v) * v
        y = y * f.mean
    """, VECTOR, a=0.7, setup="""
        class Filter:
            def __init__(self, rate):
                self.rate = rate
                self.mean = 0.0
                self.count = 0

            def step(self, v):
                self.count += 1
                if self.count == 1:
                    self.mean = v
                else:
                    self.mean = self.rate * self.mean + (1 - self.rate) * v
                return self.mean
    """),
)  # fmt: skip
beyond(
    "object returned by a branch",
    form("""
        p = Point(x) if x > a else Point(a)
        y = p.u * x
    """, a=0.7, setup="""
        class Point:
            def __init__(self, u):
                self.u = u
    """),
)  # fmt: skip
beyond(
    "class defined inside the function",
    form("""
        class Point:
            def __init__(self, u):
                self.u = u

            def squared(self):
                return self.u * self.u * a

        y = Point(x).squared()
    """, a=0.7),
)  # fmt: skip
