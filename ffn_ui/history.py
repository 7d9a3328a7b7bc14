"""Back and Forward restore the view the student left.

Streamlit rewrites the address when a control moves, but leaving a page first adds an entry without the page's
parameters, so the first Back would land on the page's defaults. The script below, a constant text, keeps one history
entry a view: what the server tidies replaces the entry, and a page change first writes back the address that was left.
"""

import streamlit as st

ONE_ENTRY_PER_VIEW = """<script>
if (!window.__oneEntryPerView) {
  window.__oneEntryPerView = true;
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
}
</script>"""


def one_entry_per_view():
    """Install the script, once a browser tab."""
    st.html(ONE_ENTRY_PER_VIEW, unsafe_allow_javascript=True)
