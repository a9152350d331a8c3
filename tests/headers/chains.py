# SPDX-License-Identifier: Apache-2.0
"""chains.py LIST: the fewest units that show of every header that it compiles alone.

LIST has lines "component path name", name as it is included. In a unit of headers of which each includes the one before,
directly or not, a header sees nothing but what it includes by itself, since all that stands before it is of that. So a unit
shows as much as one unit for each of its headers, in the time of its last. Prints lines "component name;name;…".
The fewest chains of a partial order: Fulkerson 1956, by a largest matching of each header with the next one.
"""
import functools
import pathlib
import re
import sys

sys.setrecursionlimit(10000)
headers = [line.split() for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
path_of = {name: path for _, path, name in headers}


@functools.cache
def below(name):  # all that it includes
    found = re.findall(r"^#include <([^>]+)>", pathlib.Path(path_of[name]).read_text(), re.M)
    direct = [other for other in found if other in path_of]
    return frozenset(direct).union(*map(below, direct))


def chains(names):
    names = sorted(names, key=lambda name: (len(below(name)), name))
    before, behind = {}, {}  # of a header in its chain

    def find_next(name, seen):
        for upper in names:
            if name in below(upper) and upper not in seen:
                seen.add(upper)
                if upper not in before or find_next(before[upper], seen):
                    before[upper], behind[name] = name, upper
                    return True
        return False

    for name in reversed(names):
        find_next(name, set())
    for name in names:
        if name not in before:
            chain = [name]
            while chain[-1] in behind:
                chain.append(behind[chain[-1]])
            yield chain


for component in dict.fromkeys(component for component, _, _ in headers):
    for chain in chains([name for of, _, name in headers if of == component]):
        print(component, ";".join(chain))
