"""What is to be trained: chosen on the page, and held in its URL."""

from __future__ import annotations

import streamlit as st

from attnviz import data
from attnviz.data.specs import DATASETS
from attnviz.errors import BadInput
from attnviz.recipes import RECIPES, Recipe
from attnviz.recipes.altered import suits
from attnviz.ui.components.url_fields import Field, Fields
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim
from attnviz.work.jobs import order
from attnviz.work.jobs.order import Order

FIELDS = Fields(
    Field("mechanism", "text"),
    Field("recipe", "text"),
    Field("data", "text"),
    Field("epochs", "text"),
    Field("learning_rate", "text"),
    Field("heads", "text"),
    Field("seeds", "text"),
    Field("device", "text"),
)
"""The URL of the page: all settings, in words."""

START = {"data": "strokes", "epochs": "12", "learning_rate": "0.01"}
"""What is changed of the first recipe where the URL says nothing, so that it learns within a minute."""

_EPOCHS = 12  # to begin with, where the recipe trains for more
_ABOUT = {
    "epochs": "how often it sees all pictures, at most",
    "learning_rate": "how far each step moves the weights",
    "heads": "attention heads of each layer",
}


def choose() -> Order:
    """Draw the settings, and return what they ask for.

    Raises:
        BadInput, UnknownName: a setting makes no sense.
    """
    named = FIELDS.read(st.query_params.to_dict())
    row = st.container(key="train_recipe", horizontal=True, vertical_alignment="bottom")
    with row:
        recipe = _recipe()
    start = {"epochs": str(min(recipe.epochs, _EPOCHS)), "learning_rate": f"{recipe.learning_rate:g}"}
    if "recipe" not in named and "mechanism" not in named:
        start |= START
    suiting = [name for name in DATASETS if suits(recipe, name) and data.available(name)]
    if not suiting:
        wanted = DATASETS[recipe.data].made_from or recipe.data
        raise BadInput(f"No data set for this recipe is here. Download one: python -m attnviz data {wanted}")
    first = start.get("data", recipe.data)
    with row:
        changes = {"data": _data(suiting, first if first in suiting else suiting[0])}
    st.caption(f"{verbatim(recipe.why)} The recipe itself trains on {DATASETS[recipe.data].title}.")
    with st.container(key="train_numbers", horizontal=True, vertical_alignment="bottom"):
        changes["epochs"] = _word("epochs", "Epochs", start["epochs"])
        changes["learning_rate"] = _word("learning_rate", "Learning rate", start["learning_rate"])
        if "heads" in recipe.config:
            changes["heads"] = _word("heads", "Heads", str(recipe.config["heads"]))
        seeds = _word("seeds", "Seeds", "0")
        devices = _devices()
        device = url_state.choice("device", devices, devices[0])
        if len(devices) > 1:
            st.selectbox("Device", devices, key="device", width=120, on_change=url_state.keep, args=("device",))
    own = {"epochs": recipe.epochs, "learning_rate": f"{recipe.learning_rate:g}", "heads": recipe.config.get("heads")}
    lines = [
        f"*{name.replace('_', ' ').capitalize()}*: {_ABOUT[name]} ({own[name]})" for name in own if name in changes
    ]
    st.caption(
        "; ".join([*lines, "*Seeds*: each is a training of its own, such as 0 or 0-2. In brackets: the recipe's."])
    )
    url_state.state(mechanism=st.session_state["mechanism"], recipe=recipe.key, seeds=seeds, device=device, **changes)
    from attnviz.__main__ import seeds as read_seeds

    asked = order.read(
        {
            "model": recipe.model, "recipe": recipe.name, "changes": changes, "seeds": tuple(read_seeds(seeds)),
            "device": device,
        }
    )  # fmt: skip
    asked.made()  # what makes no sense is said here, and not only when it is started
    return asked


def _recipe() -> Recipe:
    titles = {
        row.name: row.title for row in MECHANISMS.values() if any(r.model in row.models for r in RECIPES.values())
    }
    name = url_state.choice("mechanism", list(titles), next(iter(titles)))
    st.selectbox(
        "Mechanism", list(titles), key="mechanism", format_func=titles.__getitem__, width=240, on_change=_other,
        args=("mechanism",),
    )  # fmt: skip
    known = [key for key, one in RECIPES.items() if one.model in MECHANISMS[name].models]
    key = url_state.choice("recipe", known, known[0])
    st.selectbox(
        "Recipe", known, key="recipe", format_func=lambda key: RECIPES[key].title, width=380, on_change=_other,
        args=("recipe",),
    )  # fmt: skip
    return RECIPES[key]


def _data(suiting: list[str], first: str) -> str:
    name = url_state.choice("data", suiting, first)
    st.selectbox(
        "Data", suiting, key="data", format_func=lambda name: DATASETS[name].title, width=240,
        on_change=url_state.keep, args=("data",),
    )  # fmt: skip
    return name


def _word(field: str, label: str, start: str) -> str:
    """Draw a setting that is typed."""
    word = st.query_params.get(field, start)[:100]
    st.session_state[field] = word
    st.text_input(label, key=field, width=120, max_chars=100, on_change=url_state.keep, args=(field,))
    return word


def _devices() -> list[str]:
    import torch

    return ["cuda", "cpu"] if torch.cuda.is_available() else ["cpu"]


def _other(field: str) -> None:
    """Take another mechanism or recipe, with its own settings."""
    gone = {one.name: None for one in FIELDS.fields if one.name != "mechanism"}
    url_state.set_value(**{**gone, field: st.session_state[field]})
