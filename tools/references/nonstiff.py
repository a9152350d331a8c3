# SPDX-License-Identifier: Apache-2.0
"""Reference solutions of the smooth non-stiff problems: python3 nonstiff.py [NAME ...]

Each problem is the one whose initial values, parameters and span are the doubles of its header;
the arithmetic on them is exact to 2^-150 or better. Every value comes from two runs that differ in
order, tolerance and word length; the line above the values says how many digits they share.
"""

import math
import sys

from taylor import inverse_cube_of_root, reference, tanh


def lotka_volterra(y, p=(1.5, 1.0, 3.0, 1.0)):
    xy = y[0] * y[1]
    return [p[0] * y[0] - p[1] * xy, p[3] * xy - p[2] * y[1]]


def lorenz(y, p=(10.0, 28.0, 8.0 / 3.0)):
    return [p[0] * (y[1] - y[0]), p[1] * y[0] - y[0] * y[2] - y[1], y[0] * y[1] - p[2] * y[2]]


def vdpol(y, mu=1.0):
    return [y[1] * 1, mu * (y[1] - y[0] * y[0] * y[1]) - y[0]]


def brusselator(y, a=1.0, b=3.0):
    w = y[0] * y[0] * y[1]
    return [w - (b + 1) * y[0] + a, b * y[0] - w]


def arenstorf(y, mu=0.012277471):
    from fractions import Fraction

    nu = 1 - Fraction(mu)
    x1, x2 = y[0] + Fraction(mu), y[0] - nu
    yy = y[1] * y[1]
    d1 = inverse_cube_of_root(x1 * x1 + yy)
    d2 = inverse_cube_of_root(x2 * x2 + yy)
    near, far = nu * d1, Fraction(mu) * d2
    return [y[2] * 1, y[3] * 1,
            y[0] + 2 * y[3] - near * x1 - far * x2,
            y[1] - 2 * y[2] - near * y[1] - far * y[1]]


def pleiades(y):
    n, acceleration_x, acceleration_y = 7, [[] for _ in range(7)], [[] for _ in range(7)]
    for i in range(n):
        for j in range(i):
            dx, dy = y[j] - y[i], y[n + j] - y[n + i]
            g = inverse_cube_of_root(dx * dx + dy * dy)
            gx, gy = g * dx, g * dy
            acceleration_x[i].append((j + 1) * gx)
            acceleration_y[i].append((j + 1) * gy)
            acceleration_x[j].append(-(i + 1) * gx)
            acceleration_y[j].append(-(i + 1) * gy)
    total = [sum(a[1:], a[0]) for a in acceleration_x + acceleration_y]
    return [v * 1 for v in y[2 * n:]] + total


def lorenz96(y, force=8.0):
    n = len(y)
    return [(y[(i + 1) % n] - y[i - 2]) * y[i - 1] - y[i] + force for i in range(n)]


def burgers_1d(y, nu=0.01):
    from fractions import Fraction

    n = len(y)
    square = [s * s for s in y]
    diffusion, convection = Fraction(nu) * (n + 1) ** 2, Fraction(n + 1, 4)
    rhs = []
    for i in range(n):
        bend, slope = -2 * y[i], None
        if i > 0:
            bend, slope = bend + y[i - 1], square[i - 1]
        if i + 1 < n:
            bend = bend + y[i + 1]
            slope = -square[i + 1] if slope is None else slope - square[i + 1]
        rhs.append(diffusion * bend + convection * slope)
    return rhs


def neural_spiral_weights():
    """splitmix64 (Steele, Lea, Flood 2014) from seed 0; uniform in ±√(6/52), biases zero."""
    seed, mask, out = 0, (1 << 64) - 1, []
    for _ in range(200):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        out.append(math.sqrt(6.0 / 52.0) * ((z >> 11) * 2.0**-52 - 1.0))
    return out[:100], out[100:]


def neural_spiral(y):
    first, second = neural_spiral_weights()
    cube = [s * s * s for s in y]
    hidden = [tanh(first[2 * i] * cube[0] + first[2 * i + 1] * cube[1]) for i in range(50)]
    rhs = []
    for r in range(2):
        terms = [second[50 * r + i] * hidden[i] for i in range(50)]
        rhs.append(sum(terms[1:], terms[0]))
    return rhs


def burgers_start(n):
    x = [(i + 1) / (n + 1) for i in range(n)]
    return [math.sin(2 * math.pi * s) + 0.5 * math.sin(math.pi * s) for s in x]


problems = {
    "lotka_volterra": (lotka_volterra, [1, 1], 10),
    "lorenz": (lorenz, [1, 0, 0], 10),
    "vdpol": (vdpol, [2, 0], 20),
    "brusselator": (brusselator, [1.5, 3], 20),
    "arenstorf": (arenstorf, [0.994, 0, 0, -2.00158510637908252240537862224],
                  17.0652165601579625588917206249),
    "pleiades": (pleiades, [3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4,
                            0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0], 3),
    "lorenz96": (lorenz96, [8.0] * 19 + [8.008] + [8.0] * 20, 5),
    "burgers_1d": (burgers_1d, burgers_start(100), 1),
    "neural_spiral": (neural_spiral, [2, 0], 1.5),
}

for name in sys.argv[1:] or problems:
    reference(name, *problems[name])
