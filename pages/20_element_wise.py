"""Element-wise attention: every stage of a layer, and how the value of one pixel comes about."""

import streamlit as st

from attnviz import cards, models
from attnviz.cards import Card
from attnviz.ui.components.stage_grid import FIELDS, SWITCHES, settled_view, stage_grid
from attnviz.ui.mechanisms.element_wise import MECHANISM, experiments, words
from attnviz.ui.server import preload
from attnviz.ui.shared import cache, mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose

MODEL = "element_wise.fashion-b"
BESIDE = "beside"

BOOT = {"model": MODEL, "data": "fashion_mnist", "number": "0"}
TRIES = [
    ("a pixel of a boot", {**BOOT, "pixel": "16,12"}),
    ("without the skip", {**BOOT, "pixel": "16,12", "skip": "no"}),
    ("does the norm normalise?", {**BOOT, "experiment": "norm"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES, controls=True)
    preload.soon()


def see(names: list[str]) -> None:
    """Draw the choices, the stages, and everything else that another picture changes."""
    with page.choices():
        card = pickers.model(names, MODEL)
        chosen = pickers.picture(card)
        other = beside(card, names)
    state = FIELDS.read(st.query_params.to_dict())
    if other is None:
        look(card, chosen, state, "stages")
    else:
        for column, one, key in zip(
            st.columns(2, gap="medium"), (card, other), ("stages", "stages_beside"), strict=True
        ):
            with column:
                st.markdown(f"**{one.recipe.title}**")
                look(one, chosen, state if one is card else fitting(one, state), key)
    pickers.more(card, chosen)
    explain(card, chosen)
    url_state.state(**pickers.stated(card, chosen))


def beside(card: Card, names: list[str]) -> Card | None:
    """Draw the choice of a second model that takes the same pictures, and return it."""
    taken = models.input_of(card.recipe.model, card.config)
    same = {
        name: one
        for name, one in cards.usable(names).items()
        if name != card.name
        and one.recipe.data == card.recipe.data
        and models.input_of(one.recipe.model, one.config) == taken
    }
    if not same:
        return None
    titles = {"": "nothing", **{name: one.recipe.title for name, one in same.items()}}
    name = url_state.choice(BESIDE, list(titles), "", "model to compare with")
    st.selectbox(
        "Compare with", list(titles), key=BESIDE, format_func=titles.__getitem__, width=130,
        on_change=lambda: url_state.set_value(beside=st.session_state[BESIDE] or None),
    )  # fmt: skip
    return same.get(name)


def look(card: Card, chosen: pickers.Picture, state: dict[str, object], key: str) -> None:
    """Draw the stages of one model."""
    from attnviz.ui.mechanisms.element_wise import stages

    view = cache.computed(stages.view, card, chosen.source, chosen.number)

    stage_grid(view, key=key, state=state, switches=SWITCHES, on_change=mechanism_page.keep(FIELDS, settled_view, key))


def fitting(card: Card, state: dict[str, object]) -> dict[str, object]:
    """Return the part of a view that a model has: the second of two may have fewer layers and heads than the first."""
    counts = {"layer": card.config.get("layers", 2), "head": card.config.get("heads", 8)}
    kept = dict(state)
    for name, count in counts.items():
        if isinstance(value := kept.get(name), int) and value >= count:
            del kept[name]
    if isinstance(off := kept.get("off"), list):
        kept["off"] = [[layer, head] for layer, head in off if layer < counts["layer"] and head < counts["head"]]
    return kept


def explain(card: Card, chosen: pickers.Picture) -> None:
    """Explain what the stages mean and what they do not show, offer the experiments, and draw the results."""
    from attnviz.ui.mechanisms.element_wise import stages

    view = cache.computed(stages.view, card, chosen.source, chosen.number)
    measured = cache.computed(stages.measure, card, chosen.source, chosen.number)
    page.meaning(words.means(view, measured), words.does_not_show(view))
    choose(experiments.EXPERIMENTS, card, chosen, view)
    mechanism_page.results(MECHANISM, card)


main()
