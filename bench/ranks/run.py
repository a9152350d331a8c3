#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A grid and an ensemble over 1, 2, 4 … ranks, up to the cores of this machine: writes ranks.json.

usage: bench/ranks/run.py PROGRAM [-o FOLDER] [--ranks 1,2,4] [--mpiexec 'mpiexec --bind-to core']

PROGRAM is revode-bench-ranks.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--ranks", help="default: powers of two up to the cores")
    parser.add_argument("--mpiexec", default="mpiexec --bind-to core")
    o = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    numbers = [int(n) for n in o.ranks.split(",")] if o.ranks else [2**k for k in range(cores.bit_length()) if 2**k <= cores]
    o.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for ranks in numbers:
        command = [*shlex.split(o.mpiexec), "-n", str(ranks), str(o.program.resolve())]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        rows.append(json.loads(said))
        print(f"{ranks} ranks: gradients {rows[-1]['strong']['gradient']:.3f} s of 512 rows, {rows[-1]['weak']['gradient']:.3f} s "
              f"of 64 a rank, {rows[-1]['lanes']['gradient']:.3f} s of the ensemble", flush=True)
    if len({(row["strong"]["by_feed"], row["lanes"]["loss"]) for row in rows}) > 1:
        raise SystemExit("other bits over other numbers of ranks")
    machine = [row.pop("machine") for row in rows][0]
    command = f"{o.mpiexec} -n RANKS revode-bench-ranks"
    (o.out / "ranks.json").write_text(json.dumps({"machine": machine, "command": command, "rows": rows}, indent=1) + "\n")
    print(f"results: {o.out}/ranks.json")


if __name__ == "__main__":
    main()
