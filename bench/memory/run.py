#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory and time of gradients against length: revode, and the same programs in JAX, Autograd and Keras.

usage: bench/memory/run.py PROGRAM [-o FOLDER] [--quick] [--no-peers] [--repetitions N]

PROGRAM is memory_case. Every measurement is a process of its own on one processor. JAX, equinox,
diffrax, Autograd and Keras are installed with pip into a private environment (default build/peers); where that fails,
the benchmark says so and measures revode alone. Writes memory.json, and memory.svg of it.
"""
import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

import figure

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["jax==0.10.2", "equinox==0.13.8", "diffrax==0.7.2", "autograd==1.9.1", "keras==3.15.1"]


def powers(first, last):
    return [10**k for k in range(first, last + 1)]


def shapes(quick):
    """(case, length, size) of the matrix programs."""
    return (("products", 100, 100 if quick else 1000), ("recurrent", 50, 100 if quick else 1024))


def own_plan(quick):
    """(case, setting, lengths, size) of memory_case."""
    far = 4 if quick else 7
    for setting in ("store_all", "slots:20", "slots:68", "budget:65536", "controller:slots:20"):
        yield "orbit", setting, powers(2, far), 0
    for setting in ("store_all", "slots:20", "slots:68", "log"):
        yield "lorenz", setting, powers(2, far), 0
    for setting in ("store_all", "log", "own:store_all", "own:log"):
        yield "series", setting, powers(2, min(far, 6)), 0
    for setting in ("store_all", "slots:8", "log"):
        yield "dropout", setting, powers(2, min(far, 5)), 64
    for setting in ("slots:4", "plain:slots:4"):
        yield "sums", setting, [5, 10, 100, 1000], 300 if quick else 3000
    for case, n, size in shapes(quick):
        for setting in ("by_hand", "store_all", "slots:10", "plain:store_all", "plain:slots:10"):
            yield case, setting, [n], size
    yield "adapters", "slots:3", [10], 65536 if not quick else 1024


def peer_plan(quick):
    """The same of peers.py."""
    far = 3 if quick else 6
    big = 300 if quick else 3000
    for case in ("lorenz", "series"):
        for setting in ("scan", "checkpoint"):
            yield case, setting, powers(2, far), 0
        yield case, "equinox:20", powers(2, min(far, 5)), 0
    yield "lorenz", "diffrax:20", powers(2, min(far, 5)), 0
    for setting in ("scan", "checkpoint", "equinox:8"):
        yield "dropout", setting, powers(2, min(far, 5)), 64
    for setting in ("scan", "inner"):
        fit = [n for n in (5, 10, 100, 1000) if setting != "scan" or n * big * big < 2e9]  # all of them are stored
        yield "sums", setting, fit, big
    for case, n, size in shapes(quick):
        for setting in ("scan", "checkpoint", "equinox:10"):
            yield case, setting, [n], size
    for setting in ("apart", "stopped"):
        yield "adapters", setting, [10], 65536 if not quick else 1024


def other_plan(quick):
    """The same of other_peers.py: who, and the rest."""
    for case, n, size in shapes(quick):
        yield "autograd", (case, "grad", [n], size)
    yield "keras", ("dropout", "fit", powers(2, 3 if quick else 4), 64)
    if not quick:
        yield "keras", ("dropout", "fit", [1000], 1024)  # weights that can be seen in the resident set


def pinned(command):
    """One processor, so that no library has threads the other has not."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))] + command


def measure(command, repetitions):
    """The run of median time; None and a line about it when it failed."""
    runs = []
    for _ in range(repetitions):
        done = subprocess.run(pinned(command), capture_output=True, text=True)
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no word"])[-1]
            print(f"  {' '.join(command[-4:])}: {reason}", file=sys.stderr)
            return None
        runs.append(json.loads(done.stdout.strip().splitlines()[-1]))
        if runs[-1]["seconds"] > 5:
            break  # long enough to be steady
    best = sorted(runs, key=lambda r: r["seconds"])[len(runs) // 2]
    best["rss"] = statistics.median(r["rss"] for r in runs)
    if best.get("forward"):  # the two were measured in turn
        best["ratio"] = statistics.median(r["seconds"] / r["forward"] for r in runs)
    else:
        best.pop("forward", None)
    return best


def environment(folder):
    """The Python of a private environment with the peers in it, or None."""
    python = folder / "bin" / "python"
    marker = folder / "installed.txt"
    if marker.exists() and marker.read_text().split() == PACKAGES:
        return python
    print(f"installing {' '.join(PACKAGES)} into {folder}")
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES],
                       check=True, capture_output=True, timeout=900)
    except (subprocess.SubprocessError, OSError) as trouble:
        said = getattr(trouble, "stderr", b"") or str(trouble).encode()
        print("the peers cannot be installed here; revode alone is measured:",
              (said.decode(errors="replace").strip().splitlines() or ["no word"])[-1])
        return None
    marker.write_text("\n".join(PACKAGES))
    return python


def run_plan(plan, command, who, repetitions):
    rows = []
    for case, setting, lengths, size in plan:
        for n in lengths:
            row = measure([*command(case), case, setting, str(n), str(size)], repetitions)
            if row is None:
                break
            row["who"] = who
            rows.append(row)
            print(f"\r{len(rows)} measurements of {who}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def human(number):
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def name_of(row):
    return row["setting"] if row["who"] == "revode" else row["who"] + " " + row["setting"]


def print_table(rows):
    print(f"\n{'case':10} {'length':>9} {'size':>6}  {'setting':24} {'allocated':>10} {'peak rss':>10} "
          f"{'seconds':>10} {'/ forward':>9} {'evals/step':>10}  value")
    key = lambda r: (r["case"], r["size"], r["length"])  # noqa: E731
    for row in sorted(rows, key=key):
        per_step = f"{row['evaluations'] / row['steps']:.2f}" if row.get("evaluations") else ""
        ratio = f"{row['ratio']:.2f}" if row.get("ratio") else ""
        allocated = human(row["allocated"]) if row["allocated"] is not None else "?"
        value = "?" if row["value"] is None else f"{row['value']:.12g}"
        print(f"{row['case']:10} {row['length']:9} {row['size']:6}  {name_of(row):24} {allocated:>10} "
              f"{human(row['rss']):>10} {row['seconds']:10.3g} {ratio:>9} {per_step:>10}  {value}")


# Which settings keep about the same: what is compared.
COMPARED = {"store_all": ("scan", "grad", "fit"), "plain:store_all": ("scan", "grad"), "own:store_all": ("scan",),
            "slots:20": ("checkpoint", "equinox:20", "diffrax:20"), "log": ("checkpoint", "equinox:20"), "slots:8": ("equinox:8",),
            "slots:4": ("scan", "inner"), "plain:slots:4": ("scan", "inner"),
            "plain:slots:10": ("checkpoint", "equinox:10"), "slots:10": ("checkpoint", "equinox:10"), "slots:3": ("apart", "stopped"), "by_hand": ("scan", "grad")}


def ratios(rows):
    """Memory and time of revode over those of the peers that keep about as much."""
    found = []
    for own in (r for r in rows if r["who"] == "revode"):
        for peer in rows:
            if peer["who"] == "revode" or peer["setting"] not in COMPARED.get(own["setting"], ()):
                continue
            if any(peer[k] != own[k] for k in ("case", "length", "size")):
                continue
            large = min(own["rss"], peer["rss"]) > 1e6  # below, the resident set counts pages
            found.append({"case": own["case"], "length": own["length"], "size": own["size"],
                          "setting": own["setting"], "peer": name_of(peer),
                          "allocated": own["allocated"] / peer["allocated"] if peer["allocated"] else None,
                          "rss": own["rss"] / peer["rss"] if large else None,
                          "time": own["seconds"] / peer["seconds"]})
    return found


def print_ratios(found):
    if not found:
        return
    print("\nrevode over its peers (below 1: revode takes less)")
    print(f"{'case':10} {'length':>9}  {'revode':22} {'peer':16} {'allocated':>9} {'peak rss':>9} {'time':>9}")
    for r in found:
        cells = ["-" if r[k] is None else f"{r[k]:.3g}" for k in ("allocated", "rss", "time")]
        print(f"{r['case']:10} {r['length']:9}  {r['setting']:22} {r['peer']:16} "
              f"{cells[0]:>9} {cells[1]:>9} {cells[2]:>9}")


def print_promises(rows):
    """Growth with length, and memory over that of the pass written by hand."""
    own = [r for r in rows if r["who"] == "revode"]

    def over(row, other, what):
        print(f"{row['case']}, {row['setting']}: {row['allocated'] / other['allocated']:.4f} of {what}")

    print()
    for last in (r for r in own if r["case"] == "sums" and r["length"] == 1000):
        first = next(r for r in own if (r["case"], r["setting"], r["length"]) == ("sums", last["setting"], 5))
        over(last, first, "length 5, at length 1000")
    for row in (r for r in own if r["case"] in ("products", "recurrent") and r["setting"] != "by_hand"):
        over(row, next(r for r in own if (r["case"], r["setting"]) == (row["case"], "by_hand")), "by hand")


def machine():
    """What was measured on, and when."""
    with open("/proc/cpuinfo") as info:
        name = next((row.split(":")[1].strip() for row in info if row.startswith("model name")), "?")
    return {"processor": name, "date": datetime.date.today().isoformat(), "peers": PACKAGES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("build/bench/results"))
    parser.add_argument("--environment", type=pathlib.Path, default=pathlib.Path("build/peers"))
    parser.add_argument("--quick", action="store_true", help="small sizes, a minute in all")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--repetitions", type=int, help="processes a measurement; 3, --quick: 1")
    o = parser.parse_args()
    o.out.mkdir(parents=True, exist_ok=True)
    program = str(o.program.resolve())
    repetitions = o.repetitions or (1 if o.quick else 3)
    rows = run_plan(own_plan(o.quick), lambda _: [program], "revode", repetitions)
    python = None if o.no_peers else environment(o.environment)
    if python is not None:
        tableau = subprocess.run([program, "tableau"], capture_output=True, text=True, check=True).stdout
        peers = [str(python), str(HERE / "peers.py"), "--tableau", tableau.strip()]
        rows += run_plan(peer_plan(o.quick), lambda _: peers, "jax", repetitions)
        others = [str(python), str(HERE / "other_peers.py")]
        for who, line in other_plan(o.quick):
            rows += run_plan([line], lambda _: others, who, repetitions)
    print_table(rows)
    print_ratios(ratios(rows))
    print_promises(rows)
    lines = ",\n".join(json.dumps(row) for row in rows)
    (o.out / "memory.json").write_text(f'{{"machine": {json.dumps(machine())},\n"memory_rows": [\n{lines}\n]}}\n')
    (o.out / "memory.svg").write_text(figure.figure(rows))
    print(f"\nresults: {o.out}/memory.json {o.out}/memory.svg")


if __name__ == "__main__":
    main()
