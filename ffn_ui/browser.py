"""Three things that a page asks of the browser, installed once a tab: history by view, a handout, signs that show.

Streamlit rewrites the address when a control moves, but leaving a page first adds an entry without the page's
parameters, so the first Back would land on the page's defaults. The script keeps one history entry a view: what the
server tidies replaces the entry, and a page change first writes back the address that was left.

In print, what is only for the screen is left out, and nothing is cut.

Three of Streamlit's colours miss a contrast of 4.5:1 and no setting of the theme reaches them: white on the chips of a
multiselect in dark mode (2.4:1), most words of a program in light mode (2.3:1 to 3.8:1), and the label of a control
that a page does not use (2.6:1), which should still be easy to read. And nothing shows where the keyboard is when it is
on a link of the menu, or on a button above a chart, which stays invisible until the pointer comes near.

All are constant texts; nothing of a link, a file or a student is in them.
"""

import streamlit as st

ONE_ENTRY_PER_VIEW = """
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  const path = url => new URL(url ?? "", location.href).pathname;
  let left = null;  // address of the view the student is looking at
  const look = () => { left = location.href };
  addEventListener("click", look, true);
  addEventListener("popstate", () => { left = null });
  history.replaceState = (s, t, url) => { replace(s, t, url); if (left) look() };  // a control was moved
  history.pushState = (s, t, url) => {
    if (path(url) === location.pathname) return replace(s, t, url);  // the server tidies: no new entry
    if (left && path(left) === location.pathname) replace(history.state, "", left);
    left = null;
    return push(s, t, url);
  };
"""

HANDOUT = """
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stElementToolbar"],
  [data-testid="stPopover"], [data-testid="stPageLink"], [data-testid="stExpander"], [data-testid="stButton"],
  [data-testid="stDownloadButton"] { display: none !important; }
  [data-testid="stApp"], [data-testid="stAppViewContainer"], [data-testid="stMain"] {
    position: static !important; height: auto !important; overflow: visible !important; display: block !important;
  }
  [data-testid="stApp"] { background: white !important; }
  [data-testid="stApp"] * { color: #222 !important; }
  [data-testid="stVegaLiteChart"] text { fill: #222 !important; }
  [data-testid="stMainBlockContainer"] { padding: 0 !important; max-width: none !important; }
  [data-testid="stVegaLiteChart"], [data-testid="stMetric"] { break-inside: avoid; }
  h1, h2, h3 { break-after: avoid; }
}
"""

# `currentColor` is the text colour of the theme in use, so one rule serves both.
TO_BE_SEEN = """
[data-testid="stMultiSelectTagsContainer"] [data-tag] {
  color: inherit; background: transparent; border: 1px solid currentColor;
}
[data-testid="stWidgetLabel"]:has(~ * input:disabled) { color: color-mix(in srgb, currentColor 75%, transparent); }
[data-testid="stElementToolbar"]:focus-within { opacity: 1; top: -2.75rem; z-index: 1; }
[data-testid="stSidebarNavLink"]:focus-visible, [data-testid="stPageLink-NavLink"]:focus-visible,
[data-testid="stElementToolbar"] button:focus-visible, [data-testid="stRadioOption"]:has(:focus-visible) {
  outline: 2px solid currentColor;
}
[data-testid="stCode"] pre .token.token.token { color: inherit; }
[data-testid="stCode"] pre .token.token.string { color: color-mix(in srgb, #09ab3b 45%, currentColor); }
[data-testid="stCode"] pre .token.token:is(.number, .boolean) { color: color-mix(in srgb, #29b09d 45%, currentColor); }
[data-testid="stCode"] pre .token.token:is(.keyword, .builtin, .function) {
  color: color-mix(in srgb, #1c83e1 45%, currentColor);
}
"""

ONCE = f"""<script>
if (!window.__ffnLab) {{
  window.__ffnLab = true;
  document.head.appendChild(document.createElement("style")).textContent = `{HANDOUT}{TO_BE_SEEN}`;
  {ONE_ENTRY_PER_VIEW}
}}
</script>"""


FIRST_RUNS = 4  # a control may be moved before the browser has fetched what runs the script of the first run


def prepare():
    """Install all three; to be called on every run. It is sent on the first few, and done once a browser tab."""
    runs = st.session_state.get("_prepared", 0)
    if runs < FIRST_RUNS:
        st.session_state["_prepared"] = runs + 1
        st.html(ONCE, unsafe_allow_javascript=True)
