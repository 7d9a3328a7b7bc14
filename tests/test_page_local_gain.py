"""Local gain, the page: the lesson's numbers at the default link, the extremes of the bench, and the perturbation."""

from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from opened import frames, metrics, open_section

from ffn_core.activations import ACTIVATIONS
from ffn_core.reference import REFERENCE

open_page = partial(open_section, "07_local_gain.py")


def test_the_default_link_shows_the_printed_numbers_of_the_systems_lens():
    at = open_page()
    assert not at.warning
    table = at.table[0].value
    printed = {p.quantity: p.printed for p in REFERENCE if p.section == "systems"}
    for row in table.itertuples(index=False):
        token, n_open, *values = row
        assert n_open == printed[f"token {token} open gates (gain > 1/2)"]
        assert " ".join(values) == printed[f"token {token} J singular values"]
    assert len(table) == 5
    seen = metrics(at)
    assert seen["open gates of token 2"] == "10 of 16"
    assert seen["spread of the largest"] == "1.68×"
    assert seen["spread of the smallest"] == "24.2×"


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(
    ("T", "d_model", "d_ff"), [(1, 2, 1), (64, 64, 512), (5, 64, 3), (64, 2, 512)], ids=lambda v: str(v)
)
def test_the_extremes_of_the_bench_raise_nothing(sigma, T, d_model, d_ff):
    for kind in ("principal", "random"):
        at = open_page(
            sigma=sigma, T=T, d_model=d_model, d_ff=d_ff, token=T, slot=d_ff,
            local_along=kind, local_number=d_model, local_size=1.0,
        )  # fmt: skip
        assert not at.warning
        assert len(at.get("vega_lite_chart")) == 5
        assert "inf" not in " ".join(metrics(at).values())
        assert "nan" not in " ".join(metrics(at).values())


def test_one_token_has_no_spread():
    assert metrics(open_page(T=1, token=1))["spread of the largest"] == "1.00×"


def test_identity_has_one_gain_for_all_tokens_and_is_always_predicted():
    seen = metrics(open_page(sigma="Identity"))
    assert seen["spread of the largest"] == seen["spread of the smallest"] == "1.00×"
    assert seen["10% is passed at"] == "beyond 10"


def test_the_chosen_token_and_slot_are_marked_in_the_pictures():
    at = open_page(T=40, token=20, d_ff=100, slot=70)
    gates = frames(at, "cells")
    assert gates["rows"]["row"].tolist() == [20]
    assert gates["columns"]["column"].tolist() == [70]
    values = frames(at, "singular")["singular"]
    assert set(values["token"][values["chosen"]]) == {20}


def test_along_the_first_principal_direction_the_prediction_is_the_largest_singular_value():
    assert metrics(open_page(local_size=0.0))["predicted"] == "1.613"


def test_a_smaller_change_is_predicted_better_in_proportion():
    at = open_page(local_size=-2.0)
    seen = metrics(at)
    assert float(seen["relative error"][:-1]) == pytest.approx(
        10 * float(seen["at a tenth of the size"][:-1]), rel=0.03
    )
    at.slider(key="local_size").set_value(-3.0).run()
    assert metrics(at)["relative error"] == seen["at a tenth of the size"]


def test_the_bars_are_the_prediction_and_the_real_change():
    at = open_page(local_along="channel", local_number=3, local_size=-1.0)
    pair = frames(at, "pair")["pair"]
    seen = metrics(at)
    assert f"{np.linalg.norm(pair['predicted']):.4g}" == seen["predicted"]
    assert f"{np.linalg.norm(pair['actual']):.4g}" == seen["actual"]
    jacobian = next(n for n in at.get("vega_lite_chart") if n.proto.alt.startswith("The Jacobian"))
    outlined = {d.name: pa.ipc.open_stream(d.data.data).read_pandas() for d in jacobian.proto.datasets}["rows"]
    assert outlined["row"].tolist() == [3]


def test_a_direction_that_j_sends_to_zero_says_that_nothing_is_predicted():
    at = open_page(sigma="ReLU", token=1, d_ff=5, local_number=4)
    seen = metrics(at)
    assert seen["predicted"] == "0"
    assert seen["relative error"] == seen["10% is passed at"] == "–"
    assert any("Nothing is predicted" in c.value for c in at.caption)


def test_the_number_of_a_direction_comes_down_when_the_token_gets_narrower():
    at = open_page(d_model=8, local_number=8)
    at.slider(key="d_model").set_value(3).run()
    assert not at.exception
    assert at.number_input(key="local_number").value == 3
