"""Maps that follow a hand: a weight turned through zero, a temperature, the place under the pointer; and the count."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from safetensors.numpy import load_file

from attnviz import data
from attnviz.recipes.recipe import changed
from attnviz.recipes.schwarz import ONE_TOKEN, SIMPLE
from tests.ui.mechanisms.pixel_attention.experiments.placed import STANDARD, lay, place

from .conftest import Serve, assert_accessible, read_state, wait_for_state, wait_until_ready, walk
from .models import ONE_OR_EIGHT, SMALL, SMALL_WITH_POSITIONS

pytestmark = pytest.mark.slow  # an experiment of one page: .ci/run opens it

EXPERIMENTS = {
    "paper": f"model={SMALL}&figure=10",
    "temperature": f"model={SMALL}",
    "positions": f"model={SMALL_WITH_POSITIONS}",
    "one_token": "model=pixel_attention.1v8-one-token",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = place(tmp_path_factory.mktemp("checkpoints"))
    lay(home, changed(ONE_TOKEN, data="strokes"), 5, 0.7)
    lay(home, changed(SIMPLE, data="strokes", config={"heads": 1, "head_size": 1, **STANDARD}), 6, 0.7)
    return home


def load_intensities(number: int) -> np.ndarray:
    return data.load("strokes", "test", count=256).images[number, ..., 0] / 255.0


def open_page(page: Page, serve: Serve, folder: Path, experiment: str, words: str) -> Page:
    address = serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})
    walk(page, f"{address}/pixel_attention?data=strokes&experiment={experiment}&{words}")
    page.locator(".map-grid[data-drawn]").last.wait_for()
    if experiment != "one_token":  # it has no handle
        find_maps(page).wait_for()
    expect(page.locator(".map-grid:not([data-drawn])")).to_have_count(0)
    expect(page.locator(".map-grid h2", has_text=re.compile(r"^\s*$"))).to_have_count(0)  # words follow maps
    return page


def find_maps(page: Page) -> Locator:
    return page.locator(".moving[data-drawn]")


def read_position(page: Page) -> float:
    return float(read_state(find_maps(page))["at"])


def find_pane(page: Page, number: int) -> Locator:
    return find_maps(page).locator(".map-grid").nth(number)


def read_pane(page: Page, number: int, tile: int = 0) -> np.ndarray:
    return np.array(find_pane(page, number).evaluate("(root, tile) => Array.from(root.readMap(tile))", tile))


def locate_cell(page: Page, number: int, row: int, column: int, side: int) -> tuple[float, float]:
    find_pane(page, number).scroll_into_view_if_needed()
    box = find_pane(page, number).locator(".frame").first.bounding_box()
    assert box
    return box["x"] + (column + 0.5) * box["width"] / side, box["y"] + (row + 0.5) * box["height"] / side


def read_greys(page: Page, number: int, *cells: tuple[int, int]) -> list[float]:
    """Return how light some cells of a pane's only tile are drawn, 0..255."""
    found: Any = find_pane(page, number).evaluate(
        """(root, cells) => {
            const canvas = root.querySelector("canvas");
            const frame = root.querySelector(".frame").getBoundingClientRect();
            const edge = canvas.getBoundingClientRect();
            return cells.map(([row, column]) => {
                const x = (frame.left - edge.left + ((column + 0.5) * frame.width) / 28) * devicePixelRatio;
                const y = (frame.top - edge.top + ((row + 0.5) * frame.height) / 28) * devicePixelRatio;
                return canvas.getContext("2d").getImageData(x, y, 1, 1).data[1];
            });
        }""",
        [list(one) for one in cells],
    )
    return [float(value) for value in found]


def test_the_tiles_are_counted_as_the_signs_are(page: Page, serve: Serve, folder: Path, eight: int) -> None:
    open_page(page, serve, folder, "paper", f"model={SMALL}&figure=10&part=key&number={eight}")
    weights = load_file(folder / SMALL / "weights.safetensors")["attention.key.weight"][:, 0]
    up = int((weights > 0).sum())
    said = f"{up} of 6 tiles are the picture, {6 - up} are its negative, and 0 are anything else"
    expect(page.locator("p", has_text=said)).to_be_visible()


def test_the_tile_flips_as_the_weight_is_turned_through_zero(
    page: Page, serve: Serve, folder: Path, eight: int
) -> None:
    open_page(page, serve, folder, "paper", f"model={SMALL}&figure=10&number={eight}")
    file = load_file(folder / SMALL / "weights.safetensors")
    bias = float(file["attention.query.bias"][0])
    picture = load_intensities(eight)
    standard = (picture - STANDARD["mean"]) / STANDARD["std"]
    ink = tuple(int(i) for i in np.unravel_index(picture.argmax(), picture.shape))
    assert read_position(page) == pytest.approx(float(file["attention.query.weight"][0, 0]))
    slider = find_maps(page).get_by_role("slider", name="w")
    for weight in (0.5, -0.5, 0.0):
        slider.fill(str(weight))
        assert read_position(page) == weight
        for number in (0, 1):
            np.testing.assert_allclose(
                read_pane(page, number), (weight * standard + bias).ravel(), rtol=1e-9, atol=1e-12
            )
        (dark, light) = read_greys(page, 0, ink, (0, 0))
        assert (dark > light) - (dark < light) == -np.sign(weight)
    expect(find_maps(page)).to_contain_text("On its own scale the tile is empty")
    page.wait_for_url(re.compile("turn=0(&|$)"))
    slider.press("ArrowRight")
    assert read_position(page) == pytest.approx(0.01)
    page.wait_for_url("**turn=0.01*")
    expect(slider).to_have_attribute("aria-valuetext", "w = 0.010")
    wait_until_ready(page)
    page.go_back()
    wait_for_state(page, ".moving", "({ at }) => at === 0")


def test_a_tile_that_is_clicked_is_the_one_that_is_turned(page: Page, serve: Serve, folder: Path, eight: int) -> None:
    open_page(page, serve, folder, "paper", f"model={SMALL}&figure=10&turn=0.5&number={eight}")
    page.locator(".map-grid").filter(has_text="As in the paper").locator(".tile").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**tile=2*")
    expect(page.get_by_text("of query, head 2, component 1")).to_be_visible()
    file = load_file(folder / SMALL / "weights.safetensors")
    weight = float(file["attention.query.weight"][2, 0])  # two components a head
    wait_for_state(page, ".moving", "({ at }, weight) => Math.abs(at - weight) < 1e-4", weight)
    assert "turn" not in page.url


def test_temperature_divides_the_scores(page: Page, serve: Serve, folder: Path, eight: int) -> None:
    open_page(page, serve, folder, "temperature", f"model={ONE_OR_EIGHT}&number={eight}&query=14,14")
    file = load_file(folder / ONE_OR_EIGHT / "weights.safetensors")
    tokens = (load_intensities(eight).ravel() - STANDARD["mean"]) / STANDARD["std"]
    query, key = (
        file[f"attention.{part}.weight"].item() * tokens + file[f"attention.{part}.bias"].item()
        for part in ("query", "key")
    )
    slider = find_maps(page).get_by_role("slider", name="Temperature")
    for power in (0.0, 1.0, -2.5):
        slider.fill(str(power))
        assert read_position(page) == pytest.approx(power, abs=0.006)
        scores = query[13 * 28 + 13] * key / 10 ** read_position(page)
        wanted = np.exp(scores - scores.max())
        wanted /= wanted.sum()
        np.testing.assert_allclose(read_pane(page, 0), wanted, rtol=1e-6, atol=1e-12)
        bits = -(wanted[wanted > 0] * np.log2(wanted[wanted > 0])).sum()
        half = int((np.sort(wanted)[::-1].cumsum() < 0.5).sum()) + 1
        expect(find_maps(page)).to_contain_text(
            f"locked, row 14, column 14: {bits:.2f} of 9.61 bits, half of the weight on {half} of 784 pixels"
        )
    find_maps(page).get_by_role("button", name="as if 0 to 255").click()
    assert 10 ** read_position(page) == pytest.approx((1 / 255 / 0.31) ** 2)


def test_the_place_under_the_pointer_is_compared_with_all(page: Page, serve: Serve, folder: Path, eight: int) -> None:
    open_page(page, serve, folder, "positions", f"model={SMALL_WITH_POSITIONS}&number={eight}")
    angles = np.arange(14)[:, None] / 1e4 ** (np.arange(0, 4, 2) / 4)
    waves = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(14, 4)
    code = np.array([[*waves[row], *waves[column]] for row in range(14) for column in range(14)])

    def wanted(place: int) -> np.ndarray:
        lengths = np.linalg.norm(code, axis=1)
        return code @ code[place] / lengths / lengths[place]

    np.testing.assert_allclose(read_pane(page, 1), wanted(7 * 14 + 7), atol=1e-6)
    page.mouse.move(*locate_cell(page, 0, 3, 5, 14))
    np.testing.assert_allclose(read_pane(page, 1), wanted(3 * 14 + 5), atol=1e-6)
    page.mouse.click(*locate_cell(page, 0, 2, 11, 14))
    page.wait_for_url("**place=3%2C12*")
    page.mouse.move(*locate_cell(page, 0, 9, 9, 14))
    np.testing.assert_allclose(read_pane(page, 1), wanted(2 * 14 + 11), atol=1e-6)
    page.get_by_role("radio", name="Dot product").click()
    page.wait_for_url("**likeness=dot*")
    expect(find_pane(page, 1)).to_contain_text("Dot product with the code")
    np.testing.assert_allclose(read_pane(page, 1), code @ code[2 * 14 + 11], atol=1e-5)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(
    looked: Page, serve: Serve, folder: Path, eight: int, experiment: str
) -> None:
    open_page(looked, serve, folder, experiment, f"{EXPERIMENTS[experiment]}&number={eight}")
    assert_accessible(looked)
    expect(looked.locator(".failure:visible")).to_have_count(0)
