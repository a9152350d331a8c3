#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random command lines, run whole: whatever is asked, the command answers in the way it promises.

usage: tools/fuzz_commands.py REVODE [--seed N] [--runs N] [--seconds S]

Words are drawn by a generator with the seed: options that a command's own help names, names from its own
lists, numbers, and junk. A run has a limit of 200 step attempts, 4 GiB of address space and
60 s of the processor. It ends with
0, 1, 2 or 3, never by a signal; 0 says nothing on stderr; 2 leaves nothing on stdout and one line on stderr that
ends with a question; 1 and 3 leave lines on stderr; no line has a control character; what --json prints is JSON.
Prints the counts and the command lines that break this; ends with 1 if there is one.
"""

import argparse
import collections
import json
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

NUMBERS = ["0", "1", "2", "0.5", "1e-3", "1e-6", "1e-9", "1e-14", "1e300", "-1", "-0.0", "1e-320", "nan", "inf",
           "-inf", "3", "7", "10", "20", "100", "1000", "1e400", "0x10", "9223372036854775807", "1,2", "1,2,3",
           "1,2,3,4", "0.9,0.95,1", "1,0.5", "@numbers", "@missing", "@empty", "64KiB", "1kB", "2MB", "1B"]
WORDS = {
    "--step-rounding": ["none", "bits24", "octave16"], "--log": ["steps", "controller"],
    "--loss": ["sum", "squared", "component:0", "component:1", "component:9", "event:0", "event:1", "event:99"],
    "--device": ["cpp", "omp", "tbb", "cuda", "threads"], "--spill": [".", "/dev/shm", "missing"],
    "--params": ["0=1", "1=2,0=3", "beta=0.5", "=1", "0=", "0=1,", "1,2,3", "10,28,2.6"],
    "--y0": ["x=1", "0=1,1=2", "z=", "y1=3", "1,0,0", "=", "x=1,2"],
    "--sweep": ["p:0=1:2", "y0:x=1:2", "p:q=1:2", "p:0=1:2:log", "y0:0=0.5:1", "p:1=nan:1", "y0:9=1:2", "p:0=-1:1:log", "p:0=1"],
    "--lanes": ["1", "4", "9", "16", "17", "64", "0", "-1"], "--save-count": ["1", "2", "10", "100", "0", "-5"],
    "--steps": ["0", "1", "2", "10", "100", "1000", "-1", "99999999999"], "--budget": ["1KiB", "64KiB", "1MiB", "1B"],
    "--slots": ["0", "1", "2", "3", "8", "100", "-1"], "--t1": ["0.1", "1", "2", "-1", "0", "1e-9", "20"],
    "--base": ["2", "3", "16", "1", "0"], "--interval": ["1", "5", "1000", "0", "-1"],
    "--atol": ["1e-9", "1e-6", "0", "-1"], "--fixed-step": ["0.1", "0.01", "1e-3", "0", "-1"], "--t0": ["0", "0.05", "1"],
    "--save-at": ["0.1", "0.1,0.2", "@numbers", "0.2,0.1", "nan"], "--unresolved": ["inf", "0.1", "1e-6", "-1"],
    "--tape-units": ["1", "3", "0"], "--inner-slots": ["1", "3", "0"], "--slow-slots": ["0", "1", "5"],
    "--gradient-rtol": ["1e-1", "1e-2", "1e-4", "2", "0"], "--rtol": ["1e-3", "1e-6", "1e-10", "0", "1", "-1"]}
FILES = ["out.csv", "out.svg", "out.png", "missing/out.csv", ".", "", "/dev/full", "out"]
JUNK = ["-", "--", "-x", "--=", "é", "\x1b[31m", "a\nb", "x" * 3000, "--rtol=1e-4", "--json=1", "solve", "=", ":", " "]


class Draws:
    """Command lines of a program, one after another."""

    def __init__(self, program, seed):
        self.random = random.Random(seed)
        self.lists = {what: json.loads(said(program, "list", what, "--json"))[what]
                      for what in ("problems", "methods", "adjoints", "schedules")}
        self.options = {command: re.findall(r"^ +(--[a-z0-9-]+)(?: ([A-Z]+))?", said(program, command, "--help"), re.M)
                        for command in ("solve", "grad", "ensemble", "schedule", "list")}

    def name(self, what):
        return self.random.choice(self.lists[what])["name"]

    def problem(self):
        entry = self.random.choice(self.lists["problems"])
        name = entry["name"]
        if f"{name}:N" in entry["summary"] or entry.get("default_size"):
            return f"{name}:{self.random.randint(1, 9)}"
        if name == "detest":
            return "detest:" + self.random.choice("ABCDE") + self.random.choice("123456")
        return self.random.choice(["kepler:0.5", "kepler:0.9", "kepler:1"]) if name == "kepler" else name

    def value(self, option, kind):
        draw = self.random.choice
        if self.random.random() < 0.04:
            return draw(NUMBERS + JUNK)
        if option in WORDS:
            return draw(WORDS[option])
        named = {"--method": "methods", "--adjoint": "adjoints", "--schedule": "schedules", "--kind": "schedules"}
        if option in named:
            return self.name(named[option])
        return draw(FILES) if kind == "FILE" else draw(NUMBERS)

    def line(self):
        draw = self.random
        command = draw.choice(["solve"] * 4 + ["grad"] * 6 + ["ensemble"] * 3 + ["schedule"] * 3 + ["list", "bench", "junk"])
        words = [command if command != "junk" else draw.choice(JUNK)]
        if command in ("solve", "grad", "ensemble") and draw.random() < 0.97:
            common = ["lorenz", "decay", "lotka_volterra", "vdpol", "rober"]
            words.append(draw.choice(common) if command == "ensemble" and draw.random() < 0.7 else self.problem())
        if command == "ensemble":
            words += ["--lanes", draw.choice(WORDS["--lanes"])]
        if command == "schedule":
            words += ["--steps", draw.choice(WORDS["--steps"]), "--slots", draw.choice(WORDS["--slots"])]
        if command == "list":
            words.append(draw.choice(["problems", "methods", "adjoints", "schedules", "ensembles", "nothing"]))
        for option, kind in draw.choices(self.options.get(command, [("--json", "")]), k=draw.choice([0, 1, 1, 1, 2, 2, 3, 5])):
            words += [option] + ([self.value(option, kind)] if kind else [])
        if draw.random() < 0.05:
            words.insert(draw.randrange(len(words) + 1), draw.choice(JUNK))
        return words + (["--max-steps", "200"] if command in ("solve", "grad", "ensemble") else [])


def said(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def small():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 61))


def wrong(words, done):
    """What a run did that it must not; empty if nothing."""
    lines = done.stderr.decode(errors="replace").split("\n")[:-1]
    if done.returncode not in (0, 1, 2, 3):
        return f"ended with {done.returncode}"
    if any(ord(c) < 32 or ord(c) == 127 for line in lines for c in line):
        return "a control character on stderr"
    if done.returncode == 0 and lines:
        return "success with a line on stderr"
    if done.returncode != 0 and not lines:
        return "a failure without a line on stderr"
    if done.returncode == 2 and (done.stdout or len(lines) != 1 or not lines[0].endswith("?")):
        return "misuse that is not one line that asks"
    if done.returncode < 2 and "--json" in words and "--help" not in words and "bench" not in words:
        try:
            json.loads(done.stdout)
        except ValueError:
            return "--json printed no JSON"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("revode")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    draws = Draws(given.revode, given.seed)
    ended, findings, slowest, start = collections.Counter(), 0, 0.0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("numbers", "1 2\n3\n"), ("empty", "")):
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        while sum(ended.values()) < given.runs and time.monotonic() - start < given.seconds:
            words, began = draws.line(), time.monotonic()
            try:
                done = subprocess.run([os.path.abspath(given.revode), *words], stdin=subprocess.DEVNULL, capture_output=True, cwd=folder,
                                      timeout=600, preexec_fn=small)
                ended[done.returncode] += 1
                why = wrong(words, done)
            except subprocess.TimeoutExpired:
                ended["limit"] += 1
                why = "took more than 600 s"
            slowest = max(slowest, time.monotonic() - began)
            if why:
                findings += 1
                print(f"{why}: revode {shlex.join(words)}", flush=True)
    counts = ", ".join(f"{count} with {how}" for how, count in sorted(ended.items(), key=str))
    print(f"seed {given.seed}: {sum(ended.values())} runs ({counts}), {findings} findings, slowest {slowest:.1f} s")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
