"""The notebooks of examples/ run, and their viewers answer the pointer in the HTML that nbconvert makes of them."""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import harness

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


def test_there_are_four() -> None:
    assert len(NOTEBOOKS) == 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_viewer_answers(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, 4)
    client.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    nbconvert = pytest.importorskip("nbconvert")
    shared = Path(nbconvert.__file__).parents[4] / "share" / "jupyter" / "nbconvert"
    exporter = nbconvert.HTMLExporter(
        embed_images=True,
        extra_template_basedirs=[str(shared / "templates")],
        extra_template_paths=[str(shared / "templates"), str(shared / "templates" / "compatibility")],
    )
    made = tmp_path / "notebook.html"
    made.write_text(exporter.from_notebook_node(notebook)[0])
    if path.stem == "a_cnn_with_gates":
        assert "data:image/png" in made.read_text()
        return
    with sync_playwright() as playwright:
        browser = harness.launch(playwright)
        page = browser.new_context(offline=True).new_page()
        page.goto(made.as_uri(), wait_until="domcontentloaded")
        frame = page.locator("iframe").first
        frame.scroll_into_view_if_needed()
        inside = page.frame_locator("iframe").first
        inside.locator("#figure[data-shown]").wait_for()
        picture = inside.locator(".board.picture canvas")
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        read = lambda: inside.locator(".viewer").evaluate("(root) => root.read()")  # noqa: E731
        seen = []
        for share in (0.2, 0.6):
            picture.hover(position={"x": box["width"] * share, "y": box["height"] * share})
            seen.append((read()["query"], read()["key"]))
        assert seen[0] != seen[1]
        browser.close()
