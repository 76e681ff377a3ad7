"""The palettes of maps on the screen, against OKLab computed apart from the colours of the theme."""

from typing import Literal

import numpy as np
import pytest

from tests.sweeps import sweep
from tests.ui.test_colours import TO_CONES, TO_LAB, Colour, lab, stops

from .conftest import NewPage, Serve
from .pads import MODULES, open_pad


def interpolate(*colours: str) -> Colour:
    """Return 255 colours, (255, 3) in 0..255, in straight lines of OKLab through `colours` at equal distances."""
    points = np.array([lab(colour) for colour in colours])
    at = np.linspace(0, len(points) - 1, 255)
    mixed = np.stack([np.interp(at, range(len(points)), points[:, part]) for part in range(3)], axis=1)
    light: Colour = np.clip((mixed @ np.linalg.inv(TO_LAB).T) ** 3 @ np.linalg.inv(TO_CONES).T, 0, 1)
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


@pytest.mark.parametrize("scheme", sweep(["light", "dark"], lambda scheme: scheme == "dark"))
def test_palettes_go_from_the_page_to_the_colours_of_the_theme(
    scheme: Literal["light", "dark"], kept_page: NewPage, serve: Serve
) -> None:
    page = open_pad(kept_page(color_scheme=scheme), f"{serve()}/draw")
    painted = page.locator("[data-component=drawing_pad]").evaluate(
        """async (root, folder) => {
          const { palettes, readTheme, TOP } = await import(new URL(`${folder}/core/colours.js`, document.baseURI));
          const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
          const made = Object.entries(palettes(readTheme(root)));
          return Object.fromEntries(made.map(([name, colours]) => [name, [...colours.slice(0, TOP + 1)].map(parts)]));
        }""",
        f"/{MODULES}",
    )
    more, less, below = (stops(scheme, name) for name in ("violet", "gray", "yellow"))
    expected = {
        "share": interpolate(*less[::-1], *more[1:]),
        "signed": interpolate(*below[::-1], *more[1:]),
        "positive": interpolate(*more),
    }
    for name, colours in expected.items():
        np.testing.assert_allclose(painted[name], colours, atol=1, err_msg=name)
