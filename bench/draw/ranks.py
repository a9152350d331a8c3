# SPDX-License-Identifier: Apache-2.0
"""The tables of results/ranks.md, from ranks.json."""
import math

from .curves import duration, table, where

LATENCY, BANDWIDTH = 2e-6, 10e9  # of a message between two machines, in seconds and bytes a second
MACHINES = (1, 10, 100, 1_000, 10_000)


def measured(kind):
    def rows(data):
        first = data["rows"][0]
        out = []
        for row in data["rows"]:
            now, alone = row[kind], first[kind]
            speed = [alone[what] / now[what] * (now["unknowns"] / alone["unknowns"]) for what in ("solve", "gradient")]
            out.append([f"{row['ranks']}", f"{now['unknowns']:,}", f"{now['attempts']}", f"{now['collectives']}",
                        duration(now["solve"]), f"{speed[0]:.2f}", duration(now["gradient"]), f"{speed[1]:.2f}",
                        f"{now['bytes'] / 1e6:.1f}"])
        return table(["ranks", "unknowns", "attempts", "collectives", "solve", "times", "gradient", "times", "MB a rank"], out, True)
    return rows


def lanes(data):
    alone = data["rows"][0]["lanes"]["gradient"]
    return table(["ranks", "lanes", "gradient", "times"],
                 [[f"{row['ranks']}", f"{row['lanes']['lanes']:,}", duration(row["lanes"]["gradient"]),
                   f"{alone / row['lanes']['gradient']:.2f}"] for row in data["rows"]], True)


def model(data):
    """A grid of 10,240 rows and columns of two numbers, a rank a machine."""
    one, side = data["rows"][0]["strong"], 10_240
    halo = 2 * side * 8  # a row
    out = []
    for what, calls in (("solve", one["evaluations"]), ("gradient", one["exchanges"])):
        each = one[what] / one["unknowns"]  # all attempts of an unknown
        for ranks in MACHINES:
            work = each * 2 * side * side / ranks
            halos = calls * 2 * (LATENCY + halo / BANDWIDTH) if ranks > 1 else 0
            sums = one["collectives"] * LATENCY * math.ceil(math.log2(ranks)) if ranks > 1 else 0
            total = work + halos + sums
            out.append([what, f"{ranks:,}", duration(work), duration(halos), duration(sums), duration(total),
                        f"{each * 2 * side * side / total / ranks:.2f}"])
    return table(["", "ranks", "work", "halos", "collectives", "together", "efficiency"], out)


TABLES = {"provenance": where, "strong": measured("strong"), "weak": measured("weak"), "lanes": lanes, "model": model}


def READ(data):
    return data
