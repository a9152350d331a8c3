#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figure of the README from memory.json: memory and time of a gradient against its steps.

usage: bench/memory/figure.py memory.json FIGURE.svg
"""
import json
import math
import pathlib
import sys

# setting: (label, colour on white, colour on black)
CURVES = {"store_all": ("every tape", "#b5402a", "#f08a70"),
          "slots:68": ("68 states, log", "#1a7f5a", "#5ccc9d"),
          "slots:20": ("20 states, log", "#2b67b1", "#79b0f2"),
          "budget:65536": ("budget 64 KiB", "#8a5a00", "#d9a648"),
          "controller:slots:20": ("20 states, no log", "#7a3e9d", "#c793e6")}
# what of a row, title, decades or doublings of the axis, marks
PANELS = (("allocated", "Bytes that a gradient allocates", (3, 10), 10,
           {3: "1 kB", 4: "", 5: "", 6: "1 MB", 7: "", 8: "", 9: "1 GB", 10: ""}),
          ("ratio", "Time of solve and gradient, solve = 1", (0, 4), 2,
           {0: "1", 1: "2", 2: "4", 3: "8", 4: "16"}))
STEPS = (2, 7)
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 250, 48, 40, 160
STYLE = ("text{fill:#333}.title{font-weight:600;font-size:13px}.grid{stroke:#e6e6e6}.axis{stroke:#999}"
         "#card{fill:#fff}path{fill:none}.line{stroke-width:2}")
DARK = "text{fill:#ccc}.grid{stroke:#2a2f36}.axis{stroke:#777}#card{fill:#0d1117}"


def style():
    def coloured(which):
        return "".join(f".c{i}{{stroke:{c[which]}}}.f{i}{{fill:{c[which]}}}" for i, c in enumerate(CURVES.values()))

    return f"<style>{STYLE}{coloured(1)}@media(prefers-color-scheme:dark){{{DARK}{coloured(2)}}}</style>"


class Panel:
    def __init__(self, number, span, base):
        self.x0, self.span, self.base = LEFT + number * (WIDTH + GAP), span, base

    def x(self, steps):
        return self.x0 + WIDTH * (math.log10(steps) - STEPS[0]) / (STEPS[1] - STEPS[0])

    def y(self, value):
        low, high = self.span
        return TOP + HEIGHT * (1 - (math.log(value, self.base) - low) / (high - low))

    def frame(self, title, marks):
        yield f'<text class="title" x="{self.x0}" y="{TOP - 16}">{title}</text>'
        for k in range(STEPS[0], STEPS[1] + 1):
            x = self.x(10**k)
            yield f'<path class="grid" d="M{x:.1f} {TOP}v{HEIGHT}"/>'
            yield f'<text x="{x:.1f}" y="{TOP + HEIGHT + 17}" text-anchor="middle">10{"²³⁴⁵⁶⁷"[k - 2]}</text>'
        for k, mark in marks.items():
            y = self.y(self.base**k)
            yield f'<path class="grid" d="M{self.x0} {y:.1f}h{WIDTH}"/>'
            yield f'<text x="{self.x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{mark}</text>'
        yield f'<path class="axis" d="M{self.x0} {TOP}v{HEIGHT}h{WIDTH}"/>'
        yield f'<text x="{self.x0 + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">accepted steps</text>'

    def curve(self, points, number):
        path = "L".join(f"{self.x(n):.1f} {self.y(v):.1f}" for n, v in points)
        yield f'<path class="line c{number}" d="M{path}"/>'
        for n, v in points:
            yield f'<circle class="f{number}" cx="{self.x(n):.1f}" cy="{self.y(v):.1f}" r="2.6"/>'

    def labels(self, ends):
        """At the ends of the curves, moved apart where they would overlap."""
        places = sorted([y, number, label] for y, number, label in ends)
        for _ in range(100):
            for upper, lower in zip(places, places[1:]):
                close = 15 - (lower[0] - upper[0])
                if close > 0:
                    upper[0] -= close / 2
                    lower[0] += close / 2
        for y, number, label in places:
            yield f'<text class="f{number}" x="{self.x0 + WIDTH + 12}" y="{y + 4:.1f}">{label}</text>'


def figure(rows):
    body = []
    for number, (what, title, span, base, marks) in enumerate(PANELS):
        panel, ends = Panel(number, span, base), []
        body += panel.frame(title, marks)
        for k, (setting, (label, *_)) in enumerate(CURVES.items()):
            points = sorted((r["steps"], r[what]) for r in rows
                            if r["case"] == "orbit" and r["setting"] == setting and r.get(what))
            if points:
                body += panel.curve(points, k)
                ends.append((panel.y(points[-1][1]), k, label))
        body += panel.labels(ends)
    width, height = LEFT + 2 * (WIDTH + GAP) - 28, TOP + HEIGHT + 48
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="12">{style()}'
            '<rect id="card" width="100%" height="100%" rx="6"/>\n' + "\n".join(body) + "\n</svg>\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: bench/memory/figure.py memory.json FIGURE.svg")
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text())["memory_rows"]
    pathlib.Path(sys.argv[2]).write_text(figure(rows))


if __name__ == "__main__":
    main()
