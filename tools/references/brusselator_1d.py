# SPDX-License-Identifier: Apache-2.0
"""Reference solution of brusselator_1d: python3 brusselator_1d.py [N]   (numpy, x86 long double)

Taylor series in the 64-bit mantissa of long double, vectorised over the grid; u²v by recurrence.
The step is bounded by stability: h ρ = 8 and 9 with ρ = 4 α (N+1)², so that the largest term of
e^{hρ} costs four of the 19 digits, and only in modes that diffusion damps. Two runs of different
order and step; two minutes at N = 500.
"""

import math
import sys

import numpy

real = numpy.longdouble


def convolve(a, b, k):
    return (a[: k + 1] * b[k::-1]).sum(axis=0)


def squared(a, k):
    half = (k + 1) // 2
    total = 2 * (a[:half] * a[k : k - half : -1]).sum(axis=0)
    return total if k % 2 else total + a[half] * a[half]


def solve(n, reach, order, span=10.0):
    a, b, alpha = real(1), real(3), real(1.0 / 50)
    c = alpha * (n + 1) ** 2
    steps = math.ceil(span * float(4 * c) / reach)
    h = real(span) / steps
    y = numpy.zeros((2, n + 2), real)
    y[0] = [1 + 0.5 * math.sin(2 * math.pi * (i / (n + 1))) for i in range(n + 2)]
    y[1] = 3
    y[0, -1] = 1
    s = numpy.zeros((order + 1, 2, n + 2), real)
    square = numpy.zeros((order + 1, n + 2), real)
    for _ in range(steps):
        s[1:] = 0
        s[0] = y
        for k in range(order):
            u, v = s[:, 0], s[:, 1]
            square[k] = squared(u, k)
            cube = convolve(square, v, k)
            f = c * (s[k, :, :-2] - 2 * s[k, :, 1:-1] + s[k, :, 2:])
            f[0] += cube[1:-1] - (b + 1) * u[k, 1:-1] + (a if k == 0 else 0)
            f[1] += b * u[k, 1:-1] - cube[1:-1]
            s[k + 1, :, 1:-1] = h / (k + 1) * f
        y = s[::-1].sum(axis=0)  # smallest terms first
    return y[:, 1:-1], steps


n = int(sys.argv[1]) if len(sys.argv) > 1 else 500
fine, fine_steps = solve(n, 8.0, 20)
coarse, coarse_steps = solve(n, 9.0, 24)
print(f"brusselator_1d:{n}: {-math.log10(numpy.max(abs(fine / coarse - 1))):.1f} digits shared "
      f"({fine_steps} and {coarse_steps} steps)")
for i in [0, n // 4 - 1, n // 2 - 1, 3 * n // 4 - 1, n - 1]:
    print(f"  grid point {i + 1}: {fine[0, i]:.18g}, {fine[1, i]:.18g}")
