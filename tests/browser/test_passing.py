"""From what one looks at in a straight line to the words about it: on arrival they still speak of the same."""

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from .conftest import COMPONENTS, Serve, Visit, read_state, wait_until_ready
from .ways import Hand, Point

WAYS = 4
SCORE = ".pair .step.score .name"


def find_point(part: Locator, across: float, down: float) -> Point:
    """Return a place in the window: so far across and down a part, from 0 to 1."""
    box = part.bounding_box()
    assert box
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def assert_kept(page: Page, component: Locator, maps: str, words: str, fields: tuple[str, ...]) -> None:
    """Assert that what is looked at is the same after straight ways from several places on a map to the words."""
    random, hand = np.random.default_rng(38), Hand(page)
    source, target = component.locator(maps).first, component.locator(words).first
    seen = set()
    for _ in range(WAYS):
        hand.go(find_point(source, *random.uniform(0.05, 0.6, 2)), 0.3)
        hand.rest()
        before = read_state(component)
        hand.go(find_point(target, 0.5, 0.5), random.uniform(0.3, 0.9))
        wait_until_ready(page)
        after = read_state(component)
        assert [after[name] for name in fields] == [before[name] for name in fields]
        seen.add(str([before[name] for name in fields]))
    assert len(seen) > 1, "the ways began in several places"


@pytest.mark.parametrize("words", ["rows=28&columns=28", "rows=8&columns=8&heads=1"])
def test_a_pair_survives_the_way_to_its_score(serve: Serve, visit: Visit, words: str) -> None:
    page = visit(f"{serve(COMPONENTS)}/pixel_viewer?{words}", ".viewer[data-drawn]")
    assert_kept(page, page.locator(".viewer"), ".board.picture canvas", SCORE, ("query", "key", "score"))
    assert_kept(page, page.locator(".viewer"), ".board.large canvas", SCORE, ("query", "key", "score"))


def test_a_pixel_survives_the_way_to_its_stages_in_words(serve: Serve, visit: Visit) -> None:
    page = visit(f"{serve(COMPONENTS)}/stage_grid?net=grey", ".stage-grid[data-drawn]")
    fields = ("pixel", "layer", "steps")
    assert_kept(page, page.locator(".stage-grid"), ".board.picture canvas", ".pixel-steps .big", fields)
    assert_kept(page, page.locator(".stage-grid"), ".stage-wall .tile .frame", ".pixel-steps .big", fields)


def test_a_cell_survives_the_way_across_other_maps(serve: Serve, visit: Visit) -> None:
    page = visit(f"{serve(COMPONENTS)}/map_grid?kind=signed", ".map-grid[data-drawn]")
    component = page.locator(".map-grid")
    fields: tuple[str, ...] = ("cell", "values", "tile")
    assert_kept(page, component, ".wall .tile .frame", ".legend", fields)


def test_a_cell_of_a_stage_survives_the_way_to_its_legend(serve: Serve, visit: Visit) -> None:
    page = visit(f"{serve()}/cnn_attention?v=2&experiment=computed")
    stages = page.locator(".stage-maps[data-drawn]")
    stages.wait_for()
    wait_until_ready(page)
    stages.evaluate("(root) => root.scrollIntoView()")
    wait_until_ready(page)
    assert_kept(page, stages, ".stage-wall .tile:nth-child(2) .frame", ".legend", ("tile", "token", "values"))
