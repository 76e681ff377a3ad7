"""The pages, in order, with their titles and URLs. Runs before every page."""

import streamlit as st

from attnviz.ui.lessons import bar, only
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import navigation

# No page_title here: it would replace the title of every page in the browser's tab.
st.set_page_config(layout="wide", initial_sidebar_state="collapsed")

explorer = st.Page("00_explorer.py", title="Explorer", url_path="explorer")
heads = st.Page("46_heads.py", title="Heads", url_path="heads")
train = st.Page("80_train.py", title="Train", url_path="train")
results = st.Page("85_results.py", title="Results", url_path="results")
search = st.Page("90_search.py", title="Search", url_path="search")
sections = {
    "": [
        st.Page("home.py", title="Home", default=True),
        st.Page("05_draw.py", title="Draw", url_path="draw"),
        st.Page("07_lessons.py", title="Lessons", url_path="lessons"),
    ],
}
own = [page for pages in sections.values() for page in pages] + [explorer, heads, train, results, search]
for row, page in navigation.pages(MECHANISMS.values(), {"home", *(page.url_path for page in own)}):
    sections.setdefault(row.section, []).append(page)
sections.setdefault("Look inside", []).extend([heads, explorer])
sections[""] += [train, results, search]

here = st.navigation(sections, position="hidden" if "pages" in only.hidden() else "top")
only.say()
bar.draw([page for pages in sections.values() for page in pages], here)
here.run()
