"""A choice of what is shown changes the maps and the words, and moves nothing else."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import COMPONENTS, NewPage, Serve, Visit, wait_until_ready, walk
from .models import TEN_DIGITS

WIDTHS = (1280, 375)
PARTS = (
    ".controls, fieldset, .head-part, .pair, .wall-part, .more-maps, .stages-part, .pixel-steps, .what-if, .inside-part"
)
PLACES = """(root, parts) => {
  const from = root.getBoundingClientRect();
  const shown = [...root.querySelectorAll(parts)].filter((part) => part.getClientRects().length);
  return [["bottom", 0, Math.round(from.height)], ...shown.map((part) => {
    const box = part.getBoundingClientRect();
    return [part.className || part.textContent, Math.round(box.left - from.left), Math.round(box.top - from.top)];
  })];
}"""


def find_places(component: Locator) -> list[Any]:
    """Return where each part of a component begins, in CSS pixels, and where the component ends."""
    wait_until_ready(component.page)
    return list(component.evaluate(PLACES, PARTS))


def choose(component: Locator, title: str, which: str) -> None:
    group = component.locator("fieldset").filter(has=component.page.locator("legend", has_text=title))
    group.get_by_text(which, exact=True).click()
    expect(group.get_by_role("radio", name=which, exact=True)).to_be_checked()


@pytest.mark.parametrize("width", WIDTHS)
def test_what_the_maps_of_heads_show_moves_nothing(serve: Serve, kept_page: NewPage, width: int) -> None:
    page: Page = kept_page(viewport={"width": width, "height": 720})
    walk(page, f"{serve()}/pixel_attention?v=2&data=strokes&number=3&model={TEN_DIGITS}")
    viewer = page.locator(".viewer[data-drawn]")
    viewer.wait_for()
    before = find_places(viewer)
    assert {"controls", "head-part", "pair", "wall-part"} <= {name for name, *_ in before}
    for title, which in (
        ("Show", "Scores"),
        ("Show", "Weight × value"),
        ("Scale", "This map"),
        ("Show", "Weights"),
        ("Direction", "Received from all"),
        ("Direction", "Takes from"),
    ):
        choose(viewer, title, which)
        assert find_places(viewer) == before, which
    choose(viewer, "Map", "Jacobian")
    expect(viewer.locator(".jacobian [data-component=map_grid][data-drawn]")).to_be_visible()
    assert find_places(viewer) == before
    choose(viewer, "Map", "Attention")
    expect(viewer.locator(".board.large")).to_be_visible()
    assert find_places(viewer) == before


@pytest.mark.parametrize("width", WIDTHS)
def test_what_the_stages_show_moves_nothing(serve: Serve, visit: Visit, width: int) -> None:
    page = visit(
        f"{serve(COMPONENTS)}/stage_grid?net=colour",
        ".stage-grid[data-drawn]",
        viewport={"width": width, "height": 720},
    )
    grid = page.locator(".stage-grid")
    before = find_places(grid)
    assert {"controls", "pixel-steps", "what-if"} <= {name for name, *_ in before}
    for title, which in (("Shown", "Red"), ("Scale", "All maps"), ("Shown", "Colour"), ("Scale", "This map")):
        choose(grid, title, which)
        assert find_places(grid) == before, which
