# SPDX-License-Identifier: Apache-2.0
"""The tables of results/dae.md, from dae.json."""
from .curves import table, where


def scale(row):
    """How the absolute tolerance goes with the relative one."""
    ratio = row["atol"] / row["rtol"]
    return "atol = rtol" if abs(ratio - 1) < 1e-9 else f"atol = {row['atol']:g}"


def cells(row):
    counts = [f"{row['steps']} + {row['rejected']}", *(f"{row[c]}" for c in ("evaluations", "jacobians", "factorizations"))]
    return counts if row["success"] else counts[:1] + [""] * 3


def grouped(rows, *keys):
    """Rows that are alike in these, in their order."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[k] for k in keys), []).append(row)
    return groups.values()


HEAD = ["steps + rejected", "evaluations", "Jacobians", "factorisations"]


def index1(data):
    out = []
    for rows in grouped([r for r in data["rows"] if "seconds" in r], "problem", "rtol"):
        out.append(f"## {rows[0]['problem']}, rtol {rows[0]['rtol']:g}, {scale(rows[0])}\n\n"
                   + table(["method", "digits", *HEAD, "ms"],
                           [[r["method"], f"{r['digits']:.2f}" if r["success"] else "fails", *cells(r),
                             f"{1e3 * r['seconds']:.3f}" if r["success"] else ""] for r in rows]))
    return "\n".join(out)


def index3(data):
    out = []
    for rows in grouped([r for r in data["rows"] if "positions" in r], "problem"):
        out.append(f"## {rows[0]['problem']}, atol = rtol\n\n"
                   + table(["rtol, method", "digits of positions", "of all", *HEAD],
                           [[f"{r['rtol']:g}, {r['method']}", f"{r['positions']:.2f}", f"{r['digits']:.2f}", *cells(r)]
                            for r in rows]))
    return "\n".join(out)


TABLES = {"provenance": where, "index1": index1, "index3": index3}


def READ(data):
    return data
