"""The page of a third party: a net, an example, and what each stage lets through."""

import streamlit as st

from attnviz import cards
from attnviz.subjects import Subject
from attnviz.ui.components.url_view import settled_view
from attnviz.ui.shared import mechanism_page, page, pickers, url_state
from attnviz.ui.shared.results import accuracy
from colour_stages.component import FIELDS, energies
from colour_stages.mechanism import ENERGIES, MECHANISM

KEY = "energies"

page.start(MECHANISM.title, MECHANISM.question)
with page.sentences():
    names = [name for name in cards.names() if cards.read(name).recipe.model in MECHANISM.models]
    net = pickers.net(names, "colour_stages.digits", of=MECHANISM.models)
    subject = Subject(net, pickers.example(net))
    state = FIELDS.read(st.query_params.to_dict())
    energies(ENERGIES.of(subject), key=KEY, state=state, on_change=mechanism_page.keep(FIELDS, settled_view, KEY))
    url_state.state(**pickers.stated(subject))
    page.link("00_explorer.py", "All taps of this model on this picture", **pickers.stated(subject))
    accuracy.show(net, pickers.tests(subject))
    st.caption("By a third party.")
