#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of memory_case.cpp in Autograd and in Keras on JAX, measured in this process.

usage: other_peers.py CASE SETTING LENGTH [SIZE]

products, recurrent (R5) by Autograd, setting grad: the loops of that thread in float32, numpy's arrays.
dropout (R6) by Keras' JAX trainer, setting fit: SimpleRNN with recurrent dropout and a Dense unit, an epoch
of training over one wave, in float32 (Keras 3.15's recurrent dropout does not compile in float64); its mask
and its first weights are Keras' own, so only sizes and times compare.
allocated: what tracemalloc counts, which numpy tells (Autograd); unknown (Keras). rss and seconds as in
peers.py. copies: bytes of arrays that JAX holds between two epochs, over those of the weights.
"""
import argparse
import gc
import json
import os
import time
import tracemalloc

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("KERAS_BACKEND", "jax")

import numpy as np  # noqa: E402

from resident import forget_peak, resident, trim  # noqa: E402


def hashed(rows, cols, scale=1.0):
    """memory_case's numbers, the same bits."""
    h = np.arange(rows * cols, dtype=np.uint32) * np.uint32(2654435761)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(2246822519)
    h ^= h >> np.uint32(13)
    unit = (h >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
    return (np.float32(scale) * unit).reshape(rows, cols)


def products(n, size):
    import autograd.numpy as anp
    from autograd import grad

    def total(x, z):
        for _ in range(n):
            z = anp.dot(x, z)
        return anp.sum(z)

    x, z = hashed(size, size, np.float32(1.7) / np.sqrt(np.float32(size))), hashed(size, size)
    gradient = grad(total)
    return lambda: gradient(x, z)[0, 0]


def recurrent(n, size):
    import autograd.numpy as anp
    from autograd import grad

    def total(p, h):
        for _ in range(n):
            h = anp.tanh(anp.dot(h, p[0]) + p[1])
        return anp.sum(h)

    p, h = hashed(size + 1, size, np.float32(1) / np.sqrt(np.float32(size))), hashed(16, size)
    gradient = grad(total)
    return lambda: gradient((p[:-1], p[-1]), h)[0][0, 0]


def dropout(n, size):
    import jax
    import keras

    keras.utils.set_random_seed(1)
    k = np.arange(n + 1)
    wave = (np.sin(0.3 * k) * np.cos(0.11 * k)).astype(np.float32)
    model = keras.Sequential([
        keras.layers.Input((n, 1)),
        keras.layers.SimpleRNN(size, recurrent_dropout=0.1, return_sequences=True),
        keras.layers.Dense(1, use_bias=False)])
    model.compile(optimizer=keras.optimizers.SGD(0.05), loss="mse")
    x, y = wave[None, :-1, None], wave[None, 1:, None]

    def epoch():
        return model.fit(x, y, batch_size=1, epochs=1, verbose=0).history["loss"][0]

    def copies():
        gc.collect()
        weights = sum(np.asarray(w).nbytes for w in model.trainable_variables)
        return sum(a.nbytes for a in jax.live_arrays()) / weights

    epoch.copies = copies
    return epoch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=("products", "recurrent", "dropout"))
    parser.add_argument("setting", choices=("grad", "fit"))
    parser.add_argument("length", type=int)
    parser.add_argument("size", type=int, nargs="?", default=300)
    o = parser.parse_args()
    run = globals()[o.case](o.length, o.size)
    run()  # compiles, and touches the program's own pages

    gc.collect()
    trim()
    forget_peak()
    before = resident("VmRSS")
    value = run()
    rss = max(0, resident("VmHWM") - before)

    times, begun = [], time.process_time()
    while not times or (len(times) < 21 and time.process_time() - begun < 0.5):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)

    allocated = None
    if o.case != "dropout":
        tracemalloc.start()
        held = tracemalloc.get_traced_memory()[0]
        run()
        allocated = tracemalloc.get_traced_memory()[1] - held
    row = {"case": o.case, "setting": o.setting, "length": o.length, "size": o.size, "allocated": allocated,
           "rss": rss, "seconds": sorted(times)[len(times) // 2], "value": float(value)}
    if hasattr(run, "copies"):
        row["copies"] = run.copies()
    else:
        row["type"] = str(value.dtype)
    print(json.dumps(row))


if __name__ == "__main__":
    main()
