# SPDX-License-Identifier: Apache-2.0
"""The tables of results/lanes.md, from lanes.json."""
from .curves import factor, human, table


def best_batches(rows):
    """Of one library's batches the fastest, for solves and gradients."""
    best = {}
    for row in rows:
        key = (row["who"].split(", vmap")[0], row["kind"])
        if key not in best or row["seconds"] < best[key]["seconds"]:
            best[key] = row
    return best.values()


def written(case):
    lanes, rows = case["lanes"], []
    least = {row["kind"]: row["seconds"] for row in reversed(case["rows"]) if row["who"] == "revode, lanes"}
    for row in best_batches(case["rows"]):
        who = row["who"] + (f", {row['together']} together" if row["together"] > 1 else "")
        rows.append([who, row["kind"], f"{lanes / row['seconds']:,.0f}", factor(row["seconds"] / least[row["kind"]]),
                     f"{row['attempts']:.0f}", f"{row['worst']:.1e}", f"{row['median']:.1e}",
                     human(row["bytes"]) if row["bytes"] else "–"])
    least, mean, most = case["attempts"]
    return (f"## {case['case']}: {case['summary']}\n\n{lanes} lanes; {least:.0f} to {most:.0f} attempts a lane, "
            f"{mean:.0f} on average.\n\n"
            + table(["", "", "lanes/s", "times", "attempts", "worst error", "median", "bytes"],
                    sorted(rows, key=lambda row: row[1], reverse=True)))


def cases(data):
    return "\n".join(map(written, data["cases"]))


def provenance(data):
    m = data["machine"]
    busy = f", {m['load']:.0f} programs at work on its {m['processors']} processors" if "load" in m else ""
    where = f"{m['processor']}, one processor of a shared machine{busy}" if data["device"] == "cpu" else data["card"]
    means = "; ".join([f"g++ {m['compiler']}, {m['target']}", f"revode {m['revode']}", *data["libraries"], data["date"]])
    return f"{where}; {means}. By `{data['command']}`.\n"


TABLES = {"provenance": provenance, "cases": cases}


def READ(data):
    return data
