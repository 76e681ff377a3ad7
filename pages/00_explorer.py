"""Explorer: every tap of a model, drawn according to its role and axes."""

import streamlit as st

from attnviz import cards
from attnviz.roles import role_of
from attnviz.subjects import Subject
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.components.value_bars import value_bars
from attnviz.ui.explorer import own_model, recorded
from attnviz.ui.explorer.experiments import EXPERIMENTS
from attnviz.ui.live import jacobian_map, second_training
from attnviz.ui.live.tap_view import TAP_VIEW, is_strip
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import preload
from attnviz.ui.shared import findings, own_models, page, pickers, query_picker, url_state
from attnviz.ui.shared.experiments import choose
from attnviz.ui.shared.glossary import term

MODEL = "pixel_attention.1v8"
EIGHT = {"model": MODEL, "data": "strokes", "number": "23"}
OF_LAYER = ("address", "query", "key", "head", "show", "direction", "scale")  # fields shared by both pages
RANGES = {"signed": "any number", "unit": "0 to 1", "positive": "0 or more"}
DRAWS = (
    "This model draws random numbers. Its taps, Jacobian and answer here all come from draw 1, with which its own page "
    "opens; the experiments below draw none."
)
TRIES = [
    ("the queries", {**EIGHT, "address": "attention.query"}),
    ("the weights of one pixel", {**EIGHT, "address": "attention.weights", "query": "12,13"}),
    ("the output of the layer", {**EIGHT, "address": "attention.output"}),
]


def main() -> None:
    page.start(
        "Explorer", f"What happens inside a model? Choose a {term('tap')}: its values are drawn as maps.", tries=TRIES
    )
    with page.sentences():
        if recorded.chosen():
            recorded.show()
            url_state.state(look="record")
            return
        with page.choices():
            net = pickers.net(cards.names(), MODEL)
            mine = own_models.is_own(net)
            subject = Subject(net, own_model.choose() if mine else pickers.example(net))
        if mine:
            own_model.show(subject)
            words = {name: word for name, word in st.query_params.items() if name in OF_LAYER}
            for row in MECHANISMS.values():
                if row.captured:
                    said = f"All layers at once: {row.title}"
                    page.link(row.page, said, model=net.key, **subject.example.words, **words)
            url_state.state(model=net.key, **subject.example.words)
            return
        second_training.slider(subject)
        explore(subject)
        choose(EXPERIMENTS, subject)
        list_taps(subject)
        pickers.more(subject)
        url_state.state(**pickers.stated(subject))
    preload.soon()


def explore(subject: Subject) -> None:
    """Draw the choice of a tap and its maps, or the Jacobian of the answer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        other, rest = jacobian_map.switch("Taps"), st.container(horizontal=True, vertical_alignment="bottom")
    if "generator" in subject.net.takes:
        st.caption(DRAWS)
    if other:
        jacobian_map.show(subject)
        return
    known = findings.list_taps(subject.net)
    if not known:
        st.info("This model has no taps: it is a control without intermediate values to look at. Choose another one.")
        return
    names = list(known)
    chosen = url_state.choice("address", names, names[0], "tap path")
    heard, role = known[chosen], role_of(chosen)
    query = None
    with rest:
        st.selectbox("Tap path", names, key="address", on_change=url_state.keep, args=("address",))
        if "query" in heard.axes:
            query = query_picker.choose(heard.shape[heard.axes.index("query")], heard.grid)
    sums = f" Sums to one over the axis {role.sums_to_one}." if role.sums_to_one else ""
    maps = findings.tap(subject, chosen, query)
    st.markdown(f"{role.meaning} Range: {RANGES[role.range]}.{sums}{counted(maps.axes)}")
    # A choice made for another epoch's maps is valid here too; one made for another tap's maps is not.
    key = f"maps {subject.net.history or subject.net.key} {chosen}"
    show = value_bars if is_strip(maps) else map_grid
    show(TAP_VIEW.of(subject, address=chosen, query=query), key=key)


def list_taps(subject: Subject) -> None:
    """Draw the list of all taps."""
    known = findings.list_taps(subject.net)
    if not known:
        return
    st.header("All taps", anchor=False)
    lines = [f"| {term('tap path')} | axes | shape | meaning |", "| --- | --- | --- | --- |"]
    for name, one in known.items():
        lines.append(
            f"| `{name}` | {' '.join(one.axes)} | {' x '.join(map(str, one.shape))} | {role_of(name).meaning} |"
        )
    with st.container(key="all_taps"):
        st.markdown("\n".join(lines))


def counted(axes: tuple[str, ...]) -> str:
    """Return the explanation of the numbers under the maps: "1.3" is head 1, feature 3."""
    if len(axes) < 2:
        return ""
    names = (term(axis) if axis == "head" else axis for axis in axes)
    example = ", ".join(f"{axis} {place}" for place, axis in zip((1, 3, 2, 1), names, strict=False))
    return f" The numbers under a map are counted from 1: “{'.'.join('1321'[: len(axes)])}” is {example}."


main()
