#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""code_blocks.py ROOT: every block of C++ in docs/x.md stands in tests/docs/x.cpp, which is compiled: its lines in
their order, with what a reader has of one's own between them; includes may stand anywhere."""
import pathlib
import re
import sys


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def missing(block, program):
    """The first line that the program does not have behind those before it, or None."""
    whole = lines_of(program)
    at = 0
    for line in lines_of(block):
        if line.startswith("#include"):
            if line not in whole:
                return line
        elif line in whole[at:]:
            at = whole.index(line, at) + 1
        else:
            return line
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = 0
    for page in sorted((root / "docs").glob("*.md")):
        program = root / "tests" / "docs" / (page.stem + ".cpp")
        for block in re.findall(r"```cpp\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            where = f"docs/{page.name}"
            if not program.exists():
                print(f"{where}: shows C++ that tests/docs/{program.name} is to compile")
            elif line := missing(block, program.read_text(encoding="utf-8")):
                print(f"{where}: not in tests/docs/{program.name}: {line}")
            else:
                continue
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
