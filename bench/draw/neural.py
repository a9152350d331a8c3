# SPDX-License-Identifier: Apache-2.0
"""The tables of results/neural.md, from neural.json."""
from .curves import duration, human, table, where


def steps(data):
    rows = []
    for case in data["cases"]:
        least = next(r for r in case["rows"] if r["contestant"].startswith("Diffrax"))
        for r in case["rows"]:
            rows.append([f"{case['case']}, {case['precision']}", r["contestant"], f"{r['steps']}", duration(r["seconds"]),
                         f"{least['seconds'] / r['seconds']:.2f}", duration(r["bound"]), f"{r['gflops']:.3g}",
                         human(r.get("bytes")), duration(r.get("compiled_in"))])
    head = ["case", "", "steps", "a training step", "Diffrax' time over it", "bound", "GFLOP/s", "bytes", "compiled in"]
    return table(head, rows)


def gradients(data):
    rows = []
    for case in data["cases"]:
        ours = next(r for r in case["rows"] if r["contestant"].startswith("revode"))
        rows.append([f"{case['case']}, {case['precision']}", f"{case['parameters']:,}",
                     f"{case['fixed_difference']:.1e}", f"{ours['difference']:.1e}"])
    return table(["case", "weights", "on the same fixed steps", "each by its own steps"], rows)


TABLES = {"provenance": where, "steps": steps, "gradients": gradients}


def READ(data):
    return data
