"""A visitor trains a model on the page, looks at its last epoch, and keeps it; all of it offline."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attnviz.training import mistakes, runs
from attnviz.work.jobs import keeping

from .cards import assert_equals_library, find_card, wait_for_answers
from .conftest import NewPage, Serve, assert_accessible, wait_until_ready
from .pads import EIGHT, draw_stroke, find_pad


@pytest.fixture
def app(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of the app with empty folders of runs and of kept models, which hold in this process too."""
    env = {"ATTNVIZ_RUNS": str(tmp_path / "runs"), "ATTNVIZ_KEPT": str(tmp_path / "kept")}
    for name, path in env.items():
        monkeypatch.setenv(name, path)
    return serve(env=env)


def open_page(page: Page, address: str) -> Page:
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Train")
    wait_until_ready(page)
    return page


def test_a_model_is_trained_seen_and_kept(app: str, page: Page, new_page: NewPage, tmp_path: Path) -> None:
    open_page(page, f"{app}/train")
    expect(page.get_by_text("appear here after its first epoch")).to_be_visible()
    page.get_by_role("textbox", name="Epochs").fill("2")
    page.get_by_role("textbox", name="Epochs").press("Enter")
    page.wait_for_url("**epochs=2*")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished after 2 epochs")).to_be_visible()
    (run,) = runs.ids()
    accuracy = runs.curve(run)[-1].values["validation_accuracy"]
    assert accuracy is not None and accuracy > 0.9
    expect(page.get_by_role("img", name=f"accuracy by epoch: validation {accuracy:.4g} at 2")).to_be_visible()
    found = mistakes.read(run)
    assert found
    page.get_by_text("wrong answers of").click()
    counts = ["".join(f"{count:,}" if count else "" for count in row) for row in found.confusion]
    rows = [name + row for name, row in zip(found.classes, counts, strict=True)]
    expect(page.locator(".confusion tbody tr")).to_have_text(rows)
    expect(page.get_by_text("8, not 1").or_(page.get_by_text("1, not 8"))).to_have_count(len(found.wrong))

    name = page.get_by_role("textbox", name="Name to keep it under")
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("It is kept as mine")).to_be_visible()
    assert (tmp_path / "kept" / "pixel_attention.mine" / "weights.safetensors").is_file()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download").click()
    assert downloaded.value.path().read_bytes() == keeping.packed("pixel_attention.mine")

    for scheme in ("light", "dark"):
        assert_accessible(open_page(new_page(color_scheme=scheme), f"{app}/train"))
    draw_for(new_page(), f"{app}/train")
    page.get_by_role("link", name="See this epoch").click()
    page.wait_for_url("**/pixel_attention?**")
    page.locator(".viewer[data-drawn]").wait_for()
    expect(page.get_by_role("combobox", name="Model")).to_have_value("One or eight, one head, epoch 2")


def draw_for(page: Page, address: str) -> None:
    """Go from a kept model to the draw page, draw an 8, and hold its answer against the library's."""
    open_page(page, address).get_by_role("link", name="Draw for it").click()
    find_pad(page).and_(page.locator("[data-drawn]")).wait_for()
    draw_stroke(page, *EIGHT)
    (card,) = wait_for_answers(page).values()
    assert card["answer"] == "8"
    assert_equals_library(card, np.array(card["seen"], np.uint8).reshape(28, 28))


@pytest.mark.slow
def test_from_an_empty_folder_a_head_is_trained_in_full_kept_and_answers_a_drawn_digit(app: str, page: Page) -> None:
    open_page(page, f"{app}/train")
    page.get_by_role("button", name="one or eight", exact=True).click()
    page.wait_for_url("**recipe=pixel_attention.1v8*")
    expect(page.get_by_text("An estimate from")).to_be_visible()
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_text("Finished after")).to_be_visible(timeout=240_000)
    name = page.get_by_role("textbox", name="Name to keep it under").first
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("It is kept as mine")).to_be_visible()
    page.goto(f"{app}/draw")  # without naming it
    find_pad(page).and_(page.locator("[data-drawn]")).wait_for()
    draw_stroke(page, *EIGHT)
    first = next(iter(wait_for_answers(page).values()))
    assert (first["checkpoint"], first["answer"]) == ("pixel_attention.mine", "8")
    expect(find_card(page, "pixel_attention.mine")).to_contain_text("yours: mine")


def test_nonsense_is_one_sentence_and_nothing_starts(app: str, page: Page, tmp_path: Path) -> None:
    open_page(page, f"{app}/train?epochs=a+million")
    expect(page.get_by_text("must be a whole number from 1 to 999,999, not 'a million'")).to_be_visible()
    expect(page.get_by_role("button", name="Train", exact=True)).to_have_count(0)
    assert runs.ids() == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_it_is_accessible(app: str, new_page: NewPage, width: int, scheme: str) -> None:
    page = new_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    assert_accessible(open_page(page, f"{app}/train"))
