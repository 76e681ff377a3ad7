"""A visitor trains a model on the page, looks at its last epoch, and keeps it; all of it offline."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attnviz.training import runs

from .conftest import NewPage, Serve, assert_accessible, wait_until_ready


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

    name = page.get_by_role("textbox", name="Name to keep it under")
    name.fill("mine")
    name.press("Enter")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("Kept: pixel_attention.mine")).to_be_visible()
    assert (tmp_path / "kept" / "pixel_attention.mine" / "weights.safetensors").is_file()

    for scheme in ("light", "dark"):
        assert_accessible(open_page(new_page(color_scheme=scheme), f"{app}/train"))
    page.get_by_role("link", name="See this epoch").click()
    page.wait_for_url("**/pixel_attention?**")
    page.locator(".viewer[data-drawn]").wait_for()
    expect(page.get_by_role("combobox", name="Model")).to_have_value("One or eight, one head, epoch 2")


def test_nonsense_is_one_sentence_and_nothing_starts(app: str, page: Page, tmp_path: Path) -> None:
    open_page(page, f"{app}/train?epochs=a+million")
    expect(page.get_by_text("must be a whole number from 1 to 999,999, not 'a million'")).to_be_visible()
    expect(page.get_by_role("button", name="Train", exact=True)).to_have_count(0)
    assert runs.ids() == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_it_is_accessible(app: str, new_page: NewPage, width: int, scheme: str) -> None:
    page = new_page(viewport={"width": width, "height": 720}, color_scheme=scheme)
    assert_accessible(open_page(page, f"{app}/train"))
