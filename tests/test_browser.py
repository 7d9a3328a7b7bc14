"""The running app in a real browser: cold deep links, charts, phone, dark, junk links, Back and Forward, downloads."""

import os
import re
import subprocess
import sys

import pytest
from browsing import ROOT, assert_fine, running_app, settle, tab
from playwright.sync_api import expect

from ffn_ui.site import CONTENTS

SLUGS = ["" if s is CONTENTS[0] else s.slug for s in CONTENTS]

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("slug", SLUGS)
def test_a_deep_link_on_a_cold_server_opens_the_page_with_menu_and_bench(browser, slug):
    with running_app() as url, tab(browser) as page:
        page.goto(f"{url}/{slug}?seed=7&T=6&token=3")
        settle(page)
        title = next(s.title for s in CONTENTS if slug in ("", s.slug))
        expect(page.locator("h1")).to_have_text(title)
        expect(page.locator('[data-testid="stSidebarNavLink"]')).to_have_count(len(CONTENTS))
        assert page.get_by_label("seed", exact=True).input_value() == "7"
        assert page.get_by_label("token", exact=True).input_value() == "3"
        assert_fine(page)


@pytest.mark.parametrize("slug", SLUGS)
def test_on_a_phone_in_dark_mode_nothing_is_cut_and_no_chart_is_empty(browser, app, slug):
    with tab(browser, phone=True, dark=True) as page:
        page.goto(f"{app}/{slug}")
        settle(page)
        assert_fine(page)
        background = page.locator('[data-testid="stApp"]').evaluate("app => getComputedStyle(app).backgroundColor")
        assert max(map(int, re.findall(r"\d+", background)[:3])) < 60
        inks = page.evaluate(
            """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] text')]
                   .filter(t => !['', '−'].includes(t.textContent.trim()))  // a minus lies on its own cell
                   .map(t => getComputedStyle(t).fill)"""
        )
        assert not [ink for ink in inks if ink in ("rgb(0, 0, 0)", "black")]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_junk_link_opens_the_page_and_says_what_was_repaired(browser, app, slug):
    with tab(browser) as page:
        page.goto(
            f"{app}/{slug}?seed=%3Cscript%3Ealert(1)%3C/script%3E&T=1e9&d_ff=-4&sigma=**no**&token=99&zz=%5Bx%5D(y)"
        )
        settle(page)
        assert_fine(page)
        note = page.locator('[data-testid="stAlert"]').first.inner_text()
        wanted = ("Repaired", "seed was <script>alert(1)</script>", "T was", "d_ff was", "**no**", "token was", "zz")
        assert [word for word in wanted if word not in note] == []
        assert page.get_by_label("seed", exact=True).input_value() == "11"


def test_every_section_opens_from_the_menu(browser, app):
    with tab(browser) as page:
        page.goto(app)
        settle(page)
        for section in CONTENTS[1:] + CONTENTS[:1]:
            only = re.compile(f"{re.escape(section.title)}$")
            page.locator('[data-testid="stSidebarNavLink"]', has_text=only).click(delay=80)
            page.wait_for_function("t => document.querySelector('h1')?.innerText === t", arg=section.title)
            settle(page)
            assert_fine(page)


def test_back_and_forward_restore_each_view_as_it_was_left(browser, app):
    with tab(browser) as page:
        page.goto(f"{app}/forward_pass?token=4")
        settle(page)
        page.get_by_label("channel", exact=True).fill("3")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"[?&]fwd_channel=3(&|$)"))
        settle(page)
        page.locator('[data-testid="stSidebarNavLink"]', has_text="Distributions").click(delay=80)
        page.wait_for_function("document.querySelector('h1')?.innerText === 'Distributions'")
        settle(page)
        page.go_back()
        page.wait_for_function("document.querySelector('h1')?.innerText === 'Position-wise FFN'")
        settle(page)
        assert page.get_by_label("channel", exact=True).input_value() == "3"
        assert page.get_by_label("token", exact=True).input_value() == "4"
        page.go_forward()
        page.wait_for_function("document.querySelector('h1')?.innerText === 'Distributions'")
        settle(page)
        assert page.get_by_label("token", exact=True).input_value() == "4"
        assert page.problems == []


def test_the_shared_link_opens_the_same_view_in_a_fresh_browser(browser, app):
    with tab(browser) as page:
        page.goto(f"{app}/forward_pass?token=4&sigma=SiLU&fwd_channel=2&fwd_order=reverse")
        settle(page)
        page.get_by_role("button", name="Share this view").click()
        link = page.locator('[data-testid="stCode"]').first.inner_text().strip()
        numbers = page.locator('[data-testid="stMetricValue"]').all_inner_texts()
    assert link.startswith(f"{app}/forward_pass?")
    with tab(browser) as page:
        page.goto(link)
        settle(page)
        expect(page.locator('[data-testid="stMetricValue"]')).to_have_text(numbers)
        assert page.get_by_label("channel", exact=True).input_value() == "2"


def test_the_downloaded_script_reproduces_the_numbers(browser, app, tmp_path):
    with tab(browser) as page:
        page.goto(f"{app}/forward_pass?token=3&fwd_added=2")
        settle(page)
        shown = page.locator('[data-testid="stMetric"]', has_text="row 3 moves by").inner_text().split()[-1]
        page.get_by_text("The numbers as tables and CSV").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download the script").click()
        waiting.value.save_as(tmp_path / "forward_pass.py")
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download forward_pass_5.csv").click()
        waiting.value.save_as(tmp_path / "moved.csv")
    command = [sys.executable, tmp_path / "forward_pass.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    printed = done.stdout.split("moves:")[1].strip(" []\n").split()
    assert f"{float(printed[2]):.4f}" == shown
    row = (tmp_path / "moved.csv").read_text().splitlines()[3].split(",")
    assert f"{float(row[1]):.4f}" == shown


def test_a_figure_downloads_as_svg_and_png_with_its_title_and_settings(browser, app, tmp_path):
    with tab(browser) as page:
        page.goto(f"{app}/forward_pass?token=3&T=7")
        settle(page)
        page.get_by_text("The numbers as tables and CSV").click()
        for ending in ("svg", "png"):
            with page.expect_download() as waiting:
                page.get_by_role("button", name=f"Download forward_pass_2.{ending}").click()
            waiting.value.save_as(tmp_path / f"figure.{ending}")
    svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    for words in ("pre, before sigma", "T 7", "token 3", "currentColor"):
        assert (words in svg) == (words != "currentColor")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("dark", [False, True])
def test_a_page_prints_to_a_handout_without_menu_and_buttons(browser, app, dark):
    with tab(browser, dark=dark) as page:
        page.goto(f"{app}/forward_pass")
        settle(page)
        page.emulate_media(media="print")
        for hidden in ("stSidebar", "stPopover", "stExpander"):
            expect(page.locator(f'[data-testid="{hidden}"]').first).to_be_hidden()
        assert page.locator("h1").evaluate("h => getComputedStyle(h).color") == "rgb(34, 34, 34)"
        expect(page.locator('[data-testid="stVegaLiteChart"]').last).to_be_visible()
        assert page.pdf().startswith(b"%PDF")


def test_a_classroom_link_shows_just_what_was_prepared_and_can_be_left(browser, app):
    with tab(browser) as page:
        page.goto(
            f"{app}/forward_pass?T=7&hide=seed,fwd_order&lock=T&fwd_order=reverse&ask=Which%20%3Cb%3Erows%3C/b%3E%3F"
        )
        settle(page)
        expect(page.get_by_text("Which <b>rows</b>?")).to_be_visible()
        expect(page.get_by_label("seed", exact=True)).to_have_count(0)
        expect(page.get_by_text("7 6 5 4 3 2 1")).to_be_visible()
        page.get_by_label("channel", exact=True).fill("2")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("fwd_channel=2"))
        settle(page)
        assert "hide=" in page.url
        expect(page.get_by_text("7 6 5 4 3 2 1")).to_be_visible()
        page.get_by_role("button", name="Open the full page").click(delay=80)
        settle(page)
        expect(page.get_by_label("seed", exact=True)).to_have_count(1)
        expect(page.get_by_text("7 6 5 4 3 2 1")).to_be_visible()
        assert not re.search("hide=|lock=|ask=", page.url)
        assert_fine(page)
