# SPDX-License-Identifier: Apache-2.0
"""Python libraries beside revode: installed into a private environment, each in a process of its own."""
import json
import os
import pathlib
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).resolve().parent / "requirements.txt"
LIBRARIES = {"diffrax": ("jax", "equinox", "diffrax"), "torchdiffeq": ("torch", "torchdiffeq"),
             "scipy": ("numpy", "numba", "scipy"), "numbalsoda": ("numpy", "numba", "numbalsoda"), "heyoka": ("numpy", "heyoka"),
             "diffsol": ("numpy", "pydiffsol")}
ENSEMBLES = ("diffrax", "torchdiffeq")  # those that bench/lanes has lanes of
STIFF = ("scipy", "numbalsoda", "diffsol")  # those that have stiff methods worth a row of bench/wpd


def pinned(command):
    """One processor, so that no library has threads the other has not."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))] + [str(word) for word in command]


def pins():
    return dict(line.split("==") for line in REQUIREMENTS.read_text().split())


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

    def __init__(self, command):
        self.process = subprocess.Popen([str(word) for word in command], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()  # ready: everything that can be is compiled

    def order(self, word):
        print(word, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.process.args} ended")
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()
