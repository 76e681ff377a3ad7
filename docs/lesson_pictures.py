"""Make lessons/pictures/: what the screen shows at the steps of our lessons, in grey, for the handouts.

python -m docs.lesson_pictures [LESSON ...]
"""

import sys
from io import BytesIO

from PIL import Image
from playwright.sync_api import ElementHandle, Page, sync_playwright

from attnviz.lessons.folder import ours, picture_of
from attnviz.ui.lessons import shelf
from tests.browser.harness import launch, run_app, wait_until_ready

VIEW = {"width": 1280, "height": 1700}  # high enough that no part has to be scrolled
MOST = (900, 700)  # pixels of a picture
QUIET = 1500  # milliseconds for what is painted after the page is ready

SHOWN = """() => {
  const within = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.style?.outlineWidth === "3px") return one;
      const found = one.shadowRoot && within(one.shadowRoot);
      if (found) return found;
    }
    return null;
  };
  const found = within(document);
  if (!found) return null;
  found.style.outline = "none";
  if (found.getBoundingClientRect().height >= 150) return found;
  return found.closest("[data-component], [class*=st-key-experiment_of_]") ?? found;
}"""
"""The framed part; of a low one the component or the experiment that it belongs to, as controls alone say little."""


def main() -> None:
    with run_app() as server, sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(viewport=VIEW, reduced_motion="reduce")
        for lesson in shelf.lessons().values():
            if sys.argv[1:] and lesson.name not in sys.argv[1:]:
                continue
            for number in lesson.views:
                page.goto(f"{server.address}/?lesson={lesson.name}&step={number + 1}")
                wait_until_ready(page)
                page.wait_for_timeout(QUIET)
                file = picture_of(ours(), lesson.name, number)
                file.parent.mkdir(exist_ok=True)
                picture(page).save(file, quality=60, method=6)


def picture(page: Page) -> Image.Image:
    """Return what a step points at, in grey, or what the window shows of the page where nothing is framed."""
    shown = page.evaluate_handle(SHOWN).as_element()
    page.add_style_tag(content=".lesson, header { visibility: hidden !important; }")
    shot = shown.screenshot() if isinstance(shown, ElementHandle) else page.screenshot()
    found = Image.open(BytesIO(shot)).convert("L")
    found.thumbnail(MOST)
    return found


if __name__ == "__main__":
    main()
