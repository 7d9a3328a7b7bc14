"""A printed page is a handout: what is only for the screen is left out, and nothing is cut."""

import streamlit as st

# A constant style sheet; nothing of the link, a file or a student is in it.
STYLE = """<style>
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
</style>"""


def handout():
    """Install the style sheet for print."""
    st.html(STYLE)
