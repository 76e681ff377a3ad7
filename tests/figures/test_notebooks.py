"""The notebooks of examples/ run, and their viewers answer the pointer in the HTML that nbconvert makes of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import harness

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))
TRIED = "a_vit_of_your_own"  # in every run; the others are slow tests
PARTS = {
    ".viewer": (".board.picture canvas", "[root.read().query, root.read().key]"),
    ".value-bars": ("canvas", "root.read().looked"),
}
"""What a notebook may show: where the pointer moves, and what then changes."""


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=() if path.stem == TRIED else pytest.mark.slow, id=path.stem) for path in NOTEBOOKS],
)
def test_a_notebook_runs_and_its_viewer_answers(path: Path, tmp_path: Path) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    shared = Path(nbconvert.__file__).parents[4] / "share" / "jupyter"
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--execute", "--to=html", f"--output-dir={tmp_path}", str(path)],
        env={**os.environ, "JUPYTER_PATH": str(shared), "JUPYTER_PLATFORM_DIRS": "1"}, check=True, timeout=600,
    )  # fmt: skip
    with sync_playwright() as playwright:
        browser = harness.launch(playwright)
        page = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
        page.goto((tmp_path / f"{path.stem}.html").as_uri(), wait_until="domcontentloaded")
        page.locator("iframe").first.scroll_into_view_if_needed()
        inside = page.frame_locator("iframe").first
        inside.locator("#figure[data-shown]").wait_for()
        part, (target, read) = next((one, how) for one, how in PARTS.items() if inside.locator(one).count())
        moved = inside.locator(part).locator(target).first
        moved.scroll_into_view_if_needed()
        box = moved.bounding_box()
        assert box is not None
        seen = []
        for share in (0.2, 0.6):
            moved.hover(position={"x": box["width"] * share, "y": box["height"] * share})
            seen.append(inside.locator(part).evaluate(f"(root) => JSON.stringify({read})"))
        assert seen[0] != seen[1]
        browser.close()
