#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lanes a second and errors of ensembles: revode on lanes and one by one, Boost.Odeint, Diffrax, torchdiffeq.

usage: bench/lanes/run.py PROGRAM [-o FOLDER] [--cases 'A;B'] [--times N] [--device cpu|cuda] [--no-python]

PROGRAM is revode-bench-lanes. Rounds of all libraries take turns, on the cpu on one processor; the
least time of each counts. The Python libraries (bench/peers/requirements.txt) are installed with pip
into a private environment (default build/peers); what fails to install is left out. `--python` names
a Python that has them already: on a card, one whose JAX and torch are for CUDA. Writes lanes.json and
lanes.md.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "peers")]
import draw.lanes as draw  # noqa: E402
from environment import ENSEMBLES, LIBRARIES, Worker, environment, pinned  # noqa: E402

HEAD = """Half the square of the end state's norm is what gradients are of, by y0 and p of every lane. Errors are |x - r| / |r|
over up to 64 lanes; of gradients the worse of both parts; r is a solve at a much tighter tolerance. Times are the least of all
rounds{clock}; *times* is over revode's lanes. revode and odeint solve `one by one` what is said of all lanes by up to 256 of
them; bytes are what the reverse pass keeps, or what XLA plans. Diffrax has the same tolerances, tableau (Kvaerno5 where revode
takes rodas5p), largest step and number of states kept (where revode has one), its own controller, float64, jit without the
compilation, and the least bound on its steps; the fastest of its batches is shown. torchdiffeq solves all lanes as one state, with
the error of its worst lane; it lacks implicit methods, tsit5 and a largest step.
"""


def measure(o, name, workers_of):
    """One case, everybody in turns: the program's JSON with the rows of all."""
    def own():
        command = [o.program, "--json", name, "--repeats", 3, "--times", o.times]
        command = pinned(command) if o.device == "cpu" else [str(word) for word in command]
        found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        return found["cases"][0] | {"machine": found["machine"]}

    case, rows = own(), {}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(case, file)
        file.flush()
        workers = workers_of(file.name)
        for number in range(o.rounds):
            found = (case if number == 0 else own())["rows"]
            for worker in workers:
                found += worker.order("round")
            for row in found:
                known = rows.setdefault((row["who"], row["kind"]), row)
                known["seconds"] = min(known["seconds"], row["seconds"])
            print(f"{name}: round {number + 1} of {o.rounds}", file=sys.stderr)
        for worker in workers:
            worker.end()
    return {k: v for k, v in case.items() if k not in ("y0", "p", "samples")} | {"rows": list(rows.values())}


def versions(python, library):
    """Of a library and what it stands on, in this Python."""
    names = LIBRARIES[library]
    ask = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    said = subprocess.run([python, "-c", ask, *names], stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(zip(names, said.split()))


def report(data, folder):
    """lanes.json, and a page of it; that of bench/results has sentences of its own (bench/tables.py)."""
    (folder / "lanes.json").write_text(json.dumps(data, indent=1) + "\n")
    clock = " of the processor" if data["device"] == "cpu" else ""
    (folder / "lanes.md").write_text(
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Ensembles beside other libraries\n\n"
        + "\n".join([draw.provenance(data), HEAD.format(clock=clock), draw.cases(data)]))
    print(f"results: {folder}/lanes.json {folder}/lanes.md")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--cases", default="", help="A;B: these; default: all")
    parser.add_argument("--times", type=int, default=1, help="that many times each case's own lanes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--environment", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--python", help="one that has the libraries; default: install them")
    parser.add_argument("--no-python", action="store_true")
    o = parser.parse_args()
    o.program = o.program.resolve()
    o.out.mkdir(parents=True, exist_ok=True)
    pythons = {}
    for library in () if o.no_python else ENSEMBLES:
        pythons[library] = o.python or environment(o.environment, library)
    pythons = {library: python for library, python in pythons.items() if python}

    def workers_of(file):
        commands = [[python, HERE / "peers.py", library, file, "--device", o.device]
                    for library, python in pythons.items()]
        return [Worker(pinned(c) if o.device == "cpu" else c) for c in commands]

    names = [name for name in o.cases.split(";") if name]
    names = names or json.loads(subprocess.run([o.program, "--list"], stdout=subprocess.PIPE, check=True).stdout)
    cases = [measure(o, name, workers_of) for name in names]
    libraries = [f"{name} {version}" for of, python in pythons.items() for name, version in versions(python, of).items()]
    data = {"machine": cases[0]["machine"], "device": o.device, "date": datetime.date.today().isoformat(),
            "libraries": (["Boost.Odeint"] if o.device == "cpu" else []) + libraries, "command": "tools/dev " + ("gpu" if o.device == "cuda" else "bench lanes"),
            "cases": cases}
    if o.device == "cuda":
        query = ["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm", "--format=csv,noheader"]
        data["card"] = subprocess.run(query, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    report(data, o.out)


if __name__ == "__main__":
    main()
