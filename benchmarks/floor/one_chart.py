"""The textbook page: one slider and one Altair chart of 801 points, built on every rerun."""

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

scale = st.slider("x", 1, 100, 50) / 50.0
x = np.round(np.linspace(-4.0, 4.0, 801), 3)
frame = pd.DataFrame({"x": x, "y": np.maximum(scale * x, 0.0)})
st.altair_chart(alt.Chart(frame).mark_line().encode(x="x:Q", y="y:Q").properties(height=220))
