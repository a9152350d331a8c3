# SPDX-License-Identifier: Apache-2.0
"""The tables of results/sparse_dae.md, from sparse_dae.json."""
from .curves import table, where
from .dae import HEAD, cells, grouped


def methods(data):
    out = []
    for rows in grouped(data["rows"], "problem", "rtol"):
        first = rows[0]
        out.append(f"## {first['problem']}, {first['unknowns']} unknowns, {first['entries']} entries, rtol = atol = {first['rtol']:g}\n\n"
                   + table(["method", "digits", *HEAD, "ms"],
                           [[r["method"], f"{r['digits']:.2f}" if r["success"] else "fails", *cells(r),
                             f"{1e3 * r['seconds']:.1f}" if r["success"] else ""] for r in rows]))
    return "\n".join(out)


TABLES = {"provenance": where, "methods": methods}


def READ(data):
    return data
