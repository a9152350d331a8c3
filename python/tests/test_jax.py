# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import revode  # noqa: E402
import revode.jax  # noqa: E402

P = np.array([10.0, 28.0, 8 / 3])


@pytest.fixture(autouse=True)
def double_precision():
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
    with jax.enable_x64(False), pytest.raises(ValueError, match="jax_enable_x64"):
        end(P)
