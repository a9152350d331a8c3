# SPDX-License-Identifier: Apache-2.0
"""The tables of results/large.md, from large.json."""
from .curves import at_digits, duration, good, human, points_of, table, where

TARGETS = (4, 6)
COUNTS = (("steps", "steps"), ("field_evaluations", "f"), ("jvp_evaluations", "jvp"), ("jacobian_evaluations", "J"),
          ("factorizations", "LU"))


class Report:
    """Curves by kind, problem and solver."""

    def __init__(self, data):
        self.data, self.curves, self.peers = data, {"solve": {}, "gradient": {}}, set()
        for p in points_of(data):
            p["steps"] = p["accepted"] + p["rejected"]
            self.curves[p["kind"]].setdefault(p["problem"], {}).setdefault(p["solver"], []).append(p)
            if p["peer"]:
                self.peers.add(p["solver"])

    def problems(self):
        return self.data["problems"]

    def at(self, kind, problem, solver, digits, of="seconds"):
        points = self.curves[kind].get(problem, {}).get(solver, [])
        return at_digits(points, digits, of, undercuts=True)

    def fastest(self, kind, problem, digits, choose):
        """(seconds, solver) of those chosen that reach the digits, or None."""
        found = [(self.at(kind, problem, s, digits), s) for s in self.curves[kind].get(problem, {}) if choose(s)]
        return min((pair for pair in found if pair[0] is not None), default=None)


def family(solver):
    if solver.startswith(("rock", "rkc")):
        return "stabilised"
    if "GMRES" in solver or "BiCGSTAB" in solver:
        return "Krylov"
    return "direct"


def count(value):
    return "–" if value is None else f"{value:,.0f}"


def over(a, b):
    return "–" if a is None or b is None else f"{a / b:.2f}"


def provenance(r):
    return where(r.data) + f"\nBy `{r.data['command']}`.\n"


def fastest(r):
    """The fastest of ours beside the fastest peer."""
    rows = []
    for q in r.problems():
        for digits in TARGETS:
            own = r.fastest("solve", q["name"], digits, lambda s: s not in r.peers)
            peer = r.fastest("solve", q["name"], digits, lambda s: s in r.peers)
            if own:
                rows.append([q["name"], count(q["n"]), str(digits), own[1], duration(own[0]), peer[1] if peer else "–",
                             duration(peer[0] if peer else None), over(own[0], peer and peer[0])])
    return table(["problem", "n", "digits", "fastest of ours", "time", "fastest peer", "time", "over it"], rows)


def kinds(r):
    """The fastest of ours of each family, with what it took."""
    rows = []
    for q in r.problems():
        for digits in TARGETS:
            for kind in ("stabilised", "Krylov", "direct"):
                best = r.fastest("solve", q["name"], digits, lambda s: s not in r.peers and family(s) == kind)
                if best is None:
                    rows.append([q["name"], str(digits), kind, "–", *[""] * (2 + len(COUNTS))])
                    continue
                cells = [count(r.at("solve", q["name"], best[1], digits, of)) for of, _ in COUNTS]
                rows.append([q["name"], str(digits), kind, best[1], duration(best[0]),
                             human(r.at("solve", q["name"], best[1], digits, "bytes")), *cells])
    return table(["problem", "digits", "family", "fastest of ours", "time", "memory", *[name for _, name in COUNTS]], rows)


def solves(r):
    """Every solver at every size."""
    out = []
    for q in r.problems():
        rows = []
        for solver in r.curves["solve"].get(q["name"], {}):
            reached = 6 if r.at("solve", q["name"], solver, 6) is not None else 4
            if r.at("solve", q["name"], solver, reached) is None:
                rows.append([solver, *["–"] * (4 + len(COUNTS))])
                continue
            rows.append([solver, *(duration(r.at("solve", q["name"], solver, d)) for d in TARGETS), str(reached),
                         human(r.at("solve", q["name"], solver, reached, "bytes")),
                         *(count(r.at("solve", q["name"], solver, reached, of)) for of, _ in COUNTS)])
        out.append(f"### {q['name']}: {q['n']:,} unknowns\n\n"
                   + table(["solver", "4 digits", "6 digits", "counts at", "memory", *[name for _, name in COUNTS]], rows, True))
    return "\n".join(out)


def gradients(r):
    """Solve and gradient together, at digits of the gradient, and over the solve at the same tolerance."""
    rows = []
    for q in r.problems():
        for solver, points in r.curves["gradient"].get(q["name"], {}).items():
            alone = {p["rtol"]: p["seconds"] for p in good(r.curves["solve"].get(q["name"], {}).get(solver, []))}
            for p in points:
                p["over"] = p["seconds"] / alone[p["rtol"]] if p["rtol"] in alone else None
            cells = []
            for digits in TARGETS:
                cells += [duration(r.at("gradient", q["name"], solver, digits)),
                          over(at_digits(points, digits, "over"), 1), human(r.at("gradient", q["name"], solver, digits, "bytes")),
                          count(r.at("gradient", q["name"], solver, digits, "vjp_evaluations"))]
            if any(cell != "–" for cell in cells):
                rows.append([q["name"], solver, *cells])
    head = [f"{name}{text}" for text in (", 4 digits", ", 6 digits") for name in ("total", "over solve", "memory", "vjp")]
    return table(["problem", "solver", *head], rows)


def patterns(r):
    """What it takes to find a pattern, beside the fastest solve with an incomplete factorisation or KLU."""
    rows = []
    for q in r.problems():
        best = r.fastest("solve", q["name"], 4, lambda s: s not in r.peers and ("ILU" in s or "KLU" in s))
        rows.append([q["name"], count(q["n"]), count(q["entries"]), str(q["colours"]), duration(q["pattern_seconds"]),
                     best[1] if best else "–", duration(best[0] if best else None),
                     f"{100 * q['pattern_seconds'] / best[0]:.1f} %" if best else "–"])
    return table(["problem", "n", "entries", "colours", "pattern", "fastest with it, 4 digits", "time", "pattern over it"], rows)


def left_out(r):
    names = r.data["left_out"]
    return f"Left out as too long: {'; '.join(names) if names else 'none'}.\n"


TABLES = {f.__name__: f for f in (provenance, fastest, kinds, solves, gradients, patterns, left_out)}
READ = Report
