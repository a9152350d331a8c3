# SPDX-License-Identifier: Apache-2.0
"""Integrals beside y: the bits of a component of the state, gradients in closed form, misuse in words."""

import ctypes

import numpy as np
import pytest

import revode

RATES = np.array([1.5, 1.0, 3.0, 1.0])


def predators(t, y, p):
    return [p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]]


def predators_vjp(t, y, p, w):
    gy = [
        w[0] * (p[0] - p[1] * y[1]) + w[1] * p[3] * y[1],
        w[1] * (p[3] * y[0] - p[2]) - w[0] * p[1] * y[0],
    ]
    return 0.0, gy, [w[0] * y[0], -w[0] * y[0] * y[1], -w[1] * y[1], w[1] * y[0] * y[1]]


def effort(t, y, p):
    return [p[0] * y[0] * y[1], t * y[1]]


def effort_vjp(t, y, p, w):
    gy = [w[0] * p[0] * y[1], w[0] * p[0] * y[0] + w[1] * t]
    return w[1] * y[1], gy, [w[0] * y[0] * y[1], 0.0, 0.0, 0.0]


def apart(**more):
    q = revode.Problem(predators, [1.0, 1.5], 0, 3, RATES, vjp=predators_vjp, **more)
    return q.with_quadrature(effort, [0.0, 2.0], vjp=effort_vjp)


def together():
    def vjp(t, z, p, w):
        gt, gy, gp = effort_vjp(t, z, p, w[2:])
        of = predators_vjp(t, z, p, w)
        return gt, [*np.add(gy, of[1]), 0.0, 0.0], np.add(gp, of[2])

    field = lambda t, z, p: predators(t, z, p) + effort(t, z, p)
    return revode.Problem(field, [1.0, 1.5, 0.0, 2.0], 0, 3, RATES, vjp=vjp)


def decay(field=lambda t, y, p: -p * y, p=0.5, **more):
    """y' = −p y with ∫ y: q(t) = q0 + (y0 − y(t))/p."""
    q = revode.Problem(
        field, [2.0], 0, 1, [p], vjp=lambda t, y, p, w: (0.0, -p * w, -y * w), by_finite_differences=True, **more
    )
    return q.with_quadrature(lambda t, y, p: y, 3.0, vjp=lambda t, y, p, w: (0.0, w, 0 * p), by_finite_differences=True)


def of_q(p, t=1.0, y0=2.0):
    """q − q0 of decay, and its derivatives by y0 and p."""
    end = np.exp(-p * t)
    return y0 * (1 - end) / p, (1 - end) / p, y0 * (t * end / p - (1 - end) / p**2)


@pytest.mark.parametrize("method", ["tsit5", "dop853", "vern7"])
def test_an_integral_has_the_bits_of_a_component(method):
    ts = np.linspace(0.5, 2.5, 5)
    one, other = (revode.solve(q, method, ts=ts, rtol=1e-7) for q in (apart(), together()))
    assert one.y.shape == one.q.shape == (2,) and one.ys.shape == one.qs.shape == (5, 2)
    assert np.array_equal([*one.y, *one.q], other.y)
    assert np.array_equal(np.hstack([one.ys, one.qs]), other.ys)
    assert one.statistics == other.statistics
    path, longer = (revode.solve(q, method, dense=True, rtol=1e-7) for q in (apart(), together()))
    assert np.array_equal(np.hstack([path(ts), path.integral(ts)]), longer(ts))
    assert np.array_equal([*path(0.7), *path.integral(0.7)], longer(0.7))
    assert np.array_equal(path.derivative(ts), longer.derivative(ts)[:, :2])


def test_gradients_are_those_of_a_component():
    ts, w, v = [1.0, 2.0], np.array([1.0, -2.0]), np.array([0.5, 3.0])
    rows = np.arange(8.0).reshape(2, 4)
    s, longer = (revode.solve(q, ts=ts, adjoint="recursive_checkpoint") for q in (apart(), together()))
    for given, want in (
        ({"y": w, "q": v}, {"y": [*w, *v]}),
        ({"q": v}, {"y": [0, 0, *v]}),
        ({"y": w, "ys": rows[:, :2], "qs": rows[:, 2:]}, {"y": [*w, 0, 0], "ys": rows}),
        ({"qs": rows[:, 2:]}, {"ys": rows * [0, 0, 1, 1]}),
        ({"ys": rows[:, :2]}, {"ys": rows * [1, 1, 0, 0]}),
    ):
        mine, theirs = s.pullback(**given), longer.pullback(**want)
        assert np.allclose([*mine.y0, *mine.q0], theirs.y0, rtol=1e-12, atol=1e-13)
        assert np.allclose(mine.p, theirs.p, rtol=1e-12) and np.isclose(mine.t1, theirs.t1, rtol=1e-12)
        for memory in ({"slots": 2}, {"slots": 7, "schedule": "online"}, {"budget": 9000}):
            again = revode.solve(apart(), ts=ts, adjoint="recursive_checkpoint", **memory).pullback(**given)
            assert np.array_equal(again.p, mine.p) and np.array_equal(again.y0, mine.y0)


def test_gradients_in_closed_form():
    value, by_y0, by_p = of_q(0.5)
    for method in ("tsit5", "rodas5p", "radau_iia5"):
        s = revode.solve(decay(), method, rtol=1e-9, atol=1e-12, adjoint="recursive_checkpoint", slots=5)
        g = s.pullback(q=1.0)
        assert np.allclose(s.q, 3 + value, rtol=1e-8) and np.allclose(g.q0, 1.0, rtol=1e-13)
        assert np.allclose(g.y0, by_y0, rtol=1e-7) and np.allclose(g.p, by_p, rtol=1e-7)
        assert np.isclose(g.t1, s.y[0], rtol=1e-7)
    for adjoint in ("backsolve", "interpolating", "gauss"):
        g = revode.solve(decay(), rtol=1e-9, atol=1e-12, adjoint=adjoint).pullback(q=[1.0])
        assert np.allclose(g.y0, by_y0, rtol=1e-6) and np.allclose(g.p, by_p, rtol=1e-6)
    q = revode.Problem(lambda t, y, p: -p * y, [2.0], 0, 1, [0.5], jvp=lambda t, y, p, dt, dy, dp: -p * dy - dp * y)
    q = q.with_quadrature(lambda t, y, p: y, jvp=lambda t, y, p, dt, dy, dp: dy)
    g = revode.solve(q, rtol=1e-9, atol=1e-12, adjoint="recursive_checkpoint").pullback(q=1)
    assert np.allclose(g.p, by_p, rtol=1e-7)


def test_a_running_cost():  # examples/54_cost_by_name.cpp
    tank = revode.Problem(
        lambda t, y, p: p[0] - p[1] * np.sqrt(y),
        [0.5],
        0,
        4,
        [0.4, 0.3],
        vjp=lambda t, y, p, w: (0.0, -w * p[1] / (2 * np.sqrt(y)), [w[0], -w[0] * np.sqrt(y[0])]),
    ).with_quadrature(lambda t, y, p: p[0] ** 2, vjp=lambda t, y, p, w: (0.0, 0 * y, [w[0] * 2 * p[0], 0.0]))
    s = revode.solve(tank, rtol=1e-8, atol=1e-10, adjoint="recursive_checkpoint")
    assert np.isclose((s.y[0] - 1) ** 2 + s.q[0], 0.6411, atol=5e-5)
    assert np.allclose(s.pullback(2 * (s.y - 1), q=1).p, [3.4002, -0.1812], atol=5e-5)


def product(named):
    return named.with_quadrature(
        lambda t, y, p: y[0] * y[1], vjp=lambda t, y, p, w: (0.0, [w[0] * y[1], w[0] * y[0]], 0 * p)
    )


def test_compiled_integrands_of_a_named_problem():
    number = ctypes.POINTER(ctypes.c_double)
    real, pointer = ctypes.c_double, ctypes.c_void_p

    @ctypes.CFUNCTYPE(ctypes.c_int, real, number, number, number, pointer)
    def integrand(t, y, p, dq, user):
        dq[0] = y[0] * y[1]
        return 0

    @ctypes.CFUNCTYPE(ctypes.c_int, real, number, number, number, number, number, number, pointer)
    def vjp(t, y, p, w, gt, gy, gp, user):
        gy[0] += w[0] * y[1]
        gy[1] += w[0] * y[0]
        return 0

    named = revode.Problem.named("lotka_volterra")
    of_c = named.with_quadrature(integrand, vjp=vjp)
    one, two = (revode.solve(q, adjoint="recursive_checkpoint", slots=9) for q in (of_c, product(named)))
    assert np.array_equal(one.q, two.q) and one.q[0] > 0
    assert np.array_equal(one.pullback(q=1).p, two.pullback(q=1).p)


def test_integrands_of_numba():
    numba = pytest.importorskip("numba")
    number = numba.types.CPointer(numba.types.float64)

    @numba.cfunc(numba.types.int32(numba.types.float64, number, number, number, numba.types.voidptr))
    def integrand(t, y, p, dq, user):
        dq[0] = y[0] * y[1]
        return 0

    named = revode.Problem.named("lotka_volterra")
    assert np.array_equal(revode.solve(named.with_quadrature(integrand)).q, revode.solve(product(named)).q)


def test_events_see_y_alone():
    def condition(t, y, p):
        assert len(y) == 1
        return y[0] - 1.0

    half = revode.Event(
        condition,
        terminal=True,
        condition_gradient=lambda t, y, p: (0.0, [1.0], [0.0]),
    )
    q = decay(events=[half]).replace(t1=9)
    s = revode.solve(q, rtol=1e-9, atol=1e-12, adjoint="recursive_checkpoint")
    assert s.status == "terminal_event" and np.allclose(s.q, 3 + 1 / 0.5, rtol=1e-8)
    assert np.allclose(s.pullback(q=1).p, -1 / 0.5**2, rtol=1e-7)


def test_mass_matrices_and_index():
    q = decay(mass=[[2.0]], index=[1])  # 2 y' = −p y
    s = revode.solve(q, "radau_iia5", rtol=1e-9, atol=1e-12, adjoint="recursive_checkpoint")
    value, _, by_p = of_q(0.25)
    assert np.allclose(s.q, 3 + value, rtol=1e-8) and np.allclose(s.pullback(q=1).p, by_p / 2, rtol=1e-7)


def test_an_infinite_tolerance_leaves_the_integral_out_of_the_steps():
    plain = revode.Problem(predators, [1.0, 1.5], 0, 3, RATES)
    want = revode.solve(plain, rtol=1e-5, atol=1e-8, every=1)
    s = revode.solve(apart(), rtol=1e-5, atol=[1e-8, 1e-8, np.inf, np.inf], every=1)
    assert np.array_equal(s.ts, want.ts) and np.array_equal(s.ys, want.ys)
    inside = revode.solve(apart(), rtol=1e-5, atol=1e-8, every=1)
    assert not np.array_equal(inside.ts, want.ts)


def test_ensembles_are_their_solves():
    starts = np.linspace([0.5, 1.0], [1.5, 2.0], 4)
    for row, s in zip(starts, revode.solve_each(apart(), y0=starts)):
        alone = revode.solve(apart().replace(y0=row))
        assert np.array_equal(s.q, alone.q) and np.array_equal(s.y, alone.y)
    with pytest.raises(ValueError) as told:
        revode.solve_each(apart(), y0=np.ones((4, 3)))
    assert str(told.value) == (
        "rows of y0 of 3 numbers (beside integrals they have the 2 of the problem) give as many?"
    )


def test_other_starts():
    q = decay().replace(q0=-1.0, p=[0.25])
    assert np.array_equal(q.q0, [-1.0]) and np.array_equal(decay().q0, [3.0])
    assert np.allclose(revode.solve(q, rtol=1e-9, atol=1e-12).q, of_q(0.25)[0] - 1, rtol=1e-8)
    q.q0 = [0.0]
    assert q.identity != q.replace(q0=[1.0]).identity and q.replace(y0=[1.0]).identity == q.identity
    assert np.allclose(revode.solve(q.replace(y0=[4.0]), rtol=1e-9).q, of_q(0.25, y0=4.0)[0], rtol=1e-7)
    assert np.array_equal(q(0.0, [2.0]), [-0.5])


def test_solutions_without_integrals():
    s = revode.solve("lotka_volterra", ts=[1.0, 2.0], adjoint="recursive_checkpoint")
    assert s.q.shape == (0,) and s.qs.shape == (2, 0) and s.pullback([1.0, 0.0]).q0.shape == (0,)
    assert revode.Problem.named("lorenz").q0.shape == (0,)


def test_what_goes_wrong_is_told():
    def told(call):
        with pytest.raises(ValueError) as error:
            call()
        return str(error.value)

    plain = revode.Problem(predators, [1.0, 1.5], 0, 3, RATES, vjp=predators_vjp)
    s = revode.solve(apart(), ts=[1.0], adjoint="recursive_checkpoint")
    alone = revode.solve(plain, adjoint="recursive_checkpoint")
    for call, text in (
        (lambda: s.pullback([1.0]), "a cotangent of 1 numbers for y (it has 2) give as many?"),
        (lambda: s.pullback(q=1.0), "a cotangent of 1 numbers for q (it has 2) give as many?"),
        (lambda: alone.pullback(q=1.0), "a cotangent of 1 numbers for q (it has 0) give as many?"),
        (lambda: s.pullback(qs=[[1.0]]), "a cotangent of 1 numbers for q (it has 2) give as many?"),
        (
            lambda: s.pullback(ys=[[1.0, 0.0]], qs=np.ones((2, 2))),
            "1 rows of ys and 2 of qs (one of each belongs to a save point) give as many?",
        ),
        (
            lambda: apart().with_quadrature(effort),
            "a second quadrature of a problem (it has one, of as many integrals as q0 has numbers) "
            "give them all in one?",
        ),
        (
            lambda: plain.replace(q0=[1.0]),
            "q0 of 1 numbers (the problem has 0 integrals) give as many, or with_quadrature?",
        ),
        (
            lambda: plain.with_quadrature(effort, by_finite_differences=True),
            "an integrand by differences alone (they are those of its vjp) give it a vjp or jvp besides?",
        ),
        (
            lambda: revode.solve(plain.with_quadrature(effort, [0, 0]), adjoint="recursive_checkpoint"),
            "a gradient of callbacks without vjp and jvp (their derivatives are not known) give one of them, "
            "or by_finite_differences?",
        ),
        (
            lambda: revode.solve(plain.with_quadrature(effort)),
            "an integrand of 2 numbers (it has 1) return as many?",
        ),
        (
            lambda: revode.solve(plain.with_quadrature(lambda t, y, p: None)),
            "an integrand that is None (its function returned nothing) return its numbers?",
        ),
    ):
        assert told(call) == text
