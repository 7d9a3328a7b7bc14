"""The part of FFN Lab that speaks Streamlit: contents, bench, controls, figures and the frame of a page."""
