"""What is to be searched: chosen on the page."""

from __future__ import annotations

import os

import streamlit as st

from attnviz import data
from attnviz.data.specs import DATASETS
from attnviz.errors import BadInput
from attnviz.recipes import RECIPES, axes
from attnviz.recipes.altered import suits
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.work.search import wanted
from attnviz.work.search.wanted import Wanted

_EPOCHS, _TRIALS, _SECONDS = "2", 12, 20


def choose() -> tuple[Wanted, int]:
    """Draw the settings; return what they ask for, and how many workers.

    Raises:
        BadInput, UnknownName: a setting makes no sense.
    """
    models = {model for row in MECHANISMS.values() for model in row.models}
    known = [key for key, recipe in RECIPES.items() if recipe.model in models]
    with st.container(key="search_recipe", horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox("Recipe", known, key="search_of", format_func=lambda key: RECIPES[key].title, width=380)
        recipe = RECIPES[key]
        suiting = [name for name in DATASETS if suits(recipe, name) and data.available(name)]
        if not suiting:
            raise BadInput(f"No data set for this recipe is here. Download one: python -m attnviz data {recipe.data}")
        pictures = st.selectbox(
            "Data", suiting, key=f"search_data_{key}", format_func=lambda name: DATASETS[name].title, width=240
        )
        epochs = st.text_input("Epochs", _EPOCHS, key=f"search_epochs_{key}", width=100, max_chars=6)
    words = "\n".join(axes.word(axis) for axis in wanted.axes_of(recipe))
    vary = st.text_area(
        "What is varied, one setting a line", words, key=f"search_vary_{key}", max_chars=2000, height=140,
        help="NAME=1,8,25 for these values, NAME=1..25 for a range, NAME=1e-4..1e-2:log for one on a logarithmic scale",
    )  # fmt: skip
    with st.container(key="search_numbers", horizontal=True, vertical_alignment="bottom"):
        trials = st.number_input("Trials", 1, wanted.MOST_TRIALS, _TRIALS, key="search_trials", width=120)
        seconds = st.number_input(
            "Computing seconds for each", 1, int(wanted.MOST_SECONDS), _SECONDS, key="search_seconds", width=200
        )
        workers = st.number_input("Workers", 1, max(1, os.cpu_count() or 1), 1, key="search_workers", width=120)
    asked = wanted.Wanted.read(
        {
            "model": recipe.model, "recipe": recipe.name, "changes": {"data": pictures, "epochs": epochs},
            "axes": axes.read(vary.split()), "trials": int(trials), "seconds": float(seconds),
        }
    )  # fmt: skip
    asked.made()  # what makes no sense is said here, and not only when it is started
    return asked, int(workers)
