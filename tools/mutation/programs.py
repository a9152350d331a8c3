# SPDX-License-Identifier: Apache-2.0
"""The test programs of a tree with switches: made once, run for every fault."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

from faults import FOLDERS, site, with_switches

HERE = pathlib.Path(__file__).resolve().parent
LEFT_OUT = re.compile(r"heavy|/(architecture|compile_fail|consumer|docs|flags|cli|fuzz|mpi|petsc|vectors|golden)/")
COMPILER = "clang++"  # without optimisation it takes half as long as g++
OWN_FLAGS = "-O0 -DREVODE_HD=inline"
ORDER = ["schedule", "state", "linalg", "solve", "loop", "ad", "solvers", "contract", "batch", "adjoint", "problems", "interop",
         "combinations"]


def thrust():
    places = ["/usr/local/cuda/include/cccl", "/usr/include"]
    return next((p for p in places if (pathlib.Path(p) / "thrust/version.h").exists()), "/usr/include")


def flags(tree, root):
    return ["-std=c++20", "-DNDEBUG", "-ffp-contract=off", "-w", *(f"-I{tree / f}" for f in ["include", "solvers", "adjoint", "src"]),
            f"-I{root}/tests", "-isystem", "/usr/include/eigen3", "-isystem", thrust(), "-isystem", "/usr/include/suitesparse",
            "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", f'-DREVODE_SOURCE_DIR="{root}"',
            f'-DREVODE_GOLDEN_DIR="{root}/tests/golden"']


def digest(*parts):
    return hashlib.sha1("\0".join(map(str, parts)).encode()).hexdigest()


def test_files(root):
    """The default tests, or those of them whose names REVODE_FILES matches."""
    wanted = re.compile(os.environ.get("REVODE_FILES", ""))
    return [p for p in sorted((root / "tests").glob("*/*.cpp"))
            if not LEFT_OUT.search(str(p)) and wanted.search(str(p.relative_to(root)))]


class Tree:
    """A copy of the library with a switch for every fault, and the programs of its tests."""

    def __init__(self, root, where, faults):
        self.root, self.where, self.faults = root, where, faults
        self.dropped = {}
        where.mkdir(parents=True, exist_ok=True)
        self.of_file = {}
        for number, fault in enumerate(faults, 1):
            self.of_file.setdefault(fault.file, []).append((number, fault))
        self.pristine = {}
        for folder in FOLDERS:
            for path in (root / folder).rglob("*"):
                if path.is_file():
                    self.pristine[str(path.relative_to(root))] = path.read_text()
        self.recall()
        self.write()

    def recall(self):
        """What did not compile in this tree before will not now."""
        self.memory = self.where / "dropped.json"
        known = json.loads(self.memory.read_text()) if self.memory.exists() else {}
        self.dropped = {n: known[f.key()] for n, f in enumerate(self.faults, 1) if f.key() in known}

    def write(self):
        for file, text in self.pristine.items():
            here = [x for x in self.of_file.get(file, []) if x[0] not in self.dropped]
            text = with_switches(text, here) if here else text
            path = self.where / file
            if not path.exists() or path.read_text() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        for name in ["fault.hpp", "main.cpp"]:
            if not (self.where / name).exists() or (self.where / name).read_text() != (HERE / name).read_text():
                shutil.copy(HERE / name, self.where / name)

    def drop(self, errors):
        """Leaves out the faults whose switches stand where the compiler found errors. False: there are none."""
        places = re.findall(r"^([^\s:]+):(\d+):\d+: +(.*)", errors, re.M)
        found = any(self.drop_near(places, slack) for slack in (0, 3, 40))
        known = json.loads(self.memory.read_text()) if self.memory.exists() else {}
        known.update({self.faults[n - 1].key(): what for n, what in self.dropped.items()})
        self.memory.write_text(json.dumps(known, indent=1))
        return found

    def drop_near(self, places, slack):
        """Those at most so many lines away from an error, or from the instantiation that led to it."""
        for kind in ("error", ""):
            found = False
            for file, line, what in places:
                file = os.path.relpath(file, self.where)
                for number, fault in self.of_file.get(file, []):
                    start, end, _, _ = site(self.pristine[file], fault)
                    first, last = (self.pristine[file][:x].count("\n") + 1 for x in (start, end))
                    near = first - slack <= int(line) <= last + slack
                    if number not in self.dropped and near and kind in what:
                        self.dropped[number] = what
                        found = True
            if found:
                return True
        return False

    def key(self, command, dependencies):
        parts = [command]
        for path in sorted(dependencies):
            file = os.path.relpath(path, self.where)
            if file in self.pristine:
                parts += [file, self.pristine[file], *(f"{n} {f.key()}" for n, f in self.of_file.get(file, []))]
            elif not path.startswith(("/usr", str(self.where))) and pathlib.Path(path).exists():
                parts.append(pathlib.Path(path).read_text())
        return digest(*parts)

    def compile(self, source, target, more):
        """An object file, made again only when what it reads has changed. Faults that do not compile are dropped."""
        command = ["nice", "-n", "5", COMPILER, *flags(self.where, self.root), *more, "-MMD", "-MF", f"{target}.d", "-c", str(source), "-o", str(target)]
        mark = pathlib.Path(f"{target}.json")
        if mark.exists() and target.exists():
            known = json.loads(mark.read_text())
            if known["key"] == self.key(" ".join(command), known["reads"]):
                return True
        target.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(12):
            began = time.time()
            made = subprocess.run(command, capture_output=True, text=True, cwd=self.root)
            if made.returncode == 0:
                reads = [str((self.root / x).resolve()) for x in pathlib.Path(f"{target}.d").read_text().replace("\\\n", " ").split()[1:]]
                reads = [x for x in reads if not x.startswith("/usr")]
                mark.write_text(json.dumps({"key": self.key(" ".join(command), reads), "reads": reads}))
                print(f"{time.time() - began:6.1f} s  {source}", flush=True)
                return True
            if not self.drop(made.stderr):
                print(f"{source} does not compile\n{made.stderr[:3000]}", flush=True)
                return False
            self.write()
        return False

    def library(self):
        objects, build = [], self.where / "objects"
        own = [*OWN_FLAGS.split(), "-I", str(self.where / "src")]
        table = build / "online_table.cpp"
        if not table.exists():
            build.mkdir(parents=True, exist_ok=True)
            subprocess.run([COMPILER, *flags(self.root, self.root), "-O2", self.root / "src/schedule/generate_online_table.cpp",
                            "-o", build / "generate"], check=True)
            subprocess.run([build / "generate", table], check=True)
        sources = [p for p in sorted((self.where / "src").rglob("*.cpp")) if "/cli/" not in str(p) and "generate_" not in p.name]
        for source in [table, *sources]:
            target = build / (source.stem + ".lib.o")
            if self.compile(source, target, [*own, "-include", str(self.where / "fault.hpp")]):
                objects.append(target)
        archive = build / "librevode.a"
        if not archive.exists() or archive.stat().st_mtime < max(x.stat().st_mtime for x in objects):
            archive.unlink(missing_ok=True)
            subprocess.run(["ar", "rcs", archive, *objects], check=True)
        return archive

    def programs(self, layers):
        """{layer: program} of all that compile."""
        build = self.where / "objects"
        before = self.where / "fault.hpp"
        header = build / "pre.hpp"
        header.parent.mkdir(parents=True, exist_ok=True)
        if not header.exists() or header.read_text() != before.read_text():  # its time counts
            header.write_text(before.read_text())
        gch = build / "pre.hpp.pch"
        if not gch.exists() or gch.stat().st_mtime < header.stat().st_mtime:
            subprocess.run([COMPILER, *flags(self.where, self.root), *OWN_FLAGS.split(), "-x", "c++-header", header, "-o", gch], check=True)
        more = [*OWN_FLAGS.split(), "-include", str(header)]
        self.compile(self.where / "main.cpp", build / "main.o", more)
        library = self.library()
        made = {}
        for layer in layers:
            objects = [build / layer / (p.stem + ".o") for p in test_files(self.root) if p.parent.name == layer]
            sources = [p for p in test_files(self.root) if p.parent.name == layer]
            objects = [o for s, o in zip(sources, objects) if self.compile(s, o, more)]
            if not objects:
                continue
            program = build / f"test_{layer}"
            newest = max(x.stat().st_mtime for x in [*objects, library, build / "main.o"])
            if not program.exists() or program.stat().st_mtime < newest:
                subprocess.run([COMPILER, build / "main.o", *objects, library, "-lklu", "-lpthread", "-o", program], check=True)
            made[layer] = program
        return made


class Case:
    def __init__(self, layer, index, line):
        how, seconds, reached, self.file, self.name = line.split("\t")
        self.layer, self.index, self.passed, self.seconds = layer, index, how == "passed", float(seconds)
        self.reached = set(map(int, reached.split()))


def cases_of(layer, program):
    """Every case of a program without a fault: what it reaches and how long it takes."""
    told = program.with_suffix(".cases")
    if not told.exists() or told.stat().st_mtime < program.stat().st_mtime:
        new = program.with_suffix(".new")
        subprocess.run([program, "--no-colors=1"], stdout=subprocess.DEVNULL, env={**os.environ, "REVODE_REACHED": str(new)}, timeout=3600)
        new.replace(told)
    return [Case(layer, i, line) for i, line in enumerate(told.read_text().splitlines(), 1)]


def fails(program, number, seconds, *options):
    """Does the program end badly with this fault, or take more seconds of a core than that?"""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))

    try:
        return subprocess.run([program, "--abort-after=1", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "REVODE_FAULT": str(number)}, preexec_fn=limited, timeout=3600).returncode != 0
    except subprocess.TimeoutExpired:  # it waits for something that does not come
        return True


def killed_by(number, cases, programs):
    """The fastest case that a fault fails, or None."""
    for case in sorted(cases, key=lambda c: c.seconds):
        if case.passed and number in case.reached:
            only = f"--first={case.index}", f"--last={case.index}"
            if fails(programs[case.layer], number, 30 + 10 * case.seconds, *only):
                return case
    return None
