"""The least a Streamlit page can do: one slider and one line of text."""

import streamlit as st

st.write(f"value {st.slider('x', 0, 100, 50)}")
