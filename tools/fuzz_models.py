# SPDX-License-Identifier: Apache-2.0
"""Random models, solved: python3 tools/fuzz_models.py build/release/revode --models 300 [--seed 1]

Each is written twice, as a model and in Python, and a few steps of RK4 are compared; half of them are damaged, and
then either refused by line and column or solved. Prints what was neither and how many of which there were."""

import argparse
import json
import math
import random
import re
import subprocess
import tempfile
from pathlib import Path

FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tanh": math.tanh, "exp": math.exp, "atan": math.atan, "sinh": math.sinh,
             "abs": abs, "log1p": math.log1p, "sqrt": math.sqrt, "expm1": math.expm1, "cosh": math.cosh}
PAIRS = {"min": min, "max": max, "atan2": math.atan2, "hypot": math.hypot}


class Writer:
    """Expressions as pairs: in the model's words and in Python's."""

    def __init__(self, draw, names):
        self.draw, self.names = draw, names

    def number(self):
        text = self.draw.choice(["0.5", "1", "2", "1e-1", ".25", "3.5e0"])
        return text, f"({float(text)!r})"

    def leaf(self):
        if self.draw.random() < 0.3:
            return self.number()
        name = self.draw.choice(self.names + ["t"])
        return name, name

    def expression(self, depth):
        kind = self.draw.random()
        if depth == 0 or kind < 0.15:
            return self.leaf()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        if kind < 0.6:
            sign = self.draw.choice("+-*/")
            return f"({a[0]}) {sign} ({b[0]})", f"(({a[1]}) {sign} ({b[1]}))"
        if kind < 0.68:
            power = self.draw.choice(["2", "3", "0", "-1", "1.5"])
            return f"({a[0]})^{power}", f"power(({a[1]}), {power})"
        if kind < 0.74:
            return f"-({a[0]})", f"(-({a[1]}))"
        if kind < 0.84:
            name = self.draw.choice(list(FUNCTIONS))
            return f"{name}({a[0]})", f"{name}({a[1]})"
        if kind < 0.92:
            name = self.draw.choice(list(PAIRS))
            return f"{name}({a[0]}, {b[0]})", f"{name}(({a[1]}), ({b[1]}))"
        c, d = self.leaf(), self.leaf()
        sign = self.draw.choice(["<", ">", "<=", ">="])
        both = self.draw.choice(["and", "or"])
        return (f"if({c[0]} {sign} {d[0]} {both} not {a[0]} < 0, {a[0]}, {b[0]})",
                f"(({a[1]}) if (({c[1]}) {sign} ({d[1]})) {both} not (({a[1]}) < 0) else ({b[1]}))")


def power(x, n):
    if n == int(n):  # by multiplications
        y = 1.0
        for _ in range(abs(int(n))):
            y *= x
        return 1 / y if n < 0 else y
    return math.pow(x, n)


def make(draw):
    states, parameters = ["x", "y", "z"][: draw.randint(1, 3)], ["a", "b"]
    start = {s: draw.choice([0.25, 1.0, -0.5]) for s in states}
    values = {p: draw.choice([0.3, 2.0, -1.0]) for p in parameters}
    lines = ["time 0 .. 0.25", "parameter " + ", ".join(f"{p} = {v!r}" for p, v in values.items()),
             "state " + ", ".join(f"{s} = {v!r}" for s, v in start.items())]
    code, names = [], states + parameters
    for i in range(draw.randint(0, 2)):
        model, python = Writer(draw, names).expression(2)
        lines.append(f"let v{i} = {model}")
        code.append(f"v{i} = {python}")
        names = names + [f"v{i}"]
    slopes = [Writer(draw, names).expression(3) for _ in states]
    lines += [f"{s}' = {slope[0]}" for s, slope in zip(states, slopes)]
    code.append("return [" + ", ".join(f"float({slope[1]})" for slope in slopes) + "]")
    head = "def f(t, " + ", ".join(states + parameters) + "):\n    "
    space = {**FUNCTIONS, **PAIRS, "power": power}
    exec(head + "\n    ".join(code), space)
    return "\n".join(lines) + "\n", lambda t, y: space["f"](t, *y, *values.values()), list(start.values())


def by_rk4(f, y, h, steps):
    for i in range(steps):
        t = i * h
        k1 = f(t, y)
        k2 = f(t + h / 2, [a + h / 2 * k for a, k in zip(y, k1)])
        k3 = f(t + h / 2, [a + h / 2 * k for a, k in zip(y, k2)])
        k4 = f(t + h, [a + h * k for a, k in zip(y, k3)])
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return y


def damaged(draw, text):
    at = draw.randrange(len(text))
    return draw.choice([text[:at] + text[at + 1:], text[:at] + draw.choice("()+*^,='# x1<\n") + text[at:]])


def judge(command, folder, draw):
    text, f, y0 = make(draw)
    broken = draw.random() < 0.5
    (folder / "m.ode").write_text(damaged(draw, text) if broken else text)
    ran = subprocess.run([command, "solve", "m.ode", "--method", "rk4", "--fixed-step", "0.0625", "--json"], cwd=folder,
                         env={"REVODE_CACHE": ".", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=120)
    refused = ran.returncode == 2 and re.fullmatch(r"m\.ode:\d+:\d+: .*\?\n", ran.stderr) is not None
    if broken:
        return "refused" if refused else "solved, damaged" if ran.returncode in (0, 1) and ran.stdout else "WRONG"
    try:
        expected = by_rk4(f, y0, 0.0625, 4)
    except (ValueError, OverflowError, ZeroDivisionError):
        return "not finite" if ran.returncode in (0, 1) and ran.stdout else "WRONG"
    if ran.returncode != 0:
        return "not finite" if any(not math.isfinite(y) or abs(y) > 1e6 for y in expected) else "WRONG"
    found = json.loads(ran.stdout)["y"]
    close = all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(found, expected))
    return "right" if close else "WRONG"


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("command")
    asked.add_argument("--models", type=int, default=300)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    command, counts = str(Path(given.command).resolve()), {}
    with tempfile.TemporaryDirectory() as name:
        for k in range(given.models):
            verdict = judge(command, Path(name), random.Random(1000 * given.seed + k))
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict == "WRONG":
                print(f"seed {given.seed}, model {k}:\n{(Path(name) / 'm.ode').read_text()}")
            for kept in Path(name).glob("*.so"):
                kept.unlink()
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 1 if "WRONG" in counts else 0


if __name__ == "__main__":
    raise SystemExit(main())
