#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figure of peers.json, or of several of them together, and one file of them.

usage: bench/peers/report.py peers.json... [-o FOLDER]
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from draw.curves import good  # noqa: E402
from draw.peers import curves, library  # noqa: E402

STYLES = {"revode": ("1", 1.8), "odeint": ("2", 1.6), "ARKODE": ("2", 1.6), "CVODE": ("2", 1.6), "CVODES": ("2", 1.6),
          "Diffrax": ("2", 1.6), "torchdiffeq": ("2", 1.6), "numbalsoda": ("2", 1.6), "heyoka": ("2", 1.6), "scipy": ("2", 1.6),
          "diffsol": ("2", 1.6)}
# solver: colour, in the order of the key
SOLVES = {"tsit5": "#1b6ca8", "vern7": "#2a9d4a", "dop853": "#8a4fbf", "vern9": "#12a5a5",
          "odeint dopri5": "#e08e0b", "odeint fehlberg78": "#a0522d",
          "ARKODE Dormand-Prince 5(4)": "#999999", "ARKODE Fehlberg 8(7)": "#555555",
          "CVODE Adams": "#222222", "Diffrax tsit5": "#d1495b", "Diffrax dopri8": "#e377c2",
          "torchdiffeq dopri5": "#7fb800", "heyoka Taylor": "#b8860b", "numbalsoda LSODA": "#4682b4", "scipy DOP853": "#5e548e"}
GRADIENTS = {"tsit5, all tapes": "#1b6ca8", "vern7, all tapes": "#2a9d4a", "dop853, all tapes": "#8a4fbf",
             "dop853, 20 states": "#12a5a5", "vern7, gauss": "#5e548e",
             "CVODES Adams, Hermite, Nd = 100": "#999999", "CVODES Adams, polynomials, Nd = 100": "#222222",
             "Diffrax tsit5, checkpoints": "#d1495b", "Diffrax dopri8, checkpoints": "#e377c2",
             "Diffrax tsit5, backsolve": "#e08e0b",
             "torchdiffeq dopri5, odeint": "#7fb800", "torchdiffeq dopri5, odeint_adjoint": "#a0522d"}


TICS = ("set ytics ('1 µs' 1e-6, '10 µs' 1e-5, '100 µs' 1e-4, '1 ms' 1e-3, '10 ms' 1e-2, '100 ms' 0.1, '1 s' 1, "
        "'10 s' 10)")


def line_of(solver, colour, data, title):
    dash, width = STYLES[library(solver)]
    return f"{data} with lines lc rgb '{colour}' lw {width} dt {dash} {title}"


def panel(data, problem, kind, shown, number):
    """Curves of one problem: blocks of data, and the plot of them."""
    found, lines, plots = curves(data, problem, kind), [], []
    for solver, colour in shown.items():
        points = good(found.get(solver, []))
        if points:
            name = f"$p{number}_{len(plots)}"
            lines += [f"{name} << END"] + [f"{p['digits']} {p['seconds']}" for p in points] + ["END"]
            plots.append(line_of(solver, colour, name, "notitle"))
    return lines + [f"set title '{problem}: {kind}' offset 0,-0.6", "plot " + ", ".join(plots)] if plots else []


def figure(data, path):
    """Time against digits, solves above gradients, three problems a row, by gnuplot."""
    problems = [q["name"] for q in data["problems"]]
    columns, width, height, key = min(3, len(problems)), 290, 250, 290
    rows = -(-len(problems) // columns)
    total, tall = columns * width + key, 2 * rows * height
    g = [f"set terminal svg size {total},{tall} font 'sans,11' background 'white' noenhanced", f"set output '{path}'",
         "set multiplot", "set logscale y", "set grid lc rgb '#dddddd'", "set lmargin 0", "set rmargin 0", "set tmargin 0",
         "set bmargin 0", f"set size {(width - 66) / total},{(height - 66) / tall}", "set xrange [0:12]", "set xtics 2", "set mytics 1", TICS,
         "set xlabel 'correct digits' offset 0,0.6", "unset key"]
    for half, (kind, shown) in enumerate((("solve", SOLVES), ("gradient", GRADIENTS))):
        for k, problem in enumerate(problems):
            row = half * rows + k // columns
            g += [f"set origin {(k % columns * width + 58) / total},{1 - ((row + 1) * height - 42) / tall}"]
            g += panel(data, problem, kind, shown, half * len(problems) + k)
    g += ["unset tics", "unset border", "unset title", "unset xlabel", "unset grid", "set yrange [1:2]",
          "set key at graph 0,1 left top reverse Left samplen 2 spacing 1.1"]
    for half, shown in enumerate((SOLVES, GRADIENTS)):
        g += [f"set size {key / total},{rows * height / tall}", f"set origin {(columns * width + 10) / total},{0.48 - 0.5 * half}",
              "plot " + ", ".join(line_of(solver, colour, "NaN", f"title '{solver}'") for solver, colour in shown.items())]
    subprocess.run(["gnuplot"], input="\n".join([*g, "unset multiplot"]) + "\n", text=True, check=True)
    path.write_text(re.sub(r"<g [^>]*>\s*</g>\s*", "", path.read_text()))  # gnuplot leaves many empty groups


def write(data, folder):
    """peers.json, a line for each point, and the figure; bench/tables.py draws the page."""
    lines = ",\n".join(json.dumps(point) for point in data["points"])
    rest = {k: v for k, v in data.items() if k != "points"}
    (folder / "peers.json").write_text(json.dumps(rest, indent=1)[:-2] + f',\n "points": [\n{lines}\n]}}\n')
    if data["problems"] and shutil.which("gnuplot"):
        figure(data, folder / "peers.svg")
    print(f"results: {folder}/peers.json {folder}/peers.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    o = parser.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    data = [json.loads(file.read_text()) for file in o.files]
    for other in data[1:]:
        for part in ("problems", "points"):
            data[0][part] += other[part]
    write(data[0], o.out)


if __name__ == "__main__":
    main()
