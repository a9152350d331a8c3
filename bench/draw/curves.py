# SPDX-License-Identifier: Apache-2.0
"""Curves of digits against time, read at equal digits, and the tables that are drawn from them."""
import math


def risen(values):
    """The nearest sequence that never falls (monotone.hpp)."""
    level = []
    for value in values:
        level.append((value, 1))
        while len(level) > 1 and level[-1][0] < level[-2][0]:
            (b, m), (a, n) = level.pop(), level.pop()
            level.append(((a * n + b * m) / (n + m), n + m))
    return [value for value, weight in level for _ in range(weight)]


def good(points):
    """Those worth reading, from the loosest tolerance to the tightest."""
    fine = [p for p in points if p.get("digits") is not None and p["digits"] > 0
            and p.get("status", "success") == "success"]
    return sorted(fine, key=lambda p: -p["rtol"])


def undercut(points):
    """A point that a tighter tolerance takes less time than stands for that one."""
    points = list(points)
    for k in range(len(points) - 1, 0, -1):
        if points[k]["seconds"] < points[k - 1]["seconds"]:
            points[k - 1] = points[k]
    return points


def at_digits(points, digits, of="seconds", undercuts=False):
    """The quantity where a curve reaches so many digits, between logarithms; a curve that starts above
    gives its first point, one that does not get there None."""
    points = [p for p in good(points) if p.get(of) is not None]
    reached = risen([p["digits"] for p in points])
    points = undercut(points) if undercuts else points
    i = next((k for k, d in enumerate(reached) if d >= digits), None)
    if i is None or not reached:
        return None
    if i == 0:
        return points[0][of]
    part = (digits - reached[i - 1]) / (reached[i] - reached[i - 1])
    low, high = (math.log(max(points[k][of], 1e-12)) for k in (i - 1, i))
    return math.exp((1 - part) * low + part * high)


def table(head, rows, numbers=False):
    """In Markdown; with `numbers` all columns but the first are set to the right."""
    rule = "|---|" + ("---:|" if numbers else "---|") * (len(head) - 1)
    return "\n".join(["| " + " | ".join(head) + " |", rule]
                     + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def duration(seconds):
    if seconds is None:
        return "–"
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def factor(ratio):
    return f"{ratio:.3g}" if ratio < 1000 else f"{ratio:,.0f}"


def human(number):
    if number is None:
        return "–"
    if number < 1:
        return "0 B"
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def where(data):
    """Machine, compiler, flags, libraries and day of a run."""
    m = data["machine"]
    load = f"a shared machine of {m['processors']} processors with {m['load']:.0f} programs at work" if "load" in m \
        else "a shared machine"
    libraries = data.get("libraries") or data.get("peers") or []
    flags = data.get("flags") or m.get("flags")
    parts = [f"{m['processor']}, {m['system']}, {load}", f"g++ {m['compiler']}, {m['target']}"
             + (f", `{flags.strip()}`" if flags else ""), f"revode {m['revode']}", *libraries, m.get("date") or data.get("date", "")]
    return "; ".join(part for part in parts if part) + ".\n"


def points_of(data):
    """Rows under their columns' names, as dictionaries."""
    if "columns" not in data:
        return data["points"]
    return [dict(zip(data["columns"], row)) for row in data["points"]]
