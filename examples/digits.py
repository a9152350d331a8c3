# SPDX-License-Identifier: Apache-2.0
"""Writes the images of digits that scikit-learn ships as arrays that 69_digits reads:
    pip install scikit-learn && python digits.py digits.npz && ./69_digits digits.npz"""
import sys

import numpy as np
from sklearn.datasets import load_digits

digits = load_digits()  # 1,797 images of 8 × 8, from 0 to 16
np.savez(sys.argv[1], images=digits.data / 16, labels=digits.target.astype(np.int64))
