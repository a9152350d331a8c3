#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Error against time of solves and gradients: revode, Boost.Odeint, SUNDIALS, Diffrax, torchdiffeq.

usage: bench/peers/run.py PROGRAMS [-o FOLDER] [--rounds N] [--problems A,B] [--no-python] [--no-torch]

PROGRAMS is the folder of revode-bench-peers. Rounds of all libraries take turns on one processor;
the least time of each run counts. The Python libraries (requirements.txt) are installed with pip into
a private environment (default build/peers); what fails to install is left out, and the report says
so. Writes peers.json, peers.md and peers.svg.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

import report

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = {"diffrax": ("jax", "equinox", "diffrax"), "torchdiffeq": ("torch", "torchdiffeq")}


def pinned(command):
    """One processor, so that no library has threads the other has not."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))] + [str(word) for word in command]


def pins():
    return dict(line.split("==") for line in (HERE / "requirements.txt").read_text().split())


def environment(folder, library):
    """The Python of a private environment with this library in it, or None."""
    python, marker = folder / "bin" / "python", folder / f"{library}.txt"
    packages = [f"{name}=={pins()[name]}" for name in LIBRARIES[library]]
    if marker.exists() and marker.read_text().split() == packages:
        return python
    print(f"installing {' '.join(packages)} into {folder}", file=sys.stderr)
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages],
                       check=True, capture_output=True, timeout=1800)
    except (subprocess.SubprocessError, OSError) as trouble:
        said = getattr(trouble, "stderr", b"") or str(trouble).encode()
        print(f"{library} cannot be installed here:",
              (said.decode(errors="replace").strip().splitlines() or ["no word"])[-1], file=sys.stderr)
        return None
    marker.write_text("\n".join(packages))
    return python


class Worker:
    """A peer in a process of its own, which answers orders."""

    def __init__(self, python, library, description, longest):
        command = [python, HERE / "peers.py", library, description, "--longest", longest]
        self.process = subprocess.Popen(pinned(command), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def order(self, word):
        print(word, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.process.args} ended")
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


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


def lanes(programs, workers, rounds, counts):
    """The ensembles; the least time of each. Diffrax gets chunks of several sizes."""
    program, found = programs / "revode-bench-peers-lanes", []
    if not program.exists():
        return found
    for count in counts:
        rows = []
        for _ in range(rounds):
            rows.append(answer_of([program, count, 2]))
            if "diffrax" in workers:
                order = {"lanes": count, "reference": rows[0]["reference"]}
                rows[-1].update(diffrax=workers["diffrax"].order(json.dumps(order)))
            print(f"ensemble of {count}: round {len(rows)}", file=sys.stderr)
        best = rows[-1]
        del best["reference"]
        for name in best["seconds"]:
            best["seconds"][name] = min(row["seconds"][name] for row in rows)
        for name in ("", "gradient_") if "diffrax" in best else ():
            quickest = min((row["diffrax"] for row in rows), key=lambda d: d[name + "seconds"])
            best["diffrax"] |= {k: quickest[k] for k in (name + "seconds", name + "chunk", name + "error")}
        found.append(best)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--environment", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--problems", default="", help="A,B: these, or none; default: all")
    parser.add_argument("--longest", type=float, default=1,
                        help="seconds; after a run that took longer, tighter tolerances are left out")
    parser.add_argument("--lanes", default="512,2048,10240", help="sizes of the ensembles; '': none")
    parser.add_argument("--no-python", action="store_true")
    parser.add_argument("--no-torch", action="store_true")
    o = parser.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    program = [o.programs / "revode-bench-peers", *(["--problems", o.problems] if o.problems else [])]
    program += ["--longest", o.longest]
    described = {"problems": []} | answer_of([*program, "--describe"])
    description = o.out / "peers_problems.json"
    description.write_text(json.dumps(described))
    workers = {}
    for library in () if o.no_python else ("diffrax",) if o.no_torch else LIBRARIES:
        python = environment(o.environment, library)
        if python is not None:
            workers[library] = Worker(python, library, description, o.longest)
            workers[library].process.stdout.readline()  # all compiled
    points = Points()
    for number in range(o.rounds):
        points.take(answer_of([*program, "--repeats", 1]).get("points") or [])
        for worker in workers.values():
            points.take(worker.order("round"))
        print(f"round {number + 1} of {o.rounds}", file=sys.stderr)
    points.take(answer_of([*program, "--memory"]).get("points") or [])
    for worker in workers.values():
        points.take(worker.order("memory"))
    ensembles = lanes(o.programs, workers, o.rounds, [int(n) for n in o.lanes.split(",") if n])
    for worker in workers.values():
        worker.end()
    libraries = described["peers"] + [f"{name} {pins()[name]}" for of in workers for name in LIBRARIES[of]]
    data = {"machine": described["machine"], "date": datetime.date.today().isoformat(), "libraries": libraries,
            "problems": [{k: q[k] for k in ("name", "t1", "doubt", "gradient_doubt")}
                         | {"n": len(q["y0"]), "parameters": len(q["p"])} for q in described["problems"]],
            "points": points.list(), "ensembles": ensembles}
    report.write(data, o.out)


if __name__ == "__main__":
    main()
