#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of memory_case.cpp in JAX, equinox and diffrax: one gradient, measured in this process.

usage: peers.py CASE SETTING LENGTH [SIZE] [--tableau JSON]

Settings: scan (jax.lax.scan), checkpoint (its body in jax.checkpoint), inner (jax.checkpoint around the
product alone, sums), equinox:N and diffrax:N (recursive checkpointing with N checkpoints), stopped
(adapters: stop_gradient of the weight, gradient of everything), apart (adapters: the weight is no
argument of the gradient). dropout is an epoch of training, its weights donated. Compiling is timed apart and its memory is in the baseline: what is reported is
what the run takes beyond it. float64 where memory_case has doubles, float32 where it has floats.
"""
import argparse
import gc
import json
import math
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from resident import forget_peak, resident, trim  # noqa: E402

jax.config.update("jax_enable_x64", True)


def hashed(rows, cols, scale=1.0):
    """memory_case's numbers, the same bits."""
    h = np.arange(rows * cols, dtype=np.uint32) * np.uint32(2654435761)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(2246822519)
    h ^= h >> np.uint32(13)
    unit = (h >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
    return jnp.asarray(np.float32(scale) * unit).reshape(rows, cols)


def loop(body, setting, carry, xs, length):
    """scan(body) by the means that the setting names."""
    if setting == "scan":
        return jax.lax.scan(body, carry, xs, length=length)
    if setting == "checkpoint":
        return jax.lax.scan(jax.checkpoint(body), carry, xs, length=length)
    if setting.startswith("equinox:"):
        import equinox.internal as eqxi

        return eqxi.scan(body, carry, xs, length=length, kind="checkpointed",
                         checkpoints=int(setting.split(":")[1]))
    sys.exit(f"unknown setting {setting}")


def lorenz_field(y, p):
    return jnp.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]])


def lorenz(setting, n, _, tableau):
    h = 10.0 / n
    p, y0 = jnp.array([10.0, 28.0, 8 / 3]), jnp.array([1.0, 0.0, 0.0])
    if setting.startswith("diffrax:"):
        return lorenz_by_diffrax(n, int(setting.split(":")[1])), (p, y0)
    a = tableau["a"]

    def final(p, y0):
        def step(carry, _):
            y, first = carry
            k = [first]
            for row in a[1:]:
                y_new = y + h * sum(c * s for c, s in zip(row, k))
                k.append(lorenz_field(y_new, p))
            return (y_new, k[-1]), None

        (y, _), _ = loop(step, setting, (y0, lorenz_field(y0, p)), None, n)
        return y[0]

    return final, (p, y0)


def lorenz_by_diffrax(n, checkpoints):
    import diffrax

    def final(p, y0):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, p: lorenz_field(y, p)), diffrax.Tsit5(), 0.0, 10.0, 10.0 / n, y0, p,
            stepsize_controller=diffrax.ConstantStepSize(), max_steps=n + 1,
            adjoint=diffrax.RecursiveCheckpointAdjoint(checkpoints=checkpoints))
        return solution.ys[0, 0]

    return final


def series(setting, n, *_):
    xs = 0.5 * jnp.sin(0.01 * jnp.arange(n))

    def final(p, xs):
        def body(c, x):
            c = jnp.tanh(p * c + x)
            return c, c

        return jnp.sum(loop(body, setting, jnp.zeros(()), xs, n)[1])

    return final, (jnp.array(0.8), xs)


def sums(setting, n, size, _):
    z, ys = jnp.ones((size, size), jnp.float32), jnp.ones(n, jnp.float32)

    def mean(x, ys, z):
        def term(y):
            return x * (y + z)

        inner = jax.checkpoint(term) if setting == "inner" else term

        def body(carry, y):
            return carry + inner(y), None

        how = "scan" if setting == "inner" else setting
        return jnp.mean(loop(body, how, jnp.zeros_like(z), ys, n)[0])

    return mean, (jnp.float32(1), ys, z)


def products(setting, n, size, _):
    x = hashed(size, size, np.float32(1.7) / np.sqrt(np.float32(size)))

    def total(x, z):
        return jnp.sum(loop(lambda z, _: (x @ z, None), setting, z, None, n)[0])

    return total, (x, hashed(size, size))


def recurrent(setting, n, size, _):
    p = hashed(size + 1, size, np.float32(1) / np.sqrt(np.float32(size)))

    def total(p, h):
        def body(h, _):
            return jnp.tanh(h @ p[0] + p[1]), None

        return jnp.sum(loop(body, setting, h, None, n)[0])

    return total, ((p[:-1], p[-1]), hashed(16, size))


def adapters(setting, n, size, _):
    hidden = min(1024, size)
    rank, h = max(1, hidden // 16), np.float32(1) / np.float32(n)
    weight = hashed(hidden, size, np.float32(1) / np.sqrt(np.float32(size)))
    pair = hashed(rank, size, 0.01), hashed(hidden, rank, 0.01)

    def mean(p, weight):
        a, b = p

        def field(y):
            return jnp.tanh(weight @ y + b @ (a @ y)) @ weight - y

        def step(y, _):
            k1 = field(y)
            k2 = field(y + h / 2 * k1)
            k3 = field(y + h / 2 * k2)
            k4 = field(y + h * k3)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jnp.mean(loop(step, "checkpoint", jnp.ones(size, jnp.float32), None, n)[0])

    if setting == "apart":
        return mean, (pair, weight)
    return (lambda model: mean(model[0], jax.lax.stop_gradient(model[1]))), ((pair, weight),)


def random_words(key, step, blocks):
    """revode's Philox4x32-10 of (seed, lane) = key and counter (block, step), four words a block."""
    def product(a, b):
        wide = jnp.uint64(a) * b.astype(jnp.uint64)
        return (wide >> 32).astype(jnp.uint32), wide.astype(jnp.uint32)

    zero = jnp.zeros(blocks, jnp.uint32)
    c = [jnp.arange(blocks, dtype=jnp.uint32), zero, zero + step.astype(jnp.uint32), zero]
    for i in range(10):
        k = [key[0] + jnp.uint32(i * 0x9E3779B9 % 2**32), key[1] + jnp.uint32(i * 0xBB67AE85 % 2**32)]
        (high_0, low_0), (high_1, low_1) = product(0xD2511F53, c[0]), product(0xCD9E8D57, c[2])
        c = [high_1 ^ c[1] ^ k[0], low_1, high_0 ^ c[3] ^ k[1], low_0]
    return jnp.stack(c, axis=1).ravel()


def dropout(setting, n, size, _):
    """An epoch of training, not a gradient: (weights, epoch) to new weights and the loss before."""
    def random(rows, cols, scale):
        return hashed(rows, cols).astype(jnp.float64) * scale

    weights = (random(size, size, 0.5 / math.sqrt(size)), random(size, 1, 1.0)[:, 0], jnp.zeros(size),
               random(size, 1, 1 / size)[:, 0])
    k = jnp.arange(n + 1)
    wave = jnp.sin(0.3 * k) * jnp.cos(0.11 * k)

    def loss(p, epoch, wave):
        w, v, b, c = p

        def cell(carry, x):
            h, step = carry
            kept = random_words((jnp.uint32(1), epoch), step, -(-size // 4))[:size] >= int(0.1 * 2**32)
            h = jnp.tanh(w @ jnp.where(kept, h / 0.9, 0.0) + x * v + b)
            return (h, step + 1), c @ h

        outs = loop(cell, setting, (jnp.zeros(size), jnp.int64(0)), wave[:-1], n)[1]
        return jnp.mean((outs - wave[1:])**2)

    def train(p, epoch, wave):
        value, bars = jax.value_and_grad(loss)(p, epoch, wave)
        return jax.tree.map(lambda x, x_bar: x - 0.05 * x_bar, p, bars), value

    return train, (weights, jnp.uint32(0), wave)


def differentiated(case):
    """Which arguments the gradient is of: those that memory_case differentiates."""
    return 0 if case == "adapters" else (0, 1)


def size_of(gradient):
    """A number of the gradient, for comparison."""
    leaves = jax.tree.leaves(gradient)
    return float(jnp.sqrt(sum(jnp.sum(leaf * leaf) for leaf in leaves)))


def first_number(case, gradient):
    if case == "adapters":
        return size_of(gradient)
    first = gradient[0] if isinstance(gradient, tuple) else gradient
    return float({"lorenz": lambda: first[1], "products": lambda: first[0, 0],
                  "recurrent": lambda: first[0][0, 0]}.get(case, lambda: first)())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("setting")
    parser.add_argument("length", type=int)
    parser.add_argument("size", type=int, nargs="?", default=300)
    parser.add_argument("--tableau", type=json.loads, default={})
    o = parser.parse_args()

    function, arguments = globals()[o.case](o.setting, o.length, o.size, o.tableau)
    training = o.case == "dropout"
    if training:
        program = jax.jit(function, donate_argnums=0)
    else:
        program = jax.jit(jax.value_and_grad(function, argnums=differentiated(o.case)))
    started = time.process_time()
    compiled = program.lower(*arguments).compile()
    compiling = time.process_time() - started
    planned = compiled.memory_analysis()
    jax.block_until_ready(arguments)

    def run():
        nonlocal arguments
        result = jax.block_until_ready(compiled(*arguments))
        if not training:
            return result
        arguments = (result[0], arguments[1] + jnp.uint32(1), arguments[2])
        return result[1]

    def run_with_memory():
        nonlocal rss
        gc.collect()
        trim()
        forget_peak()
        before = resident("VmRSS")
        result = timed()
        rss = max(0, resident("VmHWM") - before)
        return result

    def timed():
        started = time.process_time()
        result = run()
        times.append(time.process_time() - started)
        return result

    times, rss = [], 0
    result = run_with_memory()
    value = None if training else first_number(o.case, result[1])
    del result
    if times[0] < 5 or training:
        times, begun = [], time.process_time()
        result = run_with_memory()
        value = float(result) if training else value
        del result
        while len(times) < 21 and time.process_time() - begun < 0.5:
            timed()
    planned_bytes = None
    if planned is not None:
        planned_bytes = planned.temp_size_in_bytes + planned.output_size_in_bytes - planned.alias_size_in_bytes
    print(json.dumps({
        "case": o.case, "setting": o.setting, "length": o.length, "size": o.size, "allocated": planned_bytes,
        "rss": rss, "seconds": sorted(times)[len(times) // 2], "compile_seconds": compiling,
        "value": value if math.isfinite(value) else None}))


if __name__ == "__main__":
    main()
