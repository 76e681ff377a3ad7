"""A model of the visitor's own in the explorer: a photograph, a layer, its maps, and what was captured and refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from attnviz import data
from attnviz.errors import AttnvizError, BadInput
from attnviz.subjects import Example, Net, Picture, Subject, own, photos
from attnviz.subjects.example import Bytes
from attnviz.subjects.own import ARCHITECTURE
from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.ui.shared import mechanism_page, page, url_state
from attnviz.ui.shared.visitor import camera_refusal
from attnviz.ui.shared.wording import share, verbatim
from attnviz.views.attention import FIELDS

if TYPE_CHECKING:
    from torch import Tensor

    from attnviz.listening import Trace
    from attnviz.views.attention import LayerView

VIEWER = "own_layer"
SAMPLE = "cifar10"
FILE = "PNG, JPEG, WebP, BMP or GIF, up to 20 MB"
READS = (
    "Move over the picture: the maps show what the token under the pointer takes from every other token. A click keeps "
    "it. What you see is the model's input, after its own cropping and normalisation."
)
NOT = (
    "Attention weights show where a layer takes information from. They do not show by themselves what the model's "
    "answer depends on."
)

_last: dict[tuple[str, tuple[int, ...], bytes], Trace] = {}
_one_at_a_time = Lock()


def is_own(net: Net) -> bool:
    """Return whether a net is a model of the visitor's own."""
    return net.architecture == ARCHITECTURE


def choose() -> Example:
    """Draw the choice of a photograph, from the folder or from a file or camera of the visitor's, and return it."""
    there, sample = [*photos.in_folder()], _sample()
    named = _named()
    if there:
        begins = named.word if isinstance(named, photos.Photo) and named.word in there else None
        chosen = st.selectbox(
            "Photograph", there, index=there.index(begins) if begins else None if named else 0,
            placeholder="your own", key="own_photo", width=220, on_change=_of_folder,
        )  # fmt: skip
        sample = photos.Photo(chosen or there[0])
    with st.popover("Your own photograph"):
        st.file_uploader(FILE, key="own_file", on_change=_upload)
        if refusal := camera_refusal(st.context.url, "Browse files"):
            st.caption(verbatim(refusal))
        elif st.toggle("Take one with the camera", key="own_camera_on"):
            st.camera_input("Take a photograph", key="own_camera", on_change=_upload, args=("own_camera",))
    if refused := st.session_state.pop("own_refused", ""):
        url_state.complain(refused)
    return named or sample


def show(subject: Subject) -> None:
    """Draw the layer that is chosen, and what was captured of the whole model."""
    st.caption("Photographs stay on the machine that runs this app.")
    try:
        seen = passed(subject.example)
    except AttnvizError as error:
        st.info(verbatim(str(error)))
        return
    calls = [key for key, call in seen.captured.calls.items() if not call.refused]
    if calls:
        _layer(subject, seen, calls)
    else:
        st.info("This model has no attention that can be captured. The report says what it has.")
    with st.expander("What was captured, and what was refused", expanded=not calls):
        st.code(seen.report(), language=None)
    page.meaning(READS, NOT)


def _layer(subject: Subject, seen: Trace, calls: list[str]) -> None:
    chosen = url_state.choice("address", calls, calls[0], "layer")
    titles = {key: f"{number}: {key or 'the model itself'}" for number, key in enumerate(calls)}
    st.selectbox(
        "Layer", calls, key="address", format_func=titles.__getitem__, on_change=url_state.keep, args=("address",),
        kwargs={"clears": ("off",)},
    )  # fmt: skip
    try:
        view = view_of(seen, chosen, subject)
    except BadInput as error:
        st.info(verbatim(str(error)))
        return
    keep = mechanism_page.keep(FIELDS, settled_view, VIEWER)
    pixel_viewer(view, key=VIEWER, state=FIELDS.read(st.query_params.to_dict()), on_change=keep)
    _heads_off(subject, seen, chosen, view.heads)


def _heads_off(subject: Subject, seen: Trace, path: str, heads: int) -> None:
    """Draw the choice of heads to switch off, and what the model answers without them."""
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
        after = answer_of(without(subject.example, path, [int(word) - 1 for word in asked]), subject.net.classes)
    except AttnvizError as error:
        st.info(verbatim(str(error)))
        return
    if after is not None:
        st.markdown(changed(before, after))


def changed(before: tuple[str, float], after: tuple[str, float]) -> str:
    """Return in Markdown what the model answers without some heads."""
    (first, was), (second, becomes) = before, after
    if first == second:
        return f"The answer stays **{verbatim(first)}**, with {share(becomes)} instead of {share(was)}."
    return f"The answer changes from **{verbatim(first)}** ({share(was)}) to **{verbatim(second)}** ({share(becomes)})."


def _off() -> None:
    url_state.set_value(off=",".join(sorted(st.session_state["own_off"], key=int)) or None)


def passed(example: Example) -> Trace:
    """Return everything that was captured while the model looked at an example.

    The last pass is kept, so that another layer of it needs none.

    Raises:
        TraceError: nothing was captured; names the modules that look like attention.
        BadInput: the preprocessing or the model does not take the picture.
    """
    from attnviz.capture.watching import watch

    mine, picture = own.own(), example.picture
    key = mine.net.key, picture.shape, picture.tobytes()
    with _one_at_a_time:
        if key not in _last:
            with _sentences(mine):
                seen = watch(mine.model)(_batch(mine, picture))
            _last.clear()
            _last[key] = seen
        return _last[key]


def without(example: Example, path: str, heads: Sequence[int]) -> Any:
    """Return the model's output with some heads of a layer switched off.

    Args:
        path: of the module that attends.
        heads: their numbers from 0.

    Raises:
        TraceError: the edit cannot be made exactly.
    """
    import torch

    from attnviz import edits
    from attnviz.tracing import trace

    mine, tap = own.own(), f"{path}.mixed".removeprefix(".")
    off = [edits.off(tap, head=head) for head in heads]
    with _one_at_a_time, _sentences(mine), torch.no_grad(), trace(mine.model, [tap], off, capture=True):
        return mine.model(_batch(mine, example.picture))


def answer_of(output: Any, classes: Sequence[str]) -> tuple[str, float] | None:
    """Return the most probable class and its probability; None where the output is no logits (picture, class)."""
    logits = getattr(output, "logits", output)
    if getattr(logits, "ndim", 0) != 2 or logits.shape[1] < 2:
        return None
    found = logits[0].double().softmax(0)
    best = int(found.argmax())
    return classes[best] if len(classes) == len(found) else f"class {best}", float(found[best])


def _batch(mine: own.Own, picture: Bytes) -> Tensor:
    from PIL import Image

    pixels = picture if picture.shape[2] == 3 else np.repeat(picture[..., :1], 3, 2)
    return mine.loaded.batch(Image.fromarray(pixels))


@contextmanager
def _sentences(mine: own.Own) -> Iterator[None]:
    """Turn whatever code that is not ours raises into one sentence."""
    try:
        yield
    except AttnvizError:
        raise
    except Exception as error:
        raise BadInput(f"{mine.net.title} does not take this picture: {type(error).__name__}: {error}") from error


def view_of(seen: Trace, path: str, subject: Subject) -> LayerView:
    """Return what the viewer shows of one layer.

    Args:
        seen: from `passed`.
        path: of the module that attends.
        subject: the net and the example, for the names of the answers and the origin.

    Raises:
        BadInput: it cannot be drawn; the sentence says why.
    """
    from dataclasses import replace

    from attnviz.figures.captured import views_of

    if seen.captured.calls[path].layout.size("window") > 1:  # said before the long search for where its tokens lie
        raise BadInput(f"{path} attends within windows, which is not drawn yet. Choose another layer.")
    logits = getattr(seen.output, "logits", seen.output)
    count = logits.shape[1] if getattr(logits, "ndim", 0) == 2 else 0
    names = subject.net.classes if len(subject.net.classes) == count else [f"class {one}" for one in range(count)]
    view = views_of(seen, [path], None, names or None, 0, None)[path]
    return replace(view, origin={**view.origin, **subject.origin(path)})


def _sample() -> Example:
    return Picture(SAMPLE, int(data.shown(SAMPLE).numbers[0]))


def _named() -> photos.Photo | None:
    word = st.query_params.get("photo")
    if word is None:
        return None
    try:
        return photos.Photo(word)
    except BadInput as error:
        url_state.complain(str(error))
        return None


def _of_folder() -> None:
    url_state.set_value(photo=st.session_state["own_photo"])


def _upload(key: str = "own_file") -> None:
    file = st.session_state[key]
    if file is None:
        return
    try:
        url_state.set_value(photo=photos.keep(file.getvalue()).word)
    except BadInput as error:
        st.session_state["own_refused"] = str(error)
