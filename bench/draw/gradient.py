# SPDX-License-Identifier: Apache-2.0
"""The tables of results/gradient.md, from gradient.json."""
from .curves import table, where


def provenance(data):
    return where({"machine": data["machine"] | {"compiler": "and clang++, see below"}})


def ratios(data):
    """Solve and gradient together over the solve alone, by compiler and flags."""
    head = ["", *(f"{s['name']} ({s['compiler'].removeprefix('Debian ').split(' (')[0]})" for s in data["sets"]), "replays a step"]
    rows = []
    for k, row in enumerate(data["sets"][0]["rows"]):
        replays = row["replayed_steps"] / row["steps"]
        rows.append([f"{row['method']}, {row['setting']}, {row['derivative']} ({row['steps']:,} steps)",
                     *(f"{s['rows'][k]['ratio']:.2f}" for s in data["sets"]), f"{replays:.2f}"])
    said = "; ".join(f"{s['name']}: `{s['flags']}`" for s in data["sets"])
    return table(head, rows, True) + f"\n{said}; all with `-std=c++20 -DNDEBUG`, for plain x86-64.\n"


TABLES = {"provenance": provenance, "ratios": ratios}


def READ(data):
    return data
