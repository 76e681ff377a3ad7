"""Whoever goes through a page with the keyboard sees where they are: the focus has a frame of 2 pixels everywhere."""

import pytest
from playwright.sync_api import Page

from .conftest import Serve, walk

# The element that has the focus, through shadow trees, and the widest outline on it or on what frames it.
FOCUSED = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  let widest = 0;
  for (let around = focused, i = 0; around && i < 5; around = around.parentElement, i += 1) {
    const { outlineStyle, outlineWidth } = getComputedStyle(around);
    if (outlineStyle !== "none") widest = Math.max(widest, parseFloat(outlineWidth));
  }
  const page = focused === document.body;
  return { page, widest, which: `${focused.tagName} ${focused.textContent.slice(0, 40)} ${focused.className}` };
}"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["", "draw", "pixel_attention", "element_wise", "recurrent_attention", "cnn_attention", "explorer"]
)
def test_the_focus_is_seen_on_every_link_and_control(page: Page, serve: Serve, path: str) -> None:
    walk(page, f"{serve()}/{path}", "h1")
    page.locator("[data-component][data-drawn], .map-grid[data-drawn]").first.wait_for()
    bare = []
    for _ in range(45):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if not found["page"] and found["widest"] < 2:
            bare.append(found["which"])
    assert bare == []
