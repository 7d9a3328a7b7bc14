"""A new activation is two functions and one line in the registry: every law test and every control picks it up."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from newcomers import NEWCOMERS
from opened import assert_no_error, frames, metrics, open_section

from ffn_core.activations import ACTIVATIONS
from ffn_ui import figures

TESTS = Path(__file__).parent
LAWS = {
    "test_activations.py": (
        "test_gain_is_the_derivative_of_every_activation[{}]",
        "test_far_out_every_activation_is_finite_and_warns_of_nothing[float32-{}]",
        "test_the_input_is_neither_changed_nor_handed_back[{}]",
        "test_the_registry_knows_every_activation_by_its_name_and_has_a_formula[{}]",
        "test_kinks_are_exactly_where_the_gain_jumps[{}]",
    ),
    "test_ffn.py": ("test_the_forward_pass_is_two_sums_with_the_activation_between_them[5-4-16-{}]",),
    "test_gain.py": ("test_the_jacobian_is_the_derivative_of_every_output_by_every_input[{}]",),
    "test_gated.py": ("test_the_block_is_what_the_definition_says_one_number_at_a_time[{}]",),
    "test_curves.py": ("test_distance_is_the_same_both_ways_and_zero_to_itself[{}]",),
}


@pytest.fixture
def registry(monkeypatch):
    """The registry with the newcomers in it; charts are kept by their names, so none is kept from before or after."""
    figures._compiled.cache_clear()
    for name, newcomer in NEWCOMERS.items():
        monkeypatch.setitem(ACTIVATIONS, name, newcomer)
    yield ACTIVATIONS
    figures._compiled.cache_clear()


def test_newcomers_in_the_registry_are_held_to_every_law_and_meet_it():
    told = " or ".join([*NEWCOMERS, "registry", "variants", "ablation"])  # theirs, and those over all names at once
    asked = [sys.executable, "-m", "pytest", "-p", "newcomers", "-p", "no:cacheprovider", "-rp", "-k", told, *LAWS]
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    ran = subprocess.run(
        asked, cwd=TESTS, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-1000:]
    passed = set(re.findall(r"^PASSED \S*?(test_\w+\.py::.+)$", ran.stdout, re.MULTILINE))
    wanted = {f"{file}::{law.format(name)}" for file, laws in LAWS.items() for law in laws for name in NEWCOMERS}
    assert wanted <= passed, sorted(wanted - passed)


@pytest.mark.parametrize("name", NEWCOMERS)
def test_a_newcomer_can_be_chosen_and_is_drawn_with_a_line_of_its_own(registry, name):
    at = open_section("03_relu_vs_gelu.py", sigma=name, gelu_x="0.7")
    assert not at.warning
    assert at.selectbox(key="sigma").options == list(registry)
    assert at.selectbox(key="sigma").value == name
    assert float(metrics(at)[f"gain of {name} at x"]) == pytest.approx(float(NEWCOMERS[name].gain(0.7)), rel=1e-5)
    curve = frames(at, 0)["curves"]
    np.testing.assert_allclose(curve[name], NEWCOMERS[name].f(curve["x"].to_numpy(np.float64)), rtol=1e-6, atol=3e-7)


def test_newcomers_stand_among_the_curves_to_choose_and_in_the_legend(registry):
    at = open_section("03_relu_vs_gelu.py")
    chooser = at.multiselect(key="gelu_curves")
    assert chooser.options == list(registry)
    chooser.set_value([*NEWCOMERS]).run()
    assert_no_error(at)
    assert set(frames(at, 0)["curves"].columns) >= {"x", "GELU", *NEWCOMERS}
    layers = json.loads(at.get("vega_lite_chart")[0].proto.spec)["layer"]
    colour = next(layer["encoding"]["color"] for layer in layers if "strokeDash" in layer["encoding"])
    assert colour["legend"] is not None
    assert colour["scale"]["domain"] == list(registry)
    assert len(set(colour["scale"]["range"])) == len(registry)
