"""The settings of a training, which are chosen on the page and held in its URL, and its estimated cost."""

from collections.abc import Mapping

import streamlit as st

from attnviz import data
from attnviz.data.specs import DATASETS
from attnviz.errors import AttnvizError, BadInput
from attnviz.models.spec import Setting
from attnviz.recipes import RECIPES, Recipe, altered
from attnviz.recipes.altered import DATA, own, suits, varied
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.shared import url_state
from attnviz.ui.shared.glossary import term
from attnviz.ui.shared.wording import verbatim
from attnviz.ui.training import access, yours
from attnviz.work.jobs import cost, order
from attnviz.work.jobs.order import Order

START = {"data": "strokes", "epochs": "12", "learning_rate": "0.01"}
"""The changes to the first recipe if the URL has no settings, so that it learns within a minute."""

_EPOCHS = 12  # the initial value for recipes that train longer
_FIRST = ("epochs", "learning_rate", "heads")  # settings that are always visible
_COLUMNS = 4
_SEEDS = f"one training for each {term('seed')}; 0-2 means three"
_TERMS = {"heads": f"{term('head', 'attention heads')} of each layer"}  # terms that readers may not know


def tries() -> list[tuple[str, Mapping[str, str]]]:
    """Return the suggested trainings of the first mechanisms that have some."""
    found: list[tuple[str, Mapping[str, str]]] = []
    for row in MECHANISMS.values():
        for label, words in row.training.items():
            if words.get("recipe") in RECIPES:
                found.append((label, {"mechanism": row.name, **words}))
    return found[:3]


def choose() -> Order:
    """Draw the settings, and return the order that they define."""
    untouched = not {"recipe", "mechanism"} & st.query_params.keys()
    row = st.container(key="train_recipe", horizontal=True, vertical_alignment="bottom")
    with row:
        recipe = _recipe()
    settings = varied(recipe)
    start = {name: one.word(own(recipe, one)) for name, one in settings.items()}
    start["epochs"] = str(min(recipe.epochs, _EPOCHS))
    if untouched:
        start |= START
    suiting = [name for name in DATASETS if suits(recipe, name) and data.available(name)] + yours.suiting(recipe)
    if not suiting:
        wanted = DATASETS[recipe.data].made_from or recipe.data
        raise BadInput(f"No data set for this recipe is here. Download one: python -m attnviz data {wanted}")
    first = start.get(DATA, recipe.data)
    with row:
        source = _data(suiting, first if first in suiting else suiting[0])
    st.caption(f"{verbatim(recipe.why)} The recipe itself trains on {DATASETS[recipe.data].title}.")
    front = [name for name in settings if name in _FIRST][: _COLUMNS - 1]
    words, seeds = _front(recipe, {name: settings[name] for name in front}, start)
    rest = {name: one for name, one in settings.items() if name not in front}
    words |= _rest(recipe, rest, start)
    yours.show(recipe)
    device = _device()
    url_state.state(
        mechanism=st.session_state["mechanism"], recipe=recipe.key, seeds=seeds, device=device, data=source, **words
    )
    changes = {name: word for name, word in words.items() if _differs(settings[name], word, recipe)}
    if source != recipe.data:
        changes[DATA] = source
    return _asked(recipe, changes, seeds, device)


def _asked(recipe: Recipe, changes: dict[str, str], seeds: str, device: str) -> Order:
    asked = order.Order.read(
        {
            "model": recipe.model, "recipe": recipe.name, "changes": changes, "seeds": tuple(altered.seeds(seeds)),
            "device": device,
        }
    )  # fmt: skip
    asked.made()  # reports invalid settings now rather than at the start
    return asked


def _differs(setting: Setting, word: str, recipe: Recipe) -> bool:
    """Return whether a field's value differs from the recipe's, or is invalid."""
    try:
        return bool(setting.read(word) != own(recipe, setting))
    except BadInput:
        return True


def _recipe() -> Recipe:
    titles = {
        row.name: row.title for row in MECHANISMS.values() if any(r.model in row.models for r in RECIPES.values())
    }
    name = url_state.pick(st.selectbox, "Mechanism", "mechanism", titles, next(iter(titles)), width=240, then=_other)
    known = {key: one.title for key, one in RECIPES.items() if one.model in MECHANISMS[name].models}
    return RECIPES[url_state.pick(st.selectbox, "Recipe", "recipe", known, next(iter(known)), width=380, then=_other)]


def _data(suiting: list[str], first: str) -> str:
    # Different options get a different widget: a browser that has not received them yet still sends the old widget's
    # value with the next click, which would be mistaken for the visitor's choice.
    widget = f"{DATA} of {', '.join(suiting)}"
    name = url_state.choice(DATA, suiting, first, widget=widget)
    st.selectbox(
        "Data", suiting, key=widget, format_func=lambda name: data.spec(name).title, width=240,
        on_change=url_state.keep, args=(DATA, widget),
    )  # fmt: skip
    return name


def _front(recipe: Recipe, settings: Mapping[str, Setting], start: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Draw the settings that are always visible, and the seeds; return their values as text."""
    words = {}
    columns = st.container(key="train_front").columns(_COLUMNS)
    for column, (name, setting) in zip(columns, settings.items(), strict=False):
        with column:
            words[name] = _setting(recipe, setting, start[name])
    with columns[len(settings)]:
        seeds = _typed("seeds", "Seeds", "0")
        st.caption(_SEEDS)
    return words, seeds


def _rest(recipe: Recipe, settings: Mapping[str, Setting], start: Mapping[str, str]) -> dict[str, str]:
    """Draw all other settings, collapsed if none of them is changed; return their values as text."""
    changed = any(st.query_params.get(name, start[name]) != start[name] for name in settings)
    titles = ", ".join(one.title.lower() for one in settings.values())
    words = {}
    with st.expander(f"More settings: {titles}", expanded=changed, key="train_more"):
        for place in range(0, len(settings), _COLUMNS):
            some = list(settings.items())[place : place + _COLUMNS]
            for column, (name, setting) in zip(st.columns(_COLUMNS), some, strict=False):
                with column:
                    words[name] = _setting(recipe, setting, start[name])
    return words


def _setting(recipe: Recipe, setting: Setting, start: str) -> str:
    """Draw a setting with a line on its effect and the recipe's value; return its value as text."""
    if setting.kind == "choice":
        options = {one: one.replace("_", " ") for one in setting.values}
        word = url_state.pick(st.selectbox, setting.title, setting.name, options, start)
    else:
        word = _typed(setting.name, setting.title, start)
    about = _TERMS.get(setting.name, setting.about)
    st.caption(f"{about} (in the recipe: {setting.word(own(recipe, setting)).replace('_', ' ')})")
    return word


def _typed(field: str, label: str, start: str) -> str:
    word = url_state.text(field, start, 100)
    st.text_input(label, key=field, max_chars=100, on_change=url_state.keep, args=(field,))
    return word


def _device() -> str:
    import torch

    devices = ["cuda", "cpu"] if torch.cuda.is_available() else ["cpu"]
    device = url_state.choice("device", devices, devices[0])
    if len(devices) > 1:
        st.selectbox("Device", devices, key="device", width=120, on_change=url_state.keep, args=("device",))
    return device


def _other(field: str) -> None:
    """Change to another mechanism or recipe, with its own settings."""
    gone = {name: None for name in url_state.shown() if name not in ("mechanism", "v")}
    url_state.set_value(**{**gone, field: st.session_state[field]})


EVERY = 1.0
"""The seconds between two checks for the estimate."""


def show(wanted: Order) -> None:
    """Draw the cost of a training, once it is estimated, for visitors who may train."""
    try:
        access.check()
        known = cost.of(order.checked(wanted, order.limits())) is not None
    except AttnvizError:
        known = True  # there is nothing to wait for
    st.fragment(_sentence, run_every=None if known else EVERY)(wanted, not known)


def _sentence(wanted: Order, waiting: bool) -> None:
    """Draw the estimate, or that there is none yet; `waiting` if there was none when the page was drawn."""
    try:
        access.check()
    except AttnvizError:
        return
    with st.container(key="train_cost"):
        try:
            found = cost.of(order.checked(wanted, order.limits()))
        except AttnvizError as error:
            st.caption(verbatim(str(error)))
            return
        if found is None:
            st.caption("Estimating what it will cost, from a few batches.")
            return
        if waiting:
            st.rerun()  # ends the refreshing
        st.caption(found.sentence(wanted.made().epochs, len(wanted.seeds)))
