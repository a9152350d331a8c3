# SPDX-License-Identifier: Apache-2.0
"""The tables of results/wpd.md, from wpd.json."""
import functools
import math

from .curves import at_digits, points_of, table, where

TARGETS = (4, 6, 8)
SMALL = 20  # the most equations of a problem in the ranking
JUDGED = ("radau_iia5", "rodas5p", "esdirk547")
PARABOLIC = "brusselator_2d"


class Report:
    """Curves by problem and solver."""

    def __init__(self, data):
        self.data, self.n, self.curves, self.peers = data, {}, {}, []
        for p in points_of(data):
            p["digits"] = p["mescd"]
            self.n[p["problem"]] = p["n"]
            self.curves.setdefault(p["problem"], {}).setdefault(p["solver"], []).append(p)
            if p["peer"] and p["solver"] not in self.peers:
                self.peers.append(p["solver"])

    @functools.cache
    def seconds(self, problem, solver, digits):
        return at_digits(self.curves[problem].get(solver, []), digits, undercuts=True)

    def by_time(self, problem, digits, peer=False):
        """(seconds, solver) of those that reach the digits, the fastest first."""
        found = [(self.seconds(problem, s, digits), s) for s in self.curves[problem] if (s in self.peers) == peer]
        return sorted(pair for pair in found if pair[0] is not None)

    def recommended(self, problem, digits):
        """What README.md says to start with: for a parabolic problem rock4, otherwise rodas5p, for eight
        digits radau_iia9; with KLU where the Jacobian is sparse. What `revode solve` takes by itself is
        radau_iia5."""
        if problem.startswith(PARABOLIC):
            return "rock4"
        name = "rodas5p" if digits < 8 else "radau_iia9"
        return next((s for s in (f"{name}, KLU", f"{name}, SparseLU") if s in self.curves[problem]), name)


def number(value, form="{:.2f}"):
    return "–" if value is None else form.format(value)


def micros(seconds):
    if seconds is None:
        return "–"
    return f"{1e6 * seconds:.1f}" if 1e6 * seconds < 100 else f"{1e6 * seconds:.0f}"


def over(a, b):
    return None if a is None or b is None else a / b


def provenance(r):
    return where(r.data)


def recommended(r):
    """The fastest, the recommended and the default method beside the best peer."""
    rows, behind = [], []
    for problem in r.curves:
        for digits in TARGETS:
            own, peers = r.by_time(problem, digits), r.by_time(problem, digits, True)
            if not own:
                continue
            name = r.recommended(problem, digits)
            time, default = r.seconds(problem, name, digits), r.seconds(problem, "radau_iia5", digits)
            peer = peers[0] if peers else (None, "none gets there")
            ratio = over(time, peer[0])
            mark = "" if ratio is None else f"**{ratio:.2f}**" if ratio > 1 else f"{ratio:.2f}"
            if ratio is not None and ratio > 1:
                behind.append(f"{problem} at {digits} digits {ratio:.2f} ({peer[1]})")
            rows.append([problem, str(digits), own[0][1], micros(own[0][0]), name, micros(time),
                         number(over(time, own[0][0])), f"{peer[1]} {micros(peer[0])}" if peers else peer[1],
                         number(over(own[0][0], peer[0])), mark or "–", number(over(default, peer[0]))])
    head = ["problem", "digits", "best of ours", "µs", "recommended", "µs", "over best of ours", "best peer, µs",
            "best of ours over peer", "recommended over peer", "radau_iia5 over peer"]
    said = "; ".join(behind) if behind else "nowhere"
    return table(head, rows, True) + f"\nThe recommended method is behind the best peer, by this factor of its time: {said}.\n"


def ratios(r):
    rows = []
    for problem in r.curves:
        for digits in TARGETS:
            own = r.by_time(problem, digits)
            if not own:
                continue
            peers = [("" if name not in r.curves[problem] else number(over(r.seconds(problem, name, digits), own[0][0])))
                     for name in r.peers]
            rows.append([problem, str(r.n[problem]), str(digits), own[0][1], micros(own[0][0]), *peers])
    return table(["problem", "n", "digits", "best of ours", "µs", *r.peers], rows, True)


def ranking(r):
    """Geometric means over the problems of up to 20 equations, with how many a method reaches if not all."""
    small = [problem for problem in r.curves if r.n[problem] <= SMALL]
    logs = {}
    for problem in small:
        for k, digits in enumerate(TARGETS):
            found = r.by_time(problem, digits)
            for seconds, solver in found:
                logs.setdefault(solver, [[], [], []])[k].append(math.log(seconds / found[0][0]))

    def mean(values):
        return math.exp(sum(values) / len(values)) if values else None

    def cell(values):
        part = f" ({len(values)})" if 0 < len(values) < len(small) else ""
        return number(mean(values)) + part

    ranked = sorted(logs.items(), key=lambda item: (-len(item[1][1]), mean(item[1][1]) or math.inf))
    return table(["method", "4 digits", "6 digits", "8 digits"],
                 [[solver, *map(cell, values)] for solver, values in ranked], True)


def leaders(r):
    rows = []
    for problem in r.curves:
        for digits in TARGETS:
            found = r.by_time(problem, digits)
            if found:
                rest = ", ".join(f"{s} {t / found[0][0]:.2f}" for t, s in found[1:6])
                rows.append([problem, str(digits), f"{found[0][1]} {micros(found[0][0])}", rest])
    return table(["problem", "digits", "fastest, µs", "next, times as long"], rows, True)


def wanted(r, problem, k, point):
    """min(−log₁₀ rtol − 2, CVODE's digits − 1/2)."""
    asked = -math.log10(point["rtol"]) - 2
    cvode = r.curves[problem].get("CVODE", [])
    if k < len(cvode) and cvode[k]["status"] == "success" and cvode[k]["digits"] is not None:
        asked = min(asked, cvode[k]["digits"] - 0.5)
    return asked


def margins(r, problem, solver):
    return [(k, p, p["digits"] - wanted(r, problem, k, p))
            for k, p in enumerate(r.curves[problem].get(solver, [])) if p["digits"] is not None]


def successes(r):
    rows = []
    for problem in r.curves:
        row = [problem]
        for solver in JUDGED:
            found = margins(r, problem, solver)
            reached = [m for _, p, m in found if p["status"] == "success"]
            row.append(f"{len(reached)} of {len(found)}, least margin {min(reached):.2f}" if reached else "")
        rows.append(row)
    return table(["problem", *JUDGED], [row for row in rows if any(row[1:])], True)


def shortfalls(r):
    others = [name for name in ("CVODE", "RADAU5", "RADAU", "RODAS", "odeint rosenbrock4") if name in r.peers]
    rows = []
    for problem in r.curves:
        for solver in JUDGED:
            for k, p, margin in margins(r, problem, solver):
                if margin >= 0 and p["status"] == "success":
                    continue
                row = [problem, solver, f"{p['rtol']:.0e}", f"{p['digits']:.2f}", f"{wanted(r, problem, k, p):.2f}"]
                for other in others:
                    points = r.curves[problem].get(other, [])
                    there = points[k] if k < len(points) else None
                    row.append("" if there is None else number(there["digits"]) if there["status"] == "success"
                               else there["status"])
                rows.append(row)
    return table(["problem", "method", "rtol", "digits", "asked", *others], rows, True)


def counts(points, name):
    """At 6 digits; None of what a library does not tell."""
    if not any(p[name] for p in points):
        return None
    return at_digits([p | {"count": max(1, p[name])} for p in points], 6, "count", True)


def times(r):
    """Every peer, the judged and recommended methods and the fastest, problem by problem."""
    out = []
    for problem, curves in r.curves.items():
        shown = set(JUDGED) | {r.recommended(problem, d) for d in TARGETS}
        shown |= {found[0][1] for found in (r.by_time(problem, d) for d in TARGETS) if found}
        rows = []
        for solver, points in curves.items():
            if solver not in r.peers and solver not in shown:
                continue
            points = [p | {"steps": p["accepted"] + p["rejected"]} for p in points]
            rows.append([solver, *(micros(r.seconds(problem, solver, d)) for d in TARGETS),
                         *(number(counts(points, name), "{:.0f}") for name in
                           ("steps", "field_evaluations", "jacobian_evaluations", "factorizations"))])
        out.append(f"## {problem}\n\nMicroseconds to so many digits; counts at 6 digits.\n\n"
                   + table(["solver", "4 digits", "6 digits", "8 digits", "steps", "f", "J", "LU"], rows, True))
    return "\n".join(out)


TABLES = {f.__name__: f for f in (provenance, recommended, ratios, ranking, leaders, successes, shortfalls, times)}
READ = Report
