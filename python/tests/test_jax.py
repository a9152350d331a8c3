# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import revode  # noqa: E402
import revode.jax  # noqa: E402
import revode.nn  # noqa: E402

P = np.array([10.0, 28.0, 8 / 3])


@pytest.fixture(autouse=True, params=[True, False], ids=["compiled_calls", "by_the_interpreter"])
def double_precision(request, monkeypatch):
    if request.param and not revode.jax.compiled_calls:
        pytest.skip("revode was built without the headers of jaxlib")
    monkeypatch.setattr(revode.jax, "compiled_calls", request.param)
    monkeypatch.setattr(revode.jax, "_programs", {})
    with jax.enable_x64(True):
        yield


def end(p, y0=None, **options):
    return revode.jax.solve("lorenz", y0, p, rtol=1e-8, **options)


def exact(p, w, **options):
    q = revode.Problem.named("lorenz").replace(p=p)
    s = revode.solve(q, rtol=1e-8, adjoint="recursive_checkpoint", slots=9, **options)
    return s, (s.pullback(w) if np.ndim(w) == 1 else s.pullback(ys=w))


def test_values_and_gradients_have_the_bits_of_revode_under_jit():
    s, g = exact(P, [1.0, 0.0, 0.0])
    loss = jax.jit(lambda p, y0: end(p, y0, slots=9)[0])
    y0 = jnp.array(revode.Problem.named("lorenz").y0)
    for _ in range(2):
        assert float(loss(P, y0)) == s.y[0]
        of_p, of_y0 = jax.jit(jax.grad(loss, argnums=(0, 1)))(P, y0)
        assert np.array_equal(of_p, g.p) and np.array_equal(of_y0, g.y0)


def test_states_at_times():
    ts, w = [0.5, 1.0], np.arange(6.0).reshape(2, 3)
    s, g = exact(P, w, ts=ts)
    ys, pull = jax.vjp(lambda p: end(p, ts=ts, slots=9), P)
    assert np.array_equal(ys, s.ys) and np.array_equal(pull(jnp.asarray(w))[0], g.p)


def test_vmap_is_an_ensemble_in_the_bits_of_its_members():
    ps = np.stack([P * f for f in (0.9, 1.0, 1.1, 1.2, 1.3)])
    assert np.array_equal(jax.vmap(end)(ps), [end(p) for p in ps])
    loss = lambda p: (end(p, slots=9) ** 2).sum()  # noqa: E731
    one_by_one = np.stack([jax.grad(loss)(p) for p in ps])
    assert np.array_equal(jax.jit(jax.vmap(jax.grad(loss)))(ps), one_by_one)
    nested = jax.vmap(jax.vmap(lambda p, y0: end(p, y0), (None, 0)), (0, None))
    y0s = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    assert np.array_equal(nested(ps, y0s)[3, 1], end(ps[3], y0s[1]))


def test_a_solve_that_fails_is_nan():
    assert np.isnan(end(P, max_steps=3)).all()
    assert np.isnan(jax.grad(lambda p: end(p, max_steps=3)[0])(P)).all()


def test_misuse():
    with pytest.raises(ValueError, match="give ts"):
        end(P, every=2)
    with pytest.raises(ValueError, match=r"y0 of shape \(4,\) \(this solve has \(3,\)\)"):
        end(P, np.ones(4))
    with pytest.raises(ValueError, match=r"p of shape \(9,\) \(this solve has \(42,\)\)"):
        revode.jax.solve(revode.nn.Mlp(WIDTHS), np.ones((2, 2)), np.ones(9), t0=0.0, t1=1.0)
    with pytest.raises(ValueError, match="samples of 4 numbers"):
        revode.jax.solve(revode.nn.Mlp(WIDTHS), np.ones((2, 4)), np.ones(42), t0=0.0, t1=1.0)
    prepared = revode._core.prepare(
        revode.Problem.named("lorenz"), revode._core.Method("tsit5", "dense", -1, -1, [], []), revode._core.Options(), None, None, None, 0
    )
    with pytest.raises(ValueError, match=r"a row of 4 numbers \(this solve has 3\)"):
        prepared.values(np.ones((2, 4)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"3 points and 2 \(or 1 for all\)"):
        prepared.values(np.ones((3, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"1 axes of points and 0"):
        prepared.values(np.ones((2, 3)), np.ones(3))
    with jax.enable_x64(False), pytest.raises(ValueError, match="jax_enable_x64"):
        end(P)


def test_linear_algebras_are_those_of_revode():
    told = {"algebra": "banded", "banded": (1, 1)}
    q = revode.Problem.named("heat_1d:40")
    s = revode.solve(q, "bdf5", adjoint="recursive_checkpoint", slots=9, **told)
    loss = jax.jit(lambda y0: revode.jax.solve(q, y0, method="bdf5", slots=9, **told).sum())
    assert np.array_equal(revode.jax.solve(q, method="bdf5", **told), s.y)
    assert np.array_equal(jax.grad(loss)(jnp.array(q.y0)), s.pullback(np.ones(40)).y0)
    with pytest.raises(ValueError, match="unknown algebra 'bandet'"):
        revode.jax.solve(q, method="bdf5", algebra="bandet")
    net = revode.nn.Mlp([2, 8, 2])
    with pytest.raises(ValueError, match="algebra 'klu' for a network in single precision"):
        revode.jax.solve(net, jnp.zeros((1, 2), jnp.float32), np.zeros(42), t0=0, t1=1, algebra="klu")


def test_functions_of_pythons_are_fields_too_and_what_they_raise_is_told():
    q = revode.Problem(lambda t, y, p: -p * y, [1.0], 0, 1, [2.0], vjp=lambda t, y, p, w: (0.0, -p * w, -y * w))
    s = revode.solve(q, adjoint="recursive_checkpoint")
    loss = jax.jit(lambda p: revode.jax.solve(q, p=p)[0])
    assert float(loss(q.p)) == s.y[0]
    assert np.array_equal(jax.grad(loss)(q.p), s.pullback([1.0]).p)
    for bad in (lambda t, y, p: 1 / 0, lambda t, y, p: [1.0, 2.0]):
        with pytest.raises(Exception, match=r"division by zero|a field of 2 numbers \(it has 1\)"):
            jax.block_until_ready(revode.jax.solve(revode.Problem(bad, [1.0], 0, 1)))


def test_other_times_are_other_solves():
    for t1 in (0.5, 1.0, 0.5):
        want = revode.solve(revode.Problem.named("lorenz").replace(t1=t1), rtol=1e-8).y
        assert np.array_equal(end(P, t1=t1), want)


def test_gradients_do_not_depend_on_what_was_solved_in_between():
    ps = [P * f for f in (0.9, 1.0, 1.1)]
    pulls = [jax.vjp(lambda p: end(p, slots=9), p)[1] for p in ps]
    w = jnp.array([1.0, 0, 0])
    for _ in range(2):
        for p, pull in zip(ps, pulls):
            assert np.array_equal(pull(w)[0], exact(p, [1.0, 0.0, 0.0])[1].p)
    rows = jax.jacrev(lambda p: end(p, slots=9))(P)
    assert np.array_equal(rows[0], pulls[1](w)[0])


WIDTHS = [2, 8, 2]


def network(dtype=np.float64):
    net, random = revode.nn.Mlp(WIDTHS), np.random.default_rng(7)
    return net, net.initial(2).astype(dtype), random.standard_normal((5, 2)).astype(dtype)


@pytest.mark.parametrize("ts", [None, [0.25, 1.0]])
def test_networks_have_the_bits_of_revode(ts):
    net, p, y0 = network()
    more = {} if ts is None else {"ts": ts}
    w = np.random.default_rng(8).standard_normal(y0.shape if ts is None else (2, *y0.shape))
    s = revode.solve(net.problem(y0, 0, 1, p), rtol=1e-7, adjoint="recursive_checkpoint", slots=4, **more)
    g = s.pullback(w) if ts is None else s.pullback(ys=w.reshape(2, -1))

    @jax.jit
    def loss(weights, y0):
        ys = revode.jax.solve(net, y0, weights, t0=0.0, t1=1.0, rtol=1e-7, slots=4, **more)
        return (ys * w).sum(), ys

    of_p, of_y0 = jax.grad(lambda *x: loss(*x)[0], argnums=(0, 1))(net.named(jnp.asarray(p)), y0)
    assert np.array_equal(net.flat(of_p), g.p) and np.array_equal(of_y0, g.y0.reshape(y0.shape))
    assert np.array_equal(loss(p, y0)[1].reshape(-1), (s.y if ts is None else s.ys).reshape(-1))


def test_vmap_over_the_weights_of_a_network():
    net, p, y0 = network()
    ps = np.stack([p * f for f in (0.5, 1.0, 1.5)])
    solve = lambda p: revode.jax.solve(net, y0, p, t0=0.0, t1=1.0)  # noqa: E731
    pull = lambda p: jax.vjp(solve, p)[1](jnp.ones(y0.shape))[0]  # noqa: E731
    assert np.array_equal(jax.jit(jax.vmap(solve))(ps), [solve(row) for row in ps])
    assert np.array_equal(jax.jit(jax.vmap(pull))(ps), [pull(row) for row in ps])


def test_networks_in_single_precision():
    net, p, y0 = network(np.float32)
    loss = lambda p, y0: (revode.jax.solve(net, y0, p, t0=0.0, t1=1.0, fixed_step=0.1) ** 2).sum()  # noqa: E731
    want = jax.value_and_grad(loss, (0, 1))(p.astype(float), y0.astype(float))
    with jax.enable_x64(False):
        got = jax.jit(jax.value_and_grad(loss, (0, 1)))(p, y0)
        with pytest.raises(ValueError, match="method 'vern7' for a network in single precision"):
            revode.jax.solve(net, y0, p, "vern7", t0=0.0, t1=1.0)
    assert got[1][0].dtype == np.float32
    for mine, others in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        assert np.allclose(mine, others, rtol=1e-5, atol=1e-5)


def test_a_training_learns():
    net, p, y0 = network()
    turned = y0 @ np.array([[0.0, 1.0], [-1.0, 0.0]])

    @jax.jit
    def step(p, mean):
        loss, g = jax.value_and_grad(
            lambda p: ((revode.jax.solve(net, y0, p, t0=0.0, t1=1.0, rtol=1e-5) - turned) ** 2).mean()
        )(p)
        mean = 0.9 * mean + g
        return loss, p - 0.02 * mean, mean

    losses, mean = [], jnp.zeros_like(p)
    for _ in range(150):
        loss, p, mean = step(p, mean)
        losses.append(float(loss))
    assert losses[-1] < 0.02 * losses[0]


def test_equinox_modules_are_weights():
    eqx = pytest.importorskip("equinox")
    net = revode.nn.Mlp(WIDTHS)
    module = eqx.nn.MLP(2, 2, 8, 1, jnp.tanh, key=jax.random.key(1))
    y0 = network()[2]
    loss = lambda m: revode.jax.solve(net, y0, m, t0=0.0, t1=1.0).sum()  # noqa: E731
    g = eqx.filter_jit(eqx.filter_grad(loss))(module)
    assert np.array_equal(net.flat(g), jax.grad(loss)(net.flat(module)))
    with pytest.raises(ValueError, match="a network without y0, p, t0 or t1"):
        revode.jax.solve(net, y0, module)


def test_integrals_stand_behind_the_state():
    g = {"vjp": lambda t, y, p, w: (0.0, w[0] * np.array([2 * y[0], 0.0, 0.0]), 0 * p)}
    q = revode.Problem.named("lorenz").with_quadrature(lambda t, y, p: y[0] ** 2, **g).replace(t1=1.0)
    s = revode.solve(q, ts=[0.5, 1.0], adjoint="recursive_checkpoint", slots=9)
    ys, pull = jax.vjp(lambda p, y0: revode.jax.solve(q, y0, p, ts=[0.5, 1.0], slots=9), P, q.y0)
    assert np.array_equal(ys[:, :3], s.ys) and np.array_equal(ys[:, 3:], s.qs)
    w = np.arange(8.0).reshape(2, 4)
    of, want = pull(jnp.asarray(w)), s.pullback(ys=w[:, :3], qs=w[:, 3:])
    assert np.array_equal(of[0], want.p) and np.array_equal(of[1], want.y0)
    cost = lambda p: revode.jax.solve(q, p=p, slots=9)[3]  # noqa: E731
    alone = revode.solve(q, adjoint="recursive_checkpoint", slots=9)
    assert np.array_equal(jax.jit(jax.grad(cost))(P), alone.pullback(q=1).p)
    assert float(cost(P)) == alone.q[0]
