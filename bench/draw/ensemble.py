# SPDX-License-Identifier: Apache-2.0
"""The tables of results/ensemble.md, from ensemble.json: runs of revode-bench-lanes --json, one a set of
vectors, as {"runs": [{"vectors": NAME} with a run's members, ...]}."""
from .curves import table, where


def provenance(data):
    return where({"machine": data["runs"][0]["machine"]})


def row_of(case, who, kind):
    return next((row for row in case["rows"] if row["who"] == who and row["kind"] == kind), None)


def pairs(data):
    """(vectors, case, kind, alone, on lanes) where both were measured."""
    for run in data["runs"]:
        for case in run["cases"]:
            for kind in ("solve", "gradient"):
                alone, lanes = (row_of(case, f"revode, {who}", kind) for who in ("one by one", "lanes"))
                if alone and lanes:
                    yield run["vectors"], case, kind, alone, lanes


def singles(data):
    rows = []
    for vectors, case, kind, alone, lanes in pairs(data):
        attempts = case["lanes"] * case["attempts"][1]
        rows.append([vectors, f"{case['case']}, {kind}", f"{case['lanes'] / alone['seconds']:.0f}",
                     f"{case['lanes'] / lanes['seconds']:.0f}", str(lanes["together"]),
                     f"{alone['seconds'] / lanes['seconds']:.1f}", f"{1e9 * alone['seconds'] / attempts:.1f}",
                     f"{1e9 * lanes['seconds'] / attempts:.2f}"])
    return table(["vectors", "case", "lanes/s alone", "lanes/s on lanes", "lanes together", "times", "ns an attempt, alone",
                  "on lanes"], rows)


def odeint(data):
    """The same by Boost.Odeint, one solve after the other; no error where chaos leaves no digit."""
    def error(row):
        return "(chaos)" if row.get("worst") is None else f"{row['worst']:.1e}"

    rows = []
    for vectors, case, kind, alone, lanes in pairs(data):
        other = row_of(case, "Boost.Odeint dopri5, one by one", kind)
        if other:
            rows.append([vectors, case["case"], f"{case['lanes'] / other['seconds']:.0f}", f"{other.get('calls', '–')}", error(other),
                         f"{lanes.get('calls', '–')}", error(lanes), f"{other['seconds'] / lanes['seconds']:.1f}"])
    return table(["vectors", "case", "lanes/s", "calls of the field a lane", "largest error", "on lanes: calls", "largest error",
                  "lanes are times as fast"], rows)


TABLES = {"provenance": provenance, "singles": singles, "odeint": odeint}


def READ(data):
    return data
