# SPDX-License-Identifier: Apache-2.0
"""Pictures of solutions, by matplotlib where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np


def plot(solution: Any, times: Any = None, ax: Any = None, labels: Any = None) -> Any:
    """Each component over time, and a thin line at each event. Returns the axes.

    times   at which a dense solution is drawn; without: the saved points, ts and ys
    ax      axes to draw in; without: matplotlib's current ones
    labels  a name for each component
    """
    if times is None:
        if len(solution.ts) == 0:
            raise ValueError(
                "a plot of a solution without saved points (there is one state to draw) "
                "give solve ts= or every=, or dense=True and plot the times?"
            )
        t, y = solution.ts, solution.ys
    elif callable(solution):
        t = np.asarray(times, dtype=float)
        y = solution(t)
    else:
        raise ValueError(
            "a plot at times of a solution that is not dense (it has its saved points alone) solve with dense=True?"
        )
    n = y.shape[1]
    if labels is not None and len(labels) != n:
        raise ValueError(f"{len(labels)} labels for {n} components (one belongs to each) give as many?")
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("no matplotlib (it draws the picture) pip install matplotlib?") from None
        ax = pyplot.gca()
    for i in range(n):
        ax.plot(t, y[:, i], label=labels[i] if labels is not None else f"y[{i}]")
    for when, _ in solution.events:
        ax.axvline(when, color="0.7", linewidth=0.6)
    ax.set_xlabel("t")
    if n <= 10:
        ax.legend()
    return ax
