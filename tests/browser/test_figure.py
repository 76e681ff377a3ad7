"""A figure as one page of HTML, from a file, without a network: it is the viewer, with the colours of the picture."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Page

import attnviz
from attnviz.figures import static
from attnviz.figures.colours import theme_of
from attnviz.figures.glimpses import GlimpseFigure, inks
from tests.browser.conftest import find_violations
from tests.figures import seen as small

CELLS = """([rows, columns]) => {
  const canvas = document.querySelector(".host").shadowRoot.querySelector(".board.large canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data, width, height } = copy.getImageData(0, 0, canvas.width, canvas.height);
  return Array.from({ length: rows * columns }, (_, cell) => {
    const [y, x] = [Math.floor(cell / columns), cell % columns];
    const at = Math.floor(((y + 0.5) * height) / rows) * width + Math.floor(((x + 0.5) * width) / columns);
    return [...data.slice(4 * at, 4 * at + 3)];
  });
}"""
MAP = """(head) => [...document.querySelector(".host").shadowRoot.querySelector(".viewer").readMap(head)]"""


def opened(chromium: Browser, path: Path, **looks: object) -> tuple[Page, list[str]]:
    page = chromium.new_context(offline=True, **looks).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: request.url.startswith(("file:", "blob:", "data:")) or said.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("#figure[data-shown]")
    return page, said


def of(made: type, theme: str, query: tuple[int, int]) -> attnviz.Figure:
    torch.manual_seed(0)
    trace = attnviz.watch(made().eval().double())(small.batch(small.photo(32, 32)))
    return attnviz.figure(trace, theme=theme, query=query, over=small.photo(32, 32))


FIGURES = {
    "ours": lambda theme: attnviz.figure("pixel_attention.1v8", "strokes:23", theme=theme, query=(14, 14)),
    "captured": lambda theme: attnviz.figure(small.seen(), theme=theme, query=(2, 3), over=small.photo()),
    "windows": lambda theme: of(small.Windows, theme, (1, 4)),
    "queries": lambda theme: of(small.Queries, theme, (-1, 1)),
}
SHOWN = [("ours", "light"), ("ours", "dark"), ("captured", "light"), ("captured", "dark"), ("windows", "light"),
         ("queries", "dark")]  # fmt: skip


@pytest.mark.parametrize(("name", "theme"), SHOWN)
def test_the_page_shows_what_the_picture_shows(chromium: Browser, tmp_path: Path, name: str, theme: str) -> None:
    figure = FIGURES[name](theme)
    page, said = opened(chromium, figure.save(tmp_path / f"{name}.html"), color_scheme=theme)
    for number, panel in enumerate(static.panels(figure)):
        if number:
            page.get_by_label("Layer", exact=True).fill(str(number))
            page.wait_for_selector(f"#figure[data-shown='{number}']")
        expected = theme_of(theme).palettes["share"][panel.colours].reshape(-1, 3)
        np.testing.assert_array_equal(page.evaluate(CELLS, panel.colours.shape), expected)
        found = np.array([page.evaluate(MAP, head) for head in range(panel.view.heads)])
        np.testing.assert_allclose(found, panel.maps.values[: panel.view.heads], rtol=1e-9, atol=1e-300)
    assert find_violations(page) == []
    assert said == []
    page.context.close()


def test_what_is_held_lies_at_the_same_place_on_a_layer_of_another_grid(chromium: Browser, tmp_path: Path) -> None:
    torch.manual_seed(0)
    trace = attnviz.watch(small.TwoGrids().eval().double())(small.batch(small.photo(32, 32)))
    figure = attnviz.figure(trace, query=(5, 2), over=small.photo(32, 32))
    page, said = opened(chromium, figure.save(tmp_path / "figure.html"))
    for number, place in ((1, [2, 1]), (0, [5, 3]), (1, [2, 1])):
        page.get_by_label("Layer", exact=True).fill(str(number))
        page.wait_for_selector(f"#figure[data-shown='{number}']")
        assert page.locator(".viewer").evaluate("(root) => root.read().query") == place
    assert said == []
    page.context.close()


def test_pointer_keyboard_colours_and_a_saved_file(chromium: Browser, tmp_path: Path) -> None:
    path = attnviz.figure(small.seen(), over=small.photo()).save(tmp_path / "figure.html")
    page, said = opened(chromium, path, viewport={"width": 1280, "height": 720})
    viewer = page.locator(".viewer")
    read = lambda: viewer.evaluate("(root) => root.read()")  # noqa: E731
    box = page.locator(".board.picture canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + box["height"] * 0.2)
    first = read()["query"]
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.2)
    assert read()["query"] != first
    page.locator(".board.picture").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    held = read()["query"]
    page.get_by_label("Layer", exact=True).fill("1")
    page.wait_for_selector("#figure[data-shown='1']")
    assert read()["query"] == held  # what is held stays held in another layer
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert "# model: tests.figures.seen.SmallViT" in Path(download.value.path()).read_text()
    page.goto(f"{path.as_uri()}?query=1,2&head=2")
    page.wait_for_selector("#figure[data-shown]")
    assert (read()["query"], read()["head"]) == ([0, 1], 1)
    assert said == []
    page.context.close()


def test_two_figures_on_a_page_with_a_strict_policy(chromium: Browser, tmp_path: Path) -> None:
    figure = attnviz.figure(small.seen(), over=small.photo())
    policy = "default-src 'none'; frame-src 'self'; style-src 'unsafe-inline'; img-src data:"
    around = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    path = tmp_path / "page.html"
    figure.save(tmp_path / "one.html")
    figure.save(tmp_path / "two.html")
    frame = '<iframe src="{}.html" title="{}" sandbox="allow-scripts" width="900" height="700"></iframe>'
    path.write_text(f"<!doctype html>{around}{frame.format('one', 'one')}{frame.format('two', 'two')}")
    page = chromium.new_context(offline=True).new_page()
    page.goto(path.as_uri())
    for inside in page.frames[1:]:
        inside.wait_for_selector("#figure[data-shown]")
    page.context.close()
    page = chromium.new_context(offline=True).new_page()
    page.set_content(figure._repr_html_())  # as a notebook shows it
    page.frame_locator("iframe").locator("#figure[data-shown]").wait_for()
    page.context.close()


def test_a_phone(chromium: Browser, tmp_path: Path) -> None:
    path = attnviz.figure(small.seen(), over=small.photo(), classes=["a", "b", "c"]).save(tmp_path / "figure.html")
    phone = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}
    page, said = opened(chromium, path, **phone)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.locator(".board.picture canvas").tap()
    assert json.dumps(page.locator(".viewer").evaluate("(root) => root.read().query")) != "null"
    assert find_violations(page) == [] and said == []
    page.context.close()


def test_a_page_of_gates(chromium: Browser, tmp_path: Path) -> None:
    torch.manual_seed(0)
    trace = attnviz.watch(small.Gated().eval().double())(small.batch(small.photo()))
    figure = attnviz.gates(trace, over=small.photo())
    page, said = opened(chromium, figure.save(tmp_path / "gates.html"))
    read = "(root) => root.read().values"
    bars, map_ = figure.gates.values()
    assert page.locator(".value-bars").evaluate(read) == bars.tolist()
    assert find_violations(page) == []
    page.get_by_label("Gate", exact=True).fill("1")
    page.wait_for_selector("#figure[data-shown='1']")
    found = page.locator(".map-grid").evaluate("(root) => [...root.readMap(0)]")
    assert found == map_.ravel().tolist()
    assert not page.locator(".value-bars").is_visible()
    assert find_violations(page) == [] and said == []
    page.context.close()


def test_a_page_of_glimpses(chromium: Browser, tmp_path: Path) -> None:
    figure = attnviz.figure("recurrent_attention.digits", "strokes:23", seed=3)
    assert isinstance(figure, GlimpseFigure)
    page, said = opened(chromium, figure.save(tmp_path / "glimpses.html"))
    player = page.locator(".glimpse-player")
    read = lambda: player.evaluate("(root) => root.read()")  # noqa: E731
    path = figure.view
    np.testing.assert_array_equal(read()["locations"], path.location)
    np.testing.assert_array_equal(read()["beliefs"], path.belief)
    np.testing.assert_array_equal(player.evaluate("(root) => [...root.readPatch(2, 0)]"), path.patches[2, 0].ravel())
    shape = figure.view.picture.shape[:2]
    shown = page.evaluate(CELLS.replace(".board.large canvas", ".paper canvas"), [*shape])
    np.testing.assert_array_equal(shown, inks(figure.view.picture[..., 0] / 255, theme_of("light")).reshape(-1, 3))
    page.get_by_role("slider", name="Glimpse").fill("4")
    assert read()["glimpse"] == 4
    stage = page.locator(".stage")
    stage.focus()
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")  # nobody computes what would follow
    assert read()["glimpse"] == 1 and read()["moved"] == [] and not read()["pending"]
    assert not page.get_by_role("button", name="Another draw").is_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert "# locations: draw 4" in Path(download.value.path()).read_text()
    assert find_violations(page) == [] and said == []
    page.context.close()
