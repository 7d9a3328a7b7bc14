"""The contents table, the files, the README and the checks agree with each other."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from ffn_ui import programs
from ffn_ui.site import ALL, CONTENTS, section

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RECIPES = ROOT / "ffn_ui" / "recipes"


def test_the_contents_table_lists_every_page_file_once_in_order():
    assert [s.file for s in CONTENTS] == sorted(p.name for p in (ROOT / "pages").glob("*.py"))


def test_every_section_has_a_distinct_address_and_a_question():
    assert len({s.slug for s in CONTENTS}) == len({s.title for s in CONTENTS}) == len(CONTENTS)
    assert all(s.question.endswith("?") and s.uses <= ALL for s in CONTENTS)
    assert all(section(s.slug) is s for s in CONTENTS)
    assert section("") is CONTENTS[0]


def test_the_readme_page_table_is_the_contents_table():
    rows = re.findall(r"^\| `(\d\d_\w+\.py)` \| ([^|]+) \| ([^|]+) \|$", README, flags=re.MULTILINE)
    assert [(file, title.strip(), question.strip()) for file, title, question in rows] == [
        (s.file, s.title, s.question) for s in CONTENTS
    ]


def test_the_readme_explains_every_dependency_and_no_other():
    wanted = set()
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-oracle.txt"):
        lines = (ROOT / name).read_text().splitlines()
        wanted |= {re.split(r"[<>=~]", line)[0] for line in lines if line and line[0] not in "#-"}
    explained = re.findall(r"^\| `([\w-]+)` \| (?:app|tests) \|", README, flags=re.MULTILINE)
    assert sorted(explained) == sorted(wanted)


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "requirements-oracle.txt"])
def test_every_requirement_is_bounded_on_both_sides(name):
    lines = [line for line in (ROOT / name).read_text().splitlines() if line and line[0] not in "#-"]
    assert lines
    assert all(re.fullmatch(r"[\w-]+(>=[\d.]+,<[\d.]+|==[\d.]+)", line) for line in lines)


def test_ci_runs_the_test_command_of_the_readme():
    command = re.search(r"&& (\.venv/bin/pytest.*)$", README, flags=re.MULTILINE).group(1)
    assert command in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("s", CONTENTS, ids=lambda s: s.slug)
def test_every_page_has_a_recipe_that_runs_with_todays_settings(s, capsys):
    with np.printoptions():  # a recipe may set how numbers print; that is put back afterwards
        runpy.run_path(str(RECIPES / s.file), run_name="__main__")
    assert capsys.readouterr().out
    changed = programs.recipe(s, {"seed": 3, "T": 4, "d_model": 4, "d_ff": 8, "sigma": "SiLU", "token": 1, "slot": 2})
    settings = {"seed": 3, "T": 4, "d_model": 4, "d_ff": 8, "sigma": "SiLU", "token": 1, "slot": 2}
    for name, value in settings.items():
        assert f"\n{name} = " not in changed or f"\n{name} = {value!r}\n" in changed


def test_every_recipe_file_belongs_to_a_page():
    assert sorted(p.name for p in RECIPES.glob("*.py")) == [s.file for s in CONTENTS]


def test_the_python_versions_of_the_readme_are_those_of_the_project():
    assert sys.version_info >= (3, 11)
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text()
    assert "3.11 to 3.14" in README
