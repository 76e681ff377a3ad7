"""Element-wise attention: every stage of a layer, and how the value of one pixel is computed."""

import streamlit as st

from attnviz.subjects import Net, Subject, usable
from attnviz.subjects.history import key_of
from attnviz.ui.components.stage_grid import FIELDS, SWITCHES, settled_view, stage_grid
from attnviz.ui.live import second_training
from attnviz.ui.mechanisms.element_wise import MECHANISM, experiments, words
from attnviz.ui.mechanisms.element_wise.view import STAGES_VIEW
from attnviz.ui.server import preload
from attnviz.ui.shared import cache, mechanism_page, page, pickers, url_state
from attnviz.ui.shared.experiments import choose

MODEL = "element_wise.fashion-b"
LEARNING = "element_wise.fashion-a"  # a checkpoint with a history
BESIDE = "beside"

CLOSED = {"inside": "no"}  # an old link without this field shows the arrays of the head
BOOT = {"model": MODEL, "data": "fashion_mnist", "number": "0", **CLOSED}
TRIES = [
    ("a pixel of a boot", {**BOOT, "pixel": "16,12"}),
    ("while it learns", {**BOOT, "model": key_of(LEARNING, 1), "pixel": "16,12"}),
    ("does the norm normalise?", {**BOOT, "experiment": "norm"}),
]


def main() -> None:
    mechanism_page.draw(MECHANISM, words.QUESTION, words.NONE, see, tries=TRIES, controls=True)
    preload.soon()


def see(names: list[str]) -> Net:
    """Draw the choices, the stages, and everything else that depends on the picture."""
    with page.choices():
        net = pickers.net(names, MODEL, MECHANISM.models)
        subject = Subject(net, pickers.example(net))
        other = beside(net, names)
    second_training.slider(subject)
    opening = {} if st.query_params else CLOSED
    state = FIELDS.read({**opening, **st.query_params.to_dict()})
    if other is None:
        look(subject, state, "stages")
    else:
        first, second = st.columns(2, gap="medium")
        with first:
            st.markdown(f"**{net.title}**")
            look(subject, state, "stages")
        with second:
            st.markdown(f"**{other.title}**")
            look(Subject(other, subject.example), fitting(other, state), "stages_beside")
    pickers.more(subject)
    explain(subject)
    url_state.state(**pickers.stated(subject), **opening)
    return net


def beside(net: Net, names: list[str]) -> Net | None:
    """Draw the choice of a second net with the same input, and return it, or None."""
    same = {
        name: one
        for name, one in usable(names).items()
        if name != net.key and one.data == net.data and one.input == net.input
    }
    if not same:
        return None
    titles = {"": "nothing", **{name: one.title for name, one in same.items()}}
    name = url_state.choice(BESIDE, list(titles), "", "model to compare with")
    st.selectbox(
        "Compare with", list(titles), key=BESIDE, format_func=titles.__getitem__, width=130,
        on_change=lambda: url_state.set_value(beside=st.session_state[BESIDE] or None),
    )  # fmt: skip
    return same.get(name)


def look(subject: Subject, state: dict[str, object], key: str) -> None:
    """Draw the stages of one net."""
    keep = mechanism_page.keep(FIELDS, settled_view, key)
    stage_grid(STAGES_VIEW.of(subject), key=key, state=state, switches=SWITCHES, on_change=keep)


def fitting(net: Net, state: dict[str, object]) -> dict[str, object]:
    """Return the part of a view that applies to a net: the second may have fewer layers and heads than the first."""
    counts = {"layer": net.config.get("layers", 2), "head": net.config.get("heads", 8)}
    kept = dict(state)
    for name, count in counts.items():
        if isinstance(value := kept.get(name), int) and value >= count:
            del kept[name]
    if isinstance(off := kept.get("off"), list):
        kept["off"] = [[layer, head] for layer, head in off if layer < counts["layer"] and head < counts["head"]]
    return kept


def explain(subject: Subject) -> None:
    """Draw the explanation of the stages and its limits, and the experiments."""
    from attnviz.ui.mechanisms.element_wise import stages

    view = cache.of_subject(stages.view, subject)
    measured = cache.of_subject(stages.measure, subject)
    page.meaning(words.means(view, measured), words.does_not_show(view))
    choose(experiments.EXPERIMENTS, subject, view)


main()
