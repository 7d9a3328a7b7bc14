"""Key press to settled paint, in headless Chromium, against the one-chart page."""

import shutil

from ffn_ui.site import CONTENTS

from .figures import percentile
from .server import FLOOR, running

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
USABLE = ", ".join(
    f'[data-testid="{kind}"] input:not(:disabled)' for kind in ("stSlider", "stNumberInput")
)  # fmt: skip
QUIET_MS = 120
SAMPLES = 20

# The page's own clock runs from the key to the last change of the main area, two frames later so that it is painted.
WATCH = """() => {
    const W = window.__watch = {key: null, last: null};
    const app = document.querySelector('[data-testid="stApp"]');
    const main = document.querySelector('[data-testid="stMain"]');
    const running = () => app.getAttribute('data-test-script-state') !== 'notRunning';
    const inControl = node => node.closest && node.closest('[data-testid="stSlider"], [data-testid="stNumberInput"]');
    const fading = r => r.type === 'attributes' && ['data-stale', 'class'].includes(r.attributeName);
    const stamp = () => {
        W.changed = performance.now();
        requestAnimationFrame(() => requestAnimationFrame(() => { W.last = performance.now(); }));
    };
    new MutationObserver(records => {
        if (W.key !== null && records.some(r => !inControl(r.target) && !fading(r))) stamp();
    }).observe(main, {subtree: true, childList: true, characterData: true, attributes: true});
    document.addEventListener('keydown', () => { W.key = performance.now(); W.last = W.changed = null; }, true);
    W.settled = quiet => W.last !== null && W.last >= W.changed && !running() && performance.now() - W.changed > quiet;
}"""


def settled_ms(page, address, samples=SAMPLES):
    """Press an arrow key on the page's own first slider or number, else on one of the bench, again and again.

    Returns
    -------
    list of float
        Milliseconds from key press to settled paint.
    """
    page.goto(address)
    page.wait_for_selector('[data-testid="stVegaLiteChart"] .marks')
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    page.wait_for_timeout(2500)
    own = page.locator(f'[data-testid="stMain"] :is({USABLE})')
    control = own.first if own.count() else page.locator(USABLE).first
    page.evaluate(WATCH)
    control.focus()
    taken = []
    for k in range(samples + 2):
        page.keyboard.press("ArrowUp" if k % 6 < 3 else "ArrowDown")
        try:
            page.wait_for_function("quiet => window.__watch.settled(quiet)", arg=QUIET_MS, timeout=10_000)
        except Exception:  # a key that changed nothing, such as at the slider's end, is no sample
            continue
        taken.append(page.evaluate("window.__watch.last - window.__watch.key"))
    return taken[2:]


def rows(samples=SAMPLES):
    """The one-chart floor, then every page.

    Yields
    ------
    dict
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        with running(f"{FLOOR}/one_chart.py", defaults=True) as server:
            floor = settled_ms(page, f"http://127.0.0.1:{server.port}", samples)
        yield {"page": "floor: one chart", "p50_ms": percentile(floor, 50), "p95_ms": percentile(floor, 95)}
        with running() as server:
            for k, section in enumerate(CONTENTS):
                taken = settled_ms(page, f"http://127.0.0.1:{server.port}/{section.slug if k else ''}", samples)
                p50 = percentile(taken, 50)
                yield {
                    "page": section.title, "p50_ms": p50, "p95_ms": percentile(taken, 95),
                    "ratio": p50 / percentile(floor, 50), "ok": p50 <= 1.5 * percentile(floor, 50),
                }  # fmt: skip
        chromium.close()
