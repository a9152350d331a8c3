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

# Okabe and Ito's colours, which the colour-blind tell apart, on white without their yellow; gnuplot's numbers of points.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK, GREY = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7", "#777777")
PLUS, CROSS, SQUARE, DISC, UP, DOWN, DIAMOND = 1, 2, 4, 6, 8, 10, 12
FULL = 1  # added to the number of a point with an inside
# solver: (colour, point), in the order of the key. Ours are drawn whole with full points, peers dashed with empty ones; a library
# of several methods keeps its colour.
SOLVES = {"tsit5": (BLUE, DISC + FULL), "vern7": (GREEN, SQUARE + FULL), "dop853": (RED, UP + FULL),
          "vern9": (BLACK, DIAMOND + FULL),
          "odeint dopri5": (ORANGE, DISC), "odeint fehlberg78": (ORANGE, SQUARE),
          "ARKODE Dormand-Prince 5(4)": (GREY, DISC), "ARKODE Fehlberg 8(7)": (GREY, SQUARE),
          "CVODE Adams": (BLACK, PLUS), "Diffrax tsit5": (PINK, UP), "Diffrax dopri8": (PINK, DOWN),
          "torchdiffeq dopri5": (SKY, DIAMOND), "heyoka Taylor": (GREEN, CROSS), "numbalsoda LSODA": (RED, CROSS),
          "scipy DOP853": (BLUE, PLUS)}
GRADIENTS = {"tsit5, all tapes": (BLUE, DISC + FULL), "vern7, all tapes": (GREEN, SQUARE + FULL),
             "dop853, all tapes": (RED, UP + FULL), "dop853, 20 states": (ORANGE, DOWN + FULL), "vern7, gauss": (GREY, DIAMOND + FULL),
             "CVODES Adams, Hermite, Nd = 100": (BLACK, PLUS), "CVODES Adams, polynomials, Nd = 100": (BLACK, CROSS),
             "Diffrax tsit5, checkpoints": (PINK, UP), "Diffrax dopri8, checkpoints": (PINK, DOWN),
             "Diffrax tsit5, backsolve": (PINK, SQUARE),
             "torchdiffeq dopri5, odeint": (SKY, DIAMOND), "torchdiffeq dopri5, odeint_adjoint": (SKY, DISC)}
for styles in (SOLVES, GRADIENTS):
    assert len(set(styles.values())) == len(styles), "two curves look alike"


TICS = ("set ytics ('1 µs' 1e-6, '10 µs' 1e-5, '100 µs' 1e-4, '1 ms' 1e-3, '10 ms' 1e-2, '100 ms' 0.1, '1 s' 1, "
        "'10 s' 10)")


def line_of(solver, style, data, title):
    colour, point = style
    width, dash = (1.8, "1") if library(solver) == "revode" else (1.2, "(8,4)")
    return f"{data} with linespoints lc rgb '{colour}' lw {width} dt {dash} pt {point} ps 0.7 {title}"


def reach(data):
    """From the fewest digits to the most, with room for a point."""
    digits = [min(p["digits"], 12) for p in good(data["points"])]
    return f"{max(min(digits) - 0.5, 0)}:{max(digits) + 0.5}"


def panel(data, problem, kind, shown, number):
    """Curves of one problem: blocks of data, and the plot of them."""
    found, lines, plots = curves(data, problem, kind), [], []
    for solver, style in shown.items():
        points = good(found.get(solver, []))
        if points:
            name = f"$p{number}_{len(plots)}"
            lines += [f"{name} << END"] + [f"{p['digits']} {p['seconds']}" for p in points] + ["END"]
            plots.append(line_of(solver, style, name, "notitle"))
    return lines + [f"set title '{problem}: {kind}' offset 0,-0.6", "plot " + ", ".join(plots)] if plots else []


def figure(data, path):
    """Time against digits, solves above gradients, three problems a row, by gnuplot."""
    problems = [q["name"] for q in data["problems"]]
    columns, width, height, key = min(3, len(problems)), 290, 250, 290
    rows = -(-len(problems) // columns)
    total, tall = columns * width + key, 2 * rows * height
    g = [f"set terminal svg size {total},{tall} font 'sans,11' background 'white' noenhanced", f"set output '{path}'",
         "set multiplot", "set logscale y", "set grid lc rgb '#dddddd'", "set lmargin 0", "set rmargin 0", "set tmargin 0",
         "set bmargin 0", f"set size {(width - 66) / total},{(height - 66) / tall}", f"set xrange [{reach(data)}]",
         "set xtics 2", "set mytics 1", TICS,
         "set xlabel 'correct digits' offset 0,0.6", "unset key"]
    for half, (kind, shown) in enumerate((("solve", SOLVES), ("gradient", GRADIENTS))):
        for k, problem in enumerate(problems):
            row = half * rows + k // columns
            g += [f"set origin {(k % columns * width + 58) / total},{1 - ((row + 1) * height - 42) / tall}"]
            g += panel(data, problem, kind, shown, half * len(problems) + k)
    g += ["unset tics", "unset border", "unset title", "unset xlabel", "unset grid", "set yrange [1:2]",
          "set key at graph 0,1 left top reverse Left samplen 4 spacing 1.1"]
    there = {p["solver"] for p in data["points"]}
    for half, shown in enumerate((SOLVES, GRADIENTS)):
        keys = [line_of(solver, style, "NaN", f"title '{solver}'") for solver, style in shown.items() if solver in there]
        g += [f"set size {key / total},{rows * height / tall}", f"set origin {(columns * width + 10) / total},{0.48 - 0.5 * half}",
              "plot " + ", ".join(keys)]
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
