# SPDX-License-Identifier: Apache-2.0
"""References with a closed form: python3 closed_forms.py   (needs mpmath)

decay, harmonic and rotation are stored in their headers; kepler and heat_1d evaluate the same
formulas in double, for any eccentricity and grid, and are compared with these values in the tests.
"""

import mpmath
from mpmath import cos, exp, findroot, mpf, pi, sin, sqrt

mpmath.mp.dps = 40


def show(name, *values):
    print(f"{name}: " + ", ".join(mpmath.nstr(v, 17, strip_zeros=False) for v in values))


def kepler(e, t=20):
    e = mpf(e)
    a = findroot(lambda x: x - e * sin(x) - t, t + e * sin(t))
    rate, minor = 1 / (1 - e * cos(a)), sqrt(1 - e * e)
    return cos(a) - e, minor * sin(a), -sin(a) * rate, minor * cos(a) * rate


def heat_1d(n, point, t=mpf("0.1")):
    x = mpf(point) / (n + 1)
    decay = [exp(-t * (2 * (n + 1) * sin(k * pi / (2 * (n + 1)))) ** 2) for k in (1, 3)]
    return (decay[0] * sin(pi * x) + decay[1] * sin(3 * pi * x) / 2,)


show("decay", exp(-5))
show("harmonic", cos(20), -2 * sin(20))
show("rotation", cos(10), sin(10))
for e in ("0.1", "0.3", "0.5", "0.7", "0.9"):
    show(f"kepler:{e}", *kepler(e))
for n, point in ((100, 1), (100, 50), (7, 2)):
    show(f"heat_1d:{n}, grid point {point}", *heat_1d(n, point))
