#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Translates the kernels of a PTX file to C++, one thread each, so that device code runs where no device is.

usage: ptx_to_cpp.py FILE.ptx FILE.cpp

The k-th kernel is `extern "C" void kernel_k(const char* argument, int64_t n, uint32_t thread)`: its first argument as it lies in
memory, its second, and the number of the thread, of blocks of one. Registers are variables, labels are labels, local
memory is filled with bytes that are no numbers. What is not known here ends the translation.
source  NVIDIA, PTX ISA 9.0
"""
import re
import sys

TYPES = {"pred": "bool", "f64": "double", "f32": "float"} | {
    f"{kind}{bits}": f"{'' if kind == 's' else 'u'}int{bits}_t" for kind in "usb" for bits in (8, 16, 32, 64)}
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
CALLS = {"abs": "std::fabs", "sqrt": "std::sqrt", "fma": "std::fma"}
ROUNDED = {"rzi": "std::trunc", "rmi": "std::floor", "rpi": "std::ceil", "rni": "std::nearbyint"}
PLACES = {"%ctaid.x": "thread", "%tid.x": "0u", "%ntid.x": "1u"}
HEAD = """// Translated by ptx_to_cpp.py.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

template <class To, class From>
To as(From x) {
  if constexpr (sizeof(To) == sizeof(From)) return std::bit_cast<To>(x);
  else return static_cast<To>(x);
}
"""


class Kernel:
    def __init__(self, number, text):
        head, body = text.split("\n{\n", 1)
        self.argument, self.count = re.findall(r"(\w+_param_\d+)", head)[:2]
        self.memory, self.declared, self.lines = set(), [], []
        for line in body[:body.index("\n}\n")].split("\n"):
            line = line.strip().rstrip(";")
            if line and line not in "{}" and not line.startswith(("//", ".pragma")):
                self.translate(line)
        self.text = "\n".join([f'extern "C" void kernel_{number}(const char* argument, int64_t n, uint32_t thread) {{',
                               *self.declared, *self.lines, "}"])

    def translate(self, line):
        if line.startswith(".local"):
            name, size = re.search(r"(\w+)\[(\d+)\]", line).groups()
            self.memory.add(name)
            self.declared.append(f"alignas(64) char {name}[{size}];\nstd::memset({name}, 0xff, {size});")
        elif line.startswith(".reg"):
            kind, name, _, count = re.match(r"\.reg \.(\w+)\s+%(\w+)(<(\d+)>)?", line).groups()
            names = [f"{name}{i}" for i in range(int(count))] if count else [name]
            self.declared += [f"{TYPES[kind]} {x}{{}};" for x in names]
        elif line.startswith("$"):
            self.lines.append(line.replace("$", "at_") + ";")
        else:
            test, line = re.match(r"(?:@(!?%p\d+)\s+)?(.*)", line).groups()
            name, _, rest = line.partition(" " if "\t" not in line else "\t")
            words = [w.strip() for w in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", rest)]
            guard = f"if ({test.replace('%', '')}) " if test else ""
            self.lines.append(guard + "{ " + self.operation(name.strip().split("."), words) + " }")

    def value(self, word, kind):
        """A register, a number or an address, as a value of this type."""
        if word.startswith("0d"):
            return f"as<double>(uint64_t{{0x{word[2:]}}})"
        if re.fullmatch(r"-?\d+", word):
            return f"static_cast<{TYPES[kind]}>({word}ll)"
        if word in PLACES:
            return PLACES[word]
        if word in self.memory or word == self.argument:
            return f"reinterpret_cast<uint64_t>({'argument' if word == self.argument else word})"
        if not word.startswith("%"):
            raise SystemExit(f"ptx_to_cpp.py: an operand {word}")
        return f"as<{TYPES[kind]}>({word[1:]})" if kind != "pred" else word[1:]

    def address(self, word):
        base, offset = re.fullmatch(r"\[([^\]+]+)(?:\+(-?\d+))?\]", word).groups()
        if base == self.count:
            return "reinterpret_cast<char*>(&n)"
        at = {self.argument: "const_cast<char*>(argument)"}.get(base) or (
            base if base in self.memory else f"reinterpret_cast<char*>({base[1:]})")
        return f"({at} + {offset or 0})"

    def operation(self, name, words):
        op, kind = name[0], name[-1]
        if op == "bra":
            return f"goto {words[0].replace('$', 'at_')};"
        if op == "ret":
            return "return;"
        if name[-2] in ("v2", "v4"):
            return self.each(name, *(words if op == "st" else words[::-1]))
        if op == "st":
            return f"const auto x = {self.value(words[1], kind)}; std::memcpy({self.address(words[0])}, &x, sizeof x);"
        if words[0].startswith("{"):
            low, high = (w.strip()[1:] for w in words[0].strip("{}").split(","))
            return f"const auto x = as<uint64_t>({words[1][1:]}); {low} = uint32_t(x); {high} = uint32_t(x >> 32);"
        to = words[0][1:]
        if op == "ld":
            return f"{TYPES[kind]} x; std::memcpy(&x, {self.address(words[1])}, sizeof x); {to} = as<decltype({to})>(x);"
        if op == "atom":
            at = f"*reinterpret_cast<uint64_t*>({self.address(words[1])})"
            return f"{to} = {at}; {at} += {self.value(words[2], kind)};"
        if op == "setp":
            return f"{to} = {self.compared(name[1], kind, *(self.value(w, kind) for w in words[1:3]))};"
        return f"{to} = as<decltype({to})>({self.result(name, words)});"

    def each(self, name, address, registers):
        """Of a vector, one register after the other."""
        base, offset = re.fullmatch(r"\[([^\]+]+)(?:\+(-?\d+))?\]", address).groups()
        size = int(name[-1][1:]) // 8
        parts = [[f"[{base}+{int(offset or 0) + i * size}]", w.strip()] for i, w in enumerate(registers.strip("{}").split(","))]
        one = name[:-2] + name[-1:]
        return " ".join("{ " + self.operation(one, part if name[0] == "st" else part[::-1]) + " }" for part in parts)

    @staticmethod
    def compared(how, kind, x, y):
        ordered = f"!std::isnan({x}) && !std::isnan({y})"
        if how in ("num", "nan"):
            return ordered if how == "num" else f"!({ordered})"
        if kind == "f64" and how.endswith("u"):  # or one of them is no number
            return f"!({ordered}) || {x} {COMPARED[how[:-1]]} {y}"
        return (f"{ordered} && " if kind == "f64" and how == "ne" else "") + f"{x} {COMPARED[how]} {y}"

    def result(self, name, words):
        op, kind = name[0], name[-1]
        if op == "mov" and words[1].startswith("{"):
            low, high = (w.strip()[1:] for w in words[1].strip("{}").split(","))
            return f"uint64_t{{{high}}} << 32 | {low}"
        if op == "cvt":
            rounding = next((ROUNDED[r] for r in name if r in ROUNDED), "")
            return f"static_cast<{TYPES[name[-2]]}>({rounding}({self.value(words[1], kind)}))"
        if op == "cvta":
            kind = "u64"
        if op == "selp":
            return f"{words[3][1:]} ? {self.value(words[1], kind)} : {self.value(words[2], kind)}"
        if op in ("shl", "shr"):
            return f"static_cast<{TYPES[kind]}>({self.value(words[1], kind)} {SIGNS[op]} {self.value(words[2], 'u32')})"
        values = [self.value(w, kind) for w in words[1:]]
        if op == "mul" and name[1] == "wide":
            return " * ".join(f"int64_t{{{v}}}" if kind == "s32" else f"uint64_t{{{v}}}" for v in values)
        if op in ("min", "max"):
            return (f"std::f{op}({values[0]}, {values[1]})" if kind == "f64" else
                    f"{values[0]} {'<' if op == 'min' else '>'} {values[1]} ? {values[0]} : {values[1]}")
        if op in SIGNS:
            return f"static_cast<{TYPES[kind]}>({values[0]} {SIGNS[op]} {values[1]})"
        if op in CALLS:
            return f"{CALLS[op]}({', '.join(values)})"
        known = {"mov": "{0}", "cvta": "{0}", "neg": "-{0}", "rcp": "1 / {0}", "not": "!{0}" if kind == "pred" else "~{0}",
                 "mad": "{0} * {1} + {2}", "copysign": "std::copysign({1}, {0})"}
        if op not in known:
            raise SystemExit(f"ptx_to_cpp.py: an operation {'.'.join(name)}")
        return known[op].format(*values)


def main():
    text = open(sys.argv[1]).read()
    kernels = [k for k in text.split(".visible .entry ")[1:] if "lane_kernel" in k.split("(")[0]]
    with open(sys.argv[2], "w") as file:
        file.write(HEAD + "\n".join(Kernel(i, k).text for i, k in enumerate(kernels)) + "\n")


if __name__ == "__main__":
    main()
