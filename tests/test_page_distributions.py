"""Distributions, the page: the lesson's numbers at the default link, the bench's extremes, and its own controls."""

from functools import partial

import pytest
from opened import frames, metrics, open_section, tables

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.reference import REFERENCE
from ffn_ui import cache

open_page = partial(open_section, "04_distributions.py")


def said(at):
    return " ".join(c.value for c in at.caption)


def test_the_default_link_shows_the_printed_numbers_to_the_last_digit():
    at = open_page()
    assert not at.warning
    seen = metrics(at)
    for label, printed in zip(
        ("fraction pre < 0", "min post", "fraction |pre| < 0.05", "fraction |post| < 0.05"),
        (p.printed for p in REFERENCE if p.section == "distributions"),
        strict=True,
    ):
        assert float(seen[label]) == pytest.approx(float(printed), abs=1e-15), label
    assert seen["fraction pre < 0"] == "0.50439453125"
    assert seen["fraction |post| < 0.05"] == "0.14794921875"


def test_the_lessons_4096_values_stand_in_40_bins():
    at = open_page()
    for k in (0, 1):
        bins = frames(at, k)["bins"]
        assert len(bins) == 40
        assert bins["counted"].sum() == 4096
    assert "4,096 values (256 tokens, d_ff 16)" in said(at)


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(
    "asked",
    [
        {"T": 1, "d_model": 2, "d_ff": 1, "dist_tokens": 16, "dist_bias": -4.0, "dist_scale": 0.5},
        {"T": 64, "d_model": 64, "d_ff": 512, "token": 64, "slot": 512, "dist_bias": 4.0, "dist_bins": 160},
        {"d_model": 64, "d_ff": 3, "dist_scale": 4.0, "dist_bins": 20, "dist_tokens": 4096},
    ],
    ids=["smallest", "largest", "narrow"],
)
def test_the_extremes_raise_nothing(sigma, asked):
    at = open_page(sigma=sigma, **asked)
    assert not at.warning
    for k in (0, 1):
        found = frames(at, k)
        assert found["bins"]["counted"].min() >= 0
        assert not found["bins"].isna().any(axis=None)


def test_the_chosen_token_and_slot_are_marked_in_every_picture():
    at = open_page(token=4, slot=9)
    trace = lesson.worked_trace()
    for k, values in enumerate((trace.pre, trace.post, trace.post)):
        assert frames(at, k)["own"]["at"].tolist() == pytest.approx([values[3, 8]])
    assert "token 4 at slot 9" in said(at)


def test_the_mark_follows_weight_scale_and_bias():
    at = open_page(dist_scale=0.5, dist_bias=1.0)
    own = frames(at, 0)["own"]["at"][0]
    assert own == pytest.approx(lesson.worked_trace().pre[lesson.TOKEN, 0] / 2.0 + 1.0)


def test_relus_spike_is_an_arrow_with_its_weight():
    at = open_page(sigma="ReLU")
    for k in (1, 2):
        assert frames(at, k)["zeros"]["label"].tolist() == ["50.4% exactly 0"]
    assert frames(at, 1)["bins"]["counted"].sum() == 4096 * (1 - 0.50439453125)
    assert "arrow" in said(at)
    usual = open_page()
    assert frames(usual, 1)["zeros"]["share"].tolist() == [0.0]
    assert "arrow" not in said(usual)


def test_a_million_values_are_counted_and_only_bins_are_sent():
    at = open_page(dist_tokens=65536)
    assert "1,048,576 values" in said(at)
    assert frames(at, 0)["bins"]["counted"].sum() == 2**20
    sent = sum(len(d.data.data) for node in at.get("vega_lite_chart") for d in node.proto.datasets)
    assert sent < 30_000


def test_more_than_a_million_values_are_capped_in_a_visible_line():
    at = open_page(d_ff=512, d_model=2, dist_tokens=65536)
    assert "At most 1,048,576 values are counted, so here 2,048 tokens." in said(at)
    assert frames(at, 0)["bins"]["counted"].sum() == 2**20
    assert "At most" not in said(open_page(d_ff=512, d_model=2, dist_tokens=1024))


def test_a_large_count_is_made_once_and_a_choice_of_token_does_not_repeat_it(monkeypatch):
    at = open_page(dist_tokens=16384, dist_seed=77)

    def refuse(*_):
        raise AssertionError("counted again")

    monkeypatch.setattr(cache.distributions, "reshape_by", refuse)
    at.number_input(key="token").set_value(5).run()
    assert not at.exception
    assert "token 5 at slot 1" in said(at)


def test_the_progress_bar_is_gone_when_all_is_counted():
    at = open_page(dist_tokens=65536, dist_seed=78)
    assert not at.get("progress")


def test_a_negative_bias_brings_the_figures_of_a_trained_model():
    table = tables(open_page(dist_bias=-0.7))[0].set_index("quantity")["counted"].astype(float)
    assert 0.68 < table["share of pre < 0"] < 0.81
    assert 0.17 < table["mean gain"] < 0.32
