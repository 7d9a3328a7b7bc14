"""For everyone: names, tables, contrast, headings, keyboard, narrow screens and zoom, in a real browser.

axe-core comes from npm (`npm install --no-save axe-core@4`) or from the file that AXE_JS names; without it the tests
that need it are skipped, except in CI, where that is a failure.
"""

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
from browsing import ROOT, assert_fine, settle, tab
from test_contrast import GROUNDS

from ffn_ui.site import CONTENTS

SLUGS = ["" if s is CONTENTS[0] else s.slug for s in CONTENTS]
MEASURES = (Path(__file__).parent / "measures.js").read_text(encoding="utf-8")
EXPANDER = '[data-testid="stExpander"]'
NUMBERS = "The numbers as tables and CSV"
# Streamlit's own, in any app with grouped pages: its menu is a <ul> whose groups are <div>s round the <li>s.
STREAMLITS = {"list": '[data-testid="stSidebarNav"]', "listitem": '[data-testid="stSidebarNav"]'}

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    file = Path(os.environ.get("AXE_JS", ROOT / "node_modules" / "axe-core" / "axe.min.js"))
    if not file.is_file():
        if os.environ.get("FFN_LAB_CI"):
            pytest.fail(f"no axe-core at {file}: `npm install --no-save axe-core@4` installs it")
        pytest.skip("no axe-core found")
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=SLUGS)
def page(browser, app, request):
    """A page with everything on it opened; the tests of one page share it, and each sets its own size and theme."""
    with tab(browser) as page:
        page.goto(f"{app}/{request.param}")
        settle(page)
        page.wait_for_function("window.__ffnLab")
        for summary in reversed(page.locator(f"{EXPANDER} summary").all()):  # from below: a hint opened adds an answer
            summary.click()
        settle(page)
        page.get_by_role("heading", level=3).last.wait_for()
        page.evaluate(MEASURES)
        yield page


def resize(page, width, height=None):
    """Give the page this width, and a height that shows all of it unless one is said."""
    page.set_viewport_size({"width": width, "height": height or 900})
    if height is None:
        tall = page.locator('[data-testid="stMain"]').evaluate("main => main.scrollHeight")
        page.set_viewport_size({"width": width, "height": min(tall + 200, 16_000)})
    settle(page)


def wear(page, theme):
    """Switch to the light or the dark theme; what is on the page stays."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(
        "ground => getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor === ground",
        arg="rgb({}, {}, {})".format(*bytes.fromhex(GROUNDS[theme]["page"][1:])),
    )
    settle(page)


def test_axe_finds_nothing_that_is_ours_and_all_texts_and_marks_stand_out_in_both_themes(page, axe):
    resize(page, 1280)
    page.evaluate(axe)
    for theme in ("light", "dark"):
        wear(page, theme)
        found = page.evaluate(
            """async streamlits => (await axe.run(document, {resultTypes: ["violations"]})).violations
                .flatMap(v => v.nodes
                .filter(n => !(streamlits[v.id] && document.querySelector(n.target[0])?.closest(streamlits[v.id])))
                .map(n => `${v.impact} ${v.id}: ${n.html.slice(0, 120)}`))""",
            STREAMLITS,
        )
        assert found == []
        assert page.evaluate("measure.faintTexts()") == []
        assert page.evaluate("measure.faintMarks()") == []


def test_headings_start_with_the_title_and_leave_out_no_level(page):
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_chart_has_a_name_and_its_numbers_as_a_table_at_the_foot_of_the_page(page):
    resize(page, 1280)
    shown = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')].map(c => [
            c.getAttribute('role'), c.getAttribute('aria-label'),
            c.closest('[data-testid="stElementContainer"]').previousElementSibling.innerText.trim()])"""
    )
    assert {role for role, _, _ in shown} == {"graphics-document"}
    assert all(name and len(name) > 15 for _, name, _ in shown)
    assert len({name for _, name, _ in shown}) == len(shown)
    foot = page.locator(EXPANDER, has_text=NUMBERS)
    titles = foot.get_by_role("heading", level=3).all_inner_texts()
    assert titles == [title for _, _, title in shown]
    tables = foot.locator('[data-testid="stDataFrame"]')
    assert tables.count() == len(titles)
    for table in tables.all():
        table.scroll_into_view_if_needed()
        table.locator('[role="gridcell"]').first.wait_for(state="attached")
        heads = table.locator('[role="columnheader"]').all_inner_texts()
        assert all(head.strip() for head in heads)


def test_at_390_pixels_nothing_is_cut_and_nothing_lies_on_anything(page):
    resize(page, 390, 844)
    assert page.evaluate("measure.cut()") == []
    assert page.evaluate("measure.overlaps()") == []
    assert_fine(page)


def test_at_200_percent_nothing_is_cut_and_nothing_lies_on_anything(page):
    resize(page, 640, 450)  # what 1280 by 900 is at 200 %
    assert page.evaluate("measure.cut()") == []
    assert page.evaluate("measure.overlaps()") == []
    assert_fine(page)


def stops(page):
    """Where the Tab key leads, from the top of the page until it leaves it: what each stop is called."""
    page.evaluate("document.activeElement.blur()")
    names = []
    for _ in range(200):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            """() => {
                const e = document.activeElement, style = getComputedStyle(e);
                const around = e.type === 'radio' && getComputedStyle(e.closest('label'));
                const bar = e.closest('[data-testid="stElementToolbar"]');
                const own = around ? around.outlineStyle : style.outlineStyle;
                return {
                    end: e === document.body,
                    name: e.getAttribute('aria-label') || (e.labels?.[0] ?? e).innerText.replace(/\\s+/g, ' ').trim(),
                    seen: e.matches('input:not([type=radio]), [data-testid="stMain"]') || own !== 'none' ||
                        style.boxShadow !== 'none',
                    hidden: bar !== null && getComputedStyle(bar).opacity !== '1',
                };
            }"""
        )
        if stop["end"]:
            return names
        assert stop["seen"], f"nothing shows that the keyboard is at {stop['name']}"
        assert not stop["hidden"], f"{stop['name']} cannot be seen"
        names.append(stop["name"])
    raise AssertionError(f"the Tab key does not leave the page, last at {names[-5:]}")


@pytest.mark.parametrize(
    ("slug", "wanted"),
    [
        ("forward_pass", ["seed", "T (tokens)", "slot", "Share this view", "lesson", "channel", "added to that entry"]),
        ("relu_vs_gelu", ["seed", "slot", "Share this view", "operating point x", "exponent of the step h"]),
        ("width", ["seed", "Share this view", "d_ff / d_model", "grouped KV heads", "from the year"]),
    ],
)
def test_the_tab_key_leads_from_the_menu_over_bench_and_controls_to_the_numbers_and_on(browser, app, slug, wanted):
    with tab(browser) as page:
        page.goto(f"{app}/{slug}")
        settle(page)
        page.wait_for_function("window.__ffnLab")
        names = stops(page)
    wanted = ["Skip to main content", CONTENTS[0].title, CONTENTS[-1].title, *wanted, NUMBERS, "Next: "]
    at = 0
    for name in wanted:
        found = [k for k in range(at, len(names)) if name in names[k]]
        assert found, f"{name} is not reached after {names[:at]}"
        at = found[0] + 1


def test_every_kind_of_control_works_with_the_keyboard_alone(browser, app):
    with tab(browser) as page:
        page.goto(f"{app}/forward_pass")
        settle(page)

        def at(role, name):
            page.get_by_role(role, name=name).first.focus()

        at("slider", "T (tokens)")
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile("[?&]T=6"))
        at("spinbutton", "seed")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("seed=12"))
        at("combobox", "sigma (activation)")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("sigma="))
        at("radio", "lesson")
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile("fwd_order=reverse"))
        at("slider", "added to that entry")
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(re.compile(r"fwd_added=0\.9"))
        share = page.get_by_role("button", name="Share this view")
        share.focus()
        page.keyboard.press("Enter")
        page.get_by_text("This link opens exactly what you see now.").wait_for()
        page.keyboard.press("Escape")
        page.get_by_text("This link opens exactly what you see now.").wait_for(state="hidden")
        assert share.evaluate("button => button === document.activeElement")
        page.locator(EXPANDER, has_text=NUMBERS).locator("summary").focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Download the script").wait_for()
        page.goto(f"{app}/why_nonlinear")
        settle(page)
        at("switch", "random biases (the lesson's are zero)")
        page.keyboard.press("Space")
        page.wait_for_url(re.compile("lin_biases=true"))
        assert page.problems == []


def test_on_a_phone_the_bench_opens_over_the_page_and_is_not_cut(browser, app):
    with tab(browser, phone=True) as page:
        page.goto(f"{app}/forward_pass")
        settle(page)
        page.get_by_role("button", name="Expand sidebar").click()
        page.get_by_label("slot", exact=True).scroll_into_view_if_needed()
        box = page.get_by_label("slot", exact=True).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
