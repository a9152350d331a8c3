# SPDX-License-Identifier: Apache-2.0
"""The tables of results/large_field.md, from large_field.json."""
from .curves import table, where


def ratios(data):
    out = []
    for method in dict.fromkeys(r["method"] for r in data["rows"]):
        rows = [r for r in data["rows"] if r["method"] == method and "vjp" in r]
        hand = next(r for r in rows if r["vjp"] == "by hand")["gradient"]
        out.append(f"## {method}\n\n"
                   + table(["vjp", "steps", "vjps", "solve, s", "gradient, s", "over that by hand", "most resident so far, MB",
                            "recording, MB", "off by"],
                           [[r["vjp"], f"{r['steps']}", f"{r['vjps']}", f"{r['solve']:.3f}", f"{r['gradient']:.3f}",
                             f"{r['gradient'] / hand:.2f}", f"{r['most_resident_so_far']:.0f}", f"{r['recording']:.1f}",
                             f"{r['off_by']:.1e}"] for r in rows]))
        for r in data["rows"]:
            if r["method"] == method and "same_bits" in r:
                one, two = r["clock_of_one_thread"], r["clock_of_two_threads"]
                out.append(f"By rows, of the clock: {one:.3f} s on one thread, {two:.3f} s on two, {one / two:.2f} times as fast, "
                           f"{'the same bits' if r['same_bits'] else 'OTHER BITS'}.\n")
    return "\n".join(out)


TABLES = {"provenance": where, "ratios": ratios}


def READ(data):
    return data
