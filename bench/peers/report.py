#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of peers.json, or of several of them together.

usage: bench/peers/report.py peers.json... [-o FOLDER]
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess

TARGETS = {"solve": (4, 6, 8, 10), "gradient": (4, 6, 8)}


def risen(values):
    """The nearest sequence that never falls (monotone.hpp)."""
    level = []
    for value in values:
        level.append((value, 1))
        while len(level) > 1 and level[-1][0] < level[-2][0]:
            (b, m), (a, n) = level.pop(), level.pop()
            level.append(((a * n + b * m) / (n + m), n + m))
    return [value for value, weight in level for _ in range(weight)]


def good(points):
    """Those worth reading, from the loosest tolerance to the tightest."""
    fine = [p for p in points if p.get("digits") is not None and p["digits"] > 0
            and p.get("status", "success") == "success"]
    return sorted(fine, key=lambda p: -p["rtol"])


def at_digits(points, digits, of="seconds"):
    """The quantity where a curve reaches so many digits, between logarithms; a curve that starts above
    gives its first point, one that does not get there None."""
    points = [p for p in good(points) if p.get(of) is not None]
    reached = risen([p["digits"] for p in points])
    i = next((k for k, d in enumerate(reached) if d >= digits), None)
    if i is None or not reached:
        return None
    if i == 0:
        return points[0][of]
    part = (digits - reached[i - 1]) / (reached[i] - reached[i - 1])
    low, high = (math.log(max(points[k][of], 1e-12)) for k in (i - 1, i))
    return math.exp((1 - part) * low + part * high)


def curves(data, problem, kind):
    found = {}
    for point in data["points"]:
        if point["problem"] == problem and point["kind"] == kind:
            found.setdefault(point["solver"], []).append(point)
    return found


LIBRARIES = ("odeint", "ARKODE", "CVODES", "CVODE", "Diffrax", "torchdiffeq")


def library(solver):
    return next((name for name in LIBRARIES if solver.startswith(name)), "revode")


def best_at(found, digits, which, of="seconds"):
    """(solver, quantity) that reaches so many digits in the least time among a library's."""
    times = [(at_digits(points, digits), solver) for solver, points in found.items() if library(solver) == which]
    times = [pair for pair in times if pair[0] is not None]
    return min(times, default=None)


def duration(seconds):
    if seconds is None:
        return "–"
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def factor(ratio):
    return f"{ratio:.3g}" if ratio < 1000 else f"{ratio:,.0f}"


def human(number):
    if number is None:
        return "–"
    if number < 1:
        return "0 B"
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def ratios(data, kind):
    """The fastest of revode at equal digits, and how many times as long the fastest of each library takes."""
    names = [n for n in LIBRARIES if any(library(p["solver"]) == n for p in data["points"] if p["kind"] == kind)]
    rows = []
    for q in data["problems"]:
        found = curves(data, q["name"], kind)
        for digits in TARGETS[kind]:
            own = best_at(found, digits, "revode")
            if own is None or digits > -math.log10(q["doubt" if kind == "solve" else "gradient_doubt"] or 1e-16):
                continue
            row = [q["name"], str(digits), own[1], duration(own[0])]
            for name in names:
                peer = best_at(found, digits, name)
                row.append(f"{factor(peer[0] / own[0])} ({peer[1].removeprefix(name).strip(' ,')})" if peer else "–")
            rows.append(row)
    return table(["problem", "digits", "fastest of revode", "time", *names], rows)


def everyone(data, problem, kind):
    """Times of every solver at equal digits; of gradients also the bytes at 6."""
    rows = []
    for solver, points in curves(data, problem, kind).items():
        row = [solver] + [duration(at_digits(points, digits)) for digits in TARGETS[kind]]
        if kind == "gradient":
            row += [human(at_digits(points, 6, "allocated")), human(at_digits(points, 6, "rss"))]
        rows.append(row)
    head = ["solver"] + [f"{digits} digits" for digits in TARGETS[kind]]
    return table(head + (["allocated at 6", "resident at 6"] if kind == "gradient" else []), rows)


# --- The figure --------------------------------------------------------------------------------------

STYLES = {"revode": ("1", 1.8), "odeint": ("2", 1.6), "ARKODE": ("2", 1.6), "CVODE": ("2", 1.6), "CVODES": ("2", 1.6),
          "Diffrax": ("2", 1.6), "torchdiffeq": ("2", 1.6)}
# solver: colour, in the order of the key
SOLVES = {"tsit5": "#1b6ca8", "vern7": "#2a9d4a", "dop853": "#8a4fbf", "vern9": "#12a5a5",
          "odeint dopri5": "#e08e0b", "odeint fehlberg78": "#a0522d",
          "ARKODE Dormand-Prince 5(4)": "#999999", "ARKODE Fehlberg 8(7)": "#555555",
          "CVODE Adams": "#222222", "Diffrax tsit5": "#d1495b", "Diffrax dopri8": "#e377c2",
          "torchdiffeq dopri5": "#7fb800"}
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


def provenance(data):
    m = data["machine"]
    return (f"{m['processor']}, {m['system']}, one processor; g++ {m['compiler']}, {m['target']}, {m['flags']}; "
            f"revode {m['revode']}; {'; '.join(data['libraries'])}; {data['date']}.")


EXPLANATION = """Digits are -log10 |y - r| / |r| at the end; of a gradient, which is that of half the square of the end state's norm by
y0 and by p, those of the worse of the two parts. r is vern7's at 1e-14, and what dop853's differs by is said beside each problem:
the first two tables leave out what lies beyond. Relative and absolute tolerances are equal, 1e-3, 1e-4, ..., 1e-13. Times are of the
processor, the least of all rounds, in which the libraries took turns on one processor that other work shared. They are read at equal
digits, between logarithms, on curves made to rise with the tolerance; one that starts above a target gives its first point, - says that
none got there (in the time that was given: a solver's tighter tolerances are left out after a run over `--longest` seconds).

- Everything in C++ is compiled with the same flags, for this processor, and calls the same field; gradients call the same transposed
  products, written out. odeint has no rule for the first step and gets revode's. ARKODE and CVODE keep their own controllers and first steps.
- CVODES: Adams and functional iteration both ways, the same tolerances, quadratures not under error control; Nd steps between checkpoints.
- Diffrax: float64, jit, no compilation in the times (nor in the bytes), its default controller; the bound on its steps, 512, 4096 or 32768,
  sets how many checkpoints there are by default. torchdiffeq: float64, one thread, eager.
  Calls from Python are in the times. A gradient that torchdiffeq has not finished in 20 s is left out.
- Allocated: the most bytes that malloc had handed out at once, or the buffers that XLA plans. Resident: what the peak of the resident set
  rose by; it counts pages, and says little below 100 kB.
"""


def write(data, folder):
    lines = ",\n".join(json.dumps(point) for point in data["points"])
    rest = {k: v for k, v in data.items() if k != "points"}
    (folder / "peers.json").write_text(json.dumps(rest)[:-1] + f', "points": [\n{lines}\n]}}\n')
    parts = ["<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Beside other libraries\n", provenance(data) + " By `tools/dev bench peers`.\n",
             EXPLANATION, "![time against digits](../../docs/images/peers.svg)\n",
             "## Solves: time over revode's fastest, at equal digits\n", ratios(data, "solve"),
             "## Gradients: the same\n", ratios(data, "gradient")]
    for q in data["problems"]:
        parts += [f"## {q['name']}: {q['n']} states, {q['parameters']} parameters, t = {q['t1']:g}\n",
                  f"Two methods at 1e-14 differ by {q['doubt']:.0e}, their gradients by {q['gradient_doubt']:.0e}.\n",
                  everyone(data, q["name"], "solve"), everyone(data, q["name"], "gradient")]
    (folder / "peers.md").write_text("\n".join(parts))
    if data["problems"] and shutil.which("gnuplot"):
        figure(data, folder / "peers.svg")
    print(f"results: {folder}/peers.json {folder}/peers.md {folder}/peers.svg")


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
