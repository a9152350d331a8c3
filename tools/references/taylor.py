# SPDX-License-Identifier: Apache-2.0
"""Taylor series integration of y' = f(y) in integers, to any number of digits.

A field is written once with the operators below. Every operation is a series whose coefficients
c[k] = y_k h^k (time scaled by the step h) follow from recurrences, and are kept as integers scaled
by 2^bits, so a product of two series is a sum of integer products. Nothing but Python is needed.

source  Moore, Interval Analysis (1966), ch. 11; Barrio, Appl. Math. Comput. 163 (2005) 525-545
"""

from fractions import Fraction
from math import isqrt


class arithmetic:
    """Fixed-point numbers: the integer m stands for m / 2^bits."""

    def __init__(self, bits):
        self.bits = bits
        self.one = 1 << bits

    def number(self, x):
        """Exact from int, Fraction and float (a float is the binary number it is)."""
        q = Fraction(x)
        return (q.numerator << self.bits) // q.denominator

    def quotient(self, a, b):
        return (a << self.bits) // b

    def decimal(self, m, digits):
        """m with that many significant digits, rounded."""
        if m == 0:
            return "0"
        sign, m = ("-", -m) if m < 0 else ("", m)
        exponent, q = 0, Fraction(m, self.one)
        while q >= 10:
            q, exponent = q / 10, exponent + 1
        while q < 1:
            q, exponent = q * 10, exponent - 1
        text = str(int(q * 10 ** (digits - 1) + Fraction(1, 2)))
        if len(text) > digits:
            text, exponent = text[:digits], exponent + 1
        return f"{sign}{text[0]}.{text[1:]}e{exponent}"


class node:
    """A series: c grows by one coefficient for each call of extend(k)."""

    def __init__(self, context, inputs=()):
        self.context, self.c = context, []
        context.nodes.append(self)

    def wrap(self, x):
        return x if isinstance(x, node) else constant(self.context, x)

    def __add__(self, other):
        return linear(self.context, [(1, self), (1, self.wrap(other))])

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return linear(self.context, [(1, self), (-1, self.wrap(other))])

    def __rsub__(self, other):
        return linear(self.context, [(-1, self), (1, self.wrap(other))])

    def __neg__(self):
        return linear(self.context, [(-1, self)])

    def __mul__(self, other):
        if isinstance(other, node):
            return product(self.context, self, other)
        return scaled(self.context, self, other)

    def __rmul__(self, other):
        return self * other


class state(node):
    def extend(self, k):
        pass  # set by the integrator


class constant(node):
    def __init__(self, context, value):
        super().__init__(context)
        self.value = context.a.number(value)

    def extend(self, k):
        self.c.append(self.value if k == 0 else 0)


class linear(node):
    """A sum of series with integer weights."""

    def __init__(self, context, terms):
        super().__init__(context)
        self.terms = terms

    def extend(self, k):
        self.c.append(sum(w * s.c[k] for w, s in self.terms))


class scaled(node):
    def __init__(self, context, s, factor):
        super().__init__(context)
        self.s, self.factor = s, context.a.number(factor)

    def extend(self, k):
        self.c.append(self.s.c[k] * self.factor >> self.context.a.bits)


class product(node):
    """(u v)_k = Σ u_j v_{k-j}"""

    def __init__(self, context, u, v):
        super().__init__(context)
        self.u, self.v = u, v

    def extend(self, k):
        total = sum(x * y for x, y in zip(self.u.c, reversed(self.v.c)))
        self.c.append(total >> self.context.a.bits)


class inverse_cube_of_root(node):
    """v = u^(-3/2): k u_0 v_k = Σ_{j=1..k} (-3/2 j - (k - j)) u_j v_{k-j}"""

    def __init__(self, u):
        super().__init__(u.context)
        self.u = u

    def extend(self, k):
        a, u = self.context.a, self.u.c
        if k == 0:
            root = isqrt(u[0] << a.bits)
            self.c.append(a.quotient(a.one, u[0] * root >> a.bits))
            return
        total = sum((-j - 2 * k) * u[j] * self.c[k - j] for j in range(1, k + 1))
        self.c.append(total // (2 * k * u[0]))


class tanh(node):
    """v = tanh u: k v_k = Σ_{j=1..k} j u_j w_{k-j} with w = 1 - v²"""

    def __init__(self, u):
        super().__init__(u.context)
        self.u, self.w = u, []

    def extend(self, k):
        a, u, v, w = self.context.a, self.u.c, self.c, self.w
        if k == 0:
            v.append(self.start(u[0]))
        else:
            v.append((sum(j * u[j] * w[k - j] for j in range(1, k + 1)) >> a.bits) // k)
        square = sum(x * y for x, y in zip(v, reversed(v))) >> a.bits
        w.append((a.one if k == 0 else 0) - square)

    def start(self, u):
        import mpmath

        a = self.context.a
        with mpmath.workprec(a.bits + 40):
            return int(mpmath.tanh(mpmath.mpf(u) / a.one) * a.one)


class integrator:
    """y' = field(y), `field` maps a list of series to a list of series (built once)."""

    def __init__(self, field, y0, bits):
        self.a, self.nodes = arithmetic(bits), []
        self.y = [state(self) for _ in y0]
        self.rhs = field(self.y)
        self.start = [self.a.number(x) for x in y0]

    def expand(self, y, h, order):
        """The coefficients of y(t + τ h), τ in [0, 1], in the nodes."""
        for n in self.nodes:
            n.c.clear()
            if isinstance(n, tanh):
                n.w.clear()
        for s, value in zip(self.y, y):
            s.c.append(value)
        bits = self.a.bits
        for k in range(order):
            for n in self.nodes:
                if not isinstance(n, state):
                    n.extend(k)
            for s, f in zip(self.y, self.rhs):
                s.c.append((f.c[k] * h >> bits) // (k + 1))

    def solve(self, span, order, tolerance_bits):
        """y at the end; each step is cut so that its last two terms are below 2^-tolerance_bits."""
        span, t, y, steps = self.a.number(span), 0, list(self.start), 0
        h = span >> 4
        while t < span:
            h = min(h, span - t)
            self.expand(y, h, order)
            worst = max(max(abs(s.c[order]), abs(s.c[order - 1])) for s in self.y)
            # the factor r for which r^(order-1) worst = tolerance, so that cutting is rescaling
            excess = max(worst, 1).bit_length() - (self.a.bits - tolerance_bits)
            ratio = self.a.number(Fraction(2.0 ** (-excess / (order - 1))))
            step = min(h * ratio >> self.a.bits, span - t)
            if ratio < self.a.one:
                y = self.evaluate(self.a.quotient(step, h))
            else:  # the series is not trusted beyond the step it was scaled by
                step, y = h, self.evaluate(self.a.one)
            t, steps = t + step, steps + 1
            h = min(step * 2, h * ratio >> self.a.bits)
        self.steps = steps
        return y

    def evaluate(self, tau):
        out = []
        for s in self.y:
            total = 0
            for c in reversed(s.c):
                total = (total * tau >> self.a.bits) + c
            out.append(total)
        return out


def agree(a, y, z):
    """The number of significant digits in which the worst component agrees."""
    worst = 99
    for u, v in zip(y, z):
        if u != v:
            q = Fraction(abs(u), abs(u - v)) if u else Fraction(1)
            worst = min(worst, len(str(int(q))) - 1)
    return worst


def reference(name, field, y0, span, digits=17, bits=320):
    """Two runs of different order and tolerance; prints the values and the digits they share."""
    fine = integrator(field, y0, bits)
    y = fine.solve(span, 46, 200)
    coarse = integrator(field, y0, bits - 64)
    z = [v << 64 for v in coarse.solve(span, 34, 150)]
    print(f"{name}: {agree(fine.a, y, z)} digits shared ({fine.steps} and {coarse.steps} steps)")
    for value in y:
        print(f"  {fine.a.decimal(value, digits)},")
    return y
