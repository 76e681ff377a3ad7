"""The renderers of panels: one of another component, and what each paints of an answer of any shape."""

import pytest
from playwright.sync_api import Page

from .conftest import COMPONENTS, Serve
from .pads import MODULES, open_pad


@pytest.fixture
def opened(page: Page, serve: Serve) -> Page:
    return open_pad(page, f"{serve(COMPONENTS)}/drawing_pad")


def test_another_component_serves_a_module_of_its_own(opened: Page) -> None:
    exports = opened.evaluate(
        """async (folder) => {
          const { rendererOf } = await import(new URL(`${folder}/panels/renderers.js`, document.baseURI));
          return Object.keys(await rendererOf("attnviz.map_grid/core/numbers.js"));
        }""",
        f"/{MODULES}",
    )
    assert "short" in exports


def test_pictures_of_any_shape_are_painted_each_in_its_own(opened: Page) -> None:
    """A picture of 2 x 3 in colour, and a map of 1 x 2 over it: the middle of each pixel has its colour."""
    painted = opened.evaluate(
        """async (folder) => {
          const { rendererOf } = await import(new URL(`${folder}/panels/renderers.js`, document.baseURI));
          const { palettes, readTheme } = await import(new URL(`${folder}/core/colours.js`, document.baseURI));
          const theme = readTheme(document.body);
          const look = { before: null, theme, palettes: palettes(theme) };
          const values = Uint8Array.from({ length: 18 }, (_, at) => 14 * at);
          const answer = { seen: { values, shape: [2, 3, 3] }, map: Float32Array.of(-1, 3), shape: [1, 2] };
          const panel = { rows: 1, columns: 2, prefix: 0 };
          const paint = (name) => {
            const canvas = Object.assign(document.createElement("canvas"), { width: 30, height: 20 });
            return [canvas, rendererOf(name).draw(canvas, panel, answer, look)];
          };
          const [canvas] = paint("ink");
          const context = canvas.getContext("2d");
          const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
          const middle = (row, column) => at(10 * column + 5, 10 * row + 5);
          const pixels = [0, 1].flatMap((row) => [0, 1, 2].map((column) => middle(row, column)));
          const [, { most, values: map }] = paint("signed");
          return { pixels, most, map: [...map] };
        }""",
        f"/{MODULES}",
    )
    assert painted["pixels"] == [[14 * (3 * at + channel) for channel in range(3)] for at in range(6)]
    assert painted["map"] == [-1, 3]
    assert painted["most"] == 3


def test_a_path_is_painted_over_the_picture_with_the_box_of_each_glimpse(opened: Page) -> None:
    """Two glimpses of 2 x 2 on a picture of 6 x 6, of which the second leaves it at the top."""
    painted = opened.evaluate(
        """async (folder) => {
          const { rendererOf } = await import(new URL(`${folder}/panels/renderers.js`, document.baseURI));
          const { palettes, readTheme } = await import(new URL(`${folder}/core/colours.js`, document.baseURI));
          const theme = readTheme(document.body);
          const look = { before: null, theme, palettes: palettes(theme) };
          const corner = { values: Float32Array.of(3, 1, 0, 0, -1, 4, 0, 0), shape: [1, 2, 2, 2] };
          const seen = { values: new Uint8Array(36), shape: [6, 6, 1] };
          const answer = { seen, map: null, shape: null, parts: { corner } };
          const canvas = Object.assign(document.createElement("canvas"), { width: 120, height: 120 });
          const { draw } = await rendererOf("glimpse_player/panel.js");
          draw(canvas, { rows: 6, columns: 6, prefix: 0, options: { size: 2 } }, answer, look);
          const context = canvas.getContext("2d");
          const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
          // left and lower edge of the first box, lower edge of the second one, the line between them, and paper
          const colours = [at(20, 70), at(30, 100), at(95, 20), at(80, 50), at(110, 110)];
          return { colours, orange: theme.orange, paper: at(5, 5) };
        }""",
        f"/{MODULES}",
    )
    *edges, line, beside = painted["colours"]
    assert edges == [painted["orange"]] * 3
    assert line != painted["paper"]
    assert beside == painted["paper"] != painted["orange"]
