#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training steps of neural differential equations from Python: revode beside Diffrax, and torchdiffeq.

usage: bench/neural/run.py PYTHON [--torch PYTHON [--kept]] [-o FOLDER] [--rounds N] [--cases a,b] [--no-vmap] [--flags TEXT]

PYTHON is that of an environment with the package, built for this processor, and the libraries it is beside:

    python3 -m venv build/neural && build/neural/bin/pip install jax==0.10.2 diffrax==0.7.2 optax
    build/neural/bin/pip install ./python -C cmake.define.CMAKE_CXX_FLAGS=-march=native

--torch: that of an environment with the package, torch and torchdiffeq (5 GB), which are left out without it; --kept takes
JAX's rows from the neural.json that is there. Each case and precision is a process of its own, all on one processor;
within it contestants take turns and the least time of each counts. Writes neural.json; bench/tables.py draws the page.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ASK = """
import importlib.metadata as of, json, revode, sys
print(json.dumps({"revode": revode.__version__} | {name: of.version(name) for name in sys.argv[1:]}))
"""


def pinned(command):
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *map(str, command)]


def answer(command):
    done = subprocess.run(pinned(command), stdout=subprocess.PIPE, check=True, text=True,
                          env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    return json.loads(done.stdout.splitlines()[-1])


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def torch_rows(rows, found):
    """Those of torch as those of JAX: revode's steps are the same, bounds and rates go by the steps."""
    ours = rows[0]
    for row in found:
        row.setdefault("steps", ours["steps"])
        share = row["steps"] / ours["steps"]
        row["bound"] = ours["bound"] * share
        row["gflops"] = ours["gflops"] * ours["seconds"] * share / row["seconds"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", type=pathlib.Path)
    parser.add_argument("--torch", type=pathlib.Path)
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--no-vmap", action="store_true", help="leave out Diffrax' vmap, half of the time")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--cases", default="a,b,c")
    parser.add_argument("--flags", default="-O3 -march=native -ffp-contract=off (networks), -O2 -ftree-vectorize "
                        "-march=native -ffp-contract=off (solvers)", help="those that the package was compiled with")
    o = parser.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    file = o.out / "neural.json"

    def measured(program, python, name, precision):
        print(f"case {name}, {precision}, {program}", file=sys.stderr)
        rounds = max(3, o.rounds // 5) if name == "c" else o.rounds
        return answer([python, HERE / program, name, precision, rounds, *(["--no-vmap"] if o.no_vmap else [])])

    if o.kept:
        data = json.loads(file.read_text())
    else:
        versions = answer([o.python, "-c", ASK, "jax", "diffrax", "optax", "numpy"])
        compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
        machine = {"processor": processor(), "system": f"{platform.system()} {platform.machine()}",
                   "processors": os.cpu_count(), "load": max(0.0, os.getloadavg()[1] - 1), "compiler": compiler,
                   "target": "this processor", "flags": o.flags, "revode": versions.pop("revode")}
        data = {"machine": machine, "date": datetime.date.today().isoformat(),
                "libraries": [f"{name} {version}" for name, version in versions.items()],
                "cases": [measured("one.py", o.python, name, precision)
                          for name in o.cases.split(",") for precision in ("float64", "float32")]}
    if o.torch:
        versions = answer([o.torch, "-c", ASK, "torch", "torchdiffeq"])
        data["libraries"] += [f"{name} {versions[name]}" for name in ("torch", "torchdiffeq")]
        for case in data["cases"]:
            case["rows"] += torch_rows(case["rows"], measured("torch_one.py", o.torch, case["case"], case["precision"]))
    file.write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()
