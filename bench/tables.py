#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws every table of bench/results/*.md anew, from the JSON beside it.

usage: bench/tables.py [--check] [--results FOLDER] [NAME...]

A page has its sentences and, between `<!-- drawn NAME TABLE -->` and `<!-- end -->`, tables made of
NAME.json by draw/NAME.py. NAMEs: these pages alone. --check changes nothing and fails if a table is not what its JSON gives;
--results: the folder of pages and JSON, by default results/ beside this file.
"""
import argparse
import importlib
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
BLOCK = re.compile(r"(<!-- drawn (\w+) (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


class Drawer:
    """Tables by name, of JSON that is read once."""

    def __init__(self, results):
        self.results, self.read = results, {}

    def __call__(self, block):
        name, table = block[2], block[3]
        module = importlib.import_module(f"draw.{name}")
        if name not in self.read:
            self.read[name] = module.READ(json.loads((self.results / f"{name}.json").read_text()))
        return f"{block[1]}{module.TABLES[table](self.read[name])}{block[4]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    o = parser.parse_args()
    drawer, stale = Drawer(o.results), []
    for page in sorted(o.results.glob("*.md")):
        if o.names and page.stem not in o.names:
            continue
        before = page.read_text()
        after = BLOCK.sub(drawer, before)
        if after != before:
            stale.append(page.name)
        if after != before and not o.check:
            page.write_text(after)
    print(f"{'stale' if o.check else 'drawn anew'}: {', '.join(stale) or 'none'}")
    return 1 if o.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
