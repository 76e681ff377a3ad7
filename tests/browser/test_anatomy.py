"""The anatomy that pages share: heights, one row of choices, a drawer on a phone, what stands above the fold."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz import data
from attnviz.ui.mechanisms import MECHANISMS
from tests.sweeps import sweep

from .conftest import NewPage, Serve, read_state, wait_for_state, wait_until_ready, walk
from .models import ONE_OR_EIGHT, TEN_DIGITS

SHOWN = "[data-component][data-drawn]"
VISIBLE = """(names) => names.map((name) => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
  const found = roots.map((root) => root.querySelector(name)).find(Boolean);
  const box = found?.getBoundingClientRect();
  return Boolean(box) && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
})"""


def open_page(page: Page, address: str) -> Page:
    walk(page, address)
    page.locator(SHOWN).first.wait_for()
    wait_until_ready(page)
    return page


def read_height(page: Page) -> int:
    return int(page.get_by_test_id("stMain").evaluate("(main) => main.scrollHeight"))


PICTURE_HEADS_AND_PAIR = [".board.picture", ".board.large", ".pair", ".wall"]
TYPE = ["h1", ".pair h2", ".pair .sentence", ".step .result", ".legend .note", ".wall .caption", ".answer .class"]
SIZES = """(names) => names.map((name) => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
  return Number.parseFloat(getComputedStyle(roots.map((root) => root.querySelector(name)).find(Boolean)).fontSize);
})"""


def test_the_pixel_page_is_short_its_picture_above_the_fold_and_its_type_grows_in_a_lecture_hall(
    page: Page, serve: Serve
) -> None:
    open_page(page, f"{serve()}/pixel_attention")
    page.locator(".st-key-results .dots").wait_for()
    assert read_height(page) <= 1800
    expect(page.locator(".st-key-data")).to_have_count(0)
    assert_one_row(page)
    assert page.evaluate(VISIBLE, PICTURE_HEADS_AND_PAIR) == [True] * 4
    small = page.evaluate(SIZES, TYPE)
    for width, high, grown in ((1500, 900, 1), (1650, 950, 1.1), (1920, 1080, 1.2), (2560, 1440, 1.2)):
        page.set_viewport_size({"width": width, "height": high})
        expect(page.locator(".pair .sentence")).to_have_css("font-size", f"{round(13 * grown, 1):g}px")
        assert page.evaluate(SIZES, TYPE) == pytest.approx([grown * size for size in small], rel=1e-3)


def test_on_a_phone_the_picture_comes_first_and_the_choices_are_in_a_drawer(kept_page: NewPage, serve: Serve) -> None:
    page = open_page(kept_page(viewport={"width": 375, "height": 800}), f"{serve()}/pixel_attention")
    page.locator(".st-key-results .dots").wait_for()
    assert read_height(page) <= 3500
    choices = page.locator(".st-key-page_choices")
    expect(choices).to_be_hidden()
    assert page.evaluate(VISIBLE, [".board.picture"]) == [True]
    page.get_by_text("Choose model and picture").click()
    expect(choices).to_be_visible()
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("number="))
    expect(choices).to_be_visible()


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with made-up pictures in the files of MNIST and Fashion-MNIST, as many as there really are."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("mnist", "fashion_mnist"):
        (folder / name).mkdir()
        for split, count in data.DATASETS[name].counts.items():
            np.save(folder / name / f"{split}-images.npy", np.zeros((count, 28, 28, 1), np.uint8))
            np.save(folder / name / f"{split}-labels.npy", np.arange(count) % 10)
    return folder


ROWS = [*(row.url for row in MECHANISMS.values()), "paper", "explorer"]


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in ROWS if path != "pixel_attention"])
def test_the_choices_stand_in_one_row(page: Page, serve: Serve, path: str) -> None:
    open_page(page, f"{serve()}/{path}")
    expect(page.locator(".st-key-data")).to_have_count(0)
    assert_one_row(page)


@pytest.mark.slow
@pytest.mark.parametrize("path", ROWS[:-1])
def test_the_choices_stand_in_one_row_beside_data_sets(page: Page, serve: Serve, stocked: Path, path: str) -> None:
    open_page(page, f"{serve(env={'ATTNVIZ_DATA': str(stocked)})}/{path}")
    assert_one_row(page)


def assert_one_row(page: Page) -> None:
    """Look at the lower edges of what stands in the row, and at its right end."""
    tops = page.locator(".st-key-page_choices > *").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).filter((box) => box.height).map((box) => box.bottom)"
    )
    assert len(tops) >= 4
    assert max(tops) - min(tops) < 12, "their lower edges are in line"
    row = page.locator(".st-key-page_choices").bounding_box()
    assert row
    assert row["height"] < 90 * page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") / 16
    last = page.locator(".st-key-page_choices > *").last.bounding_box()
    assert last
    assert last["x"] + last["width"] <= row["x"] + row["width"] + 1


@pytest.mark.slow
def test_in_a_lecture_hall_the_pictures_grow(new_page: NewPage, serve: Serve) -> None:
    sizes = []
    for width, high in ((1280, 720), (1920, 1080)):
        page = open_page(new_page(viewport={"width": width, "height": high}), f"{serve()}/pixel_attention")
        box = page.locator(".board.picture canvas").bounding_box()
        assert box
        sizes.append(box["width"])
        main = page.get_by_test_id("stMainBlockContainer").bounding_box()
        assert main
        assert main["width"] > 0.9 * width
    assert sizes[1] > 1.5 * sizes[0]


@pytest.mark.parametrize(
    ("width", "high"), sweep([(1500, 800), (1650, 900), (1920, 1080)], lambda case: case == (1920, 1080))
)
def test_in_a_lecture_hall_nothing_wraps_and_all_is_above_the_fold(
    kept_page: NewPage, serve: Serve, width: int, high: int
) -> None:
    page = open_page(kept_page(viewport={"width": width, "height": high}), f"{serve()}/pixel_attention")
    assert_one_row(page)
    assert page.evaluate(VISIBLE, PICTURE_HEADS_AND_PAIR) == [True] * 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for cells in (".step :is(.cell.product, .cell.taken):visible", ".pair .aside:visible", ".pair .name:visible"):
        room = page.locator(cells).evaluate_all("(all) => all.map((one) => one.scrollWidth - one.clientWidth)")
        assert max(room) <= 4, (cells, room)


@pytest.mark.parametrize(
    ("old", "path", "name"),
    sweep(
        [
            ("temperature", "/paper", "temperature"),
            ("parts", "/paper", "parts"),
            ("same", "/pixel_attention", "shuffle"),
        ],
        lambda case: case[0] == "same",
    ),
)
def test_an_old_link_is_sent_on_with_what_it_states(
    new_page: NewPage, serve: Serve, old: str, path: str, name: str
) -> None:
    page = new_page()
    stated = f"v=1&model={ONE_OR_EIGHT}&data=strokes&number=23&query=12%2C13"
    open_page(page, f"{serve()}/pixel_attention?{stated}&experiment={old}")
    parts = urlsplit(page.url)
    assert parts.path == path
    words = {key: found[0] for key, found in parse_qs(parts.query).items()}
    assert words == {**{key: found[0] for key, found in parse_qs(stated).items()}, "experiment": name}
    expect(page.locator(f".st-key-experiment_of_{name} details[open]")).to_be_visible()


def test_another_experiment_closes_the_open_one_and_takes_its_words_out(page: Page, serve: Serve) -> None:
    words = f"v=2&model={TEN_DIGITS}&data=strokes&number=23"
    open_page(page, f"{serve()}/pixel_attention?{words}&experiment=heads&off=2")
    expect(page.locator(".st-key-experiment_of_heads details[open]")).to_be_visible()
    page.get_by_text("Does it know where a pixel is?").click()
    expect(page.get_by_role("button", name="Shuffle again")).to_be_visible()
    expect(page.locator(".st-key-experiment_of_heads details[open]")).to_have_count(0)
    assert "experiment=shuffle" in page.url
    assert "off=" not in page.url
    page.get_by_text("Does it know where a pixel is?").click()
    expect(page.get_by_role("button", name="Shuffle again")).to_have_count(0)
    assert "experiment" not in page.url


def test_the_home_page_shows_every_mechanism_and_answers_the_pointer_at_once(page: Page, serve: Serve) -> None:
    open_page(page, serve())
    for row in MECHANISMS.values():
        link = page.locator(".st-key-home_mechanisms a", has_text=row.title)
        assert row.url in str(link.get_attribute("href"))
        expect(link).to_contain_text(row.question)
        assert link.locator("img").evaluate("(picture) => picture.naturalWidth") > 0
    viewer = page.locator(".viewer")
    before = read_state(viewer)
    box = page.locator(".board.picture canvas").bounding_box()
    assert box
    assert box["y"] + box["height"] < 720, "above the fold"
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    differs = "(found, before) => JSON.stringify(found) !== JSON.stringify(before)"
    wait_for_state(page, ".viewer", differs, before)
    assert page.locator(".viewer .controls").is_hidden()


@pytest.mark.parametrize(("width", "high"), [(640, 360), (375, 800)], ids=["200 % zoom", "phone"])
def test_pad_and_first_answers_are_on_the_screen_together(
    kept_page: NewPage, serve: Serve, width: int, high: int
) -> None:
    page = open_page(kept_page(viewport={"width": width, "height": high}), f"{serve()}/draw")
    page.locator(".card .digits").first.wait_for()
    assert page.evaluate(VISIBLE, [".sheet", ".card .digits"]) == [True, True]
