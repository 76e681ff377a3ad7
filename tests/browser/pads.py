"""Opening the pad in a browser, drawing on it, and reading off what is drawn."""

import base64
import json
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page

from .conftest import open_at, read_state, wait_for_state

MODULES = "_stcore/bidi-components/attnviz.drawing_pad"
SIDE = 280
PEN = 20  # its width, unless another is chosen
EIGHT = [(140, 60), (100, 90), (140, 130), (180, 90), (140, 60)]


def find_pad(page: Page) -> Locator:
    """Return the component."""
    return page.locator("[data-component=drawing_pad]")


def find_sheet(page: Page) -> Locator:
    """Return what is drawn on."""
    return find_pad(page).locator(".sheet")


def open_pad(page: Page, address: str) -> Page:
    """Load a page with a pad, which in a page that stays open would still have what was drawn last."""
    return open_at(page, address, "[data-component=drawing_pad][data-drawn]")


def read_raster(page: Page) -> np.ndarray:
    """Return what is drawn, uint8 (280, 280)."""
    written = find_pad(page).evaluate("(root) => btoa(String.fromCharCode(...root.readRaster().subarray(0, 39200)))")
    rest = find_pad(page).evaluate("(root) => btoa(String.fromCharCode(...root.readRaster().subarray(39200)))")
    found = np.frombuffer(base64.b64decode(written) + base64.b64decode(rest), np.uint8)
    return found.reshape(SIDE, SIDE)


def read_pad(page: Page) -> dict[str, Any]:
    """Return what the component says of itself."""
    return read_state(find_pad(page))


def wait_for(page: Page, **wanted: Any) -> dict[str, Any]:
    """Wait until the component says this of itself: strokes, base, empty, centred."""
    same = "(found, wanted) => Object.entries(wanted).every(([name, value]) => found[name] === value)"
    wait_for_state(page, "[data-component=drawing_pad]", same, wanted)
    return read_pad(page)


def locate(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where a place of the canvas of 280 x 280 lies in the window."""
    return locate_all(page, (x, y))[0]


def locate_all(page: Page, *points: tuple[float, float]) -> list[tuple[float, float]]:
    """Return where places of the canvas of 280 x 280 lie in the window."""
    # Not only into view: at the top of the window Streamlit's own head lies over the page.
    left, top, width, height = find_sheet(page).evaluate(
        """(sheet) => {
          sheet.scrollIntoView({ block: "center", behavior: "instant" });
          const { x, y, width, height } = sheet.getBoundingClientRect();
          return [x, y, width, height];
        }"""
    )
    return [(left + x * width / SIDE, top + y * height / SIDE) for x, y in points]


def draw_stroke(page: Page, *points: tuple[float, float], steps: int = 8) -> None:
    """Draw through places of the canvas with the mouse, and wait until the stroke is there."""
    before = find_pad(page).evaluate("(root) => root.readDrawing().strokes.length")
    first, *rest = locate_all(page, *points)
    page.mouse.move(*first)
    page.mouse.down()
    for place in rest:
        page.mouse.move(*place, steps=steps)
    page.mouse.up()
    wait_for(page, strokes=before + 1)


def press(page: Page, *keys: str) -> None:
    """Press keys on the sheet."""
    find_sheet(page).focus()
    for key in keys:
        page.keyboard.press(key)


def read_announcement(page: Page) -> str:
    """Return what was said to those who cannot see."""
    return find_pad(page).locator("[aria-live]").last.text_content() or ""


def read_python(page: Page) -> dict[str, Any]:
    """Return what Python knows."""
    return json.loads(page.locator("code").text_content() or "{}")


def find_button(page: Page, name: str) -> Locator:
    """Return the button of that name."""
    return find_pad(page).get_by_role("button", name=name, exact=True)
