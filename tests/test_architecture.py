"""Who may import whom, and the rules of the house that a parser can check. Standard library only.

Imports point downhill: the mathematics needs numpy alone, charts need the mathematics, the interface needs the core,
pages need all of these. A folder that is still empty has nothing to break.
"""

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import ffn_core

ROOT = Path(__file__).resolve().parents[1]

# The longest matching place counts; the standard library may be used everywhere. A name stands for all below it, and
# the longest name that matches an import decides: `-` in front forbids it.
MAY_IMPORT = {
    "ffn_core": ("numpy", "ffn_core", "-ffn_core.charts"),
    "ffn_core/charts": ("numpy", "pandas", "altair", "vl_convert", "ffn_core"),
    "ffn_ui": ("streamlit", "numpy", "pandas", "pyarrow", "ffn_core", "ffn_ui", "-ffn_ui.recipes", "-ffn_ui.solutions"),
    "ffn_ui/recipes": ("numpy", "ffn_core", "-ffn_core.charts"),  # scripts that students take home
    "ffn_ui/solutions": ("numpy", "ffn_core", "-ffn_core.charts"),
    "pages": ("numpy", "pandas", "streamlit", "ffn_core", "ffn_ui", "-ffn_ui.recipes", "-ffn_ui.solutions"),
    "streamlit_app.py": ("streamlit", "ffn_core", "ffn_ui", "-ffn_ui.recipes", "-ffn_ui.solutions"),
}
MOST_LINES_OF_A_PAGE = 80


def sources(*places):
    """Python files in these folders (and below) or of these names, as paths from the root."""
    found = []
    for place in places:
        path = ROOT / place
        found += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [path.relative_to(ROOT) for path in found]


APP = sources(*(place for place in MAY_IMPORT if place.count("/") == 0))
every_file = pytest.mark.parametrize("path", APP, ids=str)
every_page = pytest.mark.parametrize("path", sources("pages"), ids=str)


def parsed(path):
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


def imported(tree, path):
    """Full names of all that a file imports, also inside functions; `from a import b` is a.b, and dots are resolved."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = path.parent.parts[: len(path.parent.parts) - node.level + 1] if node.level else ()
            module = ".".join([*package, *(node.module or "").split(".")]).strip(".")
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def rules_for(path):
    place = max((p for p in MAY_IMPORT if path.as_posix() == p or path.as_posix().startswith(f"{p}/")), key=len)
    return MAY_IMPORT[place]


def is_allowed(name, rules):
    if name.split(".")[0] in sys.stdlib_module_names:
        return True
    matching = [r for r in rules if f"{name}.".startswith(f"{r.lstrip('-')}.")]
    return bool(matching) and not max(matching, key=lambda r: len(r.lstrip("-"))).startswith("-")


# --- Imports


@every_file
def test_every_file_imports_only_what_lies_downhill(path):
    wrong = sorted(name for name in imported(parsed(path), path) if not is_allowed(name, rules_for(path)))
    assert not wrong, f"{path} imports {', '.join(wrong)}; {rules_for(path)} and the standard library are allowed there"


@pytest.mark.parametrize(
    ("path", "source", "wrong"),
    [
        ("ffn_core/gain.py", "import streamlit as st", ["streamlit"]),
        ("ffn_core/gain.py", "def f():\n    from pandas import DataFrame", ["pandas.DataFrame"]),
        ("ffn_core/gain.py", "from .charts import gain", ["ffn_core.charts.gain"]),
        ("ffn_core/gain.py", "from . import charts, lesson", ["ffn_core.charts"]),
        ("ffn_core/gain.py", "import math, numpy.linalg\nfrom .ffn import forward", []),
        ("ffn_core/charts/gain.py", "import altair, pandas\nfrom ..gain import jacobian\nfrom . import base", []),
        ("ffn_core/charts/gain.py", "from ffn_ui import cache", ["ffn_ui.cache"]),
        ("ffn_ui/bench.py", "import altair\nimport streamlit", ["altair"]),
        ("ffn_ui/bench.py", "from . import recipes", ["ffn_ui.recipes"]),
        ("ffn_ui/recipes/00_overview.py", "import ffn_core, numpy, streamlit", ["streamlit"]),
        ("pages/00_overview.py", "import streamlit\nfrom ffn_core.charts import gain\nfrom ffn_ui import bench", []),
        ("pages/00_overview.py", "import tools.make, scipy", ["scipy", "tools.make"]),
        ("streamlit_app.py", "from ffn_ui.routing import sections", []),
    ],
)
def test_the_check_itself_finds_what_lies_uphill(path, source, wrong):
    path = Path(path)
    found = sorted(name for name in imported(ast.parse(source), path) if not is_allowed(name, rules_for(path)))
    assert found == wrong


def test_the_mathematics_in_a_notebook_never_imports_what_the_app_needs():
    modules = [f"ffn_core.{m.name}" for m in pkgutil.iter_modules(ffn_core.__path__) if not m.ispkg]
    assert {"ffn_core.activations", "ffn_core.rng", "ffn_core.reference", "ffn_core.__main__"} <= {
        *modules,
        "ffn_core.__main__",
    }
    code = (
        f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'streamlit', 'altair', 'pandas', 'scipy', 'torch'}))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


# --- Rules of the house


@every_file
def test_no_html_is_let_through_unescaped(path):
    source = (ROOT / path).read_text(encoding="utf-8")
    assert "unsafe_allow_html" not in source, f"{path}: Streamlit's own elements escape what a link brings in"


@every_page
def test_a_page_is_a_script_of_at_most_80_lines_without_definitions(path):
    lines = [line for line in (ROOT / path).read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES_OF_A_PAGE, f"{path} has {len(lines)} lines that are not blank"
    defined = [
        node.name
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    assert not defined, f"{path} defines {', '.join(defined)}; what is worth a name lives in ffn_core or ffn_ui"


def public_definitions(tree, prefix=""):
    """(name, node) of public functions, classes and their public methods."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node, f"{node.name}.")


@every_file
def test_every_file_says_in_its_first_line_what_lives_there(path):
    said = ast.get_docstring(parsed(path))
    assert said, f"{path} has no docstring"
    assert said.splitlines()[0].strip()


@pytest.mark.parametrize("path", sources("ffn_core", "ffn_ui"), ids=str)
def test_every_public_function_and_class_has_a_docstring(path):
    silent = [name for name, node in public_definitions(parsed(path)) if not ast.get_docstring(node)]
    assert not silent, f"{path}: {', '.join(silent)}"


# --- Examples in docstrings


def maths_modules():
    return [f"ffn_core.{m.name}" for m in pkgutil.iter_modules(ffn_core.__path__) if m.name != "charts"]


@pytest.mark.parametrize("name", maths_modules())
def test_every_example_in_a_docstring_gives_what_it_says(name):
    done = doctest.testmod(importlib.import_module(name))
    assert done.failed == 0


def test_there_are_examples_in_docstrings():
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert any(test.examples for name in maths_modules() for test in finder.find(importlib.import_module(name)))
