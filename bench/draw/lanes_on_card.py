# SPDX-License-Identifier: Apache-2.0
"""The tables of results/lanes_on_card.md, from lanes_on_card.json: those of lanes.md."""
from .lanes import READ, TABLES

__all__ = ["READ", "TABLES"]
