"""The running app in a real browser: cold deep links, charts, phone, dark, junk links, Back and Forward, downloads."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ffn_ui.site import CONTENTS

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
# While the front end finds its base path on a deep link it asks for these two below the page's own address.
EXPECTED_404 = re.compile(r"/_stcore/(health|host-config)$")
SLUGS = ["" if s is CONTENTS[0] else s.slug for s in CONTENTS]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; where there is none the tests are skipped, except in CI, where that is a failure."""
    if CHROMIUM is None:
        if os.environ.get("FFN_LAB_CI"):
            pytest.fail("no Chromium found: the browser tests could not run")
        pytest.skip("no Chromium found")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@contextlib.contextmanager
def running_app():
    """A fresh process of the app on a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1", "--server.fileWatcherType=none"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def app():
    """One server for the tests that do not need a cold one."""
    with running_app() as url:
        yield url


@contextlib.contextmanager
def tab(browser, *, phone=False, dark=False):
    """A fresh browser context with one tab; `tab.problems` collects what the console and the page complain about."""
    size = {"width": 390, "height": 844} if phone else {"width": 1280, "height": 900}
    context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.problems = []

    def heard(message):
        if message.type == "error" and not EXPECTED_404.search(urlsplit(message.location.get("url", "")).path):
            page.problems.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    try:
        yield page
    finally:
        context.close()


def settle(page):
    """Wait until the script has run, every chart is drawn and the page has kept its shape for a while."""
    page.wait_for_selector("h1")
    page.evaluate("window.__shape = null")
    page.wait_for_function(
        """() => {
            const app = document.querySelector('[data-testid="stApp"]');
            const charts = [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')];
            const drawn = charts.filter(c => c.querySelector('svg, canvas')).length;
            const shape = `${drawn} ${document.querySelectorAll('[data-testid="stElementContainer"]').length}`;
            const busy = app.getAttribute('data-test-script-state') !== 'notRunning' || drawn < charts.length;
            if (busy || window.__shape !== shape) { window.__shape = shape; window.__since = performance.now(); }
            return performance.now() - window.__since > 600;
        }"""
    )


def look(page):
    """What a visitor would see go wrong: exception boxes, error boxes, charts without marks, sideways scrolling."""
    return page.evaluate(
        """() => ({
            exceptions: document.querySelectorAll('[data-testid="stException"]').length,
            dialogs: document.querySelectorAll('[role="dialog"]').length,
            empty: [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')].filter(c => {
                const svg = c.querySelector('svg'), canvas = c.querySelector('canvas');
                if (canvas) return canvas.width < 50 || canvas.height < 50;
                const marks = svg ? svg.querySelectorAll('.mark-rect path, .mark-line path, .mark-symbol path, ' +
                    '.mark-rule line, .mark-area path, .mark-text text') : [];
                return marks.length < 2 || svg.getBoundingClientRect().width < 100;
            }).map(c => c.querySelector('[aria-label]')?.getAttribute('aria-label') || 'chart'),
            unnamed: [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')]
                .filter(c => !c.querySelector('[aria-label]')).length,
            sideways: document.documentElement.scrollWidth - innerWidth,
            cut: [...document.querySelectorAll('[data-testid="stVegaLiteChart"] :is(svg, canvas)')]
                .filter(c => c.getBoundingClientRect().right > innerWidth + 1).length,
        })"""
    )


FINE = {"exceptions": 0, "dialogs": 0, "empty": [], "unnamed": 0, "cut": 0}


def assert_fine(page):
    seen = look(page)
    assert seen.pop("sideways") <= 0
    assert seen == FINE
    assert page.problems == []


@pytest.mark.parametrize("slug", SLUGS)
def test_a_deep_link_on_a_cold_server_opens_the_page_with_menu_and_bench(browser, slug):
    with running_app() as url, tab(browser) as page:
        page.goto(f"{url}/{slug}?seed=7&T=6&token=3")
        settle(page)
        title = next(s.title for s in CONTENTS if slug in ("", s.slug))
        assert page.locator("h1").inner_text() == title
        assert page.locator('[data-testid="stSidebarNavLink"]').count() == len(CONTENTS)
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
                   .filter(t => t.textContent.trim()).map(t => getComputedStyle(t).fill)"""
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
        assert page.locator('[data-testid="stMetricValue"]').all_inner_texts() == numbers
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
            assert not page.locator(f'[data-testid="{hidden}"]').first.is_visible()
        assert page.locator("h1").evaluate("h => getComputedStyle(h).color") == "rgb(34, 34, 34)"
        assert page.locator('[data-testid="stVegaLiteChart"]').last.is_visible()
        assert page.pdf().startswith(b"%PDF")


def test_a_classroom_link_shows_just_what_was_prepared_and_can_be_left(browser, app):
    with tab(browser) as page:
        page.goto(f"{app}/forward_pass?T=7&hide=seed,fwd_order&lock=T&fwd_order=reverse&ask=Which%20%3Cb%3Erows%3C/b%3E%3F")
        settle(page)
        assert page.get_by_text("Which <b>rows</b>?").is_visible()
        assert page.get_by_label("seed", exact=True).count() == 0
        assert page.get_by_text("7 6 5 4 3 2 1").is_visible()
        page.get_by_label("channel", exact=True).fill("2")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("fwd_channel=2"))
        settle(page)
        assert "hide=" in page.url
        assert page.get_by_text("7 6 5 4 3 2 1").is_visible()
        page.get_by_role("button", name="Open the full page").click(delay=80)
        settle(page)
        assert page.get_by_label("seed", exact=True).count() == 1
        assert page.get_by_text("7 6 5 4 3 2 1").is_visible()
        assert not re.search("hide=|lock=|ask=", page.url)
        assert_fine(page)
