"""A page that breaks in the way that the URL names."""

import streamlit as st

from attnviz.errors import BadInput
from attnviz.ui.shared import page


def fail() -> None:
    """Raise what nobody foresaw."""
    raise RuntimeError("the secret of the server")


page.start("Broken", "What does a visitor see?", tries=[("the caught one", {"how": "caught"})])
st.button("Break", on_click=fail)
match st.query_params.get("how"):
    case "ours":
        raise BadInput(f"{st.query_params['text']!r} cannot be used; use 1 to 8.")
    case "unexpected":
        fail()
    case "caught":
        with page.sentences():
            raise BadInput("Sixty is too many; use 1 to 8.")
        st.write("The rest of the page stands.")
        page.meaning("What :orange[asks], what :blue[answers], what is :green[taken].", "Anything else.")
