"""The running app in a real browser, for tests that need one: a server, a browser, a tab, and what goes wrong in it.

`browser` and `app` are fixtures; conftest.py hands them to every test file.
"""

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
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
expect.set_options(timeout=15_000)
# While the front end finds its base path on a deep link it asks for these two below the page's own address.
EXPECTED_404 = re.compile(r"/_stcore/(health|host-config)$")


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; where there is none the tests are skipped, except in CI, where that is a failure."""
    if CHROMIUM is None:
        if os.environ.get("FFN_LAB_CI"):
            pytest.fail("no Chromium found: the browser tests could not run")
        pytest.skip("no Chromium found")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def free_port():
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running_process(port):
    """A fresh process of the app on this port; it is over at the end."""
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1", "--server.fileWatcherType=none"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.1)
            yield process
        finally:
            process.terminate()


@contextlib.contextmanager
def running_app():
    """The address of a fresh process of the app, on a free port."""
    port = free_port()
    with running_process(port):
        yield f"http://127.0.0.1:{port}"


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
            const drawn = charts.filter(c => c.querySelector('.marks')).length;  // what Vega draws into
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
            }).map(c => c.getAttribute('aria-label') || 'chart'),
            unnamed: document.querySelectorAll('[data-testid="stVegaLiteChart"]:not([aria-label])').length,
            sideways: Math.max(0, document.documentElement.scrollWidth - innerWidth),
            cut: [...document.querySelectorAll('[data-testid="stVegaLiteChart"] :is(svg, canvas)')]
                .filter(c => c.getBoundingClientRect().right > innerWidth + 1).length,
        })"""
    )


FINE = {"exceptions": 0, "dialogs": 0, "empty": [], "unnamed": 0, "sideways": 0, "cut": 0}


def assert_fine(page, patience=15):
    """Nothing has gone wrong on the page; a chart that is just being drawn anew, at another width, is given time."""
    until = time.monotonic() + patience
    while (seen := look(page)) != FINE and time.monotonic() < until:
        page.wait_for_timeout(250)
    assert seen == FINE
    assert page.problems == []
