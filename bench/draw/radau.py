# SPDX-License-Identifier: Apache-2.0
"""The tables of results/radau.md, from radau.json."""
import math

from .curves import good, risen, table, where

METHODS = {"radau": "", "radau_iia5": "5", "radau_iia9": "9", "radau_iia13": "13"}
DIGITS = range(3, 12)


def seconds_at(points, digits):
    """On the curve of those that rise, where more time bought fewer digits pooled; None where it is not reached, or a
    digit below the first point."""
    points = good(points)
    reached = risen([p["digits"] for p in points])
    logs = risen([math.log(p["seconds"]) for p in points])
    i = next((k for k, d in enumerate(reached) if d >= digits), None)
    if i is None:
        return None
    if i == 0:
        return math.exp(logs[0]) if reached[0] - digits < 1 else None
    part = (digits - reached[i - 1]) / (reached[i] - reached[i - 1])
    return math.exp(logs[i - 1] + part * (logs[i] - logs[i - 1]))


def READ(data):
    """Points by problem and method, and the best fixed order's time by problem and digits."""
    points, best = {}, {}
    for row in data["rows"]:
        points.setdefault(row["problem"], {}).setdefault(row["method"], []).append(row)
    for problem, by_method in points.items():
        for digits in DIGITS:
            fixed = [(seconds_at(by_method[m], digits), m) for m in METHODS if METHODS[m]]
            best[problem, digits] = min((f for f in fixed if f[0] is not None), default=None)
    return {**data, "by_problem": points, "best": best}


def over_best(data, problem, method, digits):
    """The time over the best fixed order's, or None."""
    own, best = seconds_at(data["by_problem"][problem][method], digits), data["best"][problem, digits]
    return own / best[0] if own is not None and best else None


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def ratios(data):
    rows, every = [], []
    for problem in data["by_problem"]:
        found = [(over_best(data, problem, "radau", d), data["best"][problem, d]) for d in DIGITS]
        here = [r for r, _ in found if r is not None]
        every += here
        rows.append([problem, *("–" if r is None else f"{r:.2f} ({METHODS[b[1]]})" for r, b in found), f"{mean(here):.2f}"])
    return (table(["problem", *map(str, DIGITS), "mean"], rows)
            + f"\nGeometric mean of {len(every)} ratios: {mean(every):.2f}; {sum(r > 1.15 for r in every)} above 1.15.\n")


def means(data):
    rows = []
    for method in METHODS:
        columns = [[r for p in data["by_problem"] if (r := over_best(data, p, method, d)) is not None] for d in DIGITS]
        every = [r for c in columns for r in c]
        rows.append([method, *(f"{mean(c):.2f}, {max(c):.2f}" if c else "–" for c in columns),
                     f"{mean(every):.2f}, {max(every):.2f} of {len(every)}"])
    return table(["method", *map(str, DIGITS), "mean"], rows)


def counts(data):
    out = []
    for problem, by_method in data["by_problem"].items():
        rows = []
        for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
            for method, points in by_method.items():
                r = next(p for p in points if p["rtol"] == rtol)
                rows.append([f"{rtol:g}", method, *([f"{r['digits']:.2f}", f"{r['steps']} + {r['rejected']}", f"{r['evaluations']}",
                             f"{r['jacobians']}", f"{r['factorizations']}", f"{1e3 * r['seconds']:.3f}"]
                            if r["status"] == "success" else ["fails"] + [""] * 5)])
        out.append(f"## {problem}\n\n" + table(["rtol", "method", "digits", "steps + rejected", "evaluations", "Jacobians",
                                                "factorisations", "ms"], rows))
    return "\n".join(out)


TABLES = {"provenance": where, "ratios": ratios, "means": means, "counts": counts}
