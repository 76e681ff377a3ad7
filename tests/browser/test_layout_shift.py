"""Nothing moves while a page comes over a slow line: the layout shift of every page, as Chromium measures it."""

import pytest

from .conftest import NewPage, Serve, wait_until_ready
from .harness import throttle

MOST = 0.1  # which counts as good
SHOWN = {
    "": "[data-component=pixel_viewer][data-drawn]",
    "draw": "[data-component=drawing_pad][data-drawn]",
    "pixel_attention": "[data-component=pixel_viewer][data-drawn]",
    "explorer": ".map-grid[data-drawn]",
    "element_wise": "[data-component=stage_grid][data-drawn]",
    "recurrent_attention": "[data-component=glimpse_player][data-drawn]",
    "cnn_attention": "[data-component=pixel_viewer][data-drawn]",
    "channel_attention": "[data-component=gates][data-drawn]",
    "results": ".dots",
    "paper": "[data-component=pixel_viewer][data-drawn]",
}
WATCH = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", SHOWN)
def test_what_is_there_stays_in_its_place(new_page: NewPage, serve: Serve, path: str) -> None:
    pages = {width: new_page(viewport={"width": width, "height": 720}) for width in (1280, 375)}
    for page in pages.values():  # side by side, as nearly all of the time is the line's
        throttle(page)
        page.add_init_script(WATCH)
        page.goto(f"{serve()}/{path}", wait_until="commit")
    for page in pages.values():
        wait_until_ready(page)
        page.locator(SHOWN[path]).first.wait_for()
        page.locator("h1").wait_for()
        wait_until_ready(page)
    shifts = {width: page.evaluate("shift") for width, page in pages.items()}
    assert {width: shift for width, shift in shifts.items() if shift >= MOST} == {}
