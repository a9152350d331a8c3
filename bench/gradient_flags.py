#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gradients of Lorenz cost over their solves, by compiler and flags.

usage: bench/gradient_flags.py [-o FOLDER] [--libraries FOLDER] [--rounds N]

Compiles bench/gradient.cpp with every compiler and set of flags below that is there, runs it in turns
and writes gradient.json, of each ratio the median. Needs Google Benchmark, Boost and nlohmann's JSON,
and librevode_core.a of a build (--libraries, by default build/bench). A program that is there is not compiled again.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPORTED = ["-ffp-contract=off", "-fno-finite-math-only"]
QUIET = ["-fno-trapping-math", "-fno-math-errno"]
# name: compiler, flags; the first is the release preset, the exported ones are what every user gets
SETS = {"g++, release preset": ("g++", ["-O3", "-fno-tree-slp-vectorize", *QUIET, *EXPORTED]),
        "g++ -O2": ("g++", ["-O2", *EXPORTED]),
        "clang++, clang preset": ("clang++", ["-O3", *QUIET, *EXPORTED]),
        "clang++ -O2": ("clang++", ["-O2", *EXPORTED])}


def program(folder, number, compiler, flags, libraries):
    """The program, compiled unless it is there; None where the compiler is missing."""
    made = folder / f"gradient_{number}"
    if shutil.which(compiler) is None:
        return None
    if not made.exists():
        includes = [f"-I{ROOT / part}" for part in ("include", "solvers", "adjoint")]
        command = [compiler, "-std=c++20", "-DNDEBUG", *flags, *includes, "-isystem", "/usr/include/eigen3",
                   ROOT / "bench" / "gradient.cpp", "-o", made, libraries / "librevode_core.a", "-lbenchmark", "-lpthread"]
        print(f"compiling with {compiler} {' '.join(flags)}", file=sys.stderr)
        subprocess.run([str(word) for word in command], check=True)
    return made


def run(made, folder):
    answer = folder / "one.json"
    subprocess.run([str(made), f"--json={answer}"], check=True, stdout=subprocess.DEVNULL)
    return json.loads(answer.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--libraries", type=pathlib.Path, default=pathlib.Path("build/bench"))
    parser.add_argument("--rounds", type=int, default=3)
    o = parser.parse_args()
    folder = o.out / "gradient"
    folder.mkdir(parents=True, exist_ok=True)
    sets, machine = [], None
    for number, (name, (compiler, flags)) in enumerate(SETS.items()):
        made = program(folder, number, compiler, flags, o.libraries)
        if made is not None:
            sets.append({"name": name, "flags": " ".join(flags), "program": made, "rounds": []})
    for _ in range(o.rounds):
        for one in sets:
            found = run(one["program"], folder)
            machine = machine or found["machine"]
            one["compiler"] = found["machine"]["compiler"]
            one["rounds"].append(found["gradients"])
    for one in sets:
        del one["program"]
        one["rows"] = [row | {"ratio": statistics.median(r[k]["ratio"] for r in one["rounds"])}
                       for k, row in enumerate(one["rounds"][0])]
        one["rounds"] = [[round(row["ratio"], 4) for row in r] for r in one["rounds"]]
    (o.out / "gradient.json").write_text(json.dumps({"machine": machine, "sets": sets}, indent=1) + "\n")
    print(f"results: {o.out}/gradient.json")


if __name__ == "__main__":
    main()
