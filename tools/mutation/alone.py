# SPDX-License-Identifier: Apache-2.0
"""Faults that no switch tells anything of: each compiled by itself with the test files nearest to it."""

import json
import pathlib
import re
import shutil
import subprocess

from faults import FOLDERS, OPERATORS
from programs import flags, test_files

FILES = 6


def includes_of(root, path):
    """Every header of the library that a file reads, with its distance."""
    todo, seen = [(path, 0)], {}
    while todo:
        file, far = todo.pop(0)
        for name in re.findall(r'#include [<"]([\w/.]+)[>"]', file.read_text()):
            for base in [file.parent, root / "tests", *(root / x.split("/")[0] for x in FOLDERS)]:
                found = (base / name).resolve()
                if found.is_file() and found not in seen:
                    seen[found] = far + 1
                    todo.append((found, far + 1))
    return seen


def words(path):
    return set(re.split(r"[_/.]", path.stem))


def told(root, file):
    """The tests that tests_of.txt names for the file."""
    for line in (root / "tools/mutation/tests_of.txt").read_text().splitlines():
        name, *tests = line.split()
        if name == file:
            return [root / "tests" / t for t in tests]
    return []


def nearest(root, file, reach):
    """Proofs of the header by static_asserts and tests told, then test files that read it: its own layer's before
    others, then like names, then by distance."""
    header = root / file
    layer = file.split("/")[2 if file.startswith("include") else 0]
    near = [t for t in reach if header in reach[t]]
    first = told(root, file)
    return sorted(near, key=lambda t: (not (t.parent == root / "solvers" and reach[t][header] == 1), t not in first,
                                       t.parent.name != layer, -len(words(t) & words(header)), reach[t][header]))


def tests_of_source(file, reach):
    """Of src/cuts.cpp those of the layer solve, of src/schedule/planner.cpp those of schedule."""
    parts = file.split("/")
    layer = parts[1] if len(parts) > 2 else "solve"
    return [t for t in reach if t.parent.name == layer]


class Bench:
    """Compiles test files against a copy of the library."""

    def __init__(self, root, where):
        self.root, self.tree, self.library = root, where / "alone", where / "objects/librevode.a"
        for folder in FOLDERS:
            shutil.rmtree(self.tree / folder, ignore_errors=True)
            shutil.copytree(root / folder, self.tree / folder)
        (self.tree / "bench").mkdir(exist_ok=True)
        shutil.copy(root / "tests/main.cpp", self.tree / "main.cpp")
        self.main = self.tree / "main.o"
        subprocess.run(["g++", *flags(self.tree, root), "-O0", "-c", self.tree / "main.cpp", "-o", self.main], check=True)
        self.sound = {}
        self.sanitizers = []

    def run(self, test):
        """'passed', 'failed', 'asserted' (at compile time) or 'no code'."""
        program = self.tree / "test"
        level = ["-O2"] if test.parent.name in ("ad", "state") else ["-O0", "-DREVODE_HD=inline"]
        sources = [x for x in (self.tree / "src").rglob("*.cpp") if "/cli/" not in str(x) and "generate" not in x.name
                   and "/problems/" not in str(x)] if self.in_src else []
        if test.name != "allocations.cpp" and '"allocations.hpp"' in test.read_text():
            sources.append(test.parent / "allocations.cpp")
        made = subprocess.run(["nice", "-n", "5", "g++", *flags(self.tree, self.root), *level, *self.sanitizers, test, *sources, self.main, self.library,
                               "-lklu", "-lpthread", "-o", program], capture_output=True, text=True, cwd=self.root)
        if made.returncode != 0:
            return "asserted" if re.search("static assertion failed|static_assert failed", made.stderr) else "no code"
        try:
            return "failed" if subprocess.run([program, "--abort-after=1"], capture_output=True, timeout=200).returncode else "passed"
        except subprocess.TimeoutExpired:
            return "failed"

    def header_alone(self, fault):
        """The same of a source file that reads nothing but the header: its own static_asserts."""
        made = subprocess.run(["nice", "-n", "5", "g++", *flags(self.tree, self.root), "-fsyntax-only", "-x", "c++", self.tree / fault.file],
                              capture_output=True, text=True, cwd=self.root)
        if made.returncode == 0:
            return "passed"
        return "asserted" if re.search("static assertion failed", made.stderr) else "no code"

    def changed_lines(self, fault, before):
        lines = before.splitlines()
        if fault.operator is None:
            lines[fault.number] = (lines[fault.number][:fault.start] + fault.line +
                                   lines[fault.number][fault.start + len(fault.original):])
        else:
            lines[fault.number] = fault.line
        return "\n".join(lines) + "\n"

    def try_fault(self, fault, tests):
        self.in_src = fault.file.startswith("src/")
        path = self.tree / fault.file
        before = path.read_text()
        after = self.changed_lines(fault, before)
        path.write_text(after)
        how = self.header_alone(fault)
        path.write_text(before)
        if how != "passed":
            return ("died", "its own static_assert") if how == "asserted" else ("no code", None)
        compiled = False
        for test in tests:
            path.write_text(after)
            try:
                how = self.run(test)
            finally:
                path.write_text(before)
            if how in ("failed", "asserted"):
                if test not in self.sound:
                    self.sound[test] = self.run(test) == "passed"
                if self.sound[test]:
                    return "died", f"{test.relative_to(self.root)}{' (static_assert)' if how == 'asserted' else ''}"
            compiled = compiled or how == "passed"
        return "survived" if compiled else "no code", None


def try_headers(root, where, faults, results):
    """Faults of solvers that a static_assert of their own file refuses, which takes seconds."""
    bench = Bench(root, where)
    for fault in faults:
        if fault.file.startswith("solvers/") and results.get(fault.key(), {}).get("what") != "died":
            what, by = bench.try_fault(fault, [])
            if what == "died":
                results[fault.key()] = {"what": what, "by": by, "cases": 0}
                print(f"{what:12} {fault.key()} ({by})", flush=True)


def try_sanitized(root, bench, faults, results):
    """Survivors of loops that go too far: with the sanitizers, which see all test files every night."""
    bench.sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    for fault in faults:
        told = results[fault.key()]
        further = fault.operator is not None and OPERATORS[fault.operator][2] == " <= "
        if told["what"] == "survived" and further and told.get("files"):
            what, by = bench.try_fault(fault, [pathlib.Path(x) for x in told["files"]])
            if what == "died":
                results[fault.key()] = {**told, "what": what, "by": f"{by}, sanitized"}
                print(f"{what:12} {fault.key()} ({by}, sanitized)", flush=True)
    bench.sanitizers, bench.sound = [], {}


def try_alone(root, where, faults, results, kept):
    left = [x for x in faults if results[x.key()]["what"] == "not reached"]
    reach = {t: includes_of(root, t) for t in [*test_files(root), *(root / "solvers").glob("*.cpp")]}
    bench = Bench(root, where)
    for fault in left:
        near = tests_of_source(fault.file, reach) if fault.file.startswith("src/") else nearest(root, fault.file, reach)
        what, by = bench.try_fault(fault, near[:FILES])
        results[fault.key()] = {"what": what, "by": by, "cases": 0, "files": [str(t) for t in near[:FILES]]}
        print(f"{what:12} {fault.key()} ({by})", flush=True)
        kept.write_text(json.dumps(results, indent=1))
    try_sanitized(root, bench, faults, results)
