# SPDX-License-Identifier: Apache-2.0
"""The contracts of the public headers, a page for each folder: what stands at namespace scope behind a block of ///, as
prose, and the declaration without the bodies of functions and without what is private.

A reader of this tree's C++, not of C++: clang-format has put every declaration on lines of its own and indents none at
namespace scope."""
import re

ROOTS = ("include", "solvers", "adjoint")
PAIRS = {"(": ")", "[": "]", "{": "}"}


def literal_end(text, i):
    """Behind the comment, directive, string or character that begins at i; i where none does."""
    if text.startswith("//", i) or (text[i] == "#" and text[i - 1] == "\n"):
        return text.index("\n", i)
    if text.startswith("/*", i):
        return text.index("*/", i) + 2
    if text[i] == '"' or (text[i] == "'" and not text[i - 1].isalnum()):
        return re.compile(r"(?:\\.|[^\\])*?" + text[i], re.DOTALL).match(text, i + 1).end()
    return i


def group_end(text, i):
    """Behind the bracket that closes the one at i."""
    closing, i = PAIRS[text[i]], i + 1
    while text[i] != closing:
        end = literal_end(text, i)
        i = end if end > i else group_end(text, i) if text[i] in PAIRS else i + 1
    return i + 1


def without_templates(head):
    """A head without lists in angles: in those behind `template`, `class` declares nothing, and a type's () are no function's."""
    while found := re.search(r"\btemplate\s*<", head):
        i, depth = found.end(), 1
        while depth and i < len(head):
            depth += {"<": 1, ">": -1}.get(head[i], 0)
            i += 1
        head = head[:found.start()] + head[i:]
    while (shorter := re.sub(r"(?<!operator)<[^<>;=]*>", "", head)) != head:
        head = shorter
    return head


class declaration:
    """The one that begins at i: its outline, its flat head (no comments, no groups, no template lists), and where it ends."""

    def __init__(self, text, i):
        self.text, self.outline, self.head, self.cut = text, "", "", None
        while True:
            end = literal_end(text, i)
            if end > i:
                self.outline += text[i:end]
                i = end
            elif text[i] in "([":
                end = group_end(text, i)
                self.outline += text[i:end]
                self.head += "()" if text[i] == "(" else "[]"
                i = end
            elif text[i] == "{":
                i, ended = self.braces(i)
                if ended:
                    break
            else:
                if text[i] == ":" and ":" not in (text[i - 1], text[i + 1]) and self.begins_initialisers():
                    self.cut = len(self.outline)
                self.outline += text[i]
                self.head += text[i]
                i += 1
                if text[i - 1] == ";":
                    break
        self.end = i

    def flat(self):
        return without_templates(self.head)

    def begins_initialisers(self):
        flat = self.flat()
        return "()" in flat and "?" not in flat and not re.search(r"\b(struct|class|union|enum|namespace)\b", flat)

    def braces(self, i):
        """What stands in braces: (behind it, is the declaration over?)."""
        end, flat = group_end(self.text, i), self.flat()
        if re.search(r"\bnamespace\b", flat):
            return end, True
        if re.search(r"(?<!enum )\b(struct|class|union)\b", flat):
            self.outline += "{" + members(self.text, i + 1, re.search(r"\bclass\b", flat)) + "}"
            return end, False
        condition = re.search(r"\brequires\s+requires\s*(\(\))?\s*$", flat)
        value = (condition or re.search(r"\benum\b", flat) or ("operator" not in flat and "=" in flat)
                 or "()" not in flat.replace("requires()", ""))
        inside_list = self.cut is not None and not re.search(r"[)}]\s*$", self.text[:i])
        if value or inside_list:
            whole = self.text[i:end]
            self.outline += whole if whole.count("\n") < 25 else "{…}"
            self.head += "true " if condition else ""
            return end, False
        self.outline = self.outline[:self.cut].rstrip() + ";"
        return end, True

    def name(self):
        flat = self.flat()
        for pattern in (r"\b(?:struct|class|union|enum class|enum|namespace|concept|using)\s+(?:REVODE_\w+\s+)?((?:\w|::)+)",
                        r"(operator\s*(?:\w+|[^\s\w(]+|\(\)))", r"([\w:~]+)\s*\(\)\s*(?:const|noexcept|->|requires|;|:|$|[^=])",
                        r"(\w+)\s*(?:\[\])?\s*(?:=|;|$)"):
            if found := re.search(pattern, re.sub(r"\brequires\s*\(\)", "", flat)):
                return found[1]
        return flat.strip()


def indent(text, i):
    return i - 1 - text.rfind("\n", 0, i)


def members(text, i, hidden):
    """The public ones of a class from i to its end."""
    out = ""
    while text[i] != "}":
        label = re.compile(r" *(public|private|protected):").match(text, i)
        if label:
            hidden = label[1] != "public"
            out += "" if hidden else label[0]
            i = label.end()
        elif text[i].isspace():
            out += "" if hidden and text[i] != "\n" else text[i]
            i += 1
        else:
            end = literal_end(text, i)
            part, end = (text[i:end], end) if end > i else (lambda d: (d.outline, d.end))(declaration(text, i))
            out += "" if hidden else part
            i = end
    out = re.sub(r"\n(\s*\n)+", "\n\n", re.sub(r"\s*public:\s*$", "", out.rstrip()))
    return re.sub(r"^\n\n", "\n", out) + re.search(r"\s*$", text[:i])[0][-1 - indent(text, i):]


def escaped(line):
    """A line of prose in Markdown: what is between backticks stays, signs mean themselves."""
    parts = line.split("`")
    parts[::2] = [re.sub(r"([\\*_<>\[\]{}#$|~&^])", r"\\\1", part) for part in parts[::2]]
    return re.sub(r"^([-+=]|\d+\.)(?=\s)", r"\\\1", "`".join(parts))


def prose(lines):
    """Paragraphs; lines set in are shown as they stand; `errors  what` begins a paragraph of its own."""
    out, label, literal = [], False, []
    for line in [*lines, ""]:
        set_in = line.startswith("  ")
        if set_in and not label:
            literal.append(line)
            continue
        if literal:
            out += ["", "```text", *literal, "```", ""]
            literal = []
        named = re.match(r"([a-zé]+)  +(\S.*)", line)
        if named:
            out += ["", f"*{named[1]}* {escaped(named[2])}"]
        elif line:
            out += [escaped(line.strip())] if set_in or not label else ["", escaped(line)]
        else:
            out.append("")
        label = bool(named) or (label and set_in)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip()


def entries(text):
    """(name, prose, outline) of each block of /// at namespace scope."""
    for block in re.finditer(r"(?:^///(?!<).*\n)+", text, re.MULTILINE):
        lines = [line[3:].removeprefix(" ") for line in block[0].splitlines()]
        if text.startswith("\n", block.end()):
            yield None, prose(lines), ""
            continue
        found = declaration(text, block.end())
        if re.match(r"\s*(inline )?namespace\b", found.head):
            yield found.name(), prose(lines), ""
            continue
        outline, end = found.outline, found.end
        while rest := re.compile(r"([^\n]*\n)(?=[a-z\[])").match(text, end):  # what follows without a blank line is meant as well
            more = declaration(text, rest.end())
            outline, end = outline + rest[0] + more.outline, more.end
        yield found.name(), prose(lines), outline.strip()


def page(root, folder):
    """Markdown of the headers of a folder; empty where none of them has a contract."""
    parts = []
    for header in sorted(folder.glob("*.hpp")):
        found = list(entries(header.read_text()))
        if found:
            parts.append(f"## `#include <{header.relative_to(root).as_posix()}>`\n")
        for name, words, outline in found:
            parts.append((f"### {escaped(name)}\n\n" if name else "") + words + "\n")
            parts += [f"```cpp\n{outline}\n```\n"] if outline else []
    return "\n".join(parts)


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_contracts(tree, folder):
    """A page for each folder of headers, two for the interfaces of C and Fortran as they stand, and one that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for component in ROOTS:
        for place in sorted({header.parent for header in (tree / component / "revode").rglob("*.hpp")}):
            name = place.relative_to(tree / component).as_posix().removeprefix("revode/")
            if text := page(tree / component, place):
                listed.append(f"{name} <{name.replace('/', '_')}>")
                write(folder / f"{name.replace('/', '_')}.md", f"# {name}\n\n{text}")
    for name, file, language in (("C", "revode.h", "c"), ("Fortran", "revode.f90", "fortran")):
        listed.append(f"{name} <from_{language}>")
        write(folder / f"from_{language}.md",
              f"# {name}\n\n```{{literalinclude}} ../../../../include/{file}\n:language: {language}\n```\n")
    pages = "\n".join(sorted(listed))
    write(folder / "index.md", f"""# Contracts of the headers

What the headers say of what they declare: formula, shapes, cost, errors, source. A folder within a folder is a room of it, which
no example names.

:::{{toctree}}
:maxdepth: 1

{pages}
:::
""")
