"""What is sent of a chart draws the picture that its grammar says in full."""

import copy
import json
import re

import pyarrow as pa
import pytest
import vl_convert
from opened import open_section

from ffn_ui import figures
from ffn_ui.site import CONTENTS

NUMBERED = re.compile(r"(clip|gradient_)\d+")  # Vega numbers what it draws through one process


def picture(spec, datasets):
    return NUMBERED.sub("", vl_convert.vegalite_to_svg({**spec, "datasets": datasets, "width": 500}))


@pytest.mark.parametrize("s", CONTENTS, ids=lambda s: s.slug)
@pytest.mark.parametrize("asked", [{}, {"sigma": "ReLU", "T": 9, "d_ff": 40, "token": 7}], ids=["lesson", "other"])
def test_leaving_out_what_was_said_before_changes_no_picture(s, asked, monkeypatch):
    full = {}

    def remembered(spec, say_once=figures._say_once):
        before = copy.deepcopy(spec)
        after = say_once(spec)
        full[json.dumps(after)] = before
        return after

    monkeypatch.setattr(figures, "_say_once", remembered)
    figures._compiled.cache_clear()
    charts = open_section(s.file, **asked).get("vega_lite_chart")
    figures._compiled.cache_clear()
    for chart in charts:
        if chart.proto.spec not in full:
            continue  # scales that are not shared: left as it is
        datasets = {}
        for dataset in chart.proto.datasets:
            frame = pa.ipc.open_stream(dataset.data.data).read_pandas()
            datasets[dataset.name] = json.loads(frame.to_json(orient="records"))
        assert picture(json.loads(chart.proto.spec), datasets) == picture(full[chart.proto.spec], datasets)


def test_a_scale_keeps_its_own_limits_and_what_differs_is_kept():
    limits = {"domain": [0, 1]}
    one = {"x": {"type": "quantitative", "title": "a", "axis": {"format": "d"}, "scale": limits}, "tooltip": [{}]}
    two = {"x": {"type": "quantitative", "title": "b", "axis": {"format": "d"}, "scale": dict(limits)}}
    spec = {"layer": [{"encoding": one}, {"layer": [{"encoding": two}]}]}
    assert figures._say_once(spec)["layer"][1]["layer"][0]["encoding"] == {
        "x": {"type": "quantitative", "title": "b", "scale": {"domain": [0, 1]}}
    }
