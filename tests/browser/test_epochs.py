"""The slider of epochs in a browser: maps follow it without a run of the page, with numbers of each epoch's weights.

The model is small, and so are its epochs: their weights are drawn, and the numbers are computed from their files apart.
"""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import Locator, Page, expect

from attnviz import subjects
from attnviz.charts import with_minus
from attnviz.measures.heads import sampled
from attnviz.subjects import Picture
from attnviz.ui.training.experiments.unseen import unseen

from .conftest import NewPage, assert_accessible, read_state, wait_for_state, walk
from .small_checkpoints import DAMAGED, EPOCHS, KEPT, LAST, TWIN
from .small_models import SIDE, Without

PICTURE = Picture("strokes", 23)
QUERY, KEY = (11, 12), (2, 2)
WORDS = f"v=2&model={KEPT}&data=strokes&number=23&query=12,13&key=3,3"
VIEWER, SLIDER = ".st-key-viewer .viewer", ".st-key-epochs .epoch-slider"

# Notes in the page whether its script has run since.
WATCH = """() => {
  window.ran = false;
  const app = document.querySelector('[data-testid="stApp"]');
  const look = () => { window.ran ||= app.getAttribute("data-test-script-state") === "running"; };
  new MutationObserver(look).observe(app, { attributes: true });
}"""


def weight_of(folder: Path, file: str) -> float:
    """Return the weight of the locked pair in the first head."""
    picture = PICTURE.picture[:, :, 0] / 255
    query, key = (row * SIDE + column for row, column in (QUERY, KEY))
    return float(Without(folder, file, KEPT).weights(picture)[0, query, key])


def score_of(folder: Path, file: str) -> float:
    """Return the score of the locked pair in the first head."""
    model, picture = Without(folder, file, KEPT), PICTURE.picture[:, :, 0] / 255
    query, key = (row * SIDE + column for row, column in (QUERY, KEY))
    query_of, key_of = model.part("query", picture)[query, 0], model.part("key", picture)[key, 0]
    return float(query_of @ key_of / np.sqrt(len(key_of)))


def file_of(epoch: int) -> str:
    return "weights.safetensors" if epoch == LAST else f"history/epoch-{epoch}.safetensors"


def open_page(page: Page, address: str, words: str = WORDS) -> Page:
    walk(page, f"{address}/pixel_attention?{words}", f"{VIEWER}[data-drawn]")
    page.locator(f"{SLIDER}[data-drawn]").wait_for()
    return page


def find_input(page: Page) -> Locator:
    return page.get_by_role("slider", name="Epoch of the training")


def wait_for_epoch(page: Page, folder: Path, epoch: int) -> None:
    """Wait until the viewer shows the weight of the locked pair as that epoch's weights give it."""
    wanted = weight_of(folder, file_of(epoch))
    wait_for_state(page, ".viewer", "({ weight }, wanted) => Math.abs(weight / wanted - 1) < 1e-6", wanted)


def test_maps_follow_the_slider_while_it_is_dragged_and_the_page_does_not_run(
    page: Page, alone: str, folder: Path
) -> None:
    assert len({weight_of(folder, file_of(epoch)) for epoch in (*EPOCHS, LAST)}) == len(EPOCHS) + 1
    open_page(page, alone)
    wait_for_epoch(page, folder, LAST)
    box = find_input(page).bounding_box()
    assert box
    page.evaluate(WATCH)
    middle, ends = box["y"] + box["height"] / 2, (box["x"] + 8, box["x"] + box["width"] - 8)
    page.mouse.move(ends[1], middle)
    page.mouse.down()
    wall = page.locator(f"{VIEWER} .wall").first.element_handle()
    for place, epoch in (1, 2), (0, 0), (2, 5), (1, 2):
        page.mouse.move(ends[0] + (ends[1] - ends[0]) * place / len(EPOCHS), middle)
        wait_for_epoch(page, folder, epoch)
        found = read_state(page.locator(VIEWER))
        assert (found["query"], found["key"]) == ([*QUERY], [*KEY]), "what is locked stays"
        score = page.locator(f"{VIEWER} .pair .step.score strong").first  # which is painted a frame later
        expect(score).to_have_text(re.compile(re.escape(f"{score_of(folder, file_of(epoch)):.3f}"[:4])))
    expect(page.locator(f"{SLIDER} .now")).to_contain_text("Epoch 2")
    assert not page.evaluate("window.ran"), "the page has run while the slider was held"
    assert wall.evaluate("wall => wall.isConnected"), "an epoch takes a frame only if it builds no walls"
    page.mouse.up()
    page.wait_for_url(f"**model=history*{KEPT}*2*")
    wait_for_epoch(page, folder, 2)
    page.go_back()
    expect(page.locator(f"{SLIDER} .now")).to_contain_text(f"Epoch {LAST}")
    wait_for_epoch(page, folder, LAST)


def test_a_link_shows_its_epoch_and_keys_step_from_there(page: Page, alone: str, folder: Path) -> None:
    open_page(page, alone, WORDS.replace(KEPT, f"history:{KEPT}@2"))
    wait_for_epoch(page, folder, 2)
    expect(find_input(page)).to_have_attribute("aria-valuetext", "Epoch 2 of 9 validation accuracy 58.9 %")
    expect(page.get_by_role("combobox", name="Model")).to_have_value("Kept")
    find_input(page).press("ArrowRight")
    wait_for_epoch(page, folder, 5)
    page.wait_for_url(f"**{KEPT}*5*")
    find_input(page).press("Home")
    wait_for_epoch(page, folder, 0)
    expect(page.locator(f"{SLIDER} .now")).to_contain_text("Before training")


def test_it_plays_to_the_end(page: Page, alone: str, folder: Path) -> None:
    open_page(page, alone, WORDS.replace(KEPT, f"history:{KEPT}@5"))
    page.get_by_role("button", name="Play the epochs").click()
    wait_for_epoch(page, folder, LAST)
    expect(page.get_by_role("button", name="Play the epochs")).to_be_visible()
    page.wait_for_url(re.compile(rf"model={re.escape(KEPT)}(&|$)"))


def test_what_is_seen_at_each_epoch_is_saved_as_an_animation_and_as_a_strip(page: Page, alone: str) -> None:
    open_page(page, alone)
    sizes = {}
    for name in ("Film", "Strip"):
        with page.expect_download() as waiting:
            page.locator(SLIDER).get_by_role("button", name=name, exact=True).click()
        with Image.open(waiting.value.path()) as picture:
            sizes[name] = picture.size
            if name == "Film":
                assert len([*ImageSequence.Iterator(picture)]) == len(EPOCHS) + 1
            else:
                assert '"epochs":"Before training, Epoch 2 of 9' in picture.info["Description"]
    assert sizes["Strip"][0] > sizes["Strip"][1] * len(EPOCHS)
    expect(page.locator(f"{SLIDER} .now")).to_contain_text(f"Epoch {LAST}")


def test_an_epoch_whose_file_is_damaged_says_so_and_shows_no_other(page: Page, alone: str, folder: Path) -> None:
    file = folder / DAMAGED / file_of(5)  # which no other test has made the server read
    file.write_bytes(file.read_bytes()[:-5])
    open_page(page, alone, WORDS.replace(KEPT, DAMAGED))
    find_input(page).press("ArrowLeft")
    complaint = page.locator(f"{VIEWER} > .complaint").first
    expect(complaint).to_contain_text("not a complete safetensors file")
    expect(page.locator(f"{VIEWER} .board.picture")).to_be_hidden()
    find_input(page).press("ArrowLeft")
    expect(page.locator(f"{VIEWER} .board.picture")).to_be_visible()
    expect(complaint).to_be_hidden()


BOTH = ".map-grid:has(h2)"  # the maps of both nets


def read_pair(page: Page) -> list[float]:
    """Return what each head of the first net, and then of the second, gives the locked key."""
    read = "(root, place) => [0, 1, 2, 3, 4, 5].map((tile) => root.readMap(tile)[place])"
    found: list[float] = page.locator(BOTH).first.evaluate(read, KEY[0] * SIDE + KEY[1])
    return found


def pair_of(folder: Path, epoch: int) -> list[float]:
    """Return the same as the files of both give it; NaN where the second has none."""
    picture, (query, key) = PICTURE.picture[:, :, 0] / 255, (row * SIDE + column for row, column in (QUERY, KEY))
    first = Without(folder, file_of(epoch), KEPT).weights(picture)[:, query, key]
    if epoch == 2:
        return [*first, *[np.nan] * 3]
    return [*first, *Without(folder, file_of(epoch), TWIN, 3).weights(picture)[:, query, key]]


def test_a_second_training_goes_along_and_says_where_it_has_no_epoch(page: Page, alone: str, folder: Path) -> None:
    open_page(page, alone)
    page.get_by_role("combobox", name="Beside").click()
    page.get_by_role("option", name="Twin").click()
    page.wait_for_url(f"**second={TWIN}*")
    page.locator(f"{BOTH}[data-drawn]").first.wait_for()
    page.evaluate(WATCH)
    spoken = find_input(page)
    for epoch, press in (LAST, ""), (5, "ArrowLeft"), (2, "ArrowLeft"), (0, "Home"):
        if press:
            spoken.press(press)
        title = "As it is shipped" if epoch == LAST else f"Epoch {epoch}" if epoch else "Before the training"
        expect(page.locator(f"{BOTH} h2").first).to_contain_text(title)
        np.testing.assert_allclose(read_pair(page), pair_of(folder, epoch), rtol=1e-5)
        expect(page.get_by_text("no weights of the second training")).to_have_count(int(epoch == 2))
        said = "not kept$" if epoch == 2 else "Before training$" if epoch == 0 else r"second training [\d.]+ %$"
        expect(spoken).to_have_attribute("aria-valuetext", re.compile(said))
    assert_accessible(page)


def test_a_link_shows_both_at_its_epoch(page: Page, alone: str, folder: Path) -> None:
    open_page(page, alone, WORDS.replace(KEPT, f"history:{KEPT}@5") + f"&second={TWIN}")
    page.locator(f"{BOTH}[data-drawn]").first.wait_for()
    np.testing.assert_allclose(read_pair(page), pair_of(folder, 5), rtol=1e-5)
    walk(page, page.url.replace(TWIN, "nobody"))
    expect(page.get_by_role("alert").filter(has_text="There is no training").first).to_be_visible()


@pytest.mark.slow
def test_heads_of_two_trainings_are_matched_by_their_maps(page: Page, alone: str, folder: Path) -> None:
    walk(page, f"{alone}/train?v=2&experiment=same_heads&of={KEPT}&second={TWIN}")
    grid = page.locator(".st-key-matched_maps .map-grid[data-drawn]")
    page.get_by_role("button", name="Compare 100 pictures").click()
    finding = page.get_by_text("mean over 50 pictures")
    expect(finding).to_be_visible()  # half of all decide which heads are matched
    pictures = unseen(subjects.net(KEPT), 100).pictures[..., 0] / 255
    queries = sampled(SIDE * SIDE)
    both = [Without(folder, name=KEPT), Without(folder, name=TWIN, size=3)]
    maps = [np.stack([net.weights(picture, queries) for picture in pictures]) for net in both]
    one, other = (each.reshape(100, 3, -1) - each.mean((2, 3))[..., None] for each in maps)
    lengths = np.linalg.norm(one, axis=-1)[:, :, None] * np.linalg.norm(other, axis=-1)[:, None]
    alike = np.einsum("phx,pox->pho", one, other) / lengths
    places = np.arange(100) // 2 % 2  # two pictures at a time, in turn
    by, measured = alike[places == 0].mean(0), alike[places == 1]
    heads = np.arange(3)
    matched = max(itertools.permutations(range(3)), key=lambda order: by[heads, order].sum())
    expect(finding).to_contain_text(with_minus(f"a correlation of {measured[:, heads, matched].mean():+.2f} (mean"))

    best = sorted(heads, key=lambda head: -measured[:, head, matched[head]].mean())
    shown = grid.evaluate("(root) => [0, 1, 2, 3, 4, 5].map((tile) => [...root.readMap(tile)])")
    expected = [maps[0][0, head].mean(0) for head in best] + [maps[1][0, matched[head]].mean(0) for head in best]
    np.testing.assert_allclose(shown, expected, rtol=1e-4)
    page.get_by_text("The matched heads in numbers").click()
    assert_accessible(page)


def test_a_finger_moves_it(kept_page: NewPage, alone: str, folder: Path) -> None:
    page = kept_page(viewport={"width": 375, "height": 667}, has_touch=True, is_mobile=True)
    open_page(page, alone)
    box = find_input(page).bounding_box()
    assert box and box["height"] >= 40
    page.touchscreen.tap(box["x"] + 10, box["y"] + box["height"] / 2)
    wait_for_epoch(page, folder, 0)


def test_axe_finds_nothing(looked: Page, alone: str) -> None:
    open_page(looked, alone)
    assert_accessible(looked)


def test_a_model_without_a_history_has_no_slider(page: Page, alone: str) -> None:
    walk(page, f"{alone}/pixel_attention?{WORDS.replace('.kept', '.one-token')}", f"{VIEWER}[data-drawn]")
    expect(page.locator(SLIDER)).to_have_count(0)


@pytest.mark.parametrize("word", ["history:pixel_attention.kept@1", "history:nothing@1"])
def test_an_epoch_that_is_not_there_is_one_sentence(page: Page, alone: str, word: str) -> None:
    walk(page, f"{alone}/pixel_attention?{WORDS.replace(KEPT, word)}", f"{VIEWER}[data-drawn]")
    expect(page.get_by_role("alert").filter(has_text="There is no").first).to_be_visible()
    assert np.isfinite(read_state(page.locator(VIEWER))["weight"])
