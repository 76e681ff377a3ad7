"""*Does it matter?* as a visitor sees it: its pictures and numbers against a computation from the file of weights."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from .conftest import NewPage, Serve, assert_accessible, wait_until_ready, walk
from .small_models import SIDE, Without

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it

VERDICT = "Without the most attended"


def open_page(page: Page, serve: Serve, folder: Path, words: str = "", model: str = "without") -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/pixel_attention?model=pixel_attention.{model}&data=strokes&experiment=erase&{words}")
    page.locator(".map-grid[data-drawn]").filter(has_text="removed").wait_for()
    return page


def read_tile(page: Page, tile: int) -> np.ndarray:
    grid = page.locator(".map-grid").filter(has_text="removed")
    return np.array(grid.evaluate(f"(root) => Array.from(root.readMap({tile}))")).reshape(SIDE, SIDE)


def parse_number(text: str) -> float:
    return float(text.split("(", maxsplit=1)[0].replace("\u2212", "-"))


def test_pictures_and_changes_are_those_of_the_weights(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder, "removed=50")
    model = Without(folder)
    seen, holes = [read_tile(page, tile) for tile in range(4)], [read_tile(page, tile) for tile in range(4, 8)]
    received = model.weights(seen[0]).mean((0, 1)).reshape(SIDE, SIDE)
    attended = holes[1] > 0
    assert attended.sum() == 50
    assert received[attended].min() >= received[~attended].max() * (1 - 1e-6)
    before = model.logit(seen[0])
    sign = 1 if before > 0 else -1
    rows = page.get_by_role("row")
    for name, picture in (("most attended", seen[1]), ("chosen by the Jacobian", seen[2])):
        shown = rows.filter(has_text=name).get_by_role("cell").last.inner_text()
        change = sign * (model.logit(picture) - before)
        assert parse_number(shown) == pytest.approx(change, rel=6e-3)
    low, high = (
        parse_number(part) for part in rows.filter(has_text="at random").get_by_role("cell").last.inner_text()
        .partition("(")[2].strip(")").split(" to ")
    )  # fmt: skip
    slack = 6e-3 * max(abs(low), abs(high))
    assert low - slack <= sign * (model.logit(seen[3]) - before) <= high + slack


def test_what_removed_pixels_get_is_switched_and_stands_in_the_url(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder)
    page.get_by_role("radio", name="the background").click()
    page.wait_for_url("**fill=background*")
    page.reload()
    wait_until_ready(page)
    page.locator(".map-grid[data-drawn]").filter(has_text="removed").wait_for()
    expect(page.get_by_role("radio", name="the background")).to_be_checked()
    for tile in (1, 2, 3):
        holes = read_tile(page, tile + 4) > 0
        assert holes.any()
        assert (read_tile(page, tile)[holes] == 0).all()


def test_the_curve_grows_says_what_came_out_and_can_be_saved(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder, model="with")
    page.get_by_role("button", name="Remove from 200 pictures").click()
    said = page.get_by_test_id("stMarkdown").filter(has_text=VERDICT)
    expect(said.filter(has_text="200 pictures)")).to_have_count(1)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    assert "curve=yes" in page.url
    with page.expect_download() as waiting:
        page.get_by_test_id("stDownloadButton").get_by_role("button").click()
    text = waiting.value.path().read_text()
    rows = list(csv.DictReader(io.StringIO("".join(line for line in text.splitlines(True) if line[0] != "#"))))
    assert len({row["picture"] for row in rows}) == 200
    of_ten = [row for row in rows if row["removed"] == "10"]
    changes = {
        way: [float(row["change of the logit"]) for row in of_ten if row["chosen by"] == way]
        for way in ("attention", "random", "Jacobian")
    }
    assert len(changes["random"]) == 20 * len(changes["attention"]) == 4000
    for way, before in (
        ("attention", "changes by "),
        ("random", "random ones by "),
        ("Jacobian", "Jacobian chooses, it changes by "),
    ):
        shown = said.inner_text().partition("Without 10 of 196")[2].partition(before)[2].split()[0].rstrip(".:")
        assert parse_number(shown) == pytest.approx(np.mean(changes[way]), rel=6e-3)
    expect(page.locator(".js-plotly-plot .legendtext")).to_have_text(
        ["most attended", "random, as much ink", "Jacobian"]
    )


def test_the_curve_can_be_stopped(page: Page, serve: Serve, folder: Path) -> None:
    open_page(page, serve, folder, "fill=background")
    page.get_by_role("button", name="Remove from 200 pictures").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Remove from 200 pictures")).to_be_visible()
    expect(page.get_by_text(VERDICT)).to_have_count(0)
    assert "curve" not in page.url


@pytest.mark.parametrize(("width", "scheme"), [pytest.param(1280, "dark", marks=pytest.mark.slow), (375, "light")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    kept_page: NewPage, serve: Serve, folder: Path, width: int, scheme: str
) -> None:
    page = kept_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    open_page(page, serve, folder)
    assert_accessible(page)
