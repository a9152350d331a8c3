#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Error against time of solves and gradients: revode, Boost.Odeint, SUNDIALS, and Python's libraries.

usage: bench/peers/run.py PROGRAMS [-o FOLDER] [--rounds N] [--problems A,B] [--no-python] [--libraries A,B]

PROGRAMS is the folder of revode-bench-peers. Rounds of all libraries take turns on one processor;
the least time of each run counts. The Python libraries (requirements.txt) are installed with pip into
a private environment (default build/peers); what fails to install is left out, and the report says
so. Writes peers.json and peers.svg; bench/tables.py draws the page.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

import report
from environment import LIBRARIES, Worker, environment, pinned, pins

HERE = pathlib.Path(__file__).resolve().parent


class Points:
    """Of every run the least time, and whatever else is known of it."""

    def __init__(self):
        self.rows = {}

    def take(self, points):
        for point in points:
            key = tuple(point[k] for k in ("problem", "kind", "solver", "rtol"))
            known = self.rows.setdefault(key, {})
            least = min(known.get("seconds", 1e300), point.get("seconds", 1e300))
            known.update(point)
            if least < 1e300:
                known["seconds"] = least

    def list(self):
        return [row for row in self.rows.values() if "seconds" in row]


def answer_of(command):
    done = subprocess.run(pinned(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--environment", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--problems", default="", help="A,B: these, or none; default: all")
    parser.add_argument("--longest", type=float, default=1,
                        help="seconds; after a run that took longer, tighter tolerances are left out")
    parser.add_argument("--no-python", action="store_true")
    parser.add_argument("--libraries", default=",".join(LIBRARIES), help="A,B: these of Python's; default: all")
    o = parser.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    program = [o.programs / "revode-bench-peers", *(["--problems", o.problems] if o.problems else [])]
    program += ["--longest", o.longest]
    described = {"problems": []} | answer_of([*program, "--describe"])
    description = o.out / "peers_problems.json"
    description.write_text(json.dumps(described))
    workers = {}
    for library in () if o.no_python else o.libraries.split(","):
        python = environment(o.environment, library)
        if python is not None:
            workers[library] = Worker(pinned([python, HERE / "peers.py", library, description, "--longest", o.longest]))
    points = Points()
    for number in range(o.rounds):
        points.take(answer_of([*program, "--repeats", 1]).get("points") or [])
        for worker in workers.values():
            points.take(worker.order("round"))
        print(f"round {number + 1} of {o.rounds}", file=sys.stderr)
    points.take(answer_of([*program, "--memory"]).get("points") or [])
    for worker in workers.values():
        points.take(worker.order("memory"))
    for worker in workers.values():
        worker.end()
    libraries = described["peers"] + [f"{name} {pins()[name]}" for of in workers for name in LIBRARIES[of]]
    data = {"machine": described["machine"], "date": datetime.date.today().isoformat(), "libraries": libraries,
            "problems": [{k: q[k] for k in ("name", "t1", "doubt", "gradient_doubt")}
                         | {"n": len(q["y0"]), "parameters": len(q["p"])} for q in described["problems"]],
            "points": points.list()}
    report.write(data, o.out)


if __name__ == "__main__":
    main()
