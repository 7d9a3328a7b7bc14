"""The overview through the app: the graph with today's shapes, links that lead somewhere, the numbers reproduced."""

from functools import partial
from pathlib import Path

import pyarrow as pa
from opened import metrics, open_section
from streamlit.testing.v1 import AppTest

from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import forward
from ffn_core.lesson import draw_example
from ffn_core.reference import REFERENCE
from ffn_ui import guide, site

open_page = partial(open_section, "00_overview.py")

ROOT = Path(__file__).resolve().parents[1]
SLUGS = {s.slug for s in site.CONTENTS}


def test_all_printed_numbers_are_reproduced_and_counted_now():
    assert metrics(open_page())["printed numbers reproduced"] == f"{len(REFERENCE)} of {len(REFERENCE)}"


def test_the_graph_shows_the_shapes_of_the_bench():
    proto = open_page(T="7", d_model="6", d_ff="24", sigma="SiLU").get("vega_lite_chart")[0].proto
    nodes = {d.name: pa.ipc.open_stream(d.data.data).read_pandas() for d in proto.datasets}["nodes"].set_index("name")
    assert "6 × 24" in nodes.label["W1"]
    assert "7 × 24" in nodes["sub"]["sigma"]
    assert "SiLU" in nodes.label["sigma"]
    assert nodes["sub"]["out"] == "7 × 6"


def test_the_number_before_and_after_sigma_is_that_of_the_chosen_token_and_slot():
    shown = metrics(open_page(seed="3", sigma="SiLU", token="4", slot="9"))
    example = draw_example(3, 5, 4, 16)
    trace = forward(example.H, example.weights, ACTIVATIONS["SiLU"])
    assert shown["before $\\sigma$"] == f"{trace.pre[3, 8]:.4f}"
    assert shown["after $\\sigma$"] == f"{trace.post[3, 8]:.4f}"
    assert shown["gain there"] == f"{ACTIVATIONS['SiLU'].gain(trace.pre[3, 8]):.4f}"


def test_every_link_of_the_guide_leads_to_a_page():
    rows = [slug for slug, *_ in (*guide.OBJECTIVES, *guide.LENSES, *guide.QUESTIONS)]
    assert set(rows) <= SLUGS


def test_the_five_objectives_are_links_to_where_each_is_met():
    linked = [node.proto.page for node in open_page().get("page_link")]
    wanted = [slug for slug, _ in guide.OBJECTIVES]
    assert len(wanted) == 5
    assert [slug for slug in linked if slug in wanted][:5] == wanted
    assert "reference" in linked


def test_ffn_and_mlp_are_explained():
    prose = " ".join(m.value for m in open_page().markdown)
    for words in ("feed-forward network", "multi-layer perceptron", "between the two matrices"):
        assert words in prose


def test_the_page_runs_on_its_own_with_plain_words_for_links():
    at = AppTest.from_file(str(ROOT / "pages" / "00_overview.py"), default_timeout=60).run()
    assert not at.exception
    assert any("Why nonlinear" in m.value for m in at.markdown)
