#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Python library on the problems of revode-bench-peers or, stiff ones, of revode-bench-wpd.

usage: peers.py diffrax|torchdiffeq|scipy|numbalsoda|heyoka|diffsol DESCRIPTION.json [--longest SECONDS] [--only WORD]

Compiles and runs everything once, says `ready`, then answers each line of standard input with a line
of JSON: `round` runs every contender at every tolerance again and gives the processor time each took,
`memory` gives bytes. float64, one thread. Compiling is never in a time; calls from Python are.
"""
import argparse
import importlib
import json
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("EQX_ON_ERROR", "nan")

CLASSES = {"diffrax": ("diffrax_peer", "Diffrax"), "torchdiffeq": ("torch_peer", "TorchDiffEq"), "scipy": ("scipy_peer", "SciPy"),
           "numbalsoda": ("numbalsoda_peer", "NumbaLsoda"), "heyoka": ("heyoka_peer", "Heyoka"),
           "diffsol": ("diffsol_peer", "Diffsol")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=tuple(CLASSES))
    parser.add_argument("description")
    parser.add_argument("--longest", type=float, default=1)
    parser.add_argument("--only", default="")
    o = parser.parse_args()
    with open(o.description) as file:
        problems = json.load(file)["problems"]
    module, name = CLASSES[o.library]
    library = getattr(importlib.import_module(module), name)()
    everyone = [who for problem in problems for who in library.contenders(problem) if o.only in who.solver]
    for who in everyone:
        print(who.problem["name"], who.kind, who.solver, file=sys.stderr, flush=True)
        who.first(o.longest, library.patience)
    print("ready", flush=True)
    for order in sys.stdin:
        for who in everyone:
            who.memory() if order.strip() == "memory" else who.round()
        print(json.dumps([point for who in everyone for point in who.points]), flush=True)


if __name__ == "__main__":
    main()
