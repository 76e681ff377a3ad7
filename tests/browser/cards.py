"""Reading the cards of the draw page in a browser, and what the library says of the same picture."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from playwright.sync_api import Locator, Page

from attnviz import cards, checkpoints
from attnviz.answers import probabilities
from attnviz.tracing import trace

from .models import ON_CARDS
from .pads import find_pad

ROOT = """() => [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)
  .map((root) => root.querySelector(".draw-cards")).find(Boolean)"""


def link_checkpoints(folder: Path, names: tuple[str, ...] = ON_CARDS) -> Path:
    """Make a folder with some of the committed checkpoints."""
    for name in names:
        (folder / name).symlink_to(cards.folder() / name)
    return folder


def find_cards(page: Page) -> Locator:
    """Return the grid of cards."""
    return find_pad(page).locator(".draw-cards")


def find_card(page: Page, name: str) -> Locator:
    """Return the card of a model."""
    return find_cards(page).locator(f'[data-checkpoint="{name}"]')


def wait_for_answers(page: Page) -> dict[str, dict[str, Any]]:
    """Wait until all that was asked has been answered and said, and return what each card shows, by model."""
    page.wait_for_function(
        f"""() => {{
          const root = ({ROOT})();
          return root && Number(root.dataset.settled) === root.readCards().turn;
        }}"""
    )
    return read_cards(page)


def read_cards(page: Page) -> dict[str, dict[str, Any]]:
    """Return what each card shows now, by model."""
    found = page.evaluate(f"() => ({ROOT})().readCards()")
    return {one["checkpoint"]: one for one in found["cards"]}


def format_percent(part: float) -> str:
    """Return a part of one in the words of the panels, `percent` in frontend/core/numbers.js."""
    if 0.99995 < part < 1 - 2**-25:
        return "> 99.99 %"
    if 0 < part < 0.00005:
        return "< 0.01 %"
    return f"{100 * part:.{2 if part > 0.9995 or part < 0.0005 else 1}f} %"


def compute_answer(name: str, picture: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a model says of a picture, uint8 (28, 28), in double precision: logits, probabilities, and weights.

    weights: (head, query, key), spelled out, where there is attention.
    """
    model = checkpoints.load(name).model.double()
    batch = torch.from_numpy(picture[None, None] / 255.0)
    if not name.startswith("pixel_attention"):
        logits = model(batch)
        return {"logits": logits[0].numpy(), "probabilities": probabilities(logits)[0].numpy()}
    with torch.no_grad(), trace(model, "attention.weights") as seen:
        logits = model(batch)
    return {
        "logits": logits[0].numpy(),
        "probabilities": probabilities(logits)[0].numpy(),
        "weights": seen["attention.weights"].at(batch=0).numpy(),
    }


def assert_equals_library(found: dict[str, Any], picture: np.ndarray) -> None:
    """Hold a card's numbers against the library's, worked out apart, on the picture that it should have seen."""
    np.testing.assert_array_equal(np.array(found["seen"]).reshape(28, 28), picture)
    name = found["checkpoint"]
    expected = compute_answer(name, picture)
    np.testing.assert_allclose(found["probabilities"], expected["probabilities"], atol=1e-4)
    np.testing.assert_allclose(found["logits"], expected["logits"], atol=1e-3, rtol=1e-4)
    assert found["answer"] == cards.read(name).classes[int(np.argmax(expected["probabilities"]))]
    if "weights" in expected:
        weights = expected["weights"][found["head"]]  # (query, key)
        side = round(len(weights) ** 0.5)
        boxes = picture.reshape(side, 28 // side, side, 28 // side).max((1, 3)).flatten() > 0
        mean = weights[boxes if boxes.any() else slice(None)].mean(0) * len(weights)
        np.testing.assert_allclose(found["map"], mean, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(np.exp(found["painted"]), found["map"], rtol=1e-6)
    elif found["map"] is not None:
        np.testing.assert_allclose(found["map"], compute_contributions(name, picture), atol=1e-4)
        np.testing.assert_allclose(found["painted"], found["map"], rtol=1e-6)


def compute_contributions(name: str, picture: np.ndarray) -> np.ndarray:
    """Return what each pixel adds to the answer: the picture of this pixel alone, less the blank one."""
    model = checkpoints.load(name).model.double()
    pictures = np.zeros((785, 784))
    pictures[range(784), range(784)] = picture.flatten()
    logits = model(torch.from_numpy(pictures.reshape(-1, 1, 28, 28) / 255.0)).numpy()
    answer = compute_answer(name, picture)["logits"].argmax()
    toward = logits[:, answer] - logits.mean(1)
    return toward[:784] - toward[784]
