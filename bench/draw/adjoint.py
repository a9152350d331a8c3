# SPDX-License-Identifier: Apache-2.0
"""The tables of results/adjoint.md, from adjoint.json."""
from .curves import points_of, table, where

NAMES = {"brusselator_2d": "rock4, 8 MiB", "hires": "rodas5p, 64 states", "rober": "rodas5p, 64 states"}


class Report:
    def __init__(self, data):
        self.data, self.most, self.rows = data, data["error"], {}
        for p in points_of(data):
            self.rows.setdefault(p["problem"], {}).setdefault((p["solver"], p["stored"]), []).append(p)

    def fastest(self, points):
        """The fastest with an error of at most `most`."""
        fine = [p for p in points if p["good"] and p["error"] is not None and p["error"] <= self.most]
        return min(fine, key=lambda p: p["seconds"], default=None)

    def best(self, problem, peer):
        found = [self.fastest(points) for (solver, _), points in self.rows[problem].items()
                 if solver.startswith("CVODES") == peer]
        return min((p for p in found if p), key=lambda p: p["seconds"], default=None)

    def recommended(self, problem):
        solver, stored = NAMES[problem.split(":")[0]].split(", ")
        return self.fastest(self.rows[problem].get((solver, stored), []))


def provenance(r):
    return where(r.data)


def said(p):
    return "–" if p is None else f"{p['solver']}, {p['stored']}"


def numbers(p):
    return ["–", "–"] if p is None else [f"{1e3 * p['seconds']:.2f}", f"{p['bytes'] / 1024:.0f}"]


def recommended(r):
    """The best of ours and the recommended method beside the best of CVODES."""
    rows = []
    for problem in r.rows:
        own, peer, named = r.best(problem, False), r.best(problem, True), r.recommended(problem)
        ratio = [f"{p['seconds'] / peer['seconds']:.2f}" if p and peer else "–" for p in (own, named)]
        rows.append([problem, said(own), *numbers(own), said(named), *numbers(named), said(peer), *numbers(peer), *ratio])
    head = ["problem", "best of ours", "ms", "KiB", "recommended", "ms", "KiB", "best of CVODES", "ms", "KiB",
            "best of ours over CVODES", "recommended over CVODES"]
    return table(head, rows)


def everyone(r):
    out = []
    for q in r.data["problems"]:
        rows = []
        for (solver, stored), points in r.rows[q["name"]].items():
            p = r.fastest(points)
            rows.append([solver, stored, "–", "", "", "", "", ""] if p is None else
                        [solver, stored, *numbers(p), f"{p['error']:.1e}", f"{p['rtol']:.0e}", str(p["steps"]), str(p["back"])])
        out.append(f"## {q['name']}: {q['n']} states, the gradient by {q['parameters']} parameters, error at most {r.most:g}\n\n"
                   + table(["solver", "stored", "ms", "KiB", "error", "rtol", "steps", "back"], rows))
    return "\n".join(out)


TABLES = {f.__name__: f for f in (provenance, recommended, everyone)}
READ = Report
