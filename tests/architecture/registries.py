# SPDX-License-Identifier: Apache-2.0
"""registries.py ROOT COMPILER EIGEN: one list says what there is, and a new thing takes the files that CONTRIBUTING.md says.

Tables: the methods of solvers/revode/solvers/all.hpp are those of solvers/README.md and docs/methods.md, no less and no
other. Sketches: of each kind a thing is added to a copy of the tree, by files of its own and lines in others; a unit that
goes through the registry finds it; the files are as many as its row in CONTRIBUTING.md says.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOLVERS = "solvers/revode/solvers"
SHOW = """#include <string_view>
#include <{header}>
template <class... All>
constexpr bool has_sketch() {{ return ((std::string_view(All::name) == "sketch") || ...); }}
template <template <class...> class List, class... All>
constexpr bool listed(List<All...>) {{ return has_sketch<All...>(); }}
static_assert(listed(revode::{list}{{}}));
"""


def methods_of(text):
    """The lists of all.hpp with their methods, by name."""
    found = re.findall(r"using (\w+_methods) =\s*method_list<([^;]*)>;", text)
    return {name: [re.sub(r"imex<(\w+)>", r"\1_imex", m.strip()) for m in methods.split(",")] for name, methods in found}


def named_in(text):
    """The names in backticks; `kvaerno3`–`5` are three."""
    names = set(re.findall(r"`(\w+)`", text))
    for stem, first, last in re.findall(r"`(\w*?)(\d)`–`(\d)`", text):
        names |= {f"{stem}{k}" for k in range(int(first), int(last) + 1)}
    return names


def compare_tables(root):
    lists = methods_of((root / SOLVERS / "all.hpp").read_text())
    all_methods = {m for methods in lists.values() for m in methods}
    # a variant of ros34pw2 that freezes J, for measurements: no method to choose
    chosen = all_methods - {"ros34pw2_held"}
    wrong = []
    for page in ("solvers/README.md", "docs/methods.md"):
        wrong += [f"{page} has no {m}" for m in sorted(chosen - named_in((root / page).read_text()))]
    rows = re.findall(r"^\| (`[^|]*) \|", (root / "solvers/README.md").read_text(), re.M)
    in_rows = {name for row in rows for name in named_in(row)}
    wrong += [f"solvers/README.md has a row of {m}, which is no method" for m in sorted(in_rows - all_methods - {"bdf"})
              if not (root / SOLVERS / f"{m}.hpp").exists()]
    return wrong


class Sketch:
    """A copy of the tree in which a thing is added; remembers what it touched."""

    def __init__(self, root, folder):
        self.root, self.new, self.changed = folder, [], []
        for name in ("include", "solvers", "adjoint", "src"):
            shutil.copytree(root / name, folder / name)

    def copy(self, source, name, new_name=None):
        """A file like this one, with `name` called sketch."""
        path = pathlib.Path(source)
        to = path.with_name((new_name or "sketch") + path.suffix)
        text = (self.root / path).read_text()
        self.write(str(to), re.sub(rf"\b{name}\b", "sketch", text))

    def write(self, path, text):
        """A file of its own."""
        (self.root / path).write_text(text)
        self.new.append(path)

    def line(self, path, after, text):
        """A line, or a word in one, behind the first match."""
        file = self.root / path
        old = file.read_text()
        new = re.sub(after, lambda m: m.group(0) + text, old, count=1)
        if new == old:
            raise SystemExit(f"registries.py: no {after} in {path}")
        file.write_text(new)
        if path not in self.changed:
            self.changed.append(path)

    def header(self, folder, name):
        self.line(f"{folder}/all.hpp", r"#pragma once\n", f"#include <{name}>\n")


def method(s, file, name, listed):
    s.copy(f"{SOLVERS}/{file}.hpp", name)
    s.header(SOLVERS, "revode/solvers/sketch.hpp")
    s.line(f"{SOLVERS}/all.hpp", rf"using {listed} =\s*method_list<", "sketch, ")
    return SHOW.format(header="revode/solvers/all.hpp", list=listed)


def problem(s):
    s.copy("include/revode/problems/hires.hpp", "hires")
    s.header("include/revode/problems", "revode/problems/sketch.hpp")
    s.line("include/revode/problems/all.hpp", r"using stiff_problems =\s*problem_list<", "sketch, ")
    return SHOW.format(header="revode/problems/all.hpp", list="stiff_problems")


def schedule(s):
    s.copy("include/revode/schedule/periodic.hpp", "periodic")
    s.header("include/revode/schedule", "revode/schedule/sketch.hpp")
    s.line("include/revode/schedule/all.hpp", r"periodic, two_tier", ", sketch")
    s.line("include/revode/schedule/all.hpp", r"static_cast<index>\(schedule_kind::two_tier\) \+ 1", " + 1")
    s.line("include/revode/schedule/kind.hpp", r"two_tier", ", sketch")
    return ("#include <revode/schedule/all.hpp>\n"
            'static_assert(revode::name(revode::schedule_kind::sketch) == "sketch");\n')


def adjoint(s):
    s.write("adjoint/revode/adjoint/sketch.hpp", """#pragma once
#include <revode/adjoint/recursive_checkpoint.hpp>
namespace revode {
struct sketch {
  recursive_checkpoint by{};
};
template <class Q, method M>
auto solve(const Q& q, const M& m, const options& o, const sketch& a) {
  return solve(q, m, o, a.by);
}
}
""")
    s.header("adjoint/revode/adjoint", "revode/adjoint/sketch.hpp")
    return "#include <revode/adjoint/all.hpp>\nrevode::sketch there;\n"


def verb(s):
    s.copy("src/cli/new_command.cpp", "new_command", "sketch_command")
    s.line("src/cli/commands.hpp", r"report new_command\(const arguments& given\);\n",
           "report sketch_command(const arguments& given);\n")
    s.line("src/cli/main.cpp", r"return list_command\(given\);\n",
           '  if (given.command == "sketch") return sketch_command(given);\n')
    s.line("src/cli/arguments.cpp", r"void add_commands\(CLI::App& app\) \{\n",
           '  app.add_subcommand("sketch", "a sketch")->prefix_command();\n')
    return (s.root / "src/cli/main.cpp").read_text()


KINDS = {
    "an explicit method": lambda s: method(s, "heun", "heun", "basic_methods"),
    "a Rosenbrock method": lambda s: method(s, "rodas4p2", "rodas4p2", "rosenbrock_methods"),
    "an ESDIRK method": lambda s: method(s, "esdirk436", "esdirk436", "implicit_methods"),
    "a stabilised method": lambda s: method(s, "rock2", "rock2", "stabilized_methods"),
    "a problem": problem,
    "an adjoint": adjoint,
    "a schedule": schedule,
    "a verb of the command": verb,
}


def told(root):
    """CONTRIBUTING.md's table: of each kind the new files and those with changed lines."""
    rows = re.findall(r"^\| (an? [^|]*) \| ([^|]*) \| ([^|]*) \|$", (root / "CONTRIBUTING.md").read_text(), re.M)
    files = {}
    for kinds, new, changed in rows:
        for kind in kinds.split("; "):
            files[kind.strip()] = (new.count("`") // 2, len(re.findall(r"`[^`]*\.[a-z]+`", changed)))
    return files


def main(root, compiler, eigen):
    wrong = compare_tables(root)
    rows = told(root)
    for kind, add in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            s = Sketch(root, pathlib.Path(folder))
            unit = s.root / "unit.cpp"
            unit.write_text(add(s))
            command = [compiler, "-std=c++20", "-fsyntax-only", str(unit), "-isystem", eigen]
            command += [f"-I{s.root / f}" for f in ("include", "solvers", "adjoint", "src")]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                wrong.append(f"{kind} is not found:\n{done.stderr[:1500]}")
            touched = (len(s.new), len(s.changed))
            if rows.get(kind) != touched:
                wrong.append(f"{kind} takes {s.new} and lines in {s.changed}; CONTRIBUTING.md says {rows.get(kind)}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
