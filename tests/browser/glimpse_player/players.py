"""What the tests of the glimpse player share: what it shows, and what the model does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from playwright.sync_api import Locator, Page

from attnviz.answers import as_batch
from attnviz.data import samples
from attnviz.layers.glimpse import Glances
from attnviz.subjects import Picture, net
from attnviz.ui.shared import cache
from tests.ui.mechanisms.recurrent_attention.placed import SOURCE

from ..conftest import read_state, wait_for_state

NUMBER = int(samples.read(SOURCE).numbers[3])
PICTURE = Picture(SOURCE, NUMBER)
Open = Callable[..., Page]


def find_player(page: Page) -> Locator:
    return page.locator(".st-key-glimpses .glimpse-player")


def read_player(page: Page) -> dict[str, Any]:
    return read_state(find_player(page))


def wait_for_player(page: Page, **fields: Any) -> dict[str, Any]:
    """Wait until the player shows this, and nothing is awaited; return all that it shows."""
    fields = {"pending": False, **fields}
    wait_for_state(
        page,
        ".glimpse-player",
        """(found, fields) => {
          const same = ([name, value]) => JSON.stringify(found[name]) === JSON.stringify(value);
          return Object.entries(fields).every(same);
        }""",
        fields,
    )
    return read_player(page)


def compute_path(name: str, draw: int | None = 0, forced: dict[int, tuple[float, float]] | None = None) -> Glances:
    """Return what the model does; `forced` are pixels, of which it looks at the middle."""
    model, its_net = cache.single(net(f"recurrent_attention.{name}"))
    image = PICTURE.taken_by(its_net)
    locations = None
    if forced:
        locations = torch.full((1, its_net.config["glimpses"], 2), torch.nan)
        for number, pixel in forced.items():
            for axis, place in enumerate(pixel):
                locations[0, number, axis] = (2 * place + 1) / image.shape[axis] - 1
    generator = None if draw is None else torch.Generator().manual_seed(draw)
    with torch.no_grad():
        return model.look(as_batch(image), generator=generator, locations=locations)


def assert_same_path(found: dict[str, Any], wanted: Glances) -> None:
    np.testing.assert_allclose(found["locations"], wanted.locations[0], atol=1e-6)
    np.testing.assert_allclose(found["beliefs"], wanted.logits[0].softmax(-1), atol=1e-6)


def read_canvas(locator: Locator, channel: int = 0) -> np.ndarray:
    """Return the red channel of a canvas, or another one, a number for each of its pixels."""
    values = locator.evaluate(
        """(canvas, channel) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const values = Array.from({ length: data.length / 4 }, (_, i) => data[4 * i + channel]);
          return [canvas.height, canvas.width, ...values];
        }""",
        channel,
    )
    return np.array(values[2:]).reshape(values[:2])
