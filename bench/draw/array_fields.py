# SPDX-License-Identifier: Apache-2.0
"""The table of results/array_fields.md, from array_fields.json."""
from .curves import table, where


def ratios(data):
    """Arrays and numbers over the vjp by hand, and the gradient over that by hand."""
    head = ["states and hidden units", "samples", "scalar", "a vjp by hand, ms", "arrays over it", "numbers over it",
            "a gradient by hand, ms", "arrays over it"]
    rows = [[f"{r['width']}", f"{r['samples']}", "float" if r["bytes"] == 4 else "double", f"{r['vjp_by_hand']:.4f}",
             f"{r['vjp_arrays'] / r['vjp_by_hand']:.2f}",
             f"{r['vjp_numbers'] / r['vjp_by_hand']:.0f}" if r["vjp_numbers"] else "", f"{r['by_hand']:.3f}",
             f"{r['arrays'] / r['by_hand']:.2f}"] for r in data["rows"]]
    return table(head, rows)


TABLES = {"provenance": where, "ratios": ratios}


def READ(data):
    return data
