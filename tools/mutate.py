#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One-line faults in the library, and which of them the tests do not see.

usage: tools/mutate.py [--seed N] [--count N] [--layers a,b] [--build] [--no-alone] [--whole] [--longest S] [--report FILE]

Lines of include/, solvers/, adjoint/ and src/ are drawn, and of each line one of the faults that the operators of
mutation/faults.py make of it; those of mutation/known_faults.txt come behind. A copy of the library has a switch
for every fault (build/mutants), so that the test programs are compiled once. A fault runs through the cases that
reach it, the fastest first; it dies when one fails, crashes or takes too long. A fault that no switch can hold
(template arguments, constants) or that no case reaches is compiled by itself with the test files nearest to it: an
error there is a death if it is a failed static_assert, else it is no fault and the next one counts in its place.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/mutation"))

import alone  # noqa: E402
import faults as f  # noqa: E402
import programs as p  # noqa: E402
import report  # noqa: E402


def try_switches(tree, layers, results, kept, whole, longest):
    """What the switches tell of each fault."""
    made = tree.programs(layers)
    cases = [case for layer in made for case in p.cases_of(layer, made[layer])]
    failing = [f"{c.layer}: {c.name}" for c in cases if not c.passed]
    print(f"{len(cases)} cases; not counted, since they fail without a fault: {failing}", flush=True)
    for number, fault in enumerate(tree.faults, 1):
        before = results.get(fault.key(), {})
        if before.get("what") in ("died", "no code"):
            continue
        reaching = [c for c in cases if number in c.reached]
        near = [c for c in reaching if c.seconds <= longest]
        by = p.killed_by(number, near, made)
        if by is None and whole and not failing:  # what one case computes once, another may look at
            by = next((c for c in near if p.fails(made[c.layer], number, 1800)), None)
        if not reaching and before:
            continue  # other layers' cases, or its own programs, have told what there is to tell
        what = "died" if by else "survived" if reaching else "not reached"
        files = list(dict.fromkeys(c.file for c in sorted(reaching, key=lambda c: c.seconds)))
        results[fault.key()] = {"what": what, "by": f"{by.layer}: {by.name}" if by else None,
                                "cases": len(reaching), "files": files[:2]}
        print(f"{what:12} {fault.key()}", flush=True)
        kept.write_text(json.dumps(results, indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--layers", default=",".join(p.ORDER))
    parser.add_argument("--build", action="store_true", help="only make the programs")
    parser.add_argument("--whole", action="store_true", help="what survives its cases meets the whole programs, too")
    parser.add_argument("--longest", type=float, default=1e9, help="leaves out cases of so many seconds")
    parser.add_argument("--no-alone", action="store_true", help="only faults behind switches")
    parser.add_argument("--report", type=pathlib.Path)
    asked = parser.parse_args()
    drawn, of, lines = f.draw(ROOT, asked.seed, asked.count)
    known = f.known(ROOT, ROOT / "tools/mutation/known_faults.txt")
    where = ROOT / "build/mutants"
    tree = p.Tree(ROOT, where, drawn + known)
    if asked.build:
        tree.programs(asked.layers.split(","))
        return 0
    kept = where / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    try:
        if not asked.no_alone:
            alone.try_headers(ROOT, where, tree.faults, results)
        try_switches(tree, asked.layers.split(","), results, kept, asked.whole, asked.longest)
        if not asked.no_alone:
            alone.try_alone(ROOT, where, tree.faults, results, kept)
    finally:
        kept.write_text(json.dumps(results, indent=1))
    if asked.no_alone:
        return 0
    text = report.table(ROOT, asked.seed, of, lines, drawn, known, results)
    print(text)
    if asked.report:
        asked.report.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
