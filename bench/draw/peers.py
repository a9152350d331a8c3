# SPDX-License-Identifier: Apache-2.0
"""The tables of results/peers.md, from peers.json."""
import math

from .curves import at_digits, duration, factor, human, points_of, table, where

TARGETS = {"solve": (4, 6, 8, 10), "gradient": (4, 6, 8)}
LIBRARIES = ("odeint", "ARKODE", "CVODES", "CVODE", "numbalsoda", "heyoka", "diffsol", "scipy", "Diffrax", "torchdiffeq")


def default_method(rtol):
    """What the command takes by itself."""
    return "dop853" if rtol < 1e-11 else "vern7" if rtol < 1e-9 else "tsit5"


def library(solver):
    return next((name for name in LIBRARIES if solver.startswith(name)), "revode")


def curves(data, problem, kind):
    found = {}
    for point in data["points"]:
        if point["problem"] == problem and point["kind"] == kind:
            found.setdefault(point["solver"], []).append(point)
    return found


def best_at(found, digits, which):
    """(seconds, solver) that reaches so many digits in the least time among a library's."""
    times = [(at_digits(points, digits), solver) for solver, points in found.items() if library(solver) == which]
    return min((pair for pair in times if pair[0] is not None), default=None)


def default_at(found, digits, kind):
    """Seconds of the method that the command takes at each tolerance, with the library's own number of states."""
    ending = "" if kind == "solve" else ", default"
    points = [p for solver, ps in found.items() for p in ps if solver == default_method(p["rtol"]) + ending]
    return at_digits(points, digits)


def present(data, kind):
    return [n for n in LIBRARIES if any(library(p["solver"]) == n for p in data["points"] if p["kind"] == kind)]


def compared(data, kind):
    """(problem, digits, curves, best of ours) of what the references can tell."""
    for q in data["problems"]:
        found = curves(data, q["name"], kind)
        for digits in TARGETS[kind]:
            own = best_at(found, digits, "revode")
            if own and digits <= -math.log10(q["doubt" if kind == "solve" else "gradient_doubt"] or 1e-16):
                yield q["name"], digits, found, own


def over(ratio):
    return f"**{factor(ratio)}**" if ratio > 1 else factor(ratio)


def recommended(data, kind):
    """The default beside the best of ours and the best peer."""
    rows, behind = [], []
    for problem, digits, found, own in compared(data, kind):
        peers = [best for best in (best_at(found, digits, name) for name in LIBRARIES) if best]
        peer, default = min(peers, default=None), default_at(found, digits, kind)
        row = [problem, str(digits), own[1], duration(own[0]), duration(default)]
        row += ["–" if default is None else factor(default / own[0])]
        row += [f"{peer[1]} {duration(peer[0])}", over(own[0] / peer[0])] if peer else ["none gets there", "–"]
        row += [over(default / peer[0]) if peer and default else "–"]
        if peer and default and default > peer[0]:
            behind.append(f"{problem} at {digits} digits {factor(default / peer[0])} ({peer[1]})")
        rows.append(row)
    head = ["problem", "digits", "best of ours", "time", "default", "over best of ours", "best peer", "best of ours over peer",
            "default over peer"]
    return table(head, rows) + f"\nThe default is behind the best peer, by this factor of its time: {'; '.join(behind) or 'nowhere'}.\n"


def ratios(data, kind):
    """The fastest of revode at equal digits, and how many times as long the fastest of each library takes."""
    names, rows = present(data, kind), []
    for problem, digits, found, own in compared(data, kind):
        row = [problem, str(digits), own[1], duration(own[0])]
        for name in names:
            peer = best_at(found, digits, name)
            row.append(f"{factor(peer[0] / own[0])} ({peer[1].removeprefix(name).strip(' ,')})" if peer else "–")
        rows.append(row)
    return table(["problem", "digits", "best of ours", "time", *names], rows)


def everyone(data, problem, kind):
    """Times of every solver at equal digits; of gradients also the bytes at 6."""
    rows = []
    for solver, points in curves(data, problem, kind).items():
        row = [solver] + [duration(at_digits(points, digits)) for digits in TARGETS[kind]]
        if kind == "gradient":
            row += [human(at_digits(points, 6, "allocated")), human(at_digits(points, 6, "rss"))]
        rows.append(row)
    head = ["solver"] + [f"{digits} digits" for digits in TARGETS[kind]]
    return table(head + (["allocated at 6", "resident at 6"] if kind == "gradient" else []), rows)


def problems(data):
    parts = []
    for q in data["problems"]:
        parts += [f"## {q['name']}: {q['n']} states, {q['parameters']} parameters, t = {q['t1']:g}\n",
                  f"Two methods at 1e-14 differ by {q['doubt']:.0e}, their gradients by {q['gradient_doubt']:.0e}.\n",
                  everyone(data, q["name"], "solve"), everyone(data, q["name"], "gradient")]
    return "\n".join(parts)


TABLES = {"provenance": where, "recommended_solves": lambda d: recommended(d, "solve"),
          "recommended_gradients": lambda d: recommended(d, "gradient"), "solves": lambda d: ratios(d, "solve"),
          "gradients": lambda d: ratios(d, "gradient"), "problems": problems}


def READ(data):
    return data | {"points": points_of(data)}
