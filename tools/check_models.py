#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_models.py COMMAND: examples/models/hydrogen as a text model and as a plugin, by all that the command does.

The temperature behind the ignition is Cantera 3.2.0's (its mechanism h2o2.yaml in an IdealGasReactor, rtol 1e-11).
"""

import json
import os
import subprocess
import sys
import tempfile

COMMAND = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEMPERATURE = 2920.668229374


def run(*words):
    print("revode", *words, flush=True)
    return subprocess.run([COMMAND, *words], check=True, capture_output=True, text=True).stdout


def main():
    model = os.path.join(ROOT, "examples/models/hydrogen.ode")
    with open(os.path.join(os.path.dirname(COMMAND), "revode.include")) as folders:
        include = ["-I" + folder for folder in folders.read().strip().split(":")]
    with tempfile.TemporaryDirectory() as folder:
        plugin = os.path.join(folder, "libhydrogen.so")
        source = os.path.join(ROOT, "examples/models/hydrogen.cpp")
        subprocess.run(["c++", "-std=c++20", "-O3", "-shared", "-fPIC", *include, source, "-o", plugin], check=True)
        ends = []
        for spec in (model, plugin):
            method = ["--method", "radau_iia5"]
            ends.append(json.loads(run("solve", spec, *method, "--rtol", "1e-10", "--json"))["y"])
            if abs(ends[-1][9] / TEMPERATURE - 1) > 1e-9:
                sys.exit(f"{spec}: {ends[-1][9]} K, and not {TEMPERATURE} K")
            for name in ("rodas5p", "kencarp4", "esdirk547", "radau_iia5", "bdf5"):  # radicals begin below atol
                loose = json.loads(run("solve", spec, "--method", name, "--rtol", "1e-3", "--atol", "1e-7", "--json"))["y"]
                if abs(loose[9] - TEMPERATURE) > 0.5:
                    sys.exit(f"{spec}: {name} ends at {loose[9]} K, and not {TEMPERATURE} K")
            run("grad", spec, *method, "--t1", "3.2e-4", "--rtol", "1e-8", "--check")
            lanes = run("ensemble", spec, *method, "--lanes", "5", "--sweep", "y0:9=980:1050", "--json")
            if json.loads(lanes)["statuses"] != {"success": 5}:
                sys.exit(f"{spec}: a lane that did not burn")
            if "radau_iia9" not in run("bench", "wpd", spec):
                sys.exit(f"{spec}: no method of nine digits")
    if any(abs(a - b) > 1e-9 * max(abs(a), 1) for a, b in zip(*ends)):
        sys.exit("the model and the plugin do not agree")


main()
