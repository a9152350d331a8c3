# SPDX-License-Identifier: Apache-2.0
"""Linear algebras of implicit methods by name: the solution of dense matrices, gradients, misuse in words."""

import numpy as np
import pytest

import revode

N = 12


def chain(t, y, p):
    ends = np.concatenate([[0.0], y, [0.0]])
    return p[0] * (ends[:-2] - 2 * y + ends[2:]) + p[1] * y * (1 - y)


def chain_vjp(t, y, p, w):
    ends = np.concatenate([[0.0], y, [0.0]])
    of_w = np.concatenate([[0.0], w, [0.0]])
    gy = p[0] * (of_w[:-2] - 2 * w + of_w[2:]) + w * p[1] * (1 - 2 * y)
    return 0.0, gy, [w @ (ends[:-2] - 2 * y + ends[2:]), w @ (y * (1 - y))]


def problem():
    return revode.Problem(chain, np.linspace(0.1, 0.7, N), 0, 0.5, [40.0, 3.0], vjp=chain_vjp)


def columns():
    rows = [[i for i in (j - 1, j, j + 1) if 0 <= i < N] for j in range(N)]
    return np.cumsum([0] + [len(r) for r in rows]), np.concatenate(rows)


def test_bands_and_patterns_give_what_dense_matrices_do():
    q = problem()
    dense = revode.solve(q, "bdf5", adjoint="recursive_checkpoint")
    told = {"banded": {"banded": (1, 1)}, "klu": {"sparsity": columns()}}
    for algebra in set(told) & set(revode.algebras()):
        s = revode.solve(q, "bdf5", adjoint="recursive_checkpoint", slots=4, algebra=algebra, **told[algebra])
        assert s.status == "success"
        np.testing.assert_allclose(s.y, dense.y, atol=1e-5)
        g, expected = s.pullback(np.ones(N)), dense.pullback(np.ones(N))
        np.testing.assert_allclose(g.p, expected.p, rtol=1e-2, atol=1e-4)


def chain_band(t, y, p):
    band = np.tile([p[0], 0.0, p[0]], (N, 1))
    band[:, 1] = p[1] * (1 - 2 * y) - 2 * p[0]
    band[0, 0] = band[-1, 2] = np.nan  # outside the matrix: nobody reads it
    return band


def chain_entries(t, y, p):
    by_columns = [[p[0], p[1] * (1 - 2 * y[j]) - 2 * p[0], p[0]] for j in range(N)]
    return np.concatenate([by_columns[0][1:], *by_columns[1:-1], by_columns[-1][:-1]])


def chain_matrix(t, y, p):
    from scipy.sparse import csr_matrix, diags

    return csr_matrix(diags([p[0], p[1] * (1 - 2 * y) - 2 * p[0], p[0]], [-1, 0, 1], shape=(N, N)))


def test_jacobians_in_a_band_and_on_a_pattern_are_taken():
    pytest.importorskip("scipy.sparse")
    start, p = np.linspace(0.1, 0.7, N), [40.0, 3.0]
    ways = [("banded", {"banded": (1, 1)}, {"banded_jacobian": chain_band})]
    if "klu" in revode.algebras():
        ways += [("klu", {"sparsity": columns()}, {"sparse_jacobian": f}) for f in (chain_entries, chain_matrix)]
    for algebra, where, brought in ways:
        told = {"algebra": algebra} | where
        bare = revode.solve(revode.Problem(chain, start, 0, 0.5, p, **brought), "bdf5", **told)
        made = revode.solve(problem(), "bdf5", **told)
        assert bare.status == "success"
        np.testing.assert_allclose(bare.y, made.y, rtol=1e-12)  # of exact Jacobians both
        both = revode.Problem(chain, start, 0, 0.5, p, vjp=chain_vjp, **brought)
        g, expected = (
            revode.solve(q, "bdf5", adjoint="recursive_checkpoint", **told).pullback(np.ones(N)) for q in (both, problem())
        )
        np.testing.assert_allclose(g.p, expected.p, rtol=1e-10)


def test_jacobians_of_other_shapes_are_refused():
    start, p = np.linspace(0.1, 0.7, N), [40.0, 3.0]

    def refused(words, algebra, **brought):
        where = {"banded": (1, 1)} if algebra == "banded" else {"sparsity": columns()}
        with pytest.raises(ValueError, match=words):
            revode.solve(revode.Problem(chain, start, 0, 0.5, p, **brought), "bdf5", algebra=algebra, **where)

    refused("in a band with 3 rows", "banded", banded_jacobian=lambda t, y, p: chain_band(t, y, p).T)
    refused("in a band of 24 numbers", "banded", banded_jacobian=lambda t, y, p: chain_band(t, y, p)[:, 1:])
    if "klu" in revode.algebras():
        refused("on a pattern of 33 numbers", "klu", sparse_jacobian=lambda t, y, p: chain_entries(t, y, p)[1:])


def test_a_sparse_matrix_of_scipy_says_where_the_jacobian_is():
    sparse = pytest.importorskip("scipy.sparse")
    if "klu" not in revode.algebras():
        pytest.skip("built without KLU")
    starts, rows = columns()
    matrix = sparse.csc_matrix((np.ones(len(rows)), rows, starts), shape=(N, N)).tocsr()
    by_matrix = revode.solve(problem(), "radau_iia5", algebra="klu", sparsity=matrix)
    by_columns = revode.solve(problem(), "radau_iia5", algebra="klu", sparsity=(starts, rows))
    assert np.array_equal(by_matrix.y, by_columns.y)


def test_named_problems_tell_and_misuse_is_told():
    s = revode.solve("heat_1d:40", "bdf5", algebra="banded")
    assert s.status == "success"
    with pytest.raises(ValueError, match="unknown algebra 'bandet'"):
        revode.solve("heat_1d:40", "bdf5", algebra="bandet")
    with pytest.raises(ValueError, match="without lower and upper"):
        revode.solve(problem(), "bdf5", algebra="banded")


def test_an_ensemble_has_the_bits_of_its_solves():
    told = {"banded": {"banded": (1, 1)}, "klu": {"sparsity": columns()}}
    rows = [[40.0 - 5 * k, 3.0] for k in range(6)]
    for algebra in set(told) & set(revode.algebras()):
        each = revode.solve_each(problem(), "bdf5", p=rows, threads=3, algebra=algebra, **told[algebra])
        for row, s in zip(rows, each):
            q = revode.Problem(chain, np.linspace(0.1, 0.7, N), 0, 0.5, row, vjp=chain_vjp)
            assert np.array_equal(s.y, revode.solve(q, "bdf5", algebra=algebra, **told[algebra]).y)


def test_events_and_mass_matrices_go_with_bands():
    fills = revode.Event(
        lambda t, y, p: y[3] - 0.3,
        name="fills",
        terminal=True,
        condition_gradient=lambda t, y, p: (0.0, np.eye(N)[3], [0.0, 0.0]),
    )
    start = np.linspace(0.1, 0.7, N)
    q = revode.Problem(chain, start, 0, 0.5, [40.0, 3.0], vjp=chain_vjp, events=[fills])
    s = revode.solve(q, "bdf5", adjoint="recursive_checkpoint", algebra="banded", banded=(1, 1))
    dense = revode.solve(q, "radau_iia5", adjoint="recursive_checkpoint")
    assert s.status == dense.status == "terminal_event"
    assert np.isclose(s.events[0][0], dense.events[0][0], rtol=1e-5)
    np.testing.assert_allclose(s.pullback(events=[1.0]).p, dense.pullback(events=[1.0]).p, rtol=1e-3, atol=1e-6)
    mass = np.diag([2.0] * N) + np.diag([0.5] * (N - 1), 1)
    q = revode.Problem(chain, start, 0, 0.5, [40.0, 3.0], vjp=chain_vjp, mass=mass)
    s = revode.solve(q, "bdf5", adjoint="recursive_checkpoint", algebra="banded", banded=(1, 1))
    dense = revode.solve(q, "radau_iia5", adjoint="recursive_checkpoint")
    np.testing.assert_allclose(s.y, dense.y, atol=1e-5)
    np.testing.assert_allclose(s.pullback(np.ones(N)).p, dense.pullback(np.ones(N)).p, rtol=1e-2, atol=1e-4)
    with pytest.raises(ValueError, match="outside the band"):
        revode.solve(q, "bdf5", algebra="banded", banded=(1, 0))
