"""The page of a third party: a model, a picture, and what its first stage lets through."""

import streamlit as st

from attnviz import cards
from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.shared import accuracy, findings, page, pickers
from colour_stages.mechanism import MECHANISM

page.start(MECHANISM.title, MECHANISM.question)
with page.sentences():
    names = [name for name in cards.names() if cards.read(name).recipe.model in MECHANISM.models]
    net = pickers.net(names, "colour_stages.digits")
    subject = Subject(net, pickers.example(net))
    maps = findings.tap(subject, "stages.0.after_relu", None)
    map_grid(maps.values, maps.labels, key="stages", role="positive")
    accuracy.show(net, pickers.tests(subject))
    st.caption("By a third party.")
