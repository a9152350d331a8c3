# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import revode
import revode.nn

WIDTHS = [2, 7, 5, 2]


def weights(net, seed=3):
    p = net.initial(seed)
    return p + 0.1 * np.random.default_rng(seed).standard_normal(p.size)  # biases, too


def batch(samples=4, states=2):
    return np.random.default_rng(5).standard_normal((samples, states))


def by_numpy(net, rows, time=False):
    """The field and its vjp, written again with NumPy."""

    def layers(p):
        arrays = list(net.named(p).values())
        return list(zip(arrays[::2], arrays[1::2]))

    def forward(t, y, p):
        x = y.reshape(rows, -1)
        xs = [np.column_stack([x, np.full(rows, t)]) if time else x]
        for k, (w, b) in enumerate(layers(p)):
            a = xs[-1] @ w.T + b
            xs.append(np.tanh(a) if k + 1 < len(layers(p)) else a)
        return xs

    def f(t, y, p):
        return forward(t, y, p)[-1].ravel()

    def vjp(t, y, p, g):
        xs, g, found = forward(t, y, p), g.reshape(rows, -1), []
        for k, (w, _) in reversed(list(enumerate(layers(p)))):
            if k + 1 < len(layers(p)):
                g = g * (1 - xs[k + 1] ** 2)
            found = [(g.T @ xs[k]).ravel(), g.sum(0), *found]
            g = g @ w
        of_t = g[:, -1].sum() if time else 0.0
        return of_t, (g[:, :-1] if time else g).ravel(), np.concatenate(found)

    return f, vjp


@pytest.mark.parametrize("time", [False, True])
def test_a_network_is_the_field_that_numpy_makes_of_its_weights(time):
    net = revode.nn.Mlp([2 + time, *WIDTHS[1:]], time=time)
    p, y0 = weights(net), batch()
    q = net.problem(y0, 0.0, 1.0, p)
    f, vjp = by_numpy(net, len(y0), time)
    assert np.allclose(q(0.3, y0), f(0.3, y0, p), rtol=1e-14, atol=1e-15)
    w = np.arange(1.0, 1 + y0.size)
    other = revode.Problem(f, y0.ravel(), 0.0, 1.0, p, vjp=vjp)
    solves = [revode.solve(x, fixed_step=0.1, adjoint="recursive_checkpoint", slots=3) for x in (q, other)]
    ours, theirs = (s.pullback(w) for s in solves)
    assert np.allclose(solves[0].y, solves[1].y, rtol=1e-13, atol=1e-14)
    assert np.allclose(ours.p, theirs.p, rtol=1e-11, atol=1e-13)
    assert np.allclose(ours.y0, theirs.y0, rtol=1e-11, atol=1e-13)
    all_tapes = revode.solve(q, fixed_step=0.1, adjoint="recursive_checkpoint").pullback(w)
    assert np.array_equal(all_tapes.p, ours.p)


def test_weights_by_name():
    net = revode.nn.Mlp(WIDTHS)
    p = weights(net)
    named = net.named(p)
    assert list(named) == [f"layers.{k}.{what}" for k in range(3) for what in ("weight", "bias")]
    assert named["layers.1.weight"].shape == (5, 7) and np.shares_memory(named["layers.1.weight"], p)
    of_torch = {name.replace(f"layers.{k}", f"{2 * k}"): named[name] for k in range(3) for name in named if f".{k}." in name}
    of_flax = {
        "params": {
            f"Dense_{k}": {"bias": named[f"layers.{k}.bias"], "kernel": named[f"layers.{k}.weight"].T}
            for k in (2, 0, 1)
        }
    }
    in_a_list = [{"weight": named[f"layers.{k}.weight"], "bias": named[f"layers.{k}.bias"]} for k in range(3)]
    for tree in (named, of_torch, of_flax, in_a_list, p):
        assert np.array_equal(net.flat(tree), p)


def test_what_is_no_such_network_is_told():
    net = revode.nn.Mlp(WIDTHS)
    named = net.named(weights(net))
    with pytest.raises(ValueError, match=r"layers.1 of shape \(7, 5\) \(layers.1.weight has \(5, 7\)\)"):
        net.flat(named | {"layers.1.weight": named["layers.1.weight"].T})
    with pytest.raises(ValueError, match=r"layers.1 with weight \(a dense layer has weight or kernel, and bias\)"):
        net.flat({name: x for name, x in named.items() if name != "layers.1.bias"})
    with pytest.raises(ValueError, match=r"2 layers \(the network has 3\)"):
        net.flat({name: x for name, x in named.items() if ".2." not in name})
    with pytest.raises(ValueError, match="their names differ by more than a number"):
        net.flat({"first": named, "last": named})
    with pytest.raises(ValueError, match=r"activation 'tanhh' \(there are identity, tanh, "):
        revode.nn.Mlp(WIDTHS, "tanhh")
    with pytest.raises(ValueError, match=r"3 inputs \(the field has 2 states\)"):
        revode.nn.Mlp([3, 4, 2])
    with pytest.raises(ValueError, match=r"a start of 5 numbers \(a sample has 2"):
        net.problem(np.ones(5), 0, 1, net.initial(1))
    with pytest.raises(ValueError, match=r"samples of 4 numbers \(the field has 2 states\) give a batch with a sample a row"):
        net.problem(np.ones((2, 4)), 0, 1, net.initial(1))
    with pytest.raises(ValueError, match=r"9 weights \(the network has 73\)"):
        net.problem(np.ones(4), 0, 1, np.ones(9))


def test_modules_of_equinox_and_flax():
    eqx, jax = pytest.importorskip("equinox"), pytest.importorskip("jax")
    net = revode.nn.Mlp([2, 8, 8, 2], "softplus")
    y0 = batch(3)
    with jax.enable_x64(True):
        module = eqx.nn.MLP(2, 2, 8, 2, jax.nn.softplus, key=jax.random.key(0))
        q = net.problem(y0, 0, 1, net.flat(module))
        assert np.allclose(q(0.0, y0).reshape(3, 2), jax.vmap(module)(y0), rtol=1e-13)


def test_implicit_methods_and_ensembles_of_networks():
    net = revode.nn.Mlp(WIDTHS)
    p, y0 = weights(net), batch()
    q = net.problem(y0, 0, 1, p)
    exact = revode.solve(q, "vern9", rtol=1e-12, atol=1e-12).y
    assert np.allclose(revode.solve(q, "radau_iia5", rtol=1e-9, atol=1e-10).y, exact, rtol=1e-7)
    rows = np.stack([p * f for f in np.linspace(0.8, 1.2, 9)])
    for row, s in zip(rows, revode.solve_each(q, p=rows, threads=3)):
        assert np.array_equal(revode.solve(q.replace(p=row)).y, s.y)
