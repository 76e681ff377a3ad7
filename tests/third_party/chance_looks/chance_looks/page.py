"""The page of a third party: a model, a picture, and what it sees at each look."""

import streamlit as st

from attnviz import cards
from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.shared import findings, page, pickers
from attnviz.ui.shared.results import accuracy
from chance_looks.mechanism import MECHANISM

page.start(MECHANISM.title, MECHANISM.question)
with page.sentences():
    names = [name for name in cards.names() if cards.read(name).recipe.model in MECHANISM.models]
    net = pickers.net(names, "chance_looks.digits")
    subject = Subject(net, pickers.example(net))
    maps = findings.tap(subject, "looks.seen", None)
    map_grid(maps.values, maps.labels or ["seen"], key="looks", role="positive")
    accuracy.show(net, pickers.tests(subject))
    st.caption("By a third party.")
