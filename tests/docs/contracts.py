#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""contracts.py ROOT: what docs/site/contracts.py reads of C++ is what a header declares, and it reads every block of the tree."""
import pathlib
import re
import sys

HEADER = '''#pragma once
namespace revode {

/// How a thing ends.
enum class end { good, bad };

/// Sums of x_i.
///
///   auto s = sum(x);
///
/// cost  n additions,
///       no more
/// errors  std::invalid_argument: none
template <class T, class S = std::vector<T>>
requires(sizeof(T) > 1) T sum(const S& x, T first = {}) {
  return first + x[0] /* } */;
}
template <class T>
T sum(const T* x) { return *x; }

/// Counts.
template <class T = int>
class counter : public base<T> {
  int hidden_ = 3;

 public:
  /// From n.
  explicit counter(int n) : base<T>{n}, hidden_(n) {}
#if ONE
  void add() const requires requires(T t) { t.add(); }
  { add(1); }
#endif
  std::function<int(int)> f{};  ///< applied
  bool operator==(const counter&) const = default;

 private:
  /// Not a contract.
  void none() { return; }
};

/// Rules.
namespace rules {}
}  // namespace revode
'''
READ = [
    ("end", "How a thing ends.", "enum class end { good, bad };"),
    ("sum", "Sums of x\\_i.\n\n```text\n  auto s = sum(x);\n```\n\n*cost* n additions,\nno more\n\n*errors* std::invalid\\_argument: none",
     "template <class T, class S = std::vector<T>>\nrequires(sizeof(T) > 1) T sum(const S& x, T first = {});\n"
     "template <class T>\nT sum(const T* x);"),
    ("counter", "Counts.",
     "template <class T = int>\nclass counter : public base<T> {\n public:\n  /// From n.\n  explicit counter(int n);\n#if ONE\n"
     "  void add() const requires requires(T t) { t.add(); };\n#endif\n  std::function<int(int)> f{};  ///< applied\n"
     "  bool operator==(const counter&) const = default;\n};"),
    ("rules", "Rules.", "")]


def main():
    root = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(root / "docs/site"))
    import contracts

    wrong = [f"read as {got}, not {wanted}" for got, wanted in zip(list(contracts.entries(HEADER)) + [None], READ + [None]) if got != wanted]
    blocks = 0
    for component in contracts.ROOTS:
        for header in sorted((root / component).rglob("*.hpp")):
            text = header.read_text()
            found = list(contracts.entries(text))
            blocks += len(found)
            if len(found) != len(re.findall(r"(?<!///)(?<=\n)///(?!<)", re.sub(r"(\n///[^\n]*)+", "\n///", text))):
                wrong.append(f"{header}: not every block was read")
            for name, _, outline in found:
                code = re.sub(r"//.*", "", outline)
                if not re.fullmatch(r"[\w:~]+|operator\S+", name or "") or code.count("{") != code.count("}") or re.search(r"^ *{ .*; }$|;;", code, re.M):
                    wrong.append(f"{header}: {name} read as {outline}")
    print("\n".join(wrong) or f"{blocks} blocks read")
    return 1 if wrong or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
