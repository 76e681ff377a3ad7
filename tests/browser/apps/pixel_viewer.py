"""The viewer alone on a page: models made of random numbers, chosen by the URL.

Parameters: heads, size, rows, columns, prefix, features, kind (plain, sum, nan, photo), and the view itself. What has
settled is written below. Of the kind "sum" the answer is a sum over pairs, with a pair of almost no weight.
"""

import json

import numpy as np
import streamlit as st

from attnviz.ui.components.pixel_viewer import pixel_viewer, settled_view
from attnviz.views.attention import FIELDS, AttentionView


def make_view(
    heads: int = 3,
    size: int = 4,
    rows: int = 5,
    columns: int = 7,
    prefix: int = 0,
    features: int = 1,
    kind: str = "plain",
    seed: int = 7,
) -> AttentionView:
    """Make a view of a random attention layer with positions: no two of its weights agree."""
    random = np.random.default_rng(seed)
    tokens = prefix + rows * columns
    row, column = np.mgrid[0:rows, 0:columns]
    radius = np.hypot((row - rows / 2 + 0.5) / rows, (column - columns / 2 + 0.5) / columns)
    picture = np.clip(1.3 - 9 * np.abs(radius - 0.27), 0, 1)
    query, key, value = random.normal(size=(3, heads, tokens, size))
    ink = np.concatenate([np.zeros(prefix), picture.ravel()])
    key = key * 0.6 + ink[None, :, None] * random.normal(size=(heads, 1, size)) * 1.5
    if kind == "nan":
        key[0, 3] = np.nan
        key[0, 5] = np.inf
    if kind == "sum":
        key[:, -1] -= 40 * query[:, 0]  # the first query gives the last key almost nothing
    scores = query @ key.swapaxes(1, 2) / np.sqrt(size)
    with np.errstate(invalid="ignore", over="ignore"):
        log_normaliser = np.log(np.nansum(np.exp(np.where(np.isfinite(scores), scores, -np.inf)), axis=-1))
        weights = np.exp(scores - log_normaliser[..., None])
    carried = value @ random.normal(size=size)
    projection, readout = random.normal(size=(features, heads, size)), random.normal(size=(tokens, features))
    worth = np.einsum("fhs,hks,qf->hqk", projection, value, readout)
    of_heads = np.nansum(weights * worth, axis=(1, 2))
    read = (projection, readout, of_heads, float(of_heads.sum()) + 0.5) if kind == "sum" else (None,) * 4
    probabilities = np.full(10, 0.005 / 9)
    probabilities[8] = 0.995
    return AttentionView(
        picture=picture,
        query=query,
        key=key,
        value=value,
        log_normaliser=log_normaliser,
        carried=carried,
        carried_signed=True,
        received=weights.mean(axis=1),
        output=random.normal(size=(tokens, features)),
        rows=rows,
        columns=columns,
        prefix=prefix,
        classes=tuple("0123456789"),
        probabilities=probabilities,
        label="8",
        origin={"attnviz": "0.1.0", "model": "random", "seed": seed, "image": 'ring <1> & "2"'},
        ink=kind != "photo",
        projection=read[0],
        readout=read[1],
        of_heads=read[2],
        logit=read[3],
        background=random.integers(0, 255, (4 * rows, 4 * columns, 3)).astype(np.uint8) if kind == "photo" else None,
    )


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    words = st.query_params.to_dict()
    numbers = {
        name: int(words[name])
        for name in ("heads", "size", "rows", "columns", "prefix", "features", "seed")
        if name in words
    }
    view = make_view(**numbers, kind=words.get("kind", "plain"))

    def settle() -> None:
        # At once: each write of its own would be an entry of its own in the browser's history.
        written = {**words, **FIELDS.write(settled_view("viewer") or {})}
        st.query_params.from_dict({name: word for name, word in written.items() if word is not None})

    result = pixel_viewer(view, key="viewer", state=FIELDS.read(words), on_change=settle)
    st.code(json.dumps(result, separators=(",", ":")))


if __name__ == "__main__":
    main()
