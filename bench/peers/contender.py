# SPDX-License-Identifier: Apache-2.0
"""What every Python peer is measured by."""
import contextlib
import ctypes
import gc
import math
import signal
import time

import numpy as np

TOLERANCES = [10.0**-k for k in range(3, 14)]


def resident(line):
    with open("/proc/self/status") as status:
        for row in status:
            if row.startswith(line + ":"):
                return 1024 * int(row.split()[1])


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5\n")


def tolerances_of(problem):
    """Pairs of the relative and the absolute one; where the problem does not say they are equal."""
    if "atols" in problem:
        return list(zip(problem["tolerances"], problem["atols"]))
    return [(rtol, rtol) for rtol in TOLERANCES]


def mixed_digits(problem, answer, rtol):
    """-log10 of the largest error relative to atol/rtol + |r| (mescd), of a stiff problem."""
    expected, scale = np.asarray(problem["y"]), dict(tolerances_of(problem))[rtol] / rtol
    found = np.asarray(answer)[problem["components"]] if problem["components"] else np.asarray(answer)
    worst = np.max(np.abs(found - expected) / (scale + np.abs(expected)))
    return -math.log10(max(worst, 1e-17)) if math.isfinite(worst) else None


def digits_of(answer, expected, n):
    """-log10 of |x - r| / |r|; of a gradient the larger of those by y0 (n numbers) and by p."""
    answer, expected = np.asarray(answer), np.asarray(expected)
    parts = [slice(0, n)] + ([slice(n, None)] if len(expected) > n else [])
    error = max(np.linalg.norm(answer[s] - expected[s]) / np.linalg.norm(expected[s]) for s in parts)
    return -math.log10(error) if error > 0 and math.isfinite(error) else None


@contextlib.contextmanager
def alarm(seconds):
    """Gives up what takes longer (0: never), where Python gets to run: adjoints of chaotic problems do."""
    def ring(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


class Contender:
    """One solver on one problem; run(rtol) gives (answer, steps), planned(rtol) the bytes that a
    compiler plans."""

    def __init__(self, problem, kind, solver, run, tolerances=None, planned=None):
        self.problem, self.kind, self.solver = problem, kind, solver
        self.run, self.planned = run, planned
        self.tolerances = tolerances or [rtol for rtol, _ in tolerances_of(problem)]
        self.points = []

    def timed(self, rtol):
        start = time.process_time()
        answer, steps = self.run(rtol)
        return time.process_time() - start, answer, steps

    def first(self, longest, patience):
        for rtol in self.tolerances:
            try:
                with alarm(patience):
                    self.run(rtol)  # compiles what is not compiled yet
                    seconds, answer, steps = self.timed(rtol)
            except TimeoutError:
                break
            self.points.append({"problem": self.problem["name"], "kind": self.kind, "solver": self.solver,
                                "rtol": rtol, "digits": self.digits(answer, rtol),
                                "seconds": seconds, "steps": steps, "fast": seconds <= longest})
            if seconds > longest:
                break

    def digits(self, answer, rtol):
        if "atols" in self.problem:
            return mixed_digits(self.problem, answer, rtol)
        return digits_of(answer, self.problem["y" if self.kind == "solve" else "gradient"], len(self.problem["y"]))

    def round(self):
        for point in self.points:
            if point["fast"]:
                repeats = 1 + int(min(20, 2e-3 / (point["seconds"] + 1e-7)))
                point["seconds"] = min([point["seconds"]] + [self.timed(point["rtol"])[0] for _ in range(repeats)])

    def memory(self):
        for point in (p for p in self.points if p["fast"]):
            gc.collect()
            ctypes.CDLL(None).malloc_trim(0)
            forget_peak()
            before = resident("VmRSS")
            result = self.run(point["rtol"])
            del result
            point["rss"] = max(0, resident("VmHWM") - before)
            if self.planned:
                point["allocated"] = self.planned(point["rtol"])
