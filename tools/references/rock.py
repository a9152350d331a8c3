# SPDX-License-Identifier: Apache-2.0
"""The numbers of ROCK2 and ROCK4: python3 rock.py 2 | 4 [LARGEST DEGREE], needs numpy and scipy.

Stability polynomials R = w P of degree s (Abdulle & Medovikov, Numer. Math. 90 (2001) 1-18; Abdulle,
SIAM J. Sci. Comput. 23 (2002) 2041-2054): P is orthogonal for w^2/sqrt(1 - x^2) on [-1, 1]. In
Y = s^2 (1 - x) the zeros of w are u0 +- i u1 (and u2 +- i u3), z = u[r+1] (-u[r] - Y). Of the r + 2
unknowns, r meet the conditions of order r, one |R| <= 0.95 on [0, 2 s^2]; the last makes the interval
as long as it can be. ROCK4's four finishing stages realise w and meet the conditions of order 4; of
their two free parameters the least sum of squares disposes. They stand behind the recurrence or, where
there are many stages, within it (see split_of). Long double throughout (x86: 64 bits).
"""

import random
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
        105, 118, 132, 148, 166, 186, 200]}
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


def rows(u, s):
    """mu, nu and mu_tilde of the recurrence, normalised to P_j(0) = 1."""
    a, b = recurrence(u, s, 4)
    at_before, found = real(0), []
    for j in range(s - 4):
        at = (-u[4] - a[j]) - b[j] * at_before
        found.append(((-u[4] - a[j]) / at, -b[j] * at_before / at, -1 / u[5] / at))
        at_before = 1 / at
    return found


def factor_powers(u):
    """w(z)/w(0) in powers of z."""
    w = np.array([1], real)
    for i in (0, 2):
        e = -u[4] - u[i]
        w = np.convolve(w, np.array([e * e + u[i + 1] ** 2, 2 * e, 1], real))
    return w / w[0] * (-1 / u[5]) ** np.arange(5)


def finish_stages(y, x):
    """The weights of h f at the four stages from y, for x = (a, b)."""
    a, k = np.zeros((4, 4), real), []
    a[1, :1], a[2, :2], a[3, :3] = x[:1], x[1:3], x[3:6]
    for i in range(4):
        k.append(stage(y + sum((a[i, j] * k[j] for j in range(i)), np.zeros(8, real))))
    return a, k


def all_stages(u, s, split, x):
    """The weights of y_0 ... y_split before the finish, and of y_split ... y_m after it."""
    of, first, then = rows(u, s), [np.zeros(8, real)], []
    before = first[0]
    for mu, nu, mu_tilde in of[:split]:
        first.append(mu * first[-1] + nu * before + mu_tilde * stage(first[-1]))
        before = first[-2]
    before, last = (y + sum(x[6 + i] * k for i, k in enumerate(finish_stages(y, x)[1]))
                    for y in (first[split - 1], first[split]))
    then.append(last)
    for mu, nu, mu_tilde in of[split:]:
        then.append(mu * then[-1] + nu * before + mu_tilde * stage(then[-1]))
        before = then[-2]
    return first, then


def finish(u, s, split, x):
    """x = (a, b) of ROCK4's finish behind row `split`, near the x given."""
    w = factor_powers(u)

    def missing(x):
        a, _ = finish_stages(np.zeros(8, real), x)
        power, linear = np.ones(4, real), []
        for degree in range(1, 5):
            linear.append((x[6:10] @ power - w[degree]) / w[degree])
            power = a @ power
        new = all_stages(u, s, split, x)[1][-1]
        return np.array(linear + [new[t] * density[t] - 1 for t in (2, 4, 5, 6)], real)

    x = newton(x, missing, 1e-8)
    least = minimize(lambda v: (v**2).sum(), x.astype(float), method="SLSQP",
                     constraints={"type": "eq", "fun": lambda v: missing(v.astype(real)).astype(float)},
                     options={"maxiter": 300, "ftol": 1e-14})
    return newton(least.x, missing, 1e-8)


def estimate(u, s, x):
    """e of a finish at the end, with the field at the new point."""
    k, last = finish_stages(all_stages(u, s, s - 4, x)[0][-1], x)[1], stage(1 / density)
    matrix = np.array([[k[i][t] for i in range(4)] for t in range(4)], real)
    e = np.zeros(4, real)
    for _ in range(4):
        e = e - np.linalg.solve(matrix.astype(float), (matrix @ e + last[:4]).astype(float))
    largest = max(abs((sum(e[i] * k[i][t] for i in range(4)) + last[t]) * density[t]) for t in range(4, 8))
    return np.append(e, real(1)) / largest / 5


def candidates(u, s, split, x):
    """Stages that an estimate may look at, as (stage, before or after the finish, weights of the empty tree
    and of order 1 ... 4, its polynomial on the interval): after the finish those that are damped again."""
    m, y = s - 4, points(s, 1500, False)
    y = y[y > 0]
    w, z = factor_at(u, 4, y) / factor_at(u, 4, np.array([-u[4]]))[0], u[5] * (-u[4] - y)
    polynomial, before, at = [np.ones_like(y)], np.zeros_like(y), []
    for mu, nu, mu_tilde in rows(u, s):
        polynomial.append((mu + mu_tilde * z) * polynomial[-1] + nu * before)
        before = polynomial[-2]
    first, then = all_stages(u, s, split, x)
    for j in range(split + 1):
        at.append((j, False, np.append(real(1), first[j] * density), polynomial[j]))
    for j in range(min(split + 1, m), m + 1):
        if np.abs(w * polynomial[j]).max() < 12:
            number = j if split < m else m + 1
            at.append((number, True, np.append(real(1), then[j - split] * density), w * polynomial[j]))
    return at


def looks(u, s, split, x, count=10, trials=500):
    """Combinations of `count` stages: an estimate of order 3; where rows follow the finish also the slopes
    of the solution, times h, at both ends, of order 3. None contains h f, which magnifies what rounding
    leaves in the stiffest components. Their polynomials are as small as a random search for the stages finds
    them; weights of stages before the finish count 1e-4 of it, after the finish 10, of y_new behind a finish at
    the end 0.1: what rounding does to it must be seen."""
    at, draw, exact = candidates(u, s, split, x), random.Random(s), stage(1 / density) * density
    goals = [([0, 0, 0, 0, 0, 0.2], 1)]  # of the trees to order 3 and of [[[t]]]; how much it matters
    if split < s - 4:
        goals += [([0, 1, 0, 0, 0], 3), ([0, *exact[:4].astype(float)], 0.3)]

    def weights(chosen):
        of, size, values = [at[i] for i in sorted(chosen)], 0, []
        scale = np.array([(10 if split < s - 4 else 0.1) if after else 1e-4 for _, after, _, _ in of])
        trees, e = np.array([v[2] for v in of], float).T / scale, np.array([v[3] for v in of], float).T / scale
        mean = 1 / np.sqrt(len(e))
        for value, matters in goals:
            conditions = trees[[0, 1, 2, 3, 4, 8][:len(value)]]
            rest = np.linalg.svd(conditions)[2][len(value):].T
            some = np.linalg.lstsq(conditions, value, rcond=None)[0]
            free = np.linalg.lstsq(np.vstack([e @ rest * mean, rest]),
                                   -np.concatenate([e @ some * mean, some]), rcond=None)[0]
            scaled = some + rest @ free
            size += matters * np.hypot(np.abs(e @ scaled).max(), np.sqrt((scaled**2).sum()))
            if len(value) == 6 and np.abs(trees[5:] @ scaled).max() > 0.3:
                size *= 10
            values.append(scaled / scale)
        return size, of, values

    best = None
    for _ in range(3):
        chosen = [len(at) - 1, split]
        chosen += draw.sample([i for i in range(len(at)) if i not in chosen], count - 2)
        found = weights(chosen)
        for _ in range(trials):
            other = list(chosen)
            other[draw.randrange(1, count)] = draw.randrange(len(at))
            if len(set(other)) == count:
                new = weights(other)
                if new[0] < found[0]:
                    chosen, found = other, new
        best = found if best is None or found[0] < best[0] else best
    trees = np.array([v[2][:5] for v in best[1]], real).T
    values = []
    for value, goal in zip(best[2], goals):
        value = value.astype(real)
        for _ in range(3):
            missing = (trees @ value - np.array(goal[0][:5], real)).astype(float)
            value = value - np.linalg.lstsq(trees.astype(float), missing, rcond=None)[0]
        values.append(value)
    return [v[0] for v in best[1]], np.array(values).T


def split_of(s):
    """Behind how many rows the finish stands: it magnifies stiff components of y, which these rows damp, by
    more the fewer they are, and the rows behind it damp what rounding leaves in them."""
    return s - 4 if s <= 29 else round(21 + 0.12 * s)


def main(r, last):
    u, x = first[r], np.array([0.31, -0.27, 0.65, -0.11, 0.13, 0.85, -0.01, 0.43, 0.27, 0.13], real)
    for s in (s for s in degrees[r] if s <= last):
        u = newton(longest(u, s, r), lambda v: residual(v, s, r))
        numbers, tail = [u], ""
        if r == 4:
            x = finish(u, s, s - 4, x)
            split, here = split_of(s), x
            for j in range(s - 5, split, -max(1, s // 30)):
                here = finish(u, s, j, here)
            here = finish(u, s, split, here)
            numbers += [here[:6], here[6:]] + ([estimate(u, s, x)] if s <= 12 else [[]])
            if s > 12:
                stages, value = looks(u, s, split, here)
                row = [", ".join(np.format_float_positional(v, 18, False) for v in of) for of in value]
                looks_of = ", ".join(f"{{{i}, {{{of}}}}}" for i, of in zip(stages, row))
                tail = f", {split}, {{{looks_of}}}"
        text = [", ".join(np.format_float_positional(v, 18, False) for v in row) for row in numbers]
        print(f"{{{{{s}, {{" + "}, {".join([text[0] + "}"] + text[1:]) + f"}}{tail}}},", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
