# SPDX-License-Identifier: Apache-2.0
"""Fields in two parts: the stiff one implicitly, the other explicitly; misuse in words."""

import numpy as np
import pytest

import revode

P = np.array([200.0, 0.5])


def relax(t, y, p):
    return [p[0] * (y[1] ** 2 - y[0]), 0.0]


def relax_vjp(t, y, p, w):
    return 0.0, [-p[0] * w[0], 2 * p[0] * y[1] * w[0]], [(y[1] ** 2 - y[0]) * w[0], 0.0]


def drift(t, y, p):
    return [np.sin(t), -y[0] - p[1] * y[1]]


def drift_vjp(t, y, p, w):
    return np.cos(t) * w[0], [-w[1], -p[1] * w[1]], [0.0, -y[1] * w[1]]


def both(**more):
    return revode.Problem(relax, [0.2, 1.0], 0, 2, P, vjp=relax_vjp, explicit_part=drift, **more)


def sum_of_both():
    vjp = lambda t, y, p, w: tuple(np.add(a, b) for a, b in zip(relax_vjp(t, y, p, w), drift_vjp(t, y, p, w)))
    return revode.Problem(lambda t, y, p: np.add(relax(t, y, p), drift(t, y, p)), [0.2, 1.0], 0, 2, P, vjp=vjp)


@pytest.mark.parametrize("method", [m for m in revode.methods() if m.endswith("_imex")])
def test_both_parts_agree_with_the_sum(method):
    s = revode.solve(both(explicit_vjp=drift_vjp), method, rtol=1e-8, atol=1e-10, adjoint="recursive_checkpoint", slots=3)
    exact = revode.solve(sum_of_both(), "vern9", rtol=1e-11, atol=1e-13, adjoint="recursive_checkpoint")
    np.testing.assert_allclose(s.y, exact.y, rtol=1e-5)
    np.testing.assert_allclose(s.pullback([1.0, 1.0]).p, exact.pullback([1.0, 1.0]).p, rtol=1e-3)


def test_the_sum_by_other_methods_has_the_bits_of_one_field():
    one = revode.solve(sum_of_both(), "tsit5", rtol=1e-8)
    np.testing.assert_array_equal(revode.solve(both(), "tsit5", rtol=1e-8).y, one.y)


def test_misuse_is_told():
    with pytest.raises(ValueError, match="a gradient of callbacks without vjp and jvp"):
        revode.solve(both(), "kencarp5_imex", adjoint="recursive_checkpoint")
    with pytest.raises(ValueError, match="without explicit_part"):
        revode.Problem(relax, [0.2, 1.0], 0, 2, P, explicit_vjp=drift_vjp)
    with pytest.raises(ValueError, match="a part with a mass matrix"):
        both(mass=np.eye(2))
    with pytest.raises(ValueError, match="for a field without parts"):
        revode.solve(sum_of_both(), "kencarp5_imex")
