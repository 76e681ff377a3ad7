"""The settings of a search, which are chosen on the page and held in its URL."""

import os
from collections.abc import Mapping

import streamlit as st

from attnviz import data
from attnviz.data.specs import DATASETS
from attnviz.errors import BadInput
from attnviz.recipes import RECIPES, Recipe, axes
from attnviz.recipes.altered import suits
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import url_state
from attnviz.work.search import wanted
from attnviz.work.search.wanted import Wanted

FIELDS = ("recipe", "data", "epochs", "vary", "trials", "seconds", "workers")
"""The URL fields; `vary` holds the settings to vary, separated by spaces."""

_EPOCHS, _TRIALS, _SECONDS = "2", 12, 20
_LONGEST = 2000  # maximum length of the `vary` field


def choose() -> dict[str, str]:
    """Draw the settings, and return their URL fields."""
    recipe = _recipe()
    st.session_state["vary_lines"] = url_state.text("vary", usual(recipe), _LONGEST).replace(" ", "\n")
    st.text_area(
        "Settings to vary, one per line", key="vary_lines", max_chars=_LONGEST, height=140, on_change=_vary,
        help="NAME=1,8,25 for these values, NAME=1..25 for a range, NAME=1e-4..1e-2:log for one on a logarithmic scale",
    )  # fmt: skip
    with st.container(key="search_numbers", horizontal=True, vertical_alignment="bottom"):
        _number("trials", "Trials", wanted.MOST_TRIALS, _TRIALS, 120)
        _number("seconds", "Seconds of computing per trial", int(wanted.MOST_SECONDS), _SECONDS, 200)
        _number("workers", "Workers", max(1, os.cpu_count() or 1), 1, 120)
    return {field: str(st.session_state[field]) for field in FIELDS}


def usual(recipe: Recipe) -> str:
    """Return the settings of a recipe that are varied by default."""
    return " ".join(axes.word(axis) for axis in wanted.axes_of(recipe))


def asked(words: Mapping[str, str]) -> tuple[Wanted, int]:
    """Return the search that the settings define, and the number of workers."""
    recipe = RECIPES[words["recipe"]]
    found = Wanted.read(
        {
            "model": recipe.model, "recipe": recipe.name,
            "changes": {"data": words["data"], "epochs": words["epochs"]}, "axes": axes.read(words["vary"].split()),
            "trials": int(words["trials"]), "seconds": float(words["seconds"]),
        }
    )  # fmt: skip
    found.made()  # reports invalid settings now rather than at the start
    return found, int(words["workers"])


def _recipe() -> Recipe:
    """Draw the choice of the recipe, with its data and epochs."""
    models = {model for row in MECHANISMS.values() for model in row.models}
    known = {key: one.title for key, one in RECIPES.items() if one.model in models and one.validation is not None}
    with st.container(key="search_recipe", horizontal=True, vertical_alignment="bottom"):
        recipe = RECIPES[
            url_state.pick(st.selectbox, "Recipe", "recipe", known, next(iter(known)), width=380, then=_other)
        ]
        suiting = [name for name in DATASETS if suits(recipe, name) and data.available(name)]
        if not suiting:
            raise BadInput(f"No data set for this recipe is here. Download one: python -m attnviz data {recipe.data}")
        titles = {name: DATASETS[name].title for name in suiting}
        url_state.pick(st.selectbox, "Data", "data", titles, suiting[0], width=240)
        url_state.text("epochs", _EPOCHS, 6)
        st.text_input("Epochs", key="epochs", width=100, max_chars=6, on_change=url_state.keep, args=("epochs",))
    return recipe


def _number(field: str, label: str, most: int, usually: int, width: int) -> None:
    url_state.number(field, most + 1, usually, least=1)
    st.number_input(label, 1, most, key=field, width=width, on_change=url_state.keep, args=(field,))


def _vary() -> None:
    """Write the settings to vary into the URL."""
    url_state.set_value(vary=" ".join(st.session_state["vary_lines"].split()))


def _other(field: str) -> None:
    """Change to another recipe, with its own data and default settings to vary."""
    url_state.set_value(recipe=st.session_state[field], data=None, epochs=None, vary=None)
