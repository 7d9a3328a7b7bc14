"""A page opened through the app by a deep link, and what stands on it; shared by the tests of the single pages."""

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]


def open_section(file, **asked):
    """A section opened by a link with these parameters, without an exception or an error box."""
    at = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=90)
    at.switch_page(f"pages/{file}")
    at.query_params.update({k: v if isinstance(v, list) else str(v) for k, v in asked.items()})
    at.run()
    assert_no_error(at)
    return at


def assert_no_error(at):
    assert not at.exception
    assert not at.error


def assert_quiet(at):
    """Nothing was refused either."""
    assert_no_error(at)
    assert not at.warning


def metrics(at):
    """The labelled numbers of the page, as text."""
    return {m.label: m.value for m in at.metric}


def tables(at):
    """The Markdown tables of the page, in order: a DataFrame of str each."""
    found = []
    for m in at.markdown:
        if m.value.startswith("| "):
            head, _, *rows = ([re.sub(r"\\(.)", r"\1", c) for c in r[2:-2].split(" | ")] for r in m.value.splitlines())
            found.append(pd.DataFrame(rows, columns=head))
    return found


def title(at):
    """The first-level heading; it stands in one piece of Markdown with what the page is about."""
    (head,) = (m.value for m in at.markdown if m.value.startswith("# "))
    return head.splitlines()[0].removeprefix("# ")


def prose(at):
    """The running text and the captions."""
    return " ".join(m.value for m in [*at.markdown, *at.caption])


def frames(at, which):
    """The datasets of one chart: of number `which`, or of the first that has a dataset of this name."""
    for number, node in enumerate(at.get("vega_lite_chart")):
        datasets = {d.name: pa.ipc.open_stream(d.data.data).read_pandas() for d in node.proto.datasets}
        if which == number or which in datasets:
            return datasets
    raise AssertionError(f"no chart is number {which} or has a dataset of that name")
