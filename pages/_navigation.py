"""The pages, in order, with their titles and URLs. Runs before every page."""

import streamlit as st

from attnviz.ui.mechanisms import MECHANISMS

# No page_title here: it would replace the title of every page in the browser's tab.
st.set_page_config(layout="wide", initial_sidebar_state="collapsed")

sections = {
    "": [
        st.Page("home.py", title="Home", default=True),
        st.Page("05_draw.py", title="Draw", url_path="draw"),
    ],
}
for row in MECHANISMS.values():
    sections.setdefault(row.section, []).append(st.Page(row.page, title=row.title, url_path=row.url))
for row in MECHANISMS.values():
    sections[row.section] += [st.Page(one.page, title=one.title, url_path=one.url) for one in row.further]
sections.setdefault("Look inside", []).append(st.Page("00_explorer.py", title="Explorer", url_path="explorer"))
sections[""].append(st.Page("85_results.py", title="Results", url_path="results"))

st.navigation(sections, position="top").run()
