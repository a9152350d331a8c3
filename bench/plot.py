#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures from the JSON of bench_solve and bench_gradient.

usage: bench/plot.py FILE.json... [-o FOLDER]

Writes PROBLEM.svg (time against error, one curve a solver) and memory.svg (peak bytes against
steps), with matplotlib, or with gnuplot where that is missing.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys


def groups(rows, key):
    found = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


def figures(data):
    """(name, x label, y label, {curve: [(x, y)]}) of every figure a result file holds."""
    for problem, points in groups(data.get("points", []), "problem").items():
        curves = {solver: [(p["error"], p["seconds"] * 1e6) for p in rows if p["seconds"]]
                  for solver, rows in groups(points, "solver").items()}
        yield problem.replace(":", "_"), "final error", "microseconds", curves
    if "memory" in data:
        curves = {budget: [(r["steps"], r["peak_bytes"]) for r in rows]
                  for budget, rows in groups(data["memory"], "budget").items()}
        yield "memory", "steps", "peak bytes of the gradient", curves


def by_matplotlib(path, title, x, y, curves):
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4.5))
    for name, points in curves.items():
        axes.loglog(*zip(*points), marker="o", markersize=3, label=name,
                    linestyle="--" if name.startswith("odeint") else "-")
    axes.set(xlabel=x, ylabel=y, title=title)
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    figure.savefig(path, bbox_inches="tight")
    pyplot.close(figure)


def by_gnuplot(path, title, x, y, curves):
    lines = ["set terminal svg size 640,480 enhanced background 'white'", f"set output '{path}'",
             "set logscale xy", "set format '10^{%L}'", "set grid", "set key noenhanced",
             f"set title '{title}' noenhanced", f"set xlabel '{x}'", f"set ylabel '{y}'"]
    for i, points in enumerate(curves.values()):
        lines += [f"$curve{i} << END"] + [f"{a!r} {b!r}" for a, b in points] + ["END"]
    lines.append("plot " + ", ".join(
        f"$curve{i} with linespoints dashtype {2 if name.startswith('odeint') else 1} title '{name}'"
        for i, name in enumerate(curves)))
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def drawing():
    try:
        import matplotlib

        matplotlib.use("svg")
        return by_matplotlib
    except ImportError:
        if shutil.which("gnuplot"):
            return by_gnuplot
    sys.exit("neither matplotlib nor gnuplot found (one of them draws the figures) "
             "install python3-matplotlib or gnuplot-nox?")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    draw = drawing()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for file in arguments.files:
        data = json.loads(file.read_text())
        for name, x, y, curves in figures(data):
            path = arguments.out / f"{name}.svg"
            draw(path, name, x, y, {k: v for k, v in curves.items() if v})
            print(path)


if __name__ == "__main__":
    main()
