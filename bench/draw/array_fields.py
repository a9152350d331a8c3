# SPDX-License-Identifier: Apache-2.0
"""The table of results/array_fields.md, from array_fields.json."""
from .curves import table, where


def ratios(data):
    """Arrays and numbers over the vjp by hand, and the gradient over that by hand."""
    head = ["target", "states and hidden units", "samples", "scalar", "a vjp by hand, ms", "arrays over it", "numbers over it",
            "a gradient by hand, ms", "arrays over it"]
    rows = [[s["machine"]["target"], f"{r['width']}", f"{r['samples']}", "float" if r["bytes"] == 4 else "double", f"{r['vjp_by_hand']:.4f}",
             f"{r['vjp_arrays'] / r['vjp_by_hand']:.2f}",
             f"{r['vjp_numbers'] / r['vjp_by_hand']:.0f}" if r["vjp_numbers"] else "", f"{r['by_hand']:.3f}",
             f"{r['arrays'] / r['by_hand']:.2f}"] for s in data["sets"] for r in s["rows"]]
    return table(head, rows)


def provenance(data):
    return "".join(f"- {where(s)}" for s in data["sets"])


TABLES = {"provenance": provenance, "ratios": ratios}


def READ(data):
    return data
