#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figure of the README from memory.json: memory and time of a gradient against its steps.

usage: bench/memory/figure.py memory.json FIGURE.svg
"""
import json
import math
import pathlib
import sys

# setting: (label, colour); peers are dashed
CURVES = {"store_all": ("all tapes", "#c44e52"), "slots:68": ("68 states", "#2ca02c"),
          "slots:20": ("20 states", "#1f77b4"), "log": ("log₂ n states", "#111111"),
          "online:slots:20": ("20 states, a log of the steps", "#ff7f0e"),
          "controller:slots:20": ("20 states, controller replayed", "#17becf"),
          "scan": ("JAX scan", "#c44e52"), "checkpoint": ("JAX scan, checkpoint", "#9467bd"),
          "equinox:20": ("equinox, 20", "#1f77b4"), "diffrax:20": ("diffrax, 20", "#8c564b")}
PANELS = (("lorenz", "allocated", "bytes, equal steps (Lorenz)", (3, 10)),
          ("orbit", "allocated", "bytes, adaptive steps (Kepler)", (3, 10)),
          ("lorenz", "seconds", "seconds, value and gradient (Lorenz)", (-5, 1)))
STEPS = (2, 7)
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 260, 46, 30, 60
UNITS = {0: "1", 3: "1 kB", 6: "1 MB", 9: "1 GB"}


def power(k, unit):
    if unit == "allocated":
        return UNITS.get(k, "")
    return {-3: "1 ms", 0: "1 s", -5: "10 µs"}.get(k, "")


class Panel:
    def __init__(self, number, unit, decades):
        self.x0, self.unit, self.decades = LEFT + number * (WIDTH + GAP), unit, decades

    def x(self, steps):
        return self.x0 + WIDTH * (math.log10(steps) - STEPS[0]) / (STEPS[1] - STEPS[0])

    def y(self, value):
        low, high = self.decades
        return TOP + HEIGHT * (1 - (math.log10(value) - low) / (high - low))

    def frame(self, title):
        yield f'<text x="{self.x0}" y="{TOP - 10}" font-weight="bold">{title}</text>'
        for k in range(STEPS[0], STEPS[1] + 1):
            x = self.x(10**k)
            yield f'<path d="M{x:.1f} {TOP}v{HEIGHT}" stroke="#ddd"/>'
            yield f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">10{"²³⁴⁵⁶⁷"[k - 2]}</text>'
        for k in range(self.decades[0], self.decades[1] + 1):
            y = self.y(10.0**k)
            yield f'<path d="M{self.x0} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
            yield f'<text x="{self.x0 - 5}" y="{y + 4:.1f}" text-anchor="end">{power(k, self.unit)}</text>'

    def curve(self, points, colour, dashed):
        path = "L".join(f"{self.x(n):.1f} {self.y(v):.1f}" for n, v in sorted(points))
        dash = ' stroke-dasharray="5 3"' if dashed else ""
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        for n, v in points:
            yield f'<circle cx="{self.x(n):.1f}" cy="{self.y(v):.1f}" r="2.5" fill="{colour}"/>'


def legend(entries, y):
    """Rows of four."""
    for i, (label, colour, dashed) in enumerate(entries):
        x, row = LEFT + 265 * (i % 4), y + 18 * (i // 4)
        dash = ' stroke-dasharray="5 3"' if dashed else ""
        yield f'<path d="M{x} {row - 4}h26" stroke="{colour}" stroke-width="2"{dash}/>'
        yield f'<text x="{x + 32}" y="{row}">{label}</text>'


def figure(rows):
    body, seen = [], {}
    for number, (case, unit, title, decades) in enumerate(PANELS):
        panel = Panel(number, unit, decades)
        body += panel.frame(title)
        for setting, (label, colour) in CURVES.items():
            points = [(r["length"], r[unit]) for r in rows
                      if r["case"] == case and r["setting"] == setting and r[unit]]
            if points:
                dashed = any(r["who"] != "revode" for r in rows if r["setting"] == setting)
                body += panel.curve(points, colour, dashed)
                seen[setting] = (label, colour, dashed)
    entries = [seen[s] for s in CURVES if s in seen]
    bottom = TOP + HEIGHT + 42
    body += legend(entries, bottom + 4)
    width, height = LEFT + 3 * WIDTH + 2 * GAP + 14, bottom + 18 * ((len(entries) + 3) // 4)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12"><rect width="100%" height="100%" fill="white"/>' + "\n".join(body) + "</svg>\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: bench/memory/figure.py memory.json FIGURE.svg")
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text())["memory_rows"]
    pathlib.Path(sys.argv[2]).write_text(figure(rows))


if __name__ == "__main__":
    main()
