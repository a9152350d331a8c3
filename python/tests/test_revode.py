# SPDX-License-Identifier: Apache-2.0
"""What Python gets: the bits of C++, gradients, events, errors in words."""

import ctypes
import json
import os
import subprocess

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


def problem(**more):
    return revode.Problem(predators, [1.0, 1.5], 0, 3, RATES, **more)


def test_the_registries_have_names():
    assert "tsit5" in revode.methods() and "radau_iia5" in revode.methods()
    assert "gauss" in revode.adjoints()
    assert "binomial" in revode.schedules()
    assert "lorenz" in revode.problems()


def test_a_function_of_pythons_is_the_field_it_is():
    named = revode.Problem.named("lotka_volterra")
    of_python = revode.Problem(predators, named.y0, named.t0, named.t1, named.p)
    one = revode.solve(named, "dop853", rtol=1e-9)
    two = revode.solve(of_python, "dop853", rtol=1e-9)
    assert one.status == two.status == "success"
    assert np.allclose(one.y, two.y, rtol=1e-12)
    assert one.statistics["accepted"] == two.statistics["accepted"]


@pytest.mark.skipif("REVODE_COMMAND" not in os.environ, reason="REVODE_COMMAND is not set")
def test_python_has_the_bits_of_the_command():
    told = subprocess.run(
        [os.environ["REVODE_COMMAND"], "solve", "lorenz", "--json"], capture_output=True, check=True
    )
    command = json.loads(told.stdout)
    s = revode.solve("lorenz")
    assert list(s.y) == command["y"]
    assert s.statistics["field_evaluations"] == command["stats"]["field_evaluations"]


def test_save_points_and_dense_output():
    ts = np.linspace(0.5, 2.5, 5)
    s = revode.solve(problem(), ts=ts)
    assert s.ys.shape == (5, 2) and np.array_equal(s.ts, ts)
    dense = revode.solve(problem(), dense=True)
    assert np.array_equal(dense(ts), s.ys)
    assert np.array_equal(dense(0.5), s.ys[0])
    step = 1e-5
    slope = (dense(1.0 + step) - dense(1.0 - step)) / (2 * step)
    assert np.allclose(dense.derivative(1.0), slope, rtol=1e-6)


def test_gradients_do_not_depend_on_memory_and_are_right():
    weights = np.array([1.0, -2.0])
    all_of_it = revode.solve(problem(vjp=predators_vjp), adjoint="recursive_checkpoint").pullback(weights)
    for more in ({"slots": 2}, {"slots": 9, "schedule": "online"}, {"budget": 8000}):
        g = revode.solve(
            problem(vjp=predators_vjp), adjoint="recursive_checkpoint", **more
        ).pullback(weights)
        assert g.status == "success"
        assert np.array_equal(g.p, all_of_it.p) and np.array_equal(g.y0, all_of_it.y0)
    for adjoint in ("backsolve", "interpolating", "gauss"):
        g = revode.solve(problem(vjp=predators_vjp), rtol=1e-9, atol=1e-12, adjoint=adjoint).pullback(weights)
        assert np.allclose(g.p, all_of_it.p, rtol=1e-4)

    def loss(p):
        q = revode.Problem(predators, [1.0, 1.5], 0, 3, p)
        return weights @ revode.solve(q, rtol=1e-11, atol=1e-13).y

    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-5
        assert np.isclose(
            all_of_it.p[j], (loss(RATES + step) - loss(RATES - step)) / 2e-5, rtol=1e-3, atol=1e-4
        )


def test_losses_of_save_points():
    ts = [1.0, 2.0]
    bars = np.array([[1.0, 0.0], [0.0, 1.0]])
    s = revode.solve(problem(vjp=predators_vjp), ts=ts, adjoint="recursive_checkpoint", slots=4)
    both = s.pullback(ys=bars)
    one = s.pullback(ys=bars * [[1], [0]])
    other = s.pullback(ys=bars * [[0], [1]])
    assert np.allclose(both.p, one.p + other.p, rtol=1e-12)


def test_stiff_methods_by_any_derivative():
    want = revode.solve(problem(), "vern9", rtol=1e-12, atol=1e-12).y
    jacobian = lambda t, y, p: [[p[0] - p[1] * y[1], -p[1] * y[0]], [p[3] * y[1], p[3] * y[0] - p[2]]]
    for more in ({"jacobian": jacobian}, {"vjp": predators_vjp}, {"by_finite_differences": True}):
        s = revode.solve(problem(**more), "radau_iia5", rtol=1e-8, atol=1e-10)
        assert np.allclose(s.y, want, rtol=1e-6)
    with pytest.raises(ValueError, match="on callbacks without a Jacobian"):
        revode.solve(problem(), "radau_iia5")


def test_differences_in_small_units():
    def gradient(unit, **more):
        f = lambda t, y, p: -p[0] * y / (p[1] + y)
        q = revode.Problem(f, [2 * unit], 0, 2, [unit, unit], by_finite_differences=True, **more)
        s = revode.solve(q, "radau_iia5", rtol=1e-8, atol=1e-8 * unit, adjoint="recursive_checkpoint", slots=4)
        return s.pullback([1.0])

    one, small = gradient(1.0), gradient(2.0**-30, typical_size=2.0**-30)
    assert np.allclose(small.y0, one.y0, rtol=1e-9) and np.allclose(small.p, one.p, rtol=1e-9)
    for name in ("typical_size", "typical_time"):
        for size in (0.0, -1.0, float("nan")):
            with pytest.raises(ValueError, match=name + " = .* give a positive one"):
                problem(by_finite_differences=True, **{name: size})


def test_mass_matrices():
    # x' = y - k x, 0 = x + y - c: x' = c - (1 + k) x
    more = {
        "p": [0.5, 2.0],
        "vjp": lambda t, y, p, w: (
            0.0,
            [w[1] - p[0] * w[0], w[0] + w[1]],
            [-y[0] * w[0], -w[1]],
        ),
    }
    f = lambda t, y, p: [y[1] - p[0] * y[0], y[0] + y[1] - p[1]]
    rest = 2 / 1.5
    want = rest + (1 - rest) * np.exp(-1.5)

    class Sparse:  # as scipy.sparse has it
        def toarray(self):
            return np.diag([1.0, 0.0])

    for mass in ([[1, 0], [0, 0]], np.diag([1.0, 0.0]), Sparse()):
        q = revode.Problem(f, [1.0, 0.0], 0, 1, mass=mass, **more)
        assert q.has_mass
        s = revode.solve(q, "radau_iia5", rtol=1e-10, atol=1e-12, adjoint="recursive_checkpoint")
        assert np.allclose(s.y, [want, 2 - want], rtol=1e-8)
        assert np.isclose(s.pullback([1.0, 0.0]).p[1], (1 - np.exp(-1.5)) / 1.5, rtol=1e-7)
    assert not problem().has_mass
    named = revode.Problem.named("transamp")
    assert named.has_mass
    with pytest.raises(ValueError, match="tsit5 for a problem with a mass matrix"):
        revode.solve(named)
    with pytest.raises(ValueError, match="a mass matrix that is not square"):
        revode.Problem(f, [1.0, 0.0], 0, 1, mass=[1.0, 0.0], **more)
    with pytest.raises(ValueError, match="a mass matrix of 9 numbers for 2 states"):
        revode.solve(revode.Problem(f, [1.0, 0.0], 0, 1, mass=np.eye(3), **more), "rodas5p")


def test_index():
    # x' = z, 0 = x - p t: x = p t, z = p
    given = {
        "p": [3.0],
        "vjp": lambda t, y, p, w: (-p[0] * w[1], [w[1], w[0]], [-t * w[1]]),
        "mass": np.diag([1.0, 0.0]),
    }
    f = lambda t, y, p: [y[1], y[0] - p[0] * t]
    for index in ([1, 2], np.array([1, 2])):
        q = revode.Problem(f, [0.0, 0.0], 0, 1, index=index, **given)
        s = revode.solve(q, "radau", rtol=1e-8, atol=1e-8, adjoint="recursive_checkpoint")
        assert np.allclose(s.y, [3.0, 3.0], rtol=1e-12)
        assert np.isclose(s.pullback([1.0, 0.0]).p[0], 1.0, rtol=1e-12)
    with pytest.raises(ValueError, match="weigh all elements alike"):
        revode.solve(q, "rodas5p")
    with pytest.raises(ValueError, match="index of 2 numbers without a mass matrix"):
        revode.Problem(f, [0.0, 0.0], 0, 1, index=[1, 2])


def test_events():
    fall = lambda t, y, p: [y[1], -p[0]]
    impact = revode.Event(
        lambda t, y, p: y[0],
        lambda t, y, p: [y[0], -p[1] * y[1]],
        name="impact",
        direction="falling",
        condition_gradient=lambda t, y, p: (0.0, [1.0, 0.0], [0.0, 0.0]),
        jump_vjp=lambda t, y, p, w: (0.0, [w[0], -p[1] * w[1]], [0.0, -y[1] * w[1]]),
    )
    q = revode.Problem(
        fall,
        [1.0, 0.0],
        0,
        3,
        [9.81, 0.9],
        vjp=lambda t, y, p, w: (0.0, [0.0, w[0]], [-w[1], 0.0]),
        events=[impact],
    )
    s = revode.solve(q, rtol=1e-9, adjoint="recursive_checkpoint")
    assert len(s.events) == 4
    assert np.isclose(s.events[0][0], np.sqrt(2 / 9.81), rtol=1e-9)
    assert np.isclose(s.pullback([1.0, 0.0]).p[1], 6.770978, rtol=1e-6)  # examples/51_from_c.c


def test_ensembles_are_their_solves():
    rows = RATES * np.linspace(0.9, 1.1, 20)[:, None]
    named = revode.Problem.named("lotka_volterra")
    each = revode.solve_each(named, p=rows, rtol=1e-8)
    for row, s in zip(rows, each):
        named.p = row
        assert np.array_equal(revode.solve(named, rtol=1e-8).y, s.y)
    with pytest.raises(ValueError, match="20 rows of y0 and 19 of p"):
        revode.solve_each(named, y0=np.ones((20, 2)), p=rows[1:])


def test_compiled_fields():
    signature = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 3, ctypes.c_void_p
    )

    @signature
    def field(t, y, p, dy, user):
        dy[0] = p[0] * y[0] - p[1] * y[0] * y[1]
        dy[1] = p[3] * y[0] * y[1] - p[2] * y[1]
        return 0

    q = revode.Problem(field, [1.0, 1.5], 0, 3, RATES)
    assert np.array_equal(revode.solve(q).y, revode.solve(problem()).y)


def test_numba_fields():
    numba = pytest.importorskip("numba")
    number = numba.types.CPointer(numba.types.float64)

    @numba.cfunc(numba.types.int32(numba.types.float64, number, number, number, numba.types.voidptr))
    def field(t, y, p, dy, user):
        dy[0] = p[0] * y[0] - p[1] * y[0] * y[1]
        dy[1] = p[3] * y[0] * y[1] - p[2] * y[1]
        return 0

    q = revode.Problem(field, [1.0, 1.5], 0, 3, RATES)
    assert np.allclose(revode.solve(q).y, revode.solve(problem()).y, rtol=1e-12)


def test_what_goes_wrong_is_told():
    class Told(Exception):
        pass

    def failing(t, y, p):
        raise Told("enough")

    with pytest.raises(Told, match="enough"):
        revode.solve(revode.Problem(failing, [1.0], 0, 1))
    with pytest.raises(ValueError, match="did you mean 'tsit5'"):
        revode.solve(problem(), "tsit6")
    with pytest.raises(TypeError, match="unknown option 'rtoll'"):
        revode.solve(problem(), rtoll=1e-3)
    with pytest.raises(ValueError, match=r"a field of 1 numbers \(it has 2\)"):
        revode.solve(revode.Problem(lambda t, y, p: [1.0], [1.0, 2.0], 0, 1))
    with pytest.raises(ValueError, match="a field that is None"):
        revode.solve(revode.Problem(lambda t, y, p: None, [1.0], 0, 1))
    with pytest.raises(ValueError, match="without vjp and jvp"):
        revode.solve(problem(), adjoint="recursive_checkpoint")
    s = revode.solve(problem(), max_steps=3)
    assert not s.success and s.status == "max_steps" and "allowed number" in s.message


def test_arrays_that_a_field_keeps_are_its_own():
    kept = []

    def keeping(t, y, p):
        kept.append(y)
        return -y

    s = revode.solve(revode.Problem(keeping, [1.0, 2.0], 0, 1))
    assert list(kept[0]) == [1.0, 2.0] and len({y.ctypes.data for y in kept}) == len(kept)

    def writing(t, y, p):
        rates = -y
        y[:] = 99
        return rates

    assert np.array_equal(revode.solve(revode.Problem(writing, [1.0, 2.0], 0, 1)).y, s.y)


def test_threads_of_pythons_solve_side_by_side():
    from concurrent.futures import ThreadPoolExecutor

    want = revode.solve("lorenz").y
    with ThreadPoolExecutor(4) as pool:
        for s in pool.map(lambda _: revode.solve("lorenz"), range(16)):
            assert np.array_equal(s.y, want)


def test_methods_in_scipy():
    scipy = pytest.importorskip("scipy.integrate")
    fall = lambda t, y: [y[1], -9.81]
    ground = lambda t, y: y[0]
    ground.terminal = True
    ts = np.linspace(0, 0.4, 9)
    for method in ("tsit5", "dop853", "radau_iia5"):
        s = scipy.solve_ivp(
            fall, (0, 1), [1.0, 0.0], revode.scipy_method(method), t_eval=ts, events=ground, dense_output=True
        )
        assert s.status == 1 and np.isclose(s.t_events[0][0], np.sqrt(2 / 9.81), rtol=1e-6)
        assert np.allclose(s.y[0], 1 - 9.81 / 2 * ts**2, atol=1e-6)
        assert np.allclose(s.sol(ts)[1], -9.81 * ts, atol=1e-5)
        assert s.nfev > 0
    oscillator = lambda t, y: [y[1], -y[0]]
    mine = scipy.solve_ivp(oscillator, (10, 0), [1.0, 0.0], revode.scipy_method("vern7"), rtol=1e-9, atol=1e-9)
    assert np.allclose(mine.y[:, -1], [np.cos(10), np.sin(10)], atol=1e-7)
    with pytest.raises(ValueError, match="tolerances by component"):
        scipy.solve_ivp(oscillator, (0, 1), [1.0, 0.0], revode.scipy_method("tsit5"), atol=[1e-6, 1e-3])
    with pytest.raises(ValueError, match="unknown method 'tsit6'"):
        revode.scipy_method("tsit6")


def test_tolerances_of_each_component():
    each = revode.solve("lorenz", rtol=[1e-6, 1e-6, 1e-6], atol=[1e-9, 1e-9, 1e-9])
    assert np.array_equal(each.y, revode.solve("lorenz", rtol=1e-6, atol=1e-9).y)
    assert revode.solve("lorenz", atol=[1e-9, 1e-9, 1.0]).statistics["accepted"] < each.statistics["accepted"]
    with pytest.raises(ValueError):
        revode.solve("lorenz", rtol=[1e-6])


def test_a_problem_with_another_start():
    q = revode.Problem.named("lorenz")
    other = q.replace(y0=[1, 2, 3], t1=0.5)
    assert other.t1 == 0.5 and other.t0 == q.t0 and np.array_equal(other.p, q.p)
    assert np.array_equal(other.y0, [1, 2, 3]) and not np.array_equal(q.y0, other.y0)
