"""Hands, keys and fingers on the glimpses of a path, and what is answered while they move."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect

from attnviz.answers import as_batch
from attnviz.subjects import net
from attnviz.ui.shared import cache

from ..conftest import find_violations, wait_for_state
from ..held import Held
from .players import (
    PICTURE,
    Open,
    assert_same_path,
    compute_path,
    find_player,
    read_canvas,
    read_player,
    wait_for_player,
)

PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}


def hold_answers(page: Page) -> Held:
    """Hold back what the live channel answers from now on; it must not have been asked before."""
    answers = Held()
    answers.holding = True
    answers.route(page)
    return answers


def test_a_glimpse_is_dragged_and_the_rest_of_the_path_follows(opened: Open) -> None:
    page = opened("wide", "&glimpse=2")
    own = compute_path("wide")
    assert_same_path(wait_for_player(page), own)
    mark = find_player(page).locator(".mark.now .grip").bounding_box()
    scene = find_player(page).locator(".scene svg")
    assert mark
    x, y = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
    pixel = json.loads(scene.evaluate("(svg) => JSON.stringify(svg.getScreenCTM().a)"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 3 * pixel, y + 4 * pixel, steps=3)
    page.mouse.move(x - 6 * pixel, y + 9 * pixel, steps=3)
    moved = read_player(page)["moved"]
    assert moved, "the box has followed at once"
    page.mouse.up()
    [[which, row, column]] = read_player(page)["moved"]
    assert which == 1
    found = wait_for_player(page, moved=[[1, row, column]])
    wanted = compute_path("wide", forced={1: (row, column)})
    assert_same_path(found, wanted)
    assert found["boxes"][1][0][:2] == [row - 2, column - 2]
    np.testing.assert_array_equal(found["beliefs"][0], read_player(page)["beliefs"][0])
    assert not np.allclose(wanted.logits[0, 2], own.logits[0, 2]), "it makes a difference"
    expect(find_player(page).locator(".change-words")).to_contain_text("On its own path it would have answered")
    page.wait_for_url(f"**moved=2.{row + 1}.{column + 1}**")
    page.reload()
    assert_same_path(wait_for_player(page, moved=[[1, row, column]]), wanted)
    find_player(page).get_by_role("button", name="Back to its own path").click()
    assert_same_path(wait_for_player(page, moved=[]), own)
    expect(find_player(page).locator(".change-words")).to_be_hidden()


def test_the_box_follows_the_hand_before_any_answer_and_the_page_hears_when_it_is_let_go(loaded: Open) -> None:
    page = loaded("wide", "&glimpse=2")
    answers = hold_answers(page)
    own = wait_for_player(page)
    entries = page.evaluate("history.length")
    mark = find_player(page).locator(".mark.now .grip").bounding_box()
    assert mark
    x, y = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    places = []
    for away in (20, -30):
        page.mouse.move(x + away, y + 10)
        found = read_player(page)
        [[which, row, column]] = found["moved"]
        places.append((row, column))
        assert (which, found["pending"]) == (1, True)
        box = find_player(page).locator(".glimpse.now .box").first
        assert [box.get_attribute(side) for side in ("y", "x")] == [str(row - 2), str(column - 2)]
        np.testing.assert_array_equal(found["beliefs"], own["beliefs"])
        # What is said when the hand rests comes no sooner than what the page would be told then.
        said = find_player(page).locator("ol li").nth(1)
        expect(said).to_contain_text(f"moved: row {row + 1}, column {column + 1}")
    # The answer to where the hand was brings its beliefs; the box stays where the hand is.
    earlier = compute_path("wide", forced={1: places[0]}).logits[0].softmax(-1)
    before = read_player(page)
    answers.release_one()
    differs = "(found, before) => JSON.stringify(found) !== JSON.stringify(before)"
    wait_for_state(page, ".glimpse-player", differs, before)
    found = read_player(page)
    np.testing.assert_allclose(found["beliefs"], earlier, atol=1e-6)
    assert (found["pending"], found["boxes"][1][0][:2]) == (True, [row - 2, column - 2])
    page.mouse.up()
    page.wait_for_url(f"**moved=2.{row + 1}.{column + 1}**")
    assert page.evaluate("history.length") == entries + 1
    answers.release()
    assert_same_path(wait_for_player(page, moved=[[1, row, column]]), compute_path("wide", forced={1: (row, column)}))


def test_keys_move_a_glimpse_by_a_pixel_and_buttons_draw_again(opened: Open) -> None:
    page = opened("small")
    find_player(page).locator(".stage").focus()
    page.keyboard.press("3")
    before = wait_for_player(page, glimpse=2)["boxes"][2][0]
    (row, column) = before[0] + 3, before[1] + 3
    row, column = min(row, 27), min(column, 27)
    to = (row - 1 if row else row + 1, column - 1 if column else column + 1)
    page.keyboard.press("ArrowUp" if row else "ArrowDown")
    page.keyboard.press("ArrowLeft" if column else "ArrowRight")
    assert_same_path(wait_for_player(page, moved=[[2, *to]]), compute_path("small", forced={2: to}))
    expect(find_player(page).locator("ol li").nth(2)).to_contain_text(f"moved: row {to[0] + 1}, column {to[1] + 1}")
    page.keyboard.press("Escape")
    assert_same_path(wait_for_player(page, moved=[]), compute_path("small"))
    find_player(page).get_by_role("button", name="Another draw").click()
    assert_same_path(wait_for_player(page, draw=1), compute_path("small", 1))
    page.wait_for_url("**draw=2**")
    find_player(page).get_by_text("At the means", exact=True).click()
    assert_same_path(wait_for_player(page, draw=None), compute_path("small", None))
    find_player(page).get_by_text("50 at once", exact=True).click()
    model, its_net = cache.single(net("recurrent_attention.small"))
    batch = as_batch(PICTURE.taken_by(its_net)).expand(50, -1, -1, -1)
    with torch.no_grad():
        many = model.look(batch, generator=torch.Generator().manual_seed(0))
    wait_for_player(page, many=np.bincount(many.logits[:, -1].argmax(-1), minlength=10).tolist())
    expect(find_player(page).locator(".many-words")).to_contain_text("Of 50 draws")
    # The density is that of the sharp patches: strongest where most of the fifty have a pixel.
    page.keyboard.press("Escape")
    find_player(page).get_by_role("button", name="After glimpse 3").click()
    wait_for_player(page, glimpse=2)
    corners = model.glimpses.retina.corners(many.locations)[:, 2, 0].numpy()
    at = np.arange(28)
    down, across = ((at >= one[:, None]) & (at < one[:, None] + 7) for one in corners.T)
    inside = np.einsum("pr,pc->rc", down.astype(float), across.astype(float))
    opacity = read_canvas(find_player(page).locator(".paper canvas").nth(1), 3)
    np.testing.assert_allclose(opacity / 255 / 0.6, inside / 50, atol=0.005)
    # They are saved as well: what they answer, and the sharp patch of each of them at each glimpse.
    with page.expect_download() as download:
        find_player(page).get_by_role("button", name="CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert any("at once" in line and " answer" in line for line in lines if line.startswith("#"))
    row = list(csv.DictReader(line for line in lines if not line.startswith("#")))[2]
    saved = [[int(row[f"{side} of path {one}"]) - 1 for side in ("top", "left")] for one in range(1, 51)]
    np.testing.assert_array_equal(saved, corners)
    with page.expect_download() as download:
        find_player(page).get_by_role("button", name="SVG").click()
    assert "Of 50 draws" in Path(download.value.path()).read_text().partition("</metadata>")[2]
    find_player(page).get_by_role("button", name="Play").click()
    wait_for_player(page, glimpse=3, playing=False)


@pytest.mark.slow
def test_while_many_paths_are_awaited_what_does_not_depend_on_them_stays_bright(loaded: Open) -> None:
    page = loaded("small")
    answers = hold_answers(page)
    bright, pale = re.compile(r"^((?!waiting).)*$"), re.compile(r"\bwaiting(?!-)")
    find_player(page).get_by_text("50 at once", exact=True).click()
    expect(find_player(page)).to_have_class(re.compile("waiting-many"))
    expect(find_player(page)).not_to_have_class(pale)
    for part in (".belief-part table", ".patches"):
        expect(find_player(page).locator(part)).to_have_css("opacity", "1")
    answers.release()
    expect(find_player(page)).to_have_class(bright)
    answers.holding = True  # where a glimpse is moved, all of it changes
    find_player(page).locator(".stage").focus()
    page.keyboard.press("ArrowDown")
    expect(find_player(page)).to_have_class(pale)
    expect(find_player(page).locator(".density")).to_have_css("opacity", "0.45")
    answers.release()
    expect(find_player(page)).to_have_class(bright)


def drag(page: Page, x: float, y: float, across: float, down: float) -> None:
    """Move a finger in twelve steps, as a hand does: the browser tells from the first ones whether it scrolls."""
    session = page.context.new_cdp_session(page)
    steps = [("touchStart", 0.0), *(("touchMove", step / 12) for step in range(1, 13))]
    for kind, part in steps:
        point = {"x": x + part * across, "y": y + part * down}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def count_scrolled(page: Page) -> float:
    return float(page.get_by_test_id("stMain").evaluate("(main) => main.scrollTop"))


def test_a_finger_drags_on_a_phone_and_nothing_is_wider_than_it(opened: Open) -> None:
    page = opened("wide", viewport={"width": 375, "height": 812}, has_touch=True, color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert find_violations(page) == []
    mark = find_player(page).locator(".mark.now .grip").bounding_box()
    assert mark
    x, y = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
    session = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]), ("touchMove", [{"x": x + 20, "y": y + 10}]),
        ("touchMove", [{"x": x + 60, "y": y + 30}]), ("touchEnd", []),
    ):  # fmt: skip
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_url("**moved=1.**")
    [[which, row, column]] = read_player(page)["moved"]
    assert (which, row > 10, column > 14) == (0, True, True)
    assert_same_path(wait_for_player(page, moved=[[0, row, column]]), compute_path("wide", forced={0: (row, column)}))


@pytest.mark.parametrize("aside", [(0, 0), (14, -10), (-12, 14)])
def test_a_finger_drags_a_glimpse_up_and_down_and_the_page_stays(opened: Open, aside: tuple[int, int]) -> None:
    page = opened("wide", **PHONE)
    find_player(page).locator(".stage").scroll_into_view_if_needed()
    circle = find_player(page).locator(".mark.now circle:not(.grip)").bounding_box()
    scene = find_player(page).locator(".scene svg").bounding_box()
    assert circle
    assert scene
    x, y = circle["x"] + circle["width"] / 2 + aside[0], circle["y"] + circle["height"] / 2 + aside[1]
    before, [top, left, side] = count_scrolled(page), read_player(page)["boxes"][0][0]
    drag(page, x, y, 0, 80)
    page.wait_for_url("**moved=1.**")
    [[which, row, column]] = read_player(page)["moved"]
    pixel = scene["width"] / (28 + 2 * 4)  # around the picture there is a margin of 4
    assert (which, column, row - top - side // 2) == (0, left + side // 2, pytest.approx(80 / pixel, abs=1))
    assert count_scrolled(page) == before


def test_beside_the_glimpses_a_finger_scrolls_the_page(opened: Open) -> None:
    page = opened("wide", **PHONE)
    scene = find_player(page).locator(".scene").bounding_box()
    assert scene
    drag(page, scene["x"] + 6, scene["y"] + scene["height"] - 20, 0, -200)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 100")
    assert read_player(page)["moved"] == []
