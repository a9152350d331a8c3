# SPDX-License-Identifier: Apache-2.0
"""Which one-line faults there are, and how each becomes a switch in the source.

The fault `a + b` for `a - b` becomes `(revode_fault::on(7) ? (a + b) : (a - b))`: the smallest complete
expression around the operator, found by brackets and precedence. A statement left out becomes
`{ if (!revode_fault::on(7)) { statement } }`. Numbers of lines stay.
"""

import pathlib
import random
import re

FOLDERS = ["include/revode", "solvers/revode", "adjoint/revode", "src"]

# What a fault does to a line: a pattern and what takes its place.
OPERATORS = [
    ("relation", r" < ", " <= "), ("relation", r" <= ", " < "), ("relation", r" > ", " >= "),
    ("relation", r" >= ", " > "), ("relation", r" == ", " != "), ("relation", r" != ", " == "),
    ("sign", r" \+ ", " - "), ("sign", r" - ", " + "), ("factor", r" \* ", " / "), ("factor", r" / ", " * "),
    ("sum", r" \+= ", " -= "), ("sum", r" -= ", " += "),
    ("logic", r" && ", " || "), ("logic", r" \|\| ", " && "), ("logic", r"\btrue\b", "false"),
    ("logic", r"\bfalse\b", "true"), ("logic", r"!(?=[a-z(])", ""),
    ("number", r"(?<![\w.])([1-9]\d*)(?![\w.'])", lambda m: str(int(m[1]) + 1)),
    ("number", r"(?<![\w.])(\d+\.\d+)(?![\w'])", lambda m: "(2 * " + m[1] + ")"),
    ("statement", r"^(\s+)[\w.\->\[\]():]+(\([^;{}]*\)| [-+*/]?= [^;{}]*|\+\+|--);$", r"\1;"),
]
NOT_CODE = re.compile(r"^\s*(//|#|///|template|using|static_assert|typename|namespace|requires|friend|return;|break;|\})"
                      r"|\"|throw|explain|REVODE_HD|operator")
NOT_DRAWN = re.compile(r"_table|/testing/|/problems/|/mpi/|/petsc/|^src/cli/|/generate_")

BINARY = re.compile(r"(?<=\s)(<=>|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%<>&|^=])(?=\s)")
PRECEDENCE = {"*": 5, "/": 5, "%": 5, "+": 6, "-": 6, "<<": 7, ">>": 7, "<=>": 8, "<": 9, ">": 9, "<=": 9, ">=": 9,
              "==": 10, "!=": 10, "&": 11, "^": 12, "|": 13, "&&": 14, "||": 15}
ASSIGNMENT = 17
WORD = re.compile(r"\b(return|case|else|do|throw|co_return|co_yield)$")


class Fault:
    """A line of a file and what takes the place of a piece of it."""

    def __init__(self, file, number, operator, start, original, line):
        self.file, self.number, self.operator, self.start = file, number, operator, start
        self.original, self.line = original, line
        self.nth = ""  # "#2" for the second such line of the file

    def key(self):
        return f"{self.file}{self.nth} | {self.original.strip()} | {self.line.strip()}"


def changed(line, k, start):
    _, pattern, by = OPERATORS[k]
    m = re.compile(pattern).search(line, start)
    return line[:m.start()] + (by(m) if callable(by) else m.expand(by)) + line[m.end():]


def all_faults(root):
    """Every fault that an operator makes of a line, in the order of files and lines."""
    found = []
    for folder in FOLDERS:
        for path in sorted([*(root / folder).rglob("*.hpp"), *(root / folder).rglob("*.cpp")]):
            file = str(path.relative_to(root))
            if NOT_DRAWN.search(file):
                continue
            seen = {}
            for number, line in enumerate(path.read_text().splitlines()):
                code = line.split("//")[0].rstrip()
                if not code or NOT_CODE.search(code):
                    continue
                seen[code] = seen.get(code, 0) + 1
                for k, (_, pattern, _) in enumerate(OPERATORS):
                    for m in re.finditer(pattern, code):
                        found.append(Fault(file, number, k, m.start(), code, changed(code, k, m.start())))
                        found[-1].nth = f"#{seen[code]}" if seen[code] > 1 else ""
    return found


def draw(root, seed, count):
    """Lines are drawn, then one fault of each; so that a line of 20 coefficients is one line."""
    lines = {}
    found = all_faults(root)
    for fault in found:
        lines.setdefault((fault.file, fault.number), []).append(fault)
    chance = random.Random(seed)
    drawn = chance.sample(list(lines.values()), count)
    return [chance.choice(of_line) for of_line in drawn], len(found), len(lines)


def known(root, path):
    """Faults of a file of lines `file | original text | changed text`, file#2 for its second occurrence."""
    found = []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, before, after = (x.strip() for x in line.split(" | "))
        file, _, nth = name.partition("#")
        text = (root / file).read_text()
        places = [m.start() for m in re.finditer(r"(?<![\w.])" + re.escape(before) + r"(?![\w.])", text)]
        if len(places) < int(nth or 1):
            raise SystemExit(f"{path}: {before!r} occurs {len(places)} times in {file}")
        place = places[int(nth or 1) - 1]
        number = text[:place].count("\n")
        found.append(Fault(file, number, None, place - (text[:place].rfind("\n") + 1), before, after))
        found[-1].nth = f"#{nth}" if nth else ""
    return found


def blanked(text, literals):
    """The text with comments (and literals) as spaces of the same length."""
    pattern = r"//[^\n]*|/\*.*?\*/" + (r'|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'' if literals else "")
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


OPEN, CLOSE = "([{", ")]}"


def match_left(m, i):
    """Where the bracket that ends at i begins; of templates too."""
    depth = 0
    if m[i] == ">":
        while i >= 0:
            if m[i] in CLOSE:
                i = match_left(m, i)
            elif m[i] == ">" and m[i - 1] not in " -":
                depth += 1
            elif m[i] == "<" and m[i - 1] != " ":
                depth -= 1
                if depth == 0:
                    return i
            i -= 1
        return 0
    while i >= 0:
        depth += (m[i] in CLOSE) - (m[i] in OPEN)
        if depth == 0:
            return i
        i -= 1
    return 0


def match_right(m, i):
    depth = 0
    angle = m[i] == "<"
    while i < len(m):
        if angle and m[i] in OPEN:
            i = match_right(m, i)
        elif angle:
            depth += (m[i] == "<" and m[i - 1] != " ") - (m[i] == ">" and m[i - 1] not in " -")
            if depth == 0:
                return i
        else:
            depth += (m[i] in OPEN) - (m[i] in CLOSE)
            if depth == 0:
                return i
        i += 1
    return len(m) - 1


def operators_of(m):
    return {x.start(1): (x[1], PRECEDENCE.get(x[1], ASSIGNMENT)) for x in BINARY.finditer(m)}


def is_colon(m, i):
    return m[i] == ":" and m[i - 1] != ":" and m[i + 1] != ":"


def left_edge(m, ops, at, own):
    i = at - 1
    while i >= 0:
        c = m[i]
        if i in ops and ops[i][1] > own or c in "([{,;?" or is_colon(m, i):
            return i + len(ops[i][0]) if i in ops else i + 1
        if c in CLOSE:
            begins = match_left(m, i)
            after = m[i + 1:at].lstrip()
            if c == "}" and not re.match(r"[\w>\])]", m[begins - 1]):
                return i + 1
            if c == ")" and m[i + 1].isspace() and re.match(r"[A-Za-z_(]", after):
                return i + 1
            i = begins
        elif c == ">" and m[i - 1] not in " -" and i not in ops:
            i = match_left(m, i)
        elif c == "<" and i not in ops and m[i - 1] != " ":
            return i + 1
        elif c == "=" and i not in ops and m[i - 1] not in "<>!=":
            return i + 1
        elif c.isspace() and WORD.search(m[max(0, i - 10):i]):
            return i + 1
        i -= 1
    return 0


def right_edge(m, ops, at, own):
    i, questions = at, 0
    while i < len(m):
        c = m[i]
        if i in ops and ops[i][1] >= own and not (own == ASSIGNMENT and questions):
            return i
        if c in ")],;}" or c == "?" and own != ASSIGNMENT or is_colon(m, i) and questions == 0:
            return i
        questions += (c == "?") - is_colon(m, i)
        if c == "{" and not re.match(r"[\w>\])]", m[i - 1]):
            return i
        if c in OPEN:
            i = match_right(m, i)
        elif c == "<" and i not in ops:
            i = match_right(m, i)
        elif c == ">" and i not in ops and m[i - 1] != "-":
            return i
        i += 1
    return len(m)


def unary_end(m, i):
    """The end of the operand behind a `!`."""
    if m[i] == "(":
        i = match_right(m, i) + 1
    while i < len(m):
        name = re.compile(r"(\w|::|->|\.)+").match(m, i)
        if name:
            i = name.end()
        elif m[i] in "([{" or m[i] == "<" and m[i - 1] != " ":
            i = match_right(m, i) + 1
        else:
            return i
    return i


def site(text, fault):
    """(start, end, before the original, behind it) of a fault's switch in the text of its file."""
    line_start = sum(len(x) for x in text.splitlines(True)[:fault.number])
    at = line_start + fault.start
    plain, m = blanked(text, False), blanked(text, True)
    switch = "revode_fault::on(@)"
    if fault.operator is None:
        end = at + len(fault.original)
        if fault.original.endswith(";"):
            return at, end, "{ if (" + switch + ") { " + fault.line + " } else { ", " } }"
        return at, end, "(" + switch + " ? (" + fault.line + ") : (", "))"
    kind, pattern, by = OPERATORS[fault.operator]
    hit = re.compile(pattern, re.M).search(plain, at)
    if kind == "statement":
        start = at + len(hit[1])
        return start, hit.end(), "{ if (!" + switch + ") { ", " } }"
    new = by(hit) if callable(by) else hit.expand(by)
    if kind == "number" or new in ("true", "false"):
        return hit.start(), hit.end(), f"({switch} ? ({new}) : (", "))"
    if new == "":  # the operator !
        end = unary_end(m, hit.end())
        return hit.start(), end, f"({switch} ? bool({plain[hit.end():end]}) : (", "))"
    ops = operators_of(m)
    where = hit.start() + 1
    own = ops[where][1]
    start, end = left_edge(m, ops, where, own), right_edge(m, ops, where + len(ops[where][0]), own)
    start += len(m[start:]) - len(m[start:].lstrip())
    end -= len(m[:end]) - len(m[:end].rstrip())
    other = plain[start:hit.start()] + new + plain[hit.end():end]
    return start, end, f"({switch} ? ({' '.join(other.split())}) : (", "))"


def with_switches(text, faults):
    """The text with a switch for each (number, fault); sites nest as expressions do."""
    opens, closes = [], []
    for number, fault in faults:
        start, end, before, behind = site(text, fault)
        opens.append((start, -end, number, before.replace("@", str(number), 1)))
        closes.append((end, -start, -number, behind))
    at, pieces = 0, []
    inserted = [(p, 1, a, n, s) for p, a, n, s in opens] + [(p, 0, a, n, s) for p, a, n, s in closes]
    for place, _, _, _, piece in sorted(inserted):
        pieces += [text[at:place], piece]
        at = place
    return "".join(pieces) + text[at:]
