# SPDX-License-Identifier: Apache-2.0
"""walks.py ROOT: a reader follows the walks of docs/architecture.md by files that are there.

Each walk has at most six, and every file after the first is included, by others or at once, by one before it: nobody has
to guess where it goes on. What is said to be told once is defined in one header.
"""
import pathlib
import re
import sys

MOST = 6
ONCE = ["move_grid", "pull_dense", "pull_save_points", "pull_restart", "pull_root", "ends_of_step"]
INCLUDE = re.compile(r"^ *# *include <(revode/[^>]+)>", re.M)


def main(root):
    roots = [root / name for name in ("include", "solvers", "adjoint")]
    headers = {str(path.relative_to(r)): path for r in roots for path in r.rglob("*.hpp")}
    reached = {}

    def includes(name):
        if name not in reached:
            reached[name] = set()
            for other in INCLUDE.findall(headers[name].read_text()):
                if other in headers:
                    reached[name] |= {other} | includes(other)
        return reached[name]

    wrong = []
    text = (root / "docs/architecture.md").read_text()
    section = re.search(r"^## [0-9]+\. Two walks\n(.*?)^## ", text, re.M | re.S)
    walks = section.group(1).strip().split("\n\n") if section else []
    if len(walks) != 2:
        wrong.append(f"docs/architecture.md has {len(walks)} walks, not two")
    for walk in walks:
        names = [path.split("/", 1)[1] for path in re.findall(r"\]\(\.\./([^)]+\.hpp)\)", walk)]
        start = walk.split(":")[0]
        if not 2 <= len(names) <= MOST:
            wrong.append(f"{start}: {len(names)} files")
        for k, name in enumerate(names):
            if name not in headers:
                wrong.append(f"{start}: {name} is not there")
            elif k > 0 and "solvers/" not in name and not any(name in includes(before) for before in names[:k]):
                wrong.append(f"{start}: no file before {name} includes it")
    for name in ONCE:
        defined = re.compile(rf"^[^/\n]*\b(?:void|auto|inline|Y|Time|moving_ends)\b[^;=()\n]*\b{name}\(", re.M)
        where = [path for path, file in headers.items() if defined.search(file.read_text())]
        if len(where) > 1:
            wrong.append(f"{name} is told in {', '.join(sorted(where))}")
        if name != "move_grid" and not where:
            wrong.append(f"{name} is told nowhere")
    print("\n".join(wrong) or f"{len(walks)} walks, {len(ONCE)} names")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
