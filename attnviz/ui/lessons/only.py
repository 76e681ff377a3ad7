"""A teacher's link that hides parts of a page: `only=experiments,pages` in the URL names the parts to keep.

Hidden parts are still drawn, so that nothing depends on this setting: page.css hides them by the names below.
"""

from urllib.parse import urlencode

import streamlit as st

from attnviz.errors import UnknownName
from attnviz.ui.shared.wording import verbatim

FIELD = "only"
PARTS = {
    "choices": "the choice of model and picture",
    "tries": "what to try",
    "meaning": "what it means",
    "experiments": "the experiments",
    "pages": "the menu",
}
"""The parts of a page that may be hidden: name -> words."""

NOTHING = "pictures"
"""The name that hides everything except the pictures, which are always shown."""


def hidden() -> list[str]:
    """Return the parts that the URL hides, in the order of `PARTS`, ignoring unknown names."""
    if FIELD not in st.query_params:
        return []
    kept = st.query_params[FIELD].split(",")
    return [name for name in PARTS if name not in kept]


def say() -> None:
    """Draw a sentence on the hidden parts, if any, with a link that shows everything."""
    names = hidden()
    if FIELD not in st.query_params:
        return
    for word in st.query_params[FIELD].split(","):
        if word not in (*PARTS, NOTHING):
            st.warning(verbatim(str(UnknownName("part of a page", word, [*PARTS, NOTHING]))))
    if not names:
        return
    place = st.container(key="lesson_only")
    for name in names:
        place = place.container(key=f"hides_{name}")
    rest = urlencode({name: word for name, word in st.query_params.to_dict().items() if name != FIELD})
    missing = [PARTS[name] for name in names]
    listed = f"{', '.join(missing[:-1])} and {missing[-1]}" if len(missing) > 1 else missing[0]
    place.markdown(f":small[This link hides {listed}. [Show everything](?{rest})]")
