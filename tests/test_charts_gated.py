"""The pictures of the gated block: their numbers through the frames, their looks through the compiled charts."""

import numpy as np
import pytest

from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import gated as charts
from ffn_core.gated import STATES, draw_gated_example, gate_states, gated_forward, glu_ablation, missing_transpose

GELU = ACTIVATIONS["GELU"]


def drawn(d_ff=16, token=1, slot=0, sigma=GELU, d_model=4):
    example = draw_gated_example(11, 5, d_model, d_ff)
    trace = gated_forward(example.H[0], example.weights, sigma)
    return example, trace, charts.units_frame(trace, example.weights, token, slot)


def marks(spec):
    """Every mark of a compiled chart, layers included."""
    found = [spec["mark"]["type"]] if "mark" in spec else []
    return found + [m for layer in spec.get("layer", []) for m in marks(layer)]


def test_a_unit_is_gate_times_value_and_its_state_is_that_of_the_gate():
    example, trace, units = drawn(token=3)
    np.testing.assert_allclose(units["product"], units["gate"] * units["value"], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(units["gate"], GELU.f(units["arrives"].to_numpy(float)), atol=1e-6)
    np.testing.assert_allclose(units["arrives"], example.H[0, 3] @ example.weights.W_gate, rtol=1e-6)
    assert list(units["state"]) == [STATES[k] for k in gate_states(trace.gate[3])]
    assert list(units["unit"]) == list(range(1, 17))


@pytest.mark.parametrize("slot", [0, 5, 15])
def test_the_chosen_unit_is_marked_in_every_frame(slot):
    _, _, units = drawn(slot=slot)
    frames = charts.gate_frames(GELU, units, 0.5)
    for frame in (units, charts.branch_frames(units, slot)[0]["units"], frames["units"]):
        assert frame.loc[frame["chosen"], "unit"].tolist() == [slot + 1]
    cloud = charts.cloud_frames(frames, units)["units"]
    assert cloud.loc[cloud["chosen"], "unit"].tolist() == [slot + 1]


def test_the_window_of_units_follows_the_chosen_one_and_says_so():
    _, _, units = drawn(d_ff=100, slot=70)
    frames, part = charts.branch_frames(units, 70)
    assert frames["units"]["unit"].tolist() == list(range(65, 97))
    assert part == "Units 65–96 of 100 are shown."
    assert charts.branch_frames(*(drawn()[2], 0))[1] == ""


def test_every_unit_stands_on_the_curve_of_the_gate_and_the_curve_reaches_the_farthest():
    _, _, units = drawn(d_ff=200)
    units.loc[7, "arrives"] = np.float32(-9.5)
    curve = charts.gate_frames(GELU, units, 0.5)["curve"]
    assert curve["arrives"].iloc[[0, -1]].tolist() == [-9.5, 9.5]
    np.testing.assert_allclose(curve["gate"], GELU.f(curve["arrives"].to_numpy(float)), atol=1e-6)
    assert set(curve["activation"]) == {"GELU"}


def test_your_gate_is_the_slope_of_your_line():
    _, _, units = drawn()
    own = charts.gate_frames(GELU, units, 0.75)["own"]
    assert own["gate"].iloc[0] == pytest.approx(GELU.f(0.75))
    frames = charts.product_frames(own, units)
    for name, slope in {"open": 1.0, "half open": 0.5, "closed": 0.0, "yours": own["gate"].iloc[0]}.items():
        line = frames["lines"][frames["lines"]["gate is"] == name]
        np.testing.assert_allclose(line["product"], slope * line["value"])
        assert line["value"].abs().tolist() == [3.0, 3.0]
    assert frames["own"]["product"].iloc[0] == pytest.approx(own["gate"].iloc[0] * units.loc[0, "value"])


def test_the_product_lines_reach_a_value_that_lies_far_out():
    _, _, units = drawn()
    units.loc[0, "value"] = -7.0
    own = charts.gate_frames(GELU, units, 0.75)["own"]
    assert charts.product_frames(own, units)["lines"]["value"].abs().max() == 7.0


def test_the_facts_of_the_lessons_example():
    _, trace, units = drawn()
    assert charts.unit_facts(units, trace) == {
        "gate of unit 1": "2.9589", "its value": "-0.8290", "gate × value": "-2.4529", "gates above 0.1": "40 of 80",
    }  # fmt: skip


def test_the_states_are_counted_in_words():
    _, _, units = drawn()
    said = charts.states_text(units, charts.gate_frames(GELU, units, 0.75)["own"])
    assert "Your gate, the circle, is 0.5800 (part open)." in said
    assert "The 16 gates of the token: turns the sign 2, closed 5, part open 2, open 7." in said


def test_growth_in_words():
    example, _, _ = drawn()
    said = charts.growth_text(example, 1, ACTIVATIONS["ReLU"])
    assert "the plain block grows 2.000 times, of the gated one **4.000 times**" in said
    silent = next(
        e
        for e in (draw_gated_example(seed, 1, 2, 1) for seed in range(50))
        if not (e.H[0] @ e.weights.W_gate > 0).any()
    )
    assert "nothing, it is 0" in charts.growth_text(silent, 0, ACTIVATIONS["ReLU"])


def test_the_shape_walk_has_both_conventions():
    walk = charts.shapes_frame(2, 5, 4, 16)
    assert walk.iloc[:, 2].tolist() == ["[2, 5, 4]", "[2, 5, 16]", "[2, 5, 16]", "[2, 5, 16]", "[2, 5, 4]"]
    assert walk.iloc[:, 4].tolist() == ["[2, 4, 5]", "[2, 16, 5]", "[2, 16, 5]", "[2, 16, 5]", "[2, 4, 5]"]
    assert "W_gate 4 × 16" in walk.iloc[1, 1]
    assert "W_g 16 × 4" in walk.iloc[1, 3]


def test_two_against_three_matrices_and_the_width_within_the_budget():
    frames = charts.budget_frames(4096, 16384, 256)
    choices = frames["choices"]
    assert choices["width"].tolist() == [16384, 16384, 10923, 11008]
    assert choices["parameters"].tolist() == [134_217_728, 201_326_592, 134_221_824, 135_266_304]
    assert choices["of_plain"].tolist() == pytest.approx([1.0, 1.5, 1.00003, 1.0078125], abs=1e-5)
    assert frames["budget"]["parameters"].tolist() == [134_217_728]
    lines = frames["lines"]
    assert lines["width"].iloc[1] > 16384
    assert (lines["gated"].iloc[1], lines["plain"].iloc[1]) == tuple(k * 4096 * lines["width"].iloc[1] for k in (3, 2))
    assert list(charts.budget_facts(choices).values()) == [
        "134,217,728", "201,326,592", "10,923", "11,008", "1.0078",
    ]  # fmt: skip


def test_the_smallest_budget_there_is():
    assert charts.budget_frames(1, 1, 256)["choices"]["width"].tolist() == [1, 1, 1, 256]


def test_published_gated_models_in_words():
    said = charts.budget_text()
    assert "Of 34 published gated models" in said
    assert "9 lie within 3\u00a0% of 8/3\u00a0D (10 equal it after rounding up to a multiple of 256)" in said


def test_the_facts_of_the_conventions():
    batch, square = draw_gated_example(11, 5, 4, 16, 2), draw_gated_example(11, 5, 4, 4, 2)
    facts = charts.convention_facts(batch, square, GELU)
    silent = missing_transpose(square.H, square.weights, GELU)
    assert float(facts["rows − columns, at most"]) < 1e-13
    assert facts["M = D = 4, untransposed: off by"] == f"{silent.off_by:.0%}"


def test_the_ablation_is_sorted_and_marks_the_activation_of_the_bench():
    rows = charts.ablation_frames(glu_ablation(), GELU)["rows"]
    assert rows["variant"].tolist() == ["GEGLU", "SwiGLU", "ReGLU", "Bilinear", "GLU", "ReLU", "GELU", "Swish"]
    assert rows.loc[rows["chosen"], "variant"].tolist() == ["GEGLU", "GELU"]
    assert (rows["low"] == rows["loss"]).all()
    short = charts.ablation_frames(glu_ablation(), GELU, long_run=False)["rows"].set_index("variant")
    assert short.loc["SwiGLU", ["low", "loss", "high"]].tolist() == pytest.approx([1.934, 1.944, 1.954])


def test_the_ablation_in_words():
    long, short = (charts.ablation_text(glu_ablation(), run) for run in (True, False))
    assert "The best is GEGLU with 1.633, 0.044 below the best plain block, ReLU." in long
    assert "Every gated row beats every plain one, by 0.014 at least." in long
    assert "GELU (1.679) is no better than ReLU (1.677)" in long
    assert "by 0.001 at least. Bars: one standard deviation of four runs, up to 0.010" in short


def test_the_looks_of_the_charts():
    for branch in charts.BRANCHES:
        spec = charts.branch_chart(branch).to_dict()
        assert marks(spec) == ["bar", "rect"]
        assert spec["layer"][0]["encoding"]["y"]["field"] == branch
    state = charts.gate_chart().to_dict()["layer"][2]["encoding"]
    assert state["color"]["field"] == state["shape"]["field"] == "state"
    line = charts.product_chart().to_dict()["layer"][0]["encoding"]
    assert line["color"]["field"] == line["strokeDash"]["field"] == "gate is"
    assert marks(charts.cloud_chart().to_dict()) == ["line", "point", "point"]
    assert marks(charts.budget_chart().to_dict()) == ["rule", "line", "point"]
    assert marks(charts.ablation_chart().to_dict()) == ["rect", "rule", "point", "text"]


def test_no_chart_carries_data():
    for chart in (
        charts.gate_chart,
        charts.product_chart,
        charts.cloud_chart,
        charts.budget_chart,
        charts.ablation_chart,
    ):
        spec = chart().to_dict()
        assert "datasets" not in spec
        assert all(set(layer["data"]) == {"name"} for layer in spec["layer"] if "data" in layer)
