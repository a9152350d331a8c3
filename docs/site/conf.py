# SPDX-License-Identifier: Apache-2.0
"""The site, by `tools/dev docs`: the pages of the tree as they are, what the command and the examples print, and the
contracts of the headers."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))
import contracts  # noqa: E402
BUILT = pathlib.Path(os.environ.get("REVODE_BUILD", ROOT / "build" / "release"))
os.environ["PATH"] = f"{BUILT}:{BUILT / 'examples'}:{os.environ['PATH']}"

project, author, html_title = "revode", "the authors of revode", "revode"
copyright = "the authors of revode, Apache License 2.0"
release = re.search(r'REVODE_VERSION "([\d.]+)"', (ROOT / "include/revode/config.hpp").read_text())[1]

extensions = ["myst_parser", "sphinxcontrib.programoutput", "sphinx_copybutton"]
root_doc = "docs/site/index"
include_patterns = ["docs/*.md", "docs/site/**", "adjoint/README.md", "solvers/README.md", "python/README.md", "packaging/README.md",
                    "bench/README.md", "bench/results/*.md", "bench/memory/README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
smartquotes = False  # y' is a derivative
suppress_warnings = ["misc.highlighting_failure"]  # … stands for what the reader fills in
html_theme = "furo"
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False


def write_gallery(app):
    """A page for each example: its source, and what it prints here."""
    folder = ROOT / "docs/site/generated"
    folder.mkdir(exist_ok=True)
    for source in sorted(ROOT.glob("examples/[0-9]*.*")):
        if not (BUILT / "examples" / source.stem).exists():  # for want of a library
            continue
        language = {".cpp": "cpp", ".c": "c", ".f90": "fortran"}[source.suffix]
        title = source.stem[3:].replace("_", " ").capitalize()
        text = (f"# {title}\n\n`examples/{source.name}` prints:\n\n```{{program-output}} {source.stem}\n```\n\n"
                f"```{{literalinclude}} ../../../examples/{source.name}\n:language: {language}\n```\n")
        page = folder / f"{source.stem}.md"
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def setup(app):
    app.connect("builder-inited", write_gallery)
    app.connect("builder-inited", lambda _: contracts.write_contracts(ROOT, ROOT / "docs/site/generated/contracts"))
