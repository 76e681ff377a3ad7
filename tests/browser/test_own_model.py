"""A model of somebody's own in a browser: its layers, windows, queries and gates against tensors computed apart."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect

from . import own_models
from .conftest import NewPage, Serve, find_violations, read_state, wait_until_ready
from .held import Held

PIXELS = np.random.default_rng(0).integers(0, 256, (60, 90, 3), np.uint8)
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def address(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of an app that was started with a model and a folder of photographs."""
    folder = tmp_path_factory.mktemp("own")
    Image.fromarray(PIXELS).save(folder / "a photo.png")
    return serve(
        env={
            "ATTNVIZ_MODEL": f"{Path(own_models.__file__)}:mixed",
            "ATTNVIZ_PHOTOS": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
    )


@pytest.fixture
def opened(address: str, new_page: NewPage) -> Open:
    """Return a function that opens the explorer; words of the URL, what can hold back what the page's server says, and
    options of the browser's page."""

    def open_page(words: str = "", held: Held | None = None, **options: object) -> Page:
        page = new_page(**options)
        if held:
            held.route(page, "**/_stcore/stream")
        page.goto(f"{address}/explorer?photo=a+photo.png{words}")
        wait_until_ready(page)
        expect(viewer(page)).to_have_attribute("data-drawn", "")
        expect(choice(page)).to_be_visible()
        return page

    return open_page


@pytest.fixture(scope="module")
def model() -> own_models.Mixed:
    """Return the model, which has looked at the photograph."""
    made, prepare, _ = own_models.mixed()
    with torch.no_grad():
        made.double()(prepare(Image.fromarray(PIXELS))[None].double())
    return made


def viewer(page: Page) -> Locator:
    return page.locator(".st-key-own_layer .viewer")


def choice(page: Page) -> Locator:
    return viewer(page).get_by_label("Layer", exact=True)


def choose(page: Page, path: str) -> None:
    """Choose a layer and wait until it is shown."""
    choice(page).select_option(path)
    expect(viewer(page)).to_have_attribute("data-layer", path)


def assert_maps(page: Page, wanted: torch.Tensor) -> None:
    """Compare the maps of all heads with (head, key)."""
    for head, expected in enumerate(wanted):
        shown = viewer(page).evaluate("(root, head) => [...root.readMap(head)]", head)
        np.testing.assert_allclose(shown[-len(expected) :], expected, rtol=1e-4, atol=1e-7)


def point_at(page: Page, row: int, column: int) -> None:
    """Move the pointer to a patch of the picture."""
    canvas = viewer(page).locator(".board.picture canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    side = box["width"] / own_models.COLUMNS
    page.mouse.move(box["x"] + (column + 0.5) * side, box["y"] + (row + 0.5) * side)
    assert read_state(viewer(page))["query"] == [row, column]


def test_layers_of_all_kinds_follow_the_pointer_and_a_link_shows_the_same(opened: Open, model) -> None:
    held = Held()
    page = opened("&address=first", held)
    point_at(page, 2, 5)
    assert_maps(page, model.found["first"][:, 1 + 2 * own_models.COLUMNS + 5])
    viewer(page).get_by_role("button", name="class token").hover()
    assert_maps(page, model.found["first"][:, 0])
    held.holding = True  # so that the page cannot have brought the layer
    choose(page, "second")
    held.release()
    page.wait_for_url("**address=second**")
    assert_maps(page, model.found["second"][:, 0])
    choose(page, "")  # the module itself attends within windows
    point_at(page, 3, 10)
    assert_maps(page, own_models.windows_as_shown(model)[:, 3 * own_models.COLUMNS + 10])
    point_at(page, 0, 0)  # of the window that goes on at the other edges
    assert_maps(page, own_models.windows_as_shown(model)[:, 0])
    choose(page, "pool")
    chip = viewer(page).get_by_role("button", name="query 2")
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    assert_maps(page, model.found["pool"][:, 1])
    viewer(page).get_by_label("Head", exact=True).select_option(label="2")
    page.wait_for_url("**head=2**")
    with page.expect_download() as saved:
        viewer(page).get_by_role("button", name="CSV", exact=True).click()
    assert "address,pool" in (text := Path(saved.value.path()).read_text()) or "address: pool" in text
    page.reload()
    wait_until_ready(page)
    expect(viewer(page)).to_have_attribute("data-layer", "pool")
    state = read_state(viewer(page))
    assert (state["query"], state["head"]) == ([-1, 1], 1)
    assert_maps(page, model.found["pool"][:, 1])


def test_what_fetches_layers_moves_nothing_when_it_arrives(address: str, new_page: NewPage) -> None:
    page, held = new_page(), list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/pixel_viewer/layers.js*", hold)
    with page.expect_request("**/pixel_viewer/layers.js*"):
        page.goto(f"{address}/explorer?photo=a+photo.png&address=second")
    wait_until_ready(page)
    expect(viewer(page)).to_have_attribute("data-drawn", "")
    expect(choice(page)).to_have_value("second")
    before = viewer(page).locator(".board.picture").bounding_box()
    held.pop().continue_()
    choose(page, "first")
    assert viewer(page).locator(".board.picture").bounding_box() == before


def board(page: Page) -> Locator:
    return page.locator(".st-key-captured_layers .viewer")


def assert_board(page: Page, wanted: dict[str, torch.Tensor]) -> None:
    """Compare the maps of all layers of the board, and their means, with path -> (head, key)."""
    for layer, expected in enumerate(wanted.values()):
        for head, one in enumerate([*expected, expected.mean(0)]):
            which = head if head < len(expected) else "mean"
            shown = board(page).evaluate("(root, [head, layer]) => [...root.readMap(head, layer)]", [which, layer])
            np.testing.assert_allclose(shown, one, rtol=1e-4, atol=1e-7)


def point_at_row_3_column_6(page: Page) -> None:
    canvas = board(page).locator(".board.picture canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    side = box["width"] / own_models.COLUMNS
    page.mouse.move(box["x"] + 5.5 * side, box["y"] + 2.5 * side)


def test_all_layers_of_a_captured_model_follow_the_pointer_on_one_board(opened: Open, model) -> None:
    page = opened("&address=first")
    page.get_by_role("link", name="All layers at once: Vision transformer").click()
    expect(board(page)).to_have_attribute("data-drawn", "")
    expect(board(page).locator(".tile.absent")).to_have_count(0)  # the layer beside it was fetched ahead
    wanted = {path: model.found[path].detach() for path in ("first", "second")}
    assert read_state(board(page))["layers"] == len(wanted)  # the windows and the pool have grids of their own
    point_at_row_3_column_6(page)
    assert read_state(board(page))["query"] == [2, 5]
    token = 1 + 2 * own_models.COLUMNS + 5
    assert_board(page, {path: one[:, token] for path, one in wanted.items()})
    board(page).get_by_role("button", name="class token").click()
    board(page).get_by_text("Gives to").click()
    assert_board(page, {path: one[..., 0] for path, one in wanted.items()})
    marked = board(page).locator(".layer-row:not(.heading) .dot:not([hidden])")
    expect(marked).to_have_count(len(wanted) * 2 * 3)  # heads, and what is measured of them
    tile = board(page).locator(".wall-part .tile .frame").nth(3 + 1)  # layer 2, head 2
    tile.scroll_into_view_if_needed()
    box = tile.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url("**address=second**")
    assert (read_state(board(page))["layer"], read_state(board(page))["head"]) == (1, 1)
    board(page).get_by_label("Layer", exact=True).select_option("")
    expect(board(page)).to_have_attribute("data-layer", "")
    assert read_state(board(page))["layers"] == 1
    page.mouse.move(box["x"], 10)
    assert find_violations(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["registers", "swin"])
def test_the_board_of_an_architecture_equals_every_softmax_of_its_own(
    serve: Serve, new_page: NewPage, tmp_path: Path, name: str
) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "a photo.png")
    env = {"ATTNVIZ_MODEL": f"{Path(own_models.__file__)}:{name}", "ATTNVIZ_PHOTOS": str(tmp_path)}
    page = new_page()
    page.goto(f"{serve(env={**env, 'XDG_CACHE_HOME': str(tmp_path)})}/explorer?photo=a+photo.png")
    page.get_by_role("link", name="All layers at once: Vision transformer").click()
    expect(board(page)).to_have_attribute("data-drawn", "")
    expect(board(page).locator(".tile.absent")).to_have_count(0)
    model, prepare, _ = getattr(own_models, name)()
    found = own_models.softmaxes(model, prepare(Image.fromarray(PIXELS))[None])
    if name == "swin":  # whose last two layers have a grid of their own
        found = [own_models.spread_windows(one, shift) for one, shift in zip(found, (0, 2), strict=False)]
    else:
        found = [one[0] for one in found]
    prefix = 5 if name == "registers" else 0
    assert read_state(board(page))["layers"] == len(found)
    point_at_row_3_column_6(page)
    token = prefix + 2 * own_models.COLUMNS + 5
    assert read_state(board(page))["queryToken"] == token
    assert_board(page, {str(layer): one[:, token] for layer, one in enumerate(found)})
    if name == "registers":
        assert_answers(page, model, prepare(Image.fromarray(PIXELS))[None])


def assert_answers(page: Page, model: torch.nn.Module, pictures: torch.Tensor) -> None:
    """Compare the answers if each layer were the last with the norm and the head applied to its tokens."""
    rows = board(page).locator(".layer-row:not(.heading) .if-last")
    with torch.no_grad():
        tokens = model._pos_embed(model.patch_embed(pictures))
        for layer, block in enumerate(model.blocks):
            tokens = block(tokens)
            shares = model.forward_head(model.norm(tokens))[0].softmax(0)
            best = int(shares.argmax())
            expect(rows.nth(layer).locator("b")).to_have_text(f"class {best}")
            expect(rows.nth(layer).locator(".percent")).to_have_text(f"{100 * float(shares[best]):.1f} %")


@pytest.mark.slow
def test_the_queries_of_one_photograph_look_at_another_beside_it(
    serve: Serve, new_page: NewPage, tmp_path: Path
) -> None:
    pixels = [PIXELS, PIXELS[::-1, ::-1]]
    for name, one in zip("ab", pixels, strict=True):
        Image.fromarray(one).save(tmp_path / f"{name}.png")
    env = {"ATTNVIZ_MODEL": f"{Path(own_models.__file__)}:registers", "ATTNVIZ_PHOTOS": str(tmp_path)}
    page = new_page()
    page.goto(
        f"{serve(env={**env, 'XDG_CACHE_HOME': str(tmp_path)})}/vision_transformer?model=own:registers&photo=a.png"
        "&beside=across&query=3,6&address=blocks.1.attn"
    )
    other = page.locator(".st-key-layers_beside .layer-board")
    expect(other).to_have_attribute("data-drawn", "")
    expect(other.locator(".tile.absent")).to_have_count(0)  # the other layers are fetched with the queries of the first
    model, prepare, _ = own_models.registers()
    made: list[torch.Tensor] = []
    for block in model.blocks:
        block.attn.qkv.register_forward_hook(lambda _, given, output: made.append(output[0]))
    with torch.no_grad():
        for one in pixels:
            model(prepare(Image.fromarray(one))[None])
    token = 5 + 2 * own_models.COLUMNS + 5
    for layer in range(3):
        query, key = (made[at].unflatten(-1, (3, 2, 8))[:, what] for at, what in ((layer, 0), (3 + layer, 1)))
        wanted = torch.einsum("hd,khd->hk", query[token], key / 8**0.5).softmax(-1)
        shown = other.evaluate("(root, layer) => [0, 1].map(head => [...root.readMap(head, layer)])", layer)
        np.testing.assert_allclose(shown, wanted, rtol=1e-4, atol=1e-7)
    board(page).get_by_label("Head", exact=True).select_option(label="2")
    expect(other.get_by_label("Head", exact=True)).to_have_value("1")  # the other board follows
    assert find_violations(page) == []


def test_gates_are_bars_and_a_map_over_the_picture(opened: Open, model) -> None:
    page = opened()
    bars = page.locator("[data-component=value_bars]")
    expect(bars).to_have_attribute("data-drawn", "")
    assert read_state(bars)["values"] == pytest.approx(model.found["gate"][0].tolist(), rel=1e-5)
    page = opened("&gate=space_gate")
    maps = page.locator("[data-component=map_grid]")
    expect(maps).to_have_attribute("data-drawn", "")
    shown = maps.evaluate("root => [...root.readMap(0)]")
    np.testing.assert_allclose(shown, model.found["space_gate"].flatten(), rtol=1e-5)
    assert page.get_by_text("The map shows the factor from 0 to 1").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 375])
def test_it_is_accessible_and_fits(opened: Open, width: int) -> None:
    page = opened(viewport={"width": width, "height": 720})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert find_violations(page) == []
