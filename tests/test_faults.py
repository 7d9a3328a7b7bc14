"""When things go wrong: visitors side by side, left computations, a restarted server, a slow network, hostile links."""

import ast
import contextlib
import dataclasses
import re
import time
from urllib.parse import urlencode

import numpy as np
import psutil
import pytest
import streamlit as st
from browsing import ROOT, assert_fine, free_port, look, running_process, settle, tab
from opened import assert_no_error
from playwright.sync_api import expect
from test_fuzz import junk_links
from test_pages import EVERY, open_page

from ffn_core import fitting, stack
from ffn_core.activations import ACTIVATIONS
from ffn_core.block import KINDS
from ffn_ui import bench, cache
from ffn_ui.site import CONTENTS

# What visitors have set: beside the first, one with another seed alone, and one who shares nothing but the seed.
FIRST = {"seed": "3", "T": "7", "d_model": "6", "d_ff": "24", "sigma": "SiLU", "token": "2", "slot": "5"}
OTHER = {"seed": "3", "T": "9", "d_model": "8", "d_ff": "20", "sigma": "ReLU", "token": "4", "slot": "9"}
VISITORS = (FIRST, {**FIRST, "seed": "4"}, OTHER)


def seen(at):
    """All that a page says and draws."""
    words = [e.value for kind in ("metric", "caption", "markdown", "code", "warning") for e in at.get(kind)]
    drawn = [d.data.data for node in at.get("vega_lite_chart") for d in node.proto.datasets]
    return words, drawn


@EVERY
def test_visitors_of_one_server_never_see_each_others_values(s):
    sessions, alone = [], []
    for asked in VISITORS:
        st.cache_resource.clear()
        cache._shelf.clear()
        sessions.append(open_page(s, **asked))
        alone.append(seen(sessions[-1]))
    for at, before in zip(sessions, alone, strict=True):
        assert_no_error(at.run())
        assert seen(at) == before
    first, second, _ = sessions
    first.number_input(key="seed").set_value(4).run()
    assert seen(second.run()) == alone[1]
    first.number_input(key="seed").set_value(3).run()
    assert seen(first) == alone[0]


class Place:
    """Stands for the `st.empty()` of a progress bar."""

    def progress(self, share, label):
        pass

    def empty(self):
        pass


BENCH = (bench.LARGEST_SEED, bench.LARGEST_T, bench.LARGEST_D_MODEL, bench.LARGEST_D_FF)
# The largest that a link can ask each cached function for.
LARGEST = {
    "example": [BENCH], "trace": [(*BENCH, "GELU")], "gated_example": [(*BENCH, 8)],
    "attention_example": [(*BENCH, 8)], "offset_scores": [(bench.LARGEST_SEED, 128, 2)],
    "local_gains": [(*BENCH, "GELU")], "probe": [(*BENCH, "GELU", 63, "principal", 63)],
    "_drawn_stack": [(1, 64, stack.WIDEST[kind], kind, stack.MOST_BLOCKS) for kind in KINDS],
    "along_depth": [
        (1, 64, stack.Setting(kind, depth=stack.MOST_BLOCKS, width=stack.WIDEST[kind]), "GELU", 63) for kind in KINDS
    ],
    "ready_stacks": [(1, 64, "GELU", 63)],
    "exercise": [(number, 1) for number in range(1, 6)], "dead_units": [(1,)], "closed_row": [(1,)],
}  # fmt: skip
MOST_MEGABYTES = 400


def weight(value):
    """Bytes of all arrays in a result."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if dataclasses.is_dataclass(value):
        return sum(weight(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, dict):
        return sum(map(weight, value.values()))
    return sum(map(weight, value)) if isinstance(value, list | tuple) else 0


def test_memory_is_bounded_whatever_links_ask_for():
    """All caches full of the largest results there are; each is bounded, and a new one has to be entered above."""
    entries = {}
    for node in ast.parse((ROOT / "ffn_ui" / "cache.py").read_text(encoding="utf-8")).body:
        for call in node.decorator_list if isinstance(node, ast.FunctionDef) and node.args.args else ():
            entries[node.name] = next(k.value.value for k in call.keywords if k.arg == "max_entries")
    assert set(entries) == set(LARGEST)
    held = {name: entries[name] * max(weight(getattr(cache, name)(*a)) for a in LARGEST[name]) for name in entries}
    shelved = (
        cache.depth(*BENCH, 24, "ReLU", 2.0, True, Place()),
        cache.fit("step", "ReLU", max(fitting.WIDTHS), 1, Place()),
        cache.reshaping(*BENCH, "ReLU", 1, 64, 2.0, 0.0, 160, Place()),
    )
    held["the shelf"] = cache.SHELF_SIZE * max(map(weight, shelved))
    assert sum(held.values()) < MOST_MEGABYTES * 1e6, held


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(("d_model", "d_ff"), [(64, 512), (2, 512), (64, 128)])
def test_a_deep_stack_that_takes_long_shows_a_bar_and_so_can_be_stopped(sigma, d_model, d_ff):
    class Left(Place):
        def progress(self, share, label):
            raise KeyboardInterrupt  # as Streamlit does it: out of the call that shows something

    with pytest.raises(KeyboardInterrupt):
        cache.depth(1, 1, d_model, d_ff, 24, sigma, 0.5, False, Left())


# Fourteen networks, trained one after the other: some seconds.
LONG = "why_nonlinear?lin_sweep=true&lin_sigma=GELU-exact&lin_target=step&seed="
NOTE_BARS = """
window.__bars = [];
new MutationObserver(() => {
  for (const bar of document.querySelectorAll('[data-testid="stProgress"]')) window.__bars.push(bar.innerText);
}).observe(document, {subtree: true, childList: true, characterData: true});
"""


def wait_until_idle(process):
    """Wait until the server computes nothing."""
    server = psutil.Process(process.pid)
    for _ in range(120):
        before = sum(server.cpu_times()[:2])
        time.sleep(0.5)
        if sum(server.cpu_times()[:2]) - before < 0.05:
            return
    raise AssertionError("the server still computes")


@pytest.fixture(scope="module")
def server():
    """The address of a running app, and its process."""
    port = free_port()
    with running_process(port) as process:
        yield f"http://127.0.0.1:{port}", process


@contextlib.contextmanager
def in_a_long_computation(browser, link):
    """A tab in which at least one of the networks is trained, and not all."""
    with tab(browser) as page:
        page.add_init_script(NOTE_BARS)
        page.goto(link)
        page.wait_for_function("window.__bars.some(text => /Run [2-9] of/.test(text))")
        yield page


@pytest.mark.browser
@pytest.mark.parametrize("leave", ["for another page", "by moving a control", "by closing the tab"])
def test_a_long_computation_stops_when_its_visitor_leaves(browser, server, leave):
    """What is trained is kept for all visitors: the next one would see no bar if it had gone on to its end."""
    url, process = server
    link = f"{url}/{LONG}{len(leave)}"  # a seed of its own
    with in_a_long_computation(browser, link) as page:
        if leave == "for another page":
            page.locator('[data-testid="stSidebarNavLink"]', has_text="Reference").click(delay=50)
            page.wait_for_function("document.querySelector('h1')?.innerText === 'Reference'")
        elif leave == "by moving a control":
            page.get_by_role("switch", name="train every width").press("Space")
        if leave != "by closing the tab":
            settle(page)
            assert page.locator('[data-testid="stProgress"]').count() == 0
            assert_fine(page)
    wait_until_idle(process)
    with in_a_long_computation(browser, link) as page:
        assert look(page)["exceptions"] == 0


CONNECTED = """want => {
    const state = document.querySelector('[data-testid="stApp"]').getAttribute('data-test-connection-state');
    return (state === 'CONNECTED') === want;
}"""


def numbers(page):
    return page.locator('[data-testid="stMetricValue"]').all_inner_texts()


@pytest.mark.browser
def test_a_restarted_server_comes_back_with_the_same_view(browser):
    port = free_port()
    with tab(browser) as page:
        with running_process(port):
            page.goto(f"http://127.0.0.1:{port}/forward_pass?token=4&sigma=SiLU&lock=T&ask=Why%3F")
            settle(page)
            page.get_by_label("channel", exact=True).fill("3")
            page.keyboard.press("Enter")
            page.wait_for_url(re.compile("fwd_channel=3"))
            settle(page)
            before, address = numbers(page), page.url
            page.evaluate("window.__not_reloaded = true")
        page.wait_for_function(CONNECTED, arg=False)
        assert numbers(page) == before
        with running_process(port):
            page.wait_for_function(CONNECTED, arg=True)
            page.problems.clear()  # that the server could not be reached
            settle(page)
            assert page.evaluate("window.__not_reloaded")
            assert (numbers(page), page.url) == (before, address)
            assert page.get_by_label("channel", exact=True).input_value() == "3"
            assert page.get_by_label("token", exact=True).input_value() == "4"
            expect(page.get_by_text("Why?")).to_be_visible()
            page.get_by_label("channel", exact=True).fill("2")
            page.keyboard.press("Enter")
            page.wait_for_url(re.compile("fwd_channel=2"))
            settle(page)
            assert page.locator('[data-testid="stAlert"]').count() == 0
            assert_fine(page)


@pytest.mark.browser
def test_visitors_who_work_at_the_same_time_keep_their_own_values(browser, server):
    """Three tabs on one server move controls at once, again and again; then each shows what its link alone says."""
    url, _ = server
    with tab(browser) as one, tab(browser) as two, tab(browser) as three:
        tabs = {3: one, 4: two, 5: three}
        for seed, page in tabs.items():
            page.goto(f"{url}/forward_pass?seed={seed}&T={seed + 4}&d_ff={8 * seed}")
        for page in tabs.values():
            settle(page)
        for label, value in (("channel", 2), ("slot", 7), ("channel", 3), ("slot", 8), ("channel", 4)):
            for page in tabs.values():
                page.get_by_label(label, exact=True).fill(str(value))
                page.keyboard.press("Enter")
        for seed, page in tabs.items():
            page.wait_for_url(re.compile("fwd_channel=4.*slot=8"))
            settle(page)
            assert_fine(page)
            asked = {"seed": seed, "T": seed + 4, "d_ff": 8 * seed, "slot": 8, "fwd_channel": 4}
            alone = open_page(CONTENTS[1], **{key: str(value) for key, value in asked.items()})
            assert numbers(page) == [metric.value for metric in alone.metric]


@pytest.mark.browser
def test_on_a_slow_network_a_page_can_be_used_before_its_last_chart(browser, server):
    charts = '[data-testid="stVegaLiteChart"] :is(svg, canvas)'
    with tab(browser) as page:
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        slow = {"offline": False, "latency": 100, "downloadThroughput": 400_000, "uploadThroughput": 400_000}
        network.send("Network.emulateNetworkConditions", slow)
        page.goto(f"{server[0]}/forward_pass", wait_until="commit")
        page.locator("h1", has_text="Position-wise FFN").wait_for()
        page.get_by_label("seed", exact=True).fill("7")
        page.keyboard.press("Enter")
        assert page.locator(charts).count() < 5
        page.get_by_text("On the bench: seed 7").wait_for()
        page.wait_for_function("charts => document.querySelectorAll(charts).length >= 5", arg=charts)
        settle(page)
        assert_fine(page)


@pytest.fixture(scope="module")
def visitor(browser):
    with tab(browser) as page:
        yield page


HOSTILE = (
    "<script>window.__pwned=1</script> <img src=x onerror=window.__pwned=1> **b** [a](javascript:window.__pwned=1)"
)


@pytest.mark.browser
@EVERY
def test_a_hostile_link_is_shown_as_text_and_runs_nothing(visitor, server, s):
    asked = {**junk_links(s)[-2], **junk_links(s)[-1], "ask": HOSTILE, HOSTILE: HOSTILE}
    slug = "" if s is CONTENTS[0] else s.slug
    visitor.goto(f"{server[0]}/{slug}?{urlencode(asked, doseq=True)}")
    repaired = visitor.locator('[data-testid="stAlert"]').filter(has_text="Repaired")
    expect(repaired).to_have_count(1)  # at the end of the run
    visitor.wait_for_timeout(300)  # for what could run now
    seen_wrong = look(visitor)
    assert (seen_wrong["exceptions"], seen_wrong["dialogs"]) == (0, 0)
    assert visitor.locator('[data-testid="stAlertContentError"]').count() == 0
    assert visitor.evaluate("window.__pwned") is None
    assert visitor.locator("img[src=x], a[href^=javascript], script:text('__pwned')").count() == 0
    expect(visitor.get_by_text(HOSTILE, exact=True)).to_be_visible()
    assert repaired.inner_text().count("Repaired") == 1
    assert visitor.problems == []


@pytest.mark.browser
def test_going_back_to_an_address_that_was_repaired_breaks_nothing(visitor, server):
    """Streamlit reads the address again then, and fails on an infinity in place of a whole number."""
    visitor.goto(f"{server[0]}/forward_pass")
    settle(visitor)
    visitor.goto(f"{server[0]}/keyed_memory?d_ff=inf&mem_keep=1e400&T=99")
    settle(visitor)
    visitor.go_back()
    settle(visitor)
    assert_fine(visitor)
