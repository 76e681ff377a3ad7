"""The page about heads over many pictures in a browser: one journey past numbers, brush, keys, pictures and files."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import attnviz

from .conftest import Serve, assert_accessible, wait_for_state, walk

NAME = "vision_transformer.digits"
WORDS = f"model={NAME}&data=strokes&count=100"
TABLE = "[data-component=head_table]"


@pytest.fixture(scope="module")
def address(serve: Serve, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of an app that keeps what it measures in a folder of its own."""
    kept = str(tmp_path_factory.mktemp("kept"))
    return serve(env={"ATTNVIZ_CHECKPOINTS": str(folder), "XDG_CACHE_HOME": kept})


def find_cell(page: Page, name: str) -> Locator:
    return page.locator(TABLE).get_by_role("button", name=f"Head {name}:")


def test_heads_are_measured_brushed_chosen_compared_and_saved(
    page: Page, address: str, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    walk(page, f"{address}/heads?{WORDS}", f"{TABLE}[data-drawn]")
    expect(page.get_by_text("are measured")).to_have_count(0, timeout=240_000)
    for choice in ("Of class", "Answers"):  # beside the others: nothing pushes them out of the window
        box = page.get_by_label(choice).first.bounding_box()
        assert box and box["x"] + box["width"] < 1280
    heads = attnviz.heads(NAME, "strokes", count=100)
    effect = heads.mean("effect").value
    for at, head in enumerate(heads.heads):
        words = find_cell(page, head.name).get_attribute("aria-label") or ""
        said = float(words.split("Effect on the answer ")[1].split(" ")[0].replace("\u2212", "-"))
        assert said == pytest.approx(effect[at], rel=6e-3, abs=1e-4)
    page.locator(TABLE).locator(".scatter").press("Enter")
    wait_for_state(page, TABLE, "(said) => said.brush !== null && said.inside.length === 6")
    page.locator(TABLE).locator(".scatter").press("Delete")
    wait_for_state(page, TABLE, "(said) => said.brush === null && said.inside.every(Boolean)")
    page.locator(TABLE).get_by_label("compare with random weights").check()
    wait_for_state(page, TABLE, "(said) => said.view.random")
    find_cell(page, "2.1").press("Enter")
    wait_for_state(page, TABLE, "(said) => said.view.head === 2 && said.tiles.length === 30")
    most = int(np.argsort(-heads["effect"][2], kind="stable")[0])
    tile = page.locator(TABLE).locator("a.moved-tile").first
    link = tile.get_attribute("href") or ""
    assert link.startswith(f"vision_transformer?v=2&model={NAME}&data=strokes&number=")
    assert link.endswith("&head=1&layer=2") and f"{heads['effect'][2][most]:+.2f}".replace("-", "\u2212") in (
        tile.text_content() or ""
    )
    with page.expect_download() as download:
        page.locator(TABLE).get_by_role("button", name="SVG").click()
    colours = page.locator(f"{TABLE} .cell").evaluate_all(
        "(cells) => cells.map(({ style }) => style.backgroundColor.match(/\\d+/g).map(Number))"
    )
    svg = Path(download.value.path()).read_text("utf-8")
    assert all("#{:02x}{:02x}{:02x}".format(*colour) in svg for colour in colours) and len(colours) == len(effect)
    assert all(f">{head.name}</text>" in svg for head in heads.heads)
    with page.expect_download() as download:
        page.get_by_role("button", name="Every picture (npz)").click()
    with np.load(io.BytesIO(Path(download.value.path()).read_bytes())) as saved:
        np.testing.assert_allclose(saved["effect"], heads["effect"], atol=1e-5)
        assert heads.random is not None
        np.testing.assert_allclose(saved["random.effect"], heads.random["effect"], atol=1e-5)
    with page.expect_download() as download:
        page.get_by_role("button", name="One page (HTML)").click()
    assert "Heads over many pictures" in Path(download.value.path()).read_text("utf-8")
    assert_accessible(page)
    tile.click()
    expect(page).to_have_url(re.compile("/vision_transformer"))
