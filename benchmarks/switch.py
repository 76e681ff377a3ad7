"""How long until another picture, model or head stands complete in the viewer? Against a plain Streamlit page.

python -m benchmarks.switch

Every picture is a new one (nothing is cached), models are switched back and forth between two that have been looked at
once before, on a picture that neither has seen.
"""

import statistics
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Page, sync_playwright

from attnviz import cards
from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

SWITCHES = amount(20, 2)
MODELS = ("pixel_attention.1v8-augmented", "pixel_attention.1v8-noise")

# From the click to the second animation frame after what is shown has changed.
WATCH = """([viewer, change]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const shown = () => {
    if (!viewer) return document.querySelector("#shown")?.textContent;
    if (change !== "head") return viewer.dataset[change];
    return String((viewer.read ? viewer.read() : JSON.parse(viewer.dataset.reading)).head);
  };
  const before = shown();
  window.switched = new Promise((done) => addEventListener("pointerup", async () => {
    const start = performance.now();
    while (shown() === before || !shown()) await frame();
    await frame();
    done(performance.now() - start);
  }, { capture: true, once: true }));
}"""


def switched(page: Page, click: Callable[[], None], change: str = "shown") -> float:
    """Return the milliseconds from a click to the picture that it brings."""
    viewer = page.locator("[data-shown]")
    page.evaluate(WATCH, [viewer.element_handle() if viewer.count() else None, change])
    click()
    found = float(page.evaluate("() => window.switched"))
    wait_until_ready(page)
    return found


def pictures(page: Page) -> list[float]:
    button = page.get_by_role("button", name="Next")
    return [switched(page, button.click) for _ in range(SWITCHES)]


def models(page: Page, titles: list[str]) -> list[float]:
    times = []
    for turn in range(SWITCHES):
        page.get_by_role("button", name="Next").click()
        wait_until_ready(page)
        page.get_by_role("combobox", name="Model").click()
        option = page.get_by_role("option", name=titles[(turn + 1) % 2], exact=True)
        times.append(switched(page, option.click))
    return times


def heads(page: Page) -> list[float]:
    tiles = page.get_by_role("grid", name="All 24 heads and their mean").get_by_role("gridcell")
    times = []
    for turn in range(SWITCHES):
        box = tiles.nth((7 * turn + 1) % 24).bounding_box()
        assert box is not None
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        times.append(switched(page, partial(page.mouse.click, *place), "head"))
    return times


def line(name: str, times: list[float], plain: list[float]) -> str:
    """Return a line of the table."""
    high = sorted(times)[int(0.95 * (len(times) - 1))]
    ratio = statistics.median(times) / statistics.median(plain)
    return f"| {name} | {statistics.median(times):.0f} | {high:.0f} | {ratio:.2f} |"


def main() -> None:
    with (
        run_app() as app,
        run_app("benchmarks/apps/plain_switch.py") as plain,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.goto(f"{app.address}/pixel_attention?model={MODELS[0]}&data=strokes&number=40")
        page.locator("[data-shown]").wait_for()
        wait_until_ready(page)
        beside = browser.new_page(viewport={"width": 1280, "height": 1400})
        beside.goto(plain.address)
        beside.locator("#shown").wait_for()
        wait_until_ready(beside)
        rows = {
            "picture": (pictures(page), pictures(beside)),
            "model": (models(page, [cards.read(name).recipe.title for name in MODELS]), models(beside, ["one", "two"])),
        }
        rows["head"] = heads(page), rows["picture"][1]
        print("| switching | median, ms | 95 %, ms | times a plain page |\n| --- | --- | --- | --- |")
        for name, (times, plainly) in rows.items():
            print(line(name, times, plainly))
            if name != "head":
                print(line(f"{name}, plain page", plainly, plainly))


if __name__ == "__main__":
    main()
