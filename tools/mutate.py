#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One-line faults in the library, and which of them the tests do not see.

usage: tools/mutate.py [--seed N] [--count N] [--first K] [--files N] [--out FILE]

Faults are drawn, not chosen: all lines of include/, solvers/ and adjoint/ that an operator below applies to
are listed, and a generator with the seed draws `count` of them, from the `first` on. A fault dies when one of
the `files` test files nearest to its header (by includes, then by the test's name) fails or hangs; one that
lives on is tried on twelve more. A fault that compiles nowhere is drawn again. A line of JSON a fault goes to
FILE (build/mutants.jsonl), whose faults are not tried again. Needs build/release (its libraries).
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["include/revode", "solvers/revode", "adjoint/revode"]
FLAGS = ("-std=c++20 -O0 -DREVODE_HD=inline -DNDEBUG -ffp-contract=off -w -Itests -isystem /usr/include/eigen3 "
         "-isystem /usr/local/cuda/include/cccl -isystem /usr/include/suitesparse "
         "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP").split()

# What a fault does to a line: a pattern and what takes its place.
OPERATORS = [
    ("relation", r" < ", " <= "), ("relation", r" <= ", " < "), ("relation", r" > ", " >= "),
    ("relation", r" >= ", " > "), ("relation", r" == ", " != "), ("relation", r" != ", " == "),
    ("sign", r" \+ ", " - "), ("sign", r" - ", " + "), ("factor", r" \* ", " / "), ("factor", r" / ", " * "),
    ("sum", r" \+= ", " -= "), ("sum", r" -= ", " += "),
    ("logic", r" && ", " || "), ("logic", r" \|\| ", " && "), ("logic", r"\btrue\b", "false"),
    ("logic", r"\bfalse\b", "true"), ("logic", r"!(?=[a-z(])", ""),
    ("number", r"(?<![\w.])([1-9]\d*)(?![\w.'])", lambda m: str(int(m[1]) + 1)),
    ("number", r"(?<![\w.])(\d+\.\d+)(?![\w'])", lambda m: "(2 * " + m[1] + ")"),
    ("statement", r"^(\s+)[\w.\->\[\]():]+(\([^;{}]*\)| [-+*/]?= [^;{}]*|\+\+|--);$", r"\1;"),
]
NOT_CODE = re.compile(r"^\s*(//|#|///|template|using|static_assert|typename|namespace|requires|friend|return;|break;|\})"
                      r"|\"|throw|explain|REVODE_HD|operator")


def faults():
    """Every fault there is: (file, line, operator, place in the line)."""
    all_of_them = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.hpp")):
            if re.search(r"_table|/testing/|/problems/", str(path)):
                continue
            for number, line in enumerate(path.read_text().splitlines()):
                code = line.split("//")[0].rstrip()
                if not code or NOT_CODE.search(code):
                    continue
                for k, (_, pattern, _) in enumerate(OPERATORS):
                    for m in re.finditer(pattern, code):
                        all_of_them.append((str(path.relative_to(ROOT)), number, k, m.start()))
    return all_of_them


def changed(line, k, start):
    _, pattern, by = OPERATORS[k]
    m = re.compile(pattern).search(line, start)
    return line[:m.start()] + (by(m) if callable(by) else m.expand(by)) + line[m.end():]


def test_files():
    return [p for p in sorted((ROOT / "tests").glob("*/*.cpp"))
            if not re.search(r"heavy|/(architecture|compile_fail|consumer|flags|cli)/", str(p))]


def includes_of(path, seen):
    """Every header of the library that a file reads, with its distance."""
    todo = [(path, 0)]
    while todo:
        file, far = todo.pop(0)
        for name in re.findall(r'#include [<"]([\w/.]+)[>"]', file.read_text()):
            for base in [file.parent, *(ROOT / f.split("/")[0] for f in FOLDERS)]:
                found = (base / name).resolve()
                if found.is_file() and found not in seen:
                    seen[found] = far + 1
                    todo.append((found, far + 1))
    return seen


def words(path):
    return set(re.split(r"[_/.]", path.stem))


def nearest(header, tests, reach):
    """Test files that read the header: its own layer's before others, then like names, then by distance."""
    layer = header.relative_to(ROOT).parts[2 if header.relative_to(ROOT).parts[0] == "include" else 0]
    near = [t for t in tests if header in reach[t]]
    return sorted(near, key=lambda t: (t.parent.name != layer, -len(words(t) & words(header)), reach[t][header]))


class Bench:
    """Compiles test files against a copy of the library."""

    def __init__(self):
        self.tree = ROOT / "build/mutants"
        self.tree.mkdir(parents=True, exist_ok=True)
        for folder in ["include", "solvers", "adjoint"]:
            subprocess.run(["rm", "-rf", self.tree / folder], check=True)
            subprocess.run(["cp", "-r", ROOT / folder, self.tree / folder], check=True)
        self.core = ROOT / "build/release"
        self.sound = {}
        self.main = self.tree / "main.o"
        subprocess.run(["g++", *FLAGS, "-c", ROOT / "tests/main.cpp", "-o", self.main], check=True)

    def fails(self, test):
        """None: it does not compile; otherwise whether a case fails, crashes or hangs."""
        program = self.tree / "test"
        paths = [f"-I{self.tree / f}" for f in ["include", "solvers", "adjoint"]]
        libraries = [f"-L{self.core}", "-lrevode_catalog", "-lrevode_core"]
        made = subprocess.run(["g++", *paths, *FLAGS, f'-DREVODE_SOURCE_DIR="{ROOT}"', f'-DREVODE_GOLDEN_DIR="{ROOT}/tests/golden"',
                               test, self.main, *libraries, "-lklu", "-lpthread", "-o", program],
                              capture_output=True, cwd=ROOT)
        if made.returncode != 0:
            return None
        try:
            return subprocess.run([program], capture_output=True, timeout=120).returncode != 0
        except subprocess.TimeoutExpired:
            return True

    def try_fault(self, fault, tests):
        """'died' with the file that saw it, 'survived', or 'no code' where no test file compiles."""
        for test in tests:  # what fails or does not compile without a fault sees none
            if test not in self.sound:
                self.sound[test] = self.fails(test) is False
        tests = [test for test in tests if self.sound[test]]
        file, number, k, start = fault
        path = self.tree / file
        before = path.read_text()
        lines = before.splitlines()
        lines[number] = changed(lines[number], k, start)
        path.write_text("\n".join(lines) + "\n")
        compiled = False
        try:
            for test in tests:
                seen = self.fails(test)
                compiled = compiled or seen is not None
                if seen:
                    return "died", str(test.relative_to(ROOT))
            return ("survived" if compiled else "no code"), None
        finally:
            path.write_text(before)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/mutants.jsonl")
    asked = parser.parse_args()
    drawn = faults()
    random.Random(asked.seed).shuffle(drawn)
    print(f"{len(drawn)} faults, seed {asked.seed}", file=sys.stderr)
    tests = test_files()
    reach = {t: includes_of(t, {}) for t in tests}
    asked.out.parent.mkdir(exist_ok=True)
    known = [json.loads(x) for x in asked.out.read_text().splitlines()] if asked.out.exists() else []
    known = {tuple(x["fault"]): x for x in known if x["seed"] == asked.seed}
    bench = Bench()
    done = 0
    for fault in drawn[asked.first:]:
        if done == asked.count:
            break
        line = known.get(fault)
        if line is None:
            near = nearest(ROOT / fault[0], tests, reach)
            what, by = bench.try_fault(fault, near[:asked.files]) if near else ("no test", None)
            if what == "survived":
                what, by = bench.try_fault(fault, near[asked.files:asked.files + 12])
                what = "survived" if what == "no code" else what
            text = (ROOT / fault[0]).read_text().splitlines()[fault[1]]
            line = {"seed": asked.seed, "fault": fault, "what": what, "by": by, "from": text.strip(),
                    "to": changed(text, fault[2], fault[3]).strip()}
            with asked.out.open("a") as out:
                out.write(json.dumps(line) + "\n")
        if line["what"] == "no code":
            continue
        done += 1
        print(f"{line['what']:9} {fault[0]}:{fault[1] + 1}: {line['from']}  ->  {line['to']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
