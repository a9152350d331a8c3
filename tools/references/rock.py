# SPDX-License-Identifier: Apache-2.0
"""The numbers of ROCK2 and ROCK4: python3 rock.py 2 | 4 [LARGEST DEGREE], needs numpy and scipy.

Stability polynomials R = w P of degree s (Abdulle & Medovikov, Numer. Math. 90 (2001) 1-18; Abdulle,
SIAM J. Sci. Comput. 23 (2002) 2041-2054): P is orthogonal for w^2/sqrt(1 - x^2) on [-1, 1]. In
Y = s^2 (1 - x) the zeros of w are u0 +- i u1 (and u2 +- i u3), z = u[r+1] (-u[r] - Y). Of the r + 2
unknowns, r meet the conditions of order r, one |R| <= 0.95 on [0, 2 s^2]; the last makes the interval
as long as it can be. ROCK4's four finishing stages realise w and meet the conditions of order 4; of
their two free parameters the least sum of squares disposes. Long double throughout (x86: 64 bits).
"""

import sys

import numpy as np
from scipy.optimize import minimize

real = np.longdouble
pi = np.arccos(real(-1))
damping = real("0.95")
degrees = {
    2: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 23, 26, 29, 33, 37, 42, 47, 53, 60, 67, 75,
        84, 94, 105, 118, 132, 148, 166, 186, 200],
    4: [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 23, 26, 29, 33, 37, 42, 47, 53, 60, 67, 75, 84, 94,
        105, 118, 132]}
first = {2: [-1.06206677, 4.65935424, 5.51340452, 0.26128407],
         4: [1.43622637, 24.03862504, 16.49625069, 9.14731024, 0.43169738, 0.11881771]}


def points(s, count, first_half):
    angle = pi * (np.arange(count).astype(real) + (real(1) / 2 if first_half else 0))
    return 2 * s * s * np.sin(angle / (count if first_half else count - 1) / 2) ** 2


def factor_at(u, r, y):
    value = np.ones_like(y)
    for i in range(0, r, 2):
        value = value * ((y - u[i]) ** 2 + u[i + 1] ** 2)
    return value


def recurrence(u, s, r):
    """P_{j+1} = (Y - A_j) P_j - B_j P_{j-1}, by Stieltjes's procedure."""
    m, y = s - r, points(s, 3 * s + 10, True)
    weight = factor_at(u, r, y) ** 2
    weight = weight / weight.max()
    now, before, last, a, b = np.ones_like(y), np.zeros_like(y), None, [], []
    for j in range(m):
        norm = (weight * now * now).sum()
        a.append((weight * y * now * now).sum() / norm)
        b.append(norm / last if j else real(0))
        after = (y - a[j]) * now - b[j] * before
        scale = 1 / np.abs(after).max()
        before, now, last = now * scale, after * scale, norm * scale * scale
    return a, b


def residual(u, s, r):
    """What is missing of order 1 ... r and of the amplitude."""
    m, y, at = s - r, points(s, 30 * s + 1, False), -u[r]
    a, b = recurrence(u, s, r)
    now, before = np.zeros(r + 1, real), np.zeros(r + 1, real)
    now[0] = 1
    v, v_before = np.ones_like(y), np.zeros_like(y)
    for j in range(m):
        after = (at - a[j]) * now - b[j] * before
        after[1:] += now[:-1]
        v_after = (y - a[j]) * v - b[j] * v_before
        scale = 1 / after[0]
        before, now, v_before, v = now * scale, after * scale, v * scale, v_after * scale
    w = np.array([1], real)
    for i in range(0, r, 2):
        e = at - u[i]
        w = np.convolve(w, np.array([e * e + u[i + 1] ** 2, 2 * e, 1], real))
    taylor, factorial, missing = np.convolve(w / w[0], now), 1, []
    for k in range(1, r + 1):
        factorial *= k
        missing.append(taylor[k] * factorial / (-u[r + 1]) ** k - 1)
    height = np.abs(factor_at(u, r, y) / w[0] * v)
    i = int(np.argmax(height))
    most = height[i]
    if 0 < i < len(height) - 1:
        bend = height[i - 1] - 2 * height[i] + height[i + 1]
        if bend != 0:
            most -= (height[i + 1] - height[i - 1]) ** 2 / (8 * bend)
    return np.array(missing + [most / damping - 1], real)


def longest(u, s, r):
    """From u and its neighbours, the best that is found; u itself where nothing is."""
    def constraint(x):
        return np.clip(residual(x.astype(real), s, r).astype(float), -1e3, 1e3)

    u, best = np.asarray(u, float), (0, u)
    for scale in (1, 1.003, 0.995, 0.97):
        found = minimize(lambda x: -x[r + 1] * (2 + x[r] / s**2), scale * u, method="SLSQP",
                         bounds=[sorted((0.8 * x, 1.25 * x)) for x in u],
                         constraints={"type": "eq", "fun": constraint},
                         options={"maxiter": 60, "ftol": 1e-10})
        if np.abs(constraint(found.x)).max() < 1e-4:
            best = max(best, (-found.fun, found.x), key=lambda pair: pair[0])
    return best[1]


def newton(x, f, steps=1e-7):
    """The root next to x, by least changes."""
    x = np.asarray(x).astype(real)
    for _ in range(40):
        value = f(x)
        if np.abs(value).max() < 4e-19 * len(x):
            break
        slope = np.zeros((len(value), len(x)))
        for i in range(len(x)):
            moved = x.copy()
            moved[i] += real(steps)
            slope[:, i] = ((f(moved) - value) / real(steps)).astype(float)
        step = np.linalg.lstsq(slope, -value.astype(float), rcond=None)[0]
        x = x + real(min(1, 0.5 / max(np.abs(step).max(), 1e-30))) * step
    return x


def stage(y):
    """Elementary weights of h f(y): trees t, [t], [tt], [[t]], [ttt], [t[t]], [[tt]], [[[t]]]."""
    return np.array([1, y[0], y[0] ** 2, y[1], y[0] ** 3, y[0] * y[1], y[2], y[3]], real)


density = np.array([1, 2, 3, 6, 4, 8, 12, 24], real)


def finish(u, s, x):
    """x = (a, b) of ROCK4's finish -> what is missing of w and of order, and the estimate e."""
    a, b = recurrence(u, s, 4)
    ratio, y, y_before = real(0), np.zeros(8, real), np.zeros(8, real)
    for j in range(s - 4):
        at = (-u[4] - a[j]) - b[j] * ratio
        y, y_before = ((-u[4] - a[j]) * y - b[j] * ratio * y_before - stage(y) / u[5]) / at, y
        ratio = 1 / at
    w = np.array([1], real)
    for i in (0, 2):
        e = -u[4] - u[i]
        w = np.convolve(w, np.array([e * e + u[i + 1] ** 2, 2 * e, 1], real))
    w = w / w[0] * (-1 / u[5]) ** np.arange(5)

    def stages(x):
        rows, k = np.zeros((4, 4), real), []
        rows[1, :1], rows[2, :2], rows[3, :3] = x[:1], x[1:3], x[3:6]
        for i in range(4):
            k.append(stage(y + sum((rows[i, j] * k[j] for j in range(i)), np.zeros(8, real))))
        return rows, k

    def missing(x):
        rows, k = stages(x)
        new, power, linear = y + sum(x[6 + i] * k[i] for i in range(4)), np.ones(4, real), []
        for degree in range(1, 5):
            linear.append(x[6:10] @ power - w[degree])
            power = rows @ power
        return np.array(linear + [new[t] * density[t] - 1 for t in (2, 4, 5, 6)], real)

    x = newton(x, missing, 1e-8)
    least = minimize(lambda v: (v**2).sum(), x.astype(float), method="SLSQP",
                     constraints={"type": "eq", "fun": lambda v: missing(v.astype(real)).astype(float)},
                     options={"maxiter": 300, "ftol": 1e-14})
    x = newton(least.x, missing, 1e-8)
    k, last = stages(x)[1], stage(1 / density)
    matrix = np.array([[k[i][t] for i in range(4)] for t in range(4)], real)
    e = np.zeros(4, real)
    for _ in range(4):
        e = e - np.linalg.solve(matrix.astype(float), (matrix @ e + last[:4]).astype(float))
    largest = max(abs((sum(e[i] * k[i][t] for i in range(4)) + last[t]) * density[t]) for t in range(4, 8))
    return x, np.append(e, real(1)) / largest / 5


def main(r, last):
    u, x = first[r], [0.31, -0.27, 0.65, -0.11, 0.13, 0.85, -0.01, 0.43, 0.27, 0.13]
    for s in (s for s in degrees[r] if s <= last):
        u = newton(longest(u, s, r), lambda v: residual(v, s, r))
        numbers = [u]
        if r == 4:
            x, e = finish(u, s, x)
            numbers += [x[:6], x[6:], e]
        text = [", ".join(np.format_float_positional(v, 18, False) for v in row) for row in numbers]
        print(f"{s}, {{" + "}, {".join(text) + "}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
