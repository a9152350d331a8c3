# SPDX-License-Identifier: Apache-2.0
"""Pictures: what is drawn, and what is refused."""

import numpy as np
import pytest

import revode

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def test_a_dense_solution_is_drawn_at_the_times_asked_for():
    path = revode.solve("lorenz", dense=True)
    times = np.linspace(path.t - 1, path.t, 50)
    axes = path.plot(times, ax=pyplot.figure().gca(), labels=["x", "y", "z"])
    assert len(axes.lines) == 3
    assert np.array_equal(axes.lines[1].get_ydata(), path(times)[:, 1])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y", "z"]


def test_saved_points_and_events_are_drawn():
    s = revode.solve("bouncing_ball", ts=[0.1, 0.2, 0.3])
    axes = s.plot(ax=pyplot.figure().gca())
    assert len(axes.lines) == s.ys.shape[1] + len(s.events)
    assert np.array_equal(axes.lines[0].get_xdata(), s.ts)
    assert len(s.events) > 0


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(ValueError, match=r"without saved points .* give solve ts= or every="):
        revode.solve("decay").plot()
    with pytest.raises(ValueError, match=r"not dense .* solve with dense=True\?"):
        revode.solve("decay", ts=[0.5]).plot([0.1, 0.2])
    with pytest.raises(ValueError, match=r"2 labels for 1 components"):
        revode.solve("decay", ts=[0.5]).plot(labels=["a", "b"], ax=pyplot.figure().gca())
