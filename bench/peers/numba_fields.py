# SPDX-License-Identifier: Apache-2.0
"""The problems' fields as f(t, y, dy, p), compiled by numba: for scipy, which calls them from Python,
and for numbalsoda, which calls them as it would C. The formulas are those of the C++ programs."""
import math

import numba


def lorenz(t, y, dy, p):
    dy[0] = p[0] * (y[1] - y[0])
    dy[1] = y[0] * (p[1] - y[2]) - y[1]
    dy[2] = y[0] * y[1] - p[2] * y[2]


def kepler(t, y, dy, p):
    r2 = y[0] * y[0] + y[1] * y[1]
    pull = p[0] / (r2 * math.sqrt(r2))
    dy[0] = y[2]
    dy[1] = y[3]
    dy[2] = -pull * y[0]
    dy[3] = -pull * y[1]


def pleiades(t, y, dy, p):
    for i in range(14):
        dy[i] = y[14 + i]
        dy[14 + i] = 0.0
    for i in range(1, 7):
        for j in range(i):
            dx, dz = y[j] - y[i], y[7 + j] - y[7 + i]
            r2 = dx * dx + dz * dz
            g = 1 / (r2 * math.sqrt(r2))
            dy[14 + i] += p[j] * (g * dx)
            dy[21 + i] += p[j] * (g * dz)
            dy[14 + j] -= p[i] * (g * dx)
            dy[21 + j] -= p[i] * (g * dz)


def ring(n):
    def lorenz96(t, y, dy, p):
        back2, back1 = n - 2, n - 1
        for i in range(n):
            following = i + 1 if i + 1 < n else 0
            dy[i] = (y[following] - y[back2]) * y[back1] - y[i] + p[0]
            back2, back1 = back1, i

    return lorenz96


def neural(t, y, dy, p):
    for i in range(8):
        dy[i] = p[1088 + i]
    for k in range(64):
        total = p[512 + k]
        for i in range(8):
            total += p[8 * k + i] * y[i]
        unit = math.tanh(total)
        for i in range(8):
            dy[i] += p[576 + 64 * i + k] * unit


def rober(t, y, dy, p):
    slow, back, fast = p[0] * y[0], p[2] * (y[1] * y[2]), p[1] * (y[1] * y[1])
    dy[0] = back - slow
    dy[1] = slow - back - fast
    dy[2] = fast


def orego(t, y, dy, p):
    dy[0] = p[0] * (y[1] + y[0] * (1 - p[1] * y[0] - y[1]))
    dy[1] = (y[2] - (1 + y[0]) * y[1]) / p[0]
    dy[2] = p[2] * (y[0] - y[2])


def hires(t, y, dy, p):
    bound = p[6] * (y[5] * y[7])
    dy[0] = p[1] * y[1] - p[0] * y[0] + p[5] * y[2] + p[9]
    dy[1] = p[0] * y[0] - (p[1] + p[2]) * y[1]
    dy[2] = p[1] * y[3] - (p[5] + p[0]) * y[2] + p[4] * y[4]
    dy[3] = p[2] * y[1] + p[0] * y[2] - (p[3] + p[1]) * y[3]
    dy[4] = p[1] * (y[5] + y[6]) - (p[0] + p[4]) * y[4]
    dy[5] = p[3] * y[3] + p[0] * y[4] - p[1] * y[5] + p[7] * y[6] - bound
    dy[6] = bound - (p[1] + p[7] + p[8]) * y[6]
    dy[7] = (p[1] + p[7] + p[8]) * y[6] - bound


def vdpol_stiff(t, y, dy, p):
    dy[0] = y[1]
    dy[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / p[0]


def vdpol_fast(t, y, dy, p):
    dy[0] = y[1]
    dy[1] = p[0] * ((1 - y[0] * y[0]) * y[1]) - y[0]


def e5(t, y, dy, p):
    first, second = p[0] * y[0], p[1] * (y[0] * y[2])
    third, fourth = p[3] * (p[2] * (y[1] * y[2])), p[2] * y[3]
    dy[0] = -first - second
    dy[1] = first - third
    dy[2] = (first - third) - (second - fourth)
    dy[3] = second - fourth


FIELDS = {f.__name__: f for f in (lorenz, kepler, pleiades, neural, rober, orego, hires, vdpol_stiff, vdpol_fast, e5)}


def formula(problem):
    """The field of a problem, or None where it is not written here."""
    name = problem["name"].split(":")[0]
    return ring(len(problem["y0"])) if name == "lorenz96" else FIELDS.get(name)


def jitted(problem):
    field = formula(problem)
    return field and numba.njit(field)
