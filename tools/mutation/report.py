# SPDX-License-Identifier: Apache-2.0
"""docs/mutation.md: how many faults died, and which live."""

import subprocess

from faults import FOLDERS


def layer(file):
    parts = file.split("/")
    return parts[2].removesuffix(".hpp") if parts[0] == "include" else parts[0]


def equivalents(root):
    """{file | original | changed: why no test can see it}"""
    told = {}
    for line in (root / "tools/mutation/equivalent.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            key, _, why = line.rpartition(" | ")
            told[key] = why
    return told


def code(text):
    return "`` " + text.replace("|", "\\|") + " ``"


def rows(faults, results, why):
    for x in faults:
        if results[x.key()]["what"] == "survived":
            yield (f"| `{x.file}:{x.number + 1}` | {code(x.original.strip())} | {code(x.line.strip())} | "
                   f"{why.get(x.key(), '**open**')} |")


def score(faults, results, why):
    """(drawn, no code, equivalent, died)"""
    how = [results[x.key()]["what"] for x in faults]
    same = sum(1 for x in faults if results[x.key()]["what"] == "survived" and x.key() in why)
    return len(faults), how.count("no code"), same, how.count("died")


def library_commit(root):
    """The last one that changed what faults are drawn from."""
    said = subprocess.run(["git", "log", "-1", "--format=%h", "--", *FOLDERS], cwd=root, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def table(root, seed, of, lines, drawn, known, results):
    why = equivalents(root)
    intro = (root / "tools/mutation/intro.md").read_text()
    text = [intro.format(seed=seed, of=of, lines=lines, count=len(drawn), commit=library_commit(root)).rstrip(), "",
            "| layer | drawn | no code | equivalent | died | score |", "|---|---|---|---|---|---|"]
    layers = sorted({layer(x.file) for x in drawn})
    for name, here in [*((n, [x for x in drawn if layer(x.file) == n]) for n in layers), ("**all**", drawn),
                       ("known", known)]:
        n, none, same, died = score(here, results, why)
        text.append(f"| {name} | {n} | {none} | {same} | {died} | {100 * died / max(1, n - none - same):.1f} % |")
    text += ["", "## What lives", "", "| where | from | to | why |", "|---|---|---|---|",
             *rows(drawn, results, why), *rows(known, results, why), ""]
    return "\n".join(text)
