"""Two things that a page asks of the browser itself, installed once a tab: history by view, and a handout in print.

Streamlit rewrites the address when a control moves, but leaving a page first adds an entry without the page's
parameters, so the first Back would land on the page's defaults. The script keeps one history entry a view: what the
server tidies replaces the entry, and a page change first writes back the address that was left.

In print, what is only for the screen is left out, and nothing is cut.

Both are constant texts; nothing of a link, a file or a student is in them.
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

ONCE = f"""<script>
if (!window.__ffnLab) {{
  window.__ffnLab = true;
  document.head.appendChild(document.createElement("style")).textContent = `{HANDOUT}`;
  {ONE_ENTRY_PER_VIEW}
}}
</script>"""


def prepare():
    """Install both, once a browser tab; to be called on the first run on a page."""
    st.html(ONCE, unsafe_allow_javascript=True)
