"""Signal-flow graphs: every box drawn once, every arrow ends before its box, and what changes stands in the data."""

import itertools

import pytest

from ffn_core.charts import flow
from ffn_core.charts.flow import Edge, Node

DIAMOND = (  # a residual path around a branch, as the later blocks have it
    [
        Node("in", "x", 0, kind="signal"),
        Node("norm", "norm", 1, kind="norm"),
        Node("gate", "gate", 2, x=-0.5, width=0.8),
        Node("value", "value", 2, x=0.5, width=0.8),
        Node("times", "⊙", 3, kind="nonlinear", width=0.4),
        Node("sum", "+", 4, kind="sum", width=0.4),
    ],
    [
        Edge("in", "norm"),
        Edge("norm", "gate"),
        Edge("norm", "value"),
        Edge("gate", "times"),
        Edge("value", "times"),
        Edge("times", "sum"),
        Edge("in", "sum", around=-0.95, label="residual"),
    ],
)


def way(frames, number):
    paths = frames["paths"]
    return paths[paths.edge == number][["x", "y"]].to_numpy().tolist()


def test_the_block_has_seven_boxes_in_its_order():
    frames = flow.ffn_frames(5, 4, 16, "GELU")
    assert frames["nodes"].name.tolist() == ["H", "W1", "b1", "sigma", "W2", "b2", "out"]
    assert (frames["nodes"].y.diff().dropna() == 1).all()
    assert frames["paths"].edge.nunique() == 6


@pytest.mark.parametrize("shape", [(5, 4, 16), (1, 2, 1), (64, 64, 512)])
def test_the_shapes_in_the_boxes_are_those_of_the_bench(shape):
    T, d_model, d_ff = shape
    nodes = flow.ffn_frames(T, d_model, d_ff, "SiLU")["nodes"].set_index("name")
    assert f"{d_model} × {d_ff}" in nodes.label["W1"]
    assert f"{d_ff} × {d_model}" in nodes.label["W2"]
    assert "SiLU" in nodes.label["sigma"]
    assert [f"{T} × {d_ff}" in nodes["sub"][name] for name in ("W1", "b1", "sigma")] == [True] * 3
    assert [f"{T} × {d_model}" in nodes["sub"][name] for name in ("H", "W2", "b2", "out")] == [True] * 4


def test_boxes_do_not_overlap():
    for frames in (flow.ffn_frames(5, 4, 16, "GELU"), flow.flow_frames(*DIAMOND)):
        for a, b in itertools.combinations(frames["nodes"].itertuples(), 2):
            assert a.right < b.left or b.right < a.left or a.bottom < b.top or b.bottom < a.top


def test_an_arrow_starts_at_its_box_and_ends_just_before_the_next():
    frames = flow.ffn_frames(5, 4, 16, "GELU")
    boxes = frames["nodes"]
    for number in range(6):
        (x0, y0), (x1, y1) = way(frames, number)
        assert x0 == x1 == boxes.x[number]
        assert y0 == boxes.bottom[number]
        assert 0 < boxes.top[number + 1] - y1 < 0.1
    assert set(frames["heads"]["shape"]) == {"triangle-down"}


def test_branches_step_aside_and_meet_again():
    frames = flow.flow_frames(*DIAMOND)
    for number, (start, end) in ((1, (0.0, -0.5)), (2, (0.0, 0.5)), (3, (-0.5, 0.0)), (4, (0.5, 0.0))):
        corners = way(frames, number)
        assert len(corners) == 4
        assert (corners[0][0], corners[-1][0]) == (start, end)
        assert corners[1][1] == corners[2][1]


def test_a_residual_arc_goes_around_and_arrives_from_the_side():
    frames = flow.flow_frames(*DIAMOND)
    corners = way(frames, 6)
    assert [x for x, _ in corners[1:3]] == [-0.95, -0.95]
    assert corners[0] == [-0.8, 0.0]
    assert corners[-1][1] == 4.0
    assert corners[-1][0] < -0.2
    assert frames["heads"]["shape"].iloc[-1] == "triangle-right"
    assert frames["words"].label.tolist() == ["residual"]


def test_upward_arrows_and_arcs_on_the_right_point_the_other_way():
    nodes = [Node("a", "a", 0), Node("b", "b", 1)]
    frames = flow.flow_frames(nodes, [Edge("b", "a"), Edge("a", "b", around=0.9)])
    assert frames["heads"]["shape"].tolist() == ["triangle-up", "triangle-left"]


def test_a_graph_without_words_still_has_their_frame():
    frames = flow.ffn_frames(5, 4, 16, "GELU")
    assert frames["words"].columns.tolist() == ["label", "x", "y"]
    assert frames["words"].empty


def test_the_drawing_holds_no_numbers_of_the_bench():
    spec = flow.flow_chart(7, flow.FFN_KINDS).to_dict()
    assert "datasets" not in spec
    assert spec["height"] == 7 * flow.ROW_HEIGHT
    assert "GELU" not in str(spec)


def test_every_kind_of_the_block_is_in_the_legend():
    assert set(flow.ffn_frames(5, 4, 16, "GELU")["nodes"].kind) == set(flow.FFN_KINDS)
    assert set(flow.FFN_KINDS) <= set(flow.KINDS)
