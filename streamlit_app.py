"""FFN Lab: the router. `streamlit run streamlit_app.py` starts the app; every page runs through here."""

import streamlit as st

from ffn_ui import bench, browser, cache, classroom, layout, link, parts, routing, site

menu = routing.sections()
page = st.navigation(menu, expanded=True)
here = site.section(page.url_path)
st.set_page_config(page_title=f"{here.title} · FFN Lab", page_icon="🧠", layout="wide")
link.begin(page.url_path)
classroom.begin()
with st.sidebar:
    bench.draw(here.uses)
    browser.prepare()
top = st.container(horizontal_alignment="right")
classroom.show_question()
try:
    routing.run(page)
except ValueError as error:
    parts.say(error)
layout.share(top)
layout.repair_note(top)
layout.neighbours(page, [p for group in menu.values() for p in group])
cache.spare_the_imports()
