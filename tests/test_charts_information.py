"""The pictures of the information page: every merge at its bits, areas that are probabilities, symbols on a curve."""

import numpy as np
import pytest

from ffn_core import information, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import information as charts
from ffn_core.charts.base import MARK

CHOSEN = ((0,), (1, 2), (3,))
SINGLE = ((0,), (1,), (2,), (3,))


def layers(chart):
    return chart.to_dict()["layer"]


def test_all_15_merges_are_placed_by_their_bits_with_the_most_first():
    frame = charts.merges_frames(lesson.JOINT, CHOSEN)["merges"]
    assert len(frame) == 15
    assert frame["merge"][0] == "x1 | x2 | x3 | x4"
    assert np.all(np.diff(frame.bits) <= 1e-12)
    for row in frame.rename(columns={"merge": "name"}).itertuples():
        groups = [[int(s[1]) - 1 for s in part.split()] for part in row.name.split(" | ")]
        assert row.bits == information.mutual_information(information.merge(lesson.JOINT, groups))
        assert row.symbols_left == len(groups)


def test_the_injective_maps_are_on_the_ceiling_and_no_row_is_above_it():
    frames = charts.merges_frames(lesson.JOINT, CHOSEN)
    ceiling = frames["ceiling"].bits[0]
    assert frames["merges"].bits[0] == pytest.approx(ceiling, abs=1e-15)
    assert (frames["merges"].bits <= ceiling + 1e-15).all()
    assert np.allclose(frames["merges"].bits + frames["merges"].bits_lost, ceiling)


def test_maps_are_counted_256_in_all_and_24_of_them_injective():
    frame = charts.merges_frames(lesson.JOINT, CHOSEN)["merges"]
    assert frame.maps.sum() == 4**4
    assert frame.maps[0] == 24


def test_the_chosen_merge_and_only_it_is_marked():
    frame = charts.merges_frames(lesson.JOINT, CHOSEN)["merges"]
    assert frame["merge"][frame.chosen].tolist() == ["x1 | x2 x3 | x4"]
    outlined = [layer for layer in layers(charts.merges_chart()) if layer["mark"].get("stroke") == MARK]
    assert [layer["transform"] for layer in outlined] == [[{"filter": "datum.chosen"}]]


def test_a_table_without_information_still_has_an_axis():
    frames = charts.merges_frames(information.TABLES["nothing to lose"], CHOSEN)
    assert frames["span"].bits.tolist() == [0.0, 1.0]
    assert (frames["merges"].bits == 0).all()


def test_the_areas_of_the_mosaic_are_the_joint_probabilities():
    for groups in information.partitions(4):
        cells = charts.mosaic_frames(lesson.JOINT, groups, CHOSEN)["cells"]
        area = (cells.x2 - cells.x) * (cells.y2 - cells.y)
        assert np.allclose(area, cells.p, rtol=0, atol=1e-15)
        assert area.sum() == pytest.approx(1.0, abs=1e-15)


def test_the_split_of_a_band_is_the_share_of_y_1():
    bands = charts.mosaic_frames(lesson.JOINT, CHOSEN, CHOSEN)["bands"]
    assert bands.symbol.tolist() == ["x1", "x2 x3", "x4"]
    assert np.allclose(bands.share, [0.9, 0.5, 0.1])


def test_what_the_map_merges_is_outlined_before_and_after():
    before = charts.mosaic_frames(lesson.JOINT, SINGLE, CHOSEN)["bands"]
    after = charts.mosaic_frames(lesson.JOINT, CHOSEN, CHOSEN)["bands"]
    assert before.symbol[before.merged].tolist() == ["x2", "x3"]
    assert after.symbol[after.merged].tolist() == ["x2 x3"]
    assert not charts.mosaic_frames(lesson.JOINT, SINGLE, SINGLE)["bands"].merged.any()


def test_a_symbol_that_never_occurs_has_no_band():
    joint = np.array([[0.5, 0.0], [0.0, 0.0], [0.2, 0.3], [0.0, 0.0]])
    frames = charts.mosaic_frames(joint, SINGLE, CHOSEN)
    assert frames["bands"].symbol.tolist() == ["x1", "x3"]
    assert np.isfinite(frames["cells"].share).all()


def test_symbols_stand_on_the_curve_at_their_own_numbers():
    pre = [-2.0, -1.0, 1.0, 2.0]
    for sigma in ACTIVATIONS.values():
        frames = charts.levels_frames(sigma, pre, 0.0)
        assert np.array_equal(frames["symbols"].post, sigma.f(np.array(pre)))
        assert np.array_equal(frames["symbols"].gain, sigma.gain(np.array(pre)))
        assert np.allclose(frames["curve"].y, sigma.f(frames["curve"].x.to_numpy(np.float64)), atol=1e-6)
        assert frames["curve"].x.min() < min(pre)
        assert frames["curve"].x.max() > max(pre)


def test_steps_in_the_output_make_a_staircase():
    frames = charts.levels_frames(ACTIVATIONS["GELU"], [-2.0, -1.0, 1.0, 2.0], 0.5)
    assert set(np.unique(frames["curve"].y)) <= set(np.arange(-0.5, 4.0, 0.5))


def test_every_symbol_is_a_marked_point_with_a_marked_level():
    marks = [layer["mark"] for layer in layers(charts.levels_chart())]
    assert [m["type"] for m in marks if m.get("color") == MARK] == ["rule", "point"]
