#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds Python's libraries to a wpd.json: numbalsoda, scipy and diffsol on the problems of few equations.

usage: bench/wpd/python_peers.py PROGRAM wpd.json... [--environment FOLDER] [--rounds N] [--libraries A,B]

PROGRAM is revode-bench-wpd. The libraries (bench/peers/requirements.txt) are installed with pip into a
private environment (default build/peers); what fails to install is left out and said. Several files
are made one, the first: of a solver that two of them have on a problem the first file's rows stay. A library that the file has is left as it is.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))
from environment import STIFF, Worker, environment, pinned, pins  # noqa: E402


def kept(path, data):
    """One line for each row, as the program writes it."""
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in data["points"])
    rest = {k: v for k, v in data.items() if k != "points"}
    path.write_text(json.dumps(rest, indent=1)[:-2] + f',\n "points": [\n{lines}\n]}}\n')


def put(data, rows):
    """Rows of new curves behind those of their problems."""
    columns = data["columns"]
    problem, solver = columns.index("problem"), columns.index("solver")
    known = {(row[problem], row[solver]) for row in data["points"]}
    order = list(dict.fromkeys(row[problem] for row in data["points"] + rows))
    data["points"] += [row for row in rows if (row[problem], row[solver]) not in known]
    data["points"].sort(key=lambda row: order.index(row[problem]))


def row_of(columns, n, point):
    values = {"problem": point["problem"], "n": n, "solver": point["solver"], "peer": True, "rtol": point["rtol"],
              "status": "success" if point["digits"] is not None else "failure", "mescd": point["digits"], "scd": None,
              "seconds": point["seconds"], "median_seconds": point["seconds"], "accepted": point["steps"]}
    return [values.get(name, 0) for name in columns]


def measured(program, library, o):
    python = environment(o.environment, library)
    if python is None:
        return None, f"no {library} (pip could not install it)"
    described = subprocess.run([program, "--describe"], stdout=subprocess.PIPE, check=True).stdout
    description = o.environment / "stiff.json"
    description.write_bytes(described)
    worker = Worker(pinned([python, HERE.parent / "peers" / "peers.py", library, description, "--longest", 0.5]))
    for _ in range(o.rounds):
        points = worker.order("round")
    worker.end()
    sizes = {q["name"]: len(q["y0"]) for q in json.loads(described)["problems"]}
    return [(sizes[p["problem"]], p) for p in points], f"{library} {pins()['pydiffsol' if library == 'diffsol' else library]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--environment", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--libraries", default=",".join(STIFF))
    o = parser.parse_args()
    o.environment.mkdir(parents=True, exist_ok=True)
    data = json.loads(o.files[0].read_text())
    for other in o.files[1:]:
        put(data, json.loads(other.read_text())["points"])
    for library in filter(None, o.libraries.split(",")):
        if any(said.split()[0] == library for said in data["peers"]):
            continue
        points, said = measured(o.program.resolve(), library, o)
        data["peers"].append(said)
        put(data, [row_of(data["columns"], n, p) for n, p in points or []])
        print(said)
    kept(o.files[0], data)


if __name__ == "__main__":
    main()
