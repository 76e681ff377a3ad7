"""Explorer: every tensor that a model lets be heard, drawn by its role and its axes."""

import streamlit as st

from attnviz import cards
from attnviz.cards import Card
from attnviz.roles import ROLES
from attnviz.ui import address, cache, page, pickers, warm
from attnviz.ui.map_grid import map_grid

MODEL = "pixel_attention.1v8"


def main() -> None:
    page.start(
        "Explorer",
        "What can be heard inside a model? Choose an address: its values are drawn as maps.",
        tries=[
            ("the queries", {"address": "attention.query"}),
            ("the weights of one pixel", {"address": "attention.weights", "query": "350"}),
            ("what comes out", {"address": "attention.output"}),
        ],
    )
    with page.sentences():
        with st.container(key="page_choices", horizontal=True, vertical_alignment="bottom"):
            card = pickers.model(cards.names(), MODEL)
            picture = pickers.picture(card)
        explore(card, picture)
    warm.soon()


def explore(card: Card, picture: pickers.Picture) -> None:
    """Draw the choice of an address, its maps, and the list of all addresses."""
    known = cache.heard(card)
    if not known:
        st.info("This model has no taps: it is a control, with nothing inside to look at. Choose another one.")
        return
    names = list(known)
    chosen = address.choice("address", names, names[0])
    role = ROLES[chosen.rpartition(".")[2]]
    axes, shape = known[chosen].axes, known[chosen].shape
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Address", names, key="address", on_change=address.keep, args=("address",))
        query = pickers.token(shape[axes.index("query")]) if "query" in axes else None
    st.markdown(f"{role.meaning} Range: {role.range}." + (" A row sums to one." if role.sums_to_one else ""))
    maps = cache.tap(card, picture.source, picture.number, chosen, query)
    image, _ = cache.picture(picture.source, picture.number)
    map_grid(
        maps.values,
        maps.labels or [chosen],
        key="maps",
        role=role.colouring,
        picture=image[..., 0] / 255,
        origin={"model": card.recipe.model, "recipe": card.recipe.name, "seed": card.seed,
                "digest": card.weights_digest, "image": cache.place(picture.source, picture.number), "address": chosen},
    )  # fmt: skip
    st.header("All addresses", anchor=False)
    lines = ["| address | axes | shape | what it is |", "| --- | --- | --- | --- |"]
    for name, said in known.items():
        meaning = ROLES[name.rpartition(".")[2]].meaning
        lines.append(f"| `{name}` | {' '.join(said.axes)} | {' x '.join(map(str, said.shape))} | {meaning} |")
    st.markdown("\n".join(lines))


main()
