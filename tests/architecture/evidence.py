# SPDX-License-Identifier: Apache-2.0
"""evidence.py ROOT BUILD: what the rows of docs/evidence.md name is there, and every sentence with a number has a row."""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PAGE = "docs/evidence.md"
PAGES = ("architecture", "command", "guide", "install", "methods", "promises", "reliability")
DOCUMENTS = {"README.md": "README"} | {f"docs/{name}.md": name for name in PAGES}
BELOW = ("", "include/revode", "solvers/revode", "adjoint/revode", "tests")
OPTIONAL = ("klu", "odeint", "random123")  # sources that are left out where their library is not installed
NUMBER = re.compile(r"(?<![\w.+-])\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?[⁰¹²³⁴⁵⁶⁷⁸⁹]*(?![\w-])"
                    r"|\b(?:half|twice|(?:third|quarter|fifth|tenth|fifteenth)s?)\b")
NAMES = re.compile(r"\d{4}-\d\d-\d\d|\b(?:Debian|License|C\+\+)\s?\d[\d.]*")
SPAN = re.compile(r"`([^`]+)`")


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def cmake(*folders):
    files = [file for folder in folders for file in (ROOT / folder).glob("**/*")]
    return "\n".join(file.read_text() for file in files if file.name == "CMakeLists.txt" or file.suffix == ".cmake")


def glob(pattern, name):  # as doctest does: * and ? alone, whatever the case
    return re.fullmatch("".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern), name, re.I | re.S)


def in_sources(program, files, cases):
    layer, heavy = re.fullmatch(r"test_(\w+?)(_heavy)?", program).groups()
    for file in (ROOT / "tests" / layer).glob("*.cpp"):
        if file.name.endswith(".heavy.cpp") == bool(heavy) and (not files or any(glob(f, str(file)) for f in files)):
            found = re.findall(r'TEST_CASE\w*\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', file.read_text(encoding="utf-8"))
            names = [re.sub(r'"\s*"', "", name).strip().strip('"') for name in found]
            if any(not cases or any(glob(case, name) for case in cases) for name in names):
                return True


def test_program(words):
    program = words[0].split("/")[-1]
    filters = dict(word.split("=", 1) for word in words[1:])
    if set(filters) - {"-tc", "-sf"}:
        return "its filters are not -tc and -sf alone"
    files, cases = (filters.get(key, "").split(",") if filters.get(key) else [] for key in ("-sf", "-tc"))
    built = BUILD / "tests" / program
    if built.is_file() and not any(name in word.lower() for name in OPTIONAL for word in words[1:]):
        said = subprocess.run([built, *words[1:], "--count", "-nc"], capture_output=True, text=True, check=False).stdout
        count = re.search(r"current filters: (\d+)", said)
        if count and int(count[1]) > 0:
            return None
    # not built, or built of one kind of its files alone
    return None if in_sources(program, files, cases) else f"no source of {program} has such a test case"


def ctest(words):
    built = "\n".join(file.read_text() for part in ("tests", "examples") for file in BUILD.glob(f"{part}/**/CTestTestfile.cmake"))
    rules = cmake("tests", "examples")
    names = set(re.findall(r"add_test\(\W*([\w.]+)", built)) | set(re.findall(r"add_test\(\s*NAME (\w+)\s", rules))
    names |= {f"example_{file.stem}" for file in ROOT.glob("examples/*.cpp")}
    names |= {f"compile_fail_{file.stem}" for file in ROOT.glob("tests/compile_fail/*.cpp")}
    labels = {folder.name for folder in ROOT.glob("tests/*/")} | set(re.findall(r"LABELS (\w+)", rules))
    for key, known, what in (("-R", names, "test"), ("-L", labels, "label")):
        for wanted in words[words.index(key) + 1].split("|") if key in words else ():
            if not any(re.search(wanted, name) for name in known):
                return f"ctest has no {what} {wanted}"


def tools_dev(words):
    script = text("tools/dev")
    if not re.search(rf"^  {words[1]}\) ", script, re.M):
        return f"tools/dev has no command {words[1]}"
    for word in words[2:]:
        if word.startswith("--") and word not in script:
            return f"tools/dev has no option {word}"
        if words[1] == "bench" and not word.startswith("-") and not any(ROOT.glob(f"bench/{word}*")):
            return f"tools/dev bench has no benchmark {word}"


def path_there(path):
    return None if any(any((ROOT / folder).glob(path + "*")) for folder in BELOW) else f"there is no {path}"


def reason(command):
    """Why the command shows nothing any more; None where it is as it should be."""
    words = shlex.split(command)
    if len(words) == 1 and words[0] in ("ctest", "tools/dev", "R/revode"):
        return "it says nothing of what is to be run"
    program = words[0].split("/")[-1]
    if words[0].startswith("R/tests/test_"):
        return test_program(words)
    if run := {"ctest": ctest, "tools/dev": tools_dev}.get(words[0]):
        return run(words)
    if words[0] == "R/revode":
        return None if f'_subcommand("{words[1]}"' in text("src/cli/arguments.cpp") else f"revode has no command {words[1]}"
    if "--target" in words or words[0].startswith(("build/bench/", "R/revode-bench-")):
        target, rules = words[-1] if program == "cmake" else program, text("CMakeLists.txt") + cmake("bench", "cmake", "tests")
        return None if re.search(rf"\b{target}\b", rules) else f"there is no target {target}"
    return next(filter(None, (path_there(word) for word in words if "/" in word or "." in word)), None)


def rows():
    for line in text(PAGE).splitlines():
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 3 and line.startswith("|"):
            sys.exit(f"{PAGE}: a row of {len(cells)} cells, not 3: {line}")
        if cells and cells[0] not in ("promise", "---"):
            yield cells


def sentences(path):  # those of the prose; of the cells of tables too, but for those that list methods
    prose = re.sub(r"^#.*$", "", re.sub(r"^```.*?^```", "", text(path), flags=re.M | re.S), flags=re.M)
    prose = re.sub(r"^\|.*$", "" if path == "docs/methods.md" else lambda row: row[0].replace("|", "\n\n"), prose, flags=re.M)
    prose = re.sub(r"^\s*(?:- |\d+\. )", "\n\n", re.sub(r"\]\([^)]*\)", "]", SPAN.sub("` `", prose)), flags=re.M)
    for paragraph in re.split(r"\n\s*\n", prose):
        yield from re.split(r"(?<=[.;?!])\s+", " ".join(paragraph.split()))


def measure(sentence):
    sentence = SPAN.sub("", sentence)
    return set(NUMBER.findall(NAMES.sub("", sentence))), set(re.findall(r"\w{4,}", sentence.lower()))


def without_row(path, quotes):
    """Sentences that no row quotes, and quotes of no sentence: one has the other's numbers and four fifths of its words."""
    known = {quote: measure(quote) for quote in quotes}
    for sentence in sentences(path):
        numbers, words = measure(sentence)
        like = [quote for quote, (have, said) in known.items() if numbers == have and 5 * len(words & said) >= 4 * len(words)]
        if numbers and not like:
            yield f"{path}: no row of {PAGE} has {', '.join(sorted(numbers))} and four fifths of the words of “{sentence}”"
        quotes = [quote for quote in quotes if not numbers or quote not in like]
    yield from (f"{PAGE}, row “{quote[:70]}”: {path} has no such sentence any more" for quote in quotes)


def main():
    table, bad = list(rows()), []
    for promise, shown, figure in table:
        reasons = [f"`{command}`: {why}" for command in SPAN.findall(shown) if (why := reason(command))]
        if "`" not in shown and "**open**" not in shown:
            reasons.append("it names no test or command and does not say **open**")
        paths = [span for span in SPAN.findall(promise + figure) if re.match(r"(tests|examples|bench|docs)/", span)]
        bad += [f"{PAGE}, row “{promise[:70]}”: {why}" for why in [*reasons, *filter(None, map(path_there, paths))]]
    for path, name in DOCUMENTS.items():
        bad += without_row(path, [row[0] for row in table if row[0].startswith(f"*{name}:")])
    print("\n".join(bad) or f"{len(table)} rows")
    return bool(bad)


sys.exit(main())
