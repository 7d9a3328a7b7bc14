"""The part of FFN Lab that speaks Streamlit: contents, bench, controls, figures and the frame of a page."""

import os

# One thread for a matrix product: the matrices here are small, and on few cores the threads of several visitors spin
# against each other. It must be said before numpy is first imported; the router and every page import this first.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
