# SPDX-License-Identifier: Apache-2.0
"""Files that the command writes, read by the libraries that people have."""

import json
import os
import subprocess

import numpy as np
import pytest

command = os.environ.get("REVODE_COMMAND")
pytestmark = pytest.mark.skipif(not command, reason="REVODE_COMMAND names no command")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    words = "grad lorenz --t1 1 --save-count 4 --json --out".split()
    found = [
        subprocess.run([command, *words, str(folder / name)], check=True, capture_output=True)
        for name in ("run.npz", "run.h5")
    ]
    return folder, json.loads(found[1].stdout)


def test_h5py_reads_what_numpy_reads(results):
    h5py = pytest.importorskip("h5py")
    folder, printed = results
    with np.load(folder / "run.npz") as npz, h5py.File(folder / "run.h5") as h5:
        assert list(npz) == list(h5)
        for name in npz:
            array = h5[name].asstr()[()] if h5py.check_string_dtype(h5[name].dtype) else h5[name][()]
            assert np.array_equal(np.asarray(array, dtype=npz[name].dtype), npz[name]), name
        assert h5["grad_p"][()].tolist() == printed["gradient"]["p"]


def test_xarray_reads_them(results):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    folder, _ = results
    with xarray.open_dataset(folder / "run.h5", engine="h5netcdf", phony_dims="sort") as run:
        assert run["y"].shape == (5, 3)
        assert run["t"].values.tolist() == [0, 0.25, 0.5, 0.75, 1]
