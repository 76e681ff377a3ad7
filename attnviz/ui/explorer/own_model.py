"""The visitor's own model in the explorer: a photograph, layers, gates, and what was captured and refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from attnviz.errors import AttnvizError, BadInput
from attnviz.subjects import Example, Subject, photos
from attnviz.ui.components.captured_board import FIELDS as OF_BOARD
from attnviz.ui.components.captured_board import captured_board
from attnviz.ui.components.map_grid import map_grid
from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.ui.components.value_bars import value_bars
from attnviz.ui.explorer import own_board, own_passes
from attnviz.ui.explorer.own_passes import OWN_LAYER, answer_of, passed
from attnviz.ui.shared import page, url_state
from attnviz.ui.shared.visitor import camera_refusal
from attnviz.ui.shared.wording import share, verbatim
from attnviz.views.attention import FIELDS as OF_LAYER
from attnviz.views.url_fields import Field, Fields

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from attnviz.capture.places import Said
    from attnviz.listening import Trace

VIEWER = "own_layer"
FIELD, SECOND = "photo", "other_photo"
FIELDS = Fields(*OF_LAYER.fields, Field("address", "text"))
FILE = "PNG, JPEG, WebP, BMP or GIF, up to 20 MB"
READS = (
    "Move over the picture: the maps show what the token under the pointer takes from every other token, or from those "
    "of its window. A click keeps it. What you see is the model's input, after its own cropping."
)
NOT = (
    "Attention weights show where a layer takes information from. They do not show by themselves what the model's "
    "answer depends on."
)
HATCHED = "A layer that is hatched on the board is fetched once you choose it."
LENS = (
    "**Earlier answers were not trained for.** If a layer were the last, its tokens would be read by the part of the "
    "model's code that follows the last layer, whose norm and head were trained for that one alone."
)
NO_LENS = "There is no answer if a layer were the last: {why}."
STAYS = "Photographs stay on the machine that runs this app."
NOTHING = "This model has no attention that can be captured. The report lists what it has."
STOPPED = "own_stopped"
NONE, OTHERS = "no map can be drawn.", "other layers may not be drawn, and there is no report."


def choose(besides: Example | None = None) -> Example:
    """Draw the choice of a photograph, from the folder or the visitor's file or camera, and return it.

    `besides` is the first example, if this is the choice of a second one.
    """
    field, label = (FIELD, "Photograph") if besides is None else (SECOND, "Second photograph")
    there, sample = [*photos.in_folder()], own_passes.first(besides)
    named = _named(field)
    if there:
        begins = named or sample
        chosen = st.selectbox(
            label, there,
            index=there.index(begins.word) if isinstance(begins, photos.Photo) and begins.word in there else None,
            placeholder="your own" if named else "a sample", key=f"own_{field}", width=220, on_change=_of_folder,
            args=(field,),
        )  # fmt: skip
        sample = photos.Photo(chosen) if chosen else sample
    with st.popover("Your own photograph" if besides is None else "Another of your own"):
        st.file_uploader(FILE, key=f"own_{field}_file", on_change=_upload, args=(field, f"own_{field}_file"))
        if refusal := camera_refusal(st.context.url, "Browse files"):
            st.caption(verbatim(refusal))
        elif st.toggle("Take one with the camera", key=f"own_{field}_camera_on"):
            key = f"own_{field}_camera"
            st.camera_input("Take a photograph", key=key, on_change=_upload, args=(field, key))
    if refused := st.session_state.pop(f"own_{field}_refused", ""):
        url_state.complain(refused)
    return named or sample


def named(example: Example) -> str:
    """Return the name of an example in Markdown."""
    if isinstance(example, photos.Photo):
        return "Your photograph" if example.word.startswith(photos.UPLOADED) else verbatim(example.word)
    return "A sample picture"


def show(subject: Subject) -> None:
    """Draw the chosen layer, the gates, and a report on the captured model."""
    st.caption(STAYS)
    seen = _passed(subject)
    if seen is None:
        return
    holder = st.empty()  # always present; otherwise the viewer would be remounted after the search
    if not seen.captured.has_places:
        calls = own_passes.captured(seen)
        shown = own_passes.find_place(seen, st.query_params.get("address", next(iter(calls), "")))
        if shown:
            _layer(subject, seen, calls, {})  # which of the other layers can be drawn is not known yet
        if not _places(seen, holder, OTHERS if shown else NONE):
            return
        if shown:
            st.rerun()
    paths, refused = own_passes.drawable(seen)
    gates = own_passes.gates_in(seen)
    if paths:
        _layer(subject, seen, paths, refused)
    if gates:
        _gate(subject, seen, gates)
    if not paths and not gates:
        st.info(verbatim(next(iter(refused.values()), NOTHING)))
    with st.expander("What was captured, and what was refused", expanded=not paths and not gates):
        st.code(seen.report(), language=None)
    page.meaning(READS, NOT)


def board(
    subject: Subject, key: str, *, queries: Example | None = None,
    state: Mapping[str, Any] | None = None, on_change: Callable[[], None] | None = None,
) -> bool:  # fmt: skip
    """Draw all layers at once instead of one; return whether there are any.

    Args:
        key: the component's key on its page.
        queries: the example whose queries meet the keys of this one; None for its own.
        state: the view, by default that of the URL.
        on_change: called when a view has settled, by default to put it into the URL.
    """
    seen = _passed(subject)
    if seen is None or not _places(seen, st.empty(), NONE, key):
        return False
    paths, refused = own_passes.drawable(seen)
    first = paths[:1]
    if queries is not None:
        refused = {**refused, **own_board.without_products(seen, paths)}
        paths = [path for path in paths if path not in refused]
    if not paths:
        st.info(verbatim(next(iter(refused.values()), NOTHING)))
        return False
    chosen = _chosen(paths, refused, *first)
    view = own_board.OWN_BOARD if queries is None else own_board.OWN_ACROSS
    try:
        data = view.of(subject, **own_board.parameters_of(chosen, queries))
    except BadInput as error:
        st.info(verbatim(str(error)))
        return False
    captured_board(
        data,
        key=key,
        state={**(OF_BOARD.read(st.query_params.to_dict()) if state is None else state), "address": chosen},
        layers=own_board.layers_of(seen, paths, refused),
        on_change=on_change or url_state.keep_view(OF_BOARD, settled_view, key),
    )
    return True


def board_meaning(subject: Subject) -> None:
    """Explain the board of layers, and what it does not show."""
    _, why = own_board.answers_as_last(subject)
    page.meaning(f"{READS} {HATCHED}", f"{NOT}\n\n{NO_LENS.format(why=verbatim(why)) if why else LENS}")


def _passed(subject: Subject) -> Trace | None:
    """Return the model's pass on the photograph, or None if a sentence is drawn in its place."""
    try:
        return passed(subject.example, st.query_params.get("address"))
    except AttnvizError as error:
        st.info(verbatim(str(error)))
        return None


def _places(seen: Trace, holder: DeltaGenerator, without: str, key: str = VIEWER) -> bool:
    """Find the tokens' positions, with progress; return whether they are known. `without` is shown after a stop; `key`
    tells two searches of a page apart."""
    if not seen.captured.has_places and st.session_state.get(STOPPED):
        with holder.container():
            st.info(f"The search for the positions of this model's tokens was stopped: {without}")
            st.button("Search again", key=f"search again {key}", on_click=_search_again)
        return False
    own_passes.find_places(seen, partial(_progress, holder, key))
    return True


@contextmanager
def _progress(holder: DeltaGenerator, key: str, what: str) -> Iterator[Said]:
    bar: list[DeltaGenerator] = []

    def said(done: int, total: int) -> None:
        words = (
            f"{what} on the picture: {done} of {total} passes of the model. This is done once for a model and a size "
            "of picture."
        )
        if not bar:
            with holder.container(horizontal=True, vertical_alignment="bottom"):
                bar.append(st.progress(0.0))
                st.button("Stop", key=f"stop {key}", on_click=_stop)  # the rerun that it starts ends this run
        bar[0].progress(min(1.0, done / total), words)

    yield said
    holder.empty()


def _stop() -> None:
    st.session_state[STOPPED] = True


def _search_again() -> None:
    st.session_state[STOPPED] = False


def _layer(subject: Subject, seen: Trace, paths: Sequence[str], refused: Mapping[str, str]) -> None:
    chosen = _chosen(paths, refused)
    calls = [path for path, call in seen.captured.calls.items() if not call.refused]
    pixel_viewer(
        OWN_LAYER.of(subject, layer=chosen),
        key=VIEWER,
        fields=FIELDS,
        state={**FIELDS.read(st.query_params.to_dict()), "address": chosen},
        layers=[
            {"path": path, "title": f"{number + 1}: {path or 'the model itself'}", "refused": refused.get(path, "")}
            for number, path in enumerate(calls)
        ],
        on_change=_settled,
    )
    _heads_off(subject, seen, chosen, seen.captured.calls[chosen].layout.size("head"))


def _chosen(paths: Sequence[str], refused: Mapping[str, str], first: str | None = None) -> str:
    """Return the path of the layer that the URL names, or else the first of `paths` or of others, with a sentence if it
    cannot be drawn."""
    asked = st.query_params.get("address", paths[0] if first is None else first)
    if asked in refused:
        url_state.complain(f"{refused[asked]} You see another layer instead.")
    elif asked not in paths:
        url_state.complain(f"This model has no layer {asked!r} that can be drawn. You see another one instead.")
    return asked if asked in paths else paths[0]


def _settled() -> None:
    settled = settled_view(VIEWER)
    if settled:
        other = settled["address"] != st.query_params.get("address", settled["address"])
        url_state.set_value(**FIELDS.write(settled), **({"off": None} if other else {}))


def _gate(subject: Subject, seen: Trace, gates: Sequence[str]) -> None:
    """Draw the choice of a gate, and its factors as bars of channels or a map over the picture."""
    st.header("Gates", anchor=False)
    chosen = url_state.pick(st.selectbox, "Gate", "gate", gates, gates[0])
    kind, part = own_passes.gate_of(subject, seen, chosen)
    if kind == "value_bars":
        st.caption("Each bar is the factor from 0 to 1 that a channel is multiplied by.")
        value_bars(part, key=f"own gate {chosen}")
    else:
        st.caption("The map shows the factor from 0 to 1 that each position is multiplied by.")
        map_grid(part, key=f"own gate {chosen}")


def _heads_off(subject: Subject, seen: Trace, path: str, heads: int) -> None:
    """Draw the choice of heads to switch off, and the model's answer without them."""
    before = answer_of(seen.output, subject.net.classes)
    if before is None:
        return
    names = [str(head) for head in range(1, heads + 1)]
    asked = [word for word in st.query_params.get("off", "").split(",") if word]
    if wrong := [word for word in asked if word not in names]:
        url_state.complain(f"The URL asks for the head {wrong[0]!r}; this layer has heads 1 to {heads}.")
        asked = [word for word in asked if word in names]
    st.session_state["own_off"] = asked
    st.multiselect(
        "Switch off heads of this layer, and see whether the answer depends on them", names, key="own_off",
        on_change=_off, placeholder="None is switched off",
    )  # fmt: skip
    if not asked:
        return
    try:
        output = own_passes.without(subject.example, path, [int(word) - 1 for word in asked])
    except AttnvizError as error:
        st.info(verbatim(str(error)))
        return
    after = answer_of(output, subject.net.classes)
    if after is not None:
        st.markdown(changed(before, after))


def changed(before: tuple[str, float], after: tuple[str, float]) -> str:
    """Return a Markdown sentence on the model's answer without some heads."""
    (first, was), (second, becomes) = before, after
    if first == second:
        then = "as before" if share(becomes) == share(was) else f"instead of {share(was)}"
        return f"The answer stays **{verbatim(first)}**, with {share(becomes)} {then}."
    return f"The answer changes from **{verbatim(first)}** ({share(was)}) to **{verbatim(second)}** ({share(becomes)})."


def _off() -> None:
    url_state.set_value(off=",".join(sorted(st.session_state["own_off"], key=int)) or None)


def _named(field: str) -> photos.Photo | None:
    word = st.query_params.get(field)
    if word is None:
        return None
    try:
        return photos.Photo(word)
    except BadInput as error:
        url_state.complain(str(error))
        return None


def _of_folder(field: str) -> None:
    url_state.set_value(**{field: st.session_state[f"own_{field}"]})


def _upload(field: str, key: str) -> None:
    file = st.session_state[key]
    if file is None:
        return
    try:
        url_state.set_value(**{field: photos.keep(file.getvalue()).word})
    except BadInput as error:
        st.session_state[f"own_{field}_refused"] = str(error)
