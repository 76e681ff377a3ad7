"""The output of the attention for several pictures: the paper's figures 6 and 11."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from attnviz import data
from attnviz.cards import Card
from attnviz.ui.components.map_grid import chosen_map, map_grid
from attnviz.ui.shared import cache, pickers, url_state
from attnviz.ui.shared.wording import short

if TYPE_CHECKING:
    from attnviz.checkpoints import Checkpoint

TITLE = "What does attention turn a picture into?"
TEACHES = "The layer's output for seven pictures, as the paper shows it."
WORDS = ("feature",)

COUNT = 7  # as many as the paper's figures 6 and 11 show
LAYER = "attention"
PICTURES, OUTPUTS = "outputs_pictures", "outputs_maps"  # the keys of the grids

Array = npt.NDArray[np.float64]


def refusal(card: Card) -> str | None:
    """Return why this model cannot answer it; None where it can."""
    return None


def show(card: Card, picture: pickers.Picture) -> None:
    """Draw the pictures with the output of the attention below each, and explain it."""
    source = pickers.tests(card, picture)
    numbers = fitting(card, source)
    pictures = np.stack([cache.seen(card, source, number).mean(2) / 255 for number in numbers])
    found = cache.computed(outputs, card, source, numbers)  # (picture, feature, row, column)
    count = found.shape[1]
    feature = choose_feature(count)
    maps = found[:, feature - 1]
    names = [cache.picture(source, number)[1] for number in numbers]
    labels = [f"{name} ({number})" for name, number in zip(names, numbers, strict=True)]
    origin: dict[str, str | int | float] = {
        "model": card.recipe.model, "recipe": card.recipe.name, "seed": card.seed, "digest": card.weights_digest,
        "images": f"{source}/test", "address": f"{LAYER}.output", "feature": feature,
    }  # fmt: skip
    chosen = numbers.index(picture.number) if source == picture.source and picture.number in numbers else None
    map_grid(
        pictures, labels, key=PICTURES, role="ink", title="Pictures", chosen=chosen, origin=origin,
        on_change=lambda: open_picture(PICTURES, numbers, source),
    )  # fmt: skip
    map_grid(
        maps, labels, key=OUTPUTS, title="Output of the attention" + (f", feature {feature}" if count > 1 else ""),
        picture=pictures, chosen=chosen, origin=origin,
        on_change=lambda: open_picture(OUTPUTS, numbers, source),
    )  # fmt: skip
    st.caption("Below each map are what the picture shows and its number. A click opens it in the viewer above.")
    st.markdown(means(card, maps, pictures, count))


def choose_feature(count: int) -> int:
    """Draw the choice of a feature, from 1, where the output has several numbers per token."""
    if count == 1:
        return 1
    words = [str(number) for number in range(1, count + 1)]
    chosen = int(url_state.choice("feature", words, "1"))
    st.session_state["feature"] = chosen  # the widget holds a number
    st.number_input(
        f"Feature, of {count}", 1, count, key="feature", width=160, on_change=url_state.keep, args=("feature",)
    )
    return chosen


def open_picture(key: str, numbers: tuple[int, ...], source: str) -> None:
    """Put the picture whose tile was chosen into the URL; a cell that was locked chooses none."""
    chosen = chosen_map(key)
    if chosen is not None and chosen != st.session_state.get(f"{key}.opened"):
        st.session_state[f"{key}.opened"] = chosen
        url_state.set_value(number=numbers[chosen], data=source, drawing=None)


def fitting(card: Card, source: str) -> tuple[int, ...]:
    """Return the places of the first test pictures that fit, in the order of the classes: 8 1 8 1 8 1 8."""
    shown, classes = data.shown(source), card.recipe.classes
    of_class = {label: shown.numbers[shown.labels == label] for label in classes}
    order = [(classes[at % len(classes)], at // len(classes)) for at in range(COUNT)]
    return tuple(int(of_class[label][turn]) for label, turn in order)


def outputs(checkpoint: "Checkpoint", source: str, numbers: tuple[int, ...]) -> Array:
    """Return the output of the attention: (picture, feature, row, column).

    Where a token is a patch of pixels, its features are laid out as those pixels.
    """
    import torch
    from torch.nn.functional import pixel_shuffle

    from attnviz.answers import as_batch
    from attnviz.tracing import trace

    model, address_of = checkpoint.model, f"{LAYER}.output"
    batch = torch.cat([as_batch(cache.seen(checkpoint.card, source, number), double=True) for number in numbers])
    with torch.no_grad(), trace(model, [address_of]) as seen:
        model(batch)
    reading = seen[address_of]  # (batch, token, feature)
    assert reading.grid is not None, "the attention of every model of pictures says where its tokens lie"
    maps = reading.tensor[:, reading.grid.prefix :].mT.unflatten(2, (reading.grid.rows, reading.grid.columns))
    patch = checkpoint.card.config.get("patch", 1)
    found: Array = (pixel_shuffle(maps[:, : patch**2], patch) if patch > 1 else maps).numpy()
    return found


def means(card: Card, maps: Array, pictures: Array, count: int) -> str:
    """Return what the maps mean, how similar each is to its picture, and what they do not show."""
    size = pictures.shape[1] // maps.shape[1]
    seen = pictures.reshape(len(maps), maps.shape[1], size, maps.shape[2], size).mean((2, 4))
    alike = [float(np.corrcoef(one.ravel(), other.ravel())[0, 1]) for one, other in zip(maps, seen, strict=True)
             if np.ptp(one) > 0 and np.ptp(other) > 0]  # fmt: skip
    if not alike:
        said = "The output is the same everywhere: nothing is left of the picture."
    else:
        said = (
            "Correlation of output and picture, pixel by pixel: "
            f"**{short(min(alike), 2)} to {short(max(alike), 2)}** over {len(alike)} pictures (1: the output is the "
            "picture itself, −1: its negative)."
        )
    if card.config.get("positions"):
        what = (
            f"A token goes in as {count} numbers, first the intensity, then the position code, and comes out as "
            "as many. Feature 1 is where the intensity was, but the layer may put anything there, and the "
            "classifier reads all of them."
        )
    elif card.config.get("patch", 1) > 1:
        what = (
            "The picture goes in as one token and comes out as one: its numbers are arranged here like the pixels. "
            "With one token the attention is the constant 1, so this is a linear map of the picture."
        )
    else:
        what = (
            "A pixel goes in as one number, its intensity, and comes out as one. Without positions, pixels of the same "
            "intensity come out the same: each map is its picture with other grey levels, and nothing else can appear."
        )
    return (
        f"{said} {what} The maps do not show how much a pixel counts for the answer: the classifier weights each one."
    )
