# SPDX-License-Identifier: Apache-2.0
"""The tables of results/switching.md, from switching.json."""
import math

from .curves import table, where


def ratios(data):
    """At each tolerance the pair beside its parts, and the geometric mean of its time over the better part's."""
    out = []
    for rtol in sorted({r["rtol"] for r in data["rows"]}, reverse=True):
        rows = [r for r in data["rows"] if r["rtol"] == rtol]
        best = [min(t for t in (r["tsit5"], r["rodas5p"]) if t is not None) for r in rows]
        over = [r["pair"] / b for r, b in zip(rows, best) if r["pair"] is not None]
        ms = lambda t: "–" if t is None else f"{1e3 * t:.4f}"
        out.append(f"## rtol {rtol:g}\n\n"
                   + table(["problem", "components", "tsit5, ms", "rodas5p, ms", "pair, ms", "ratio to the better", "steps",
                            "factorisations"],
                           [[r["problem"], f"{r['components']}", ms(r["tsit5"]), ms(r["rodas5p"]), ms(r["pair"]),
                             f"{r['pair'] / b:.2f}" if r["pair"] is not None else "–", f"{r['steps']}", f"{r['factorizations']}"]
                            for r, b in zip(rows, best)])
                   + f"\nGeometric mean of {len(over)} ratios: {math.exp(sum(map(math.log, over)) / len(over)):.2f}; "
                   f"{sum(r > 1.5 for r in over)} above 1.5; the pair failed on {len(rows) - len(over)}.\n")
    return "\n".join(out)


TABLES = {"provenance": where, "ratios": ratios}


def READ(data):
    return data
