"""Make docs/film.webp: a pointer moves over an 8, then a hand draws one, as the app really shows it.

python -m docs.film
"""

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from tests.browser.harness import launch, run_app, wait_until_ready

FILM = Path(__file__).parent / "film.webp"
VIEW = {"width": 1280, "height": 720}
SIZE = (960, 540)
FRAME, PAUSE = 160, 1_600  # milliseconds that a frame stands, and the last one of each scene
SIDE = 28  # pixels of a picture of digits

HOVER = "pixel_attention?v=2&model=pixel_attention.digits&data=strokes&number=23"
ALONG = [(11, 15), (9, 17), (9, 20), (12, 19), (14, 16), (16, 14), (18, 12), (20, 12), (20, 15), (17, 16), (3, 3)]
EIGHT = [(190, 60), (140, 42), (88, 62), (84, 100), (132, 132), (184, 172), (180, 226), (136, 240), (96, 218),
         (106, 176), (150, 136), (188, 98), (198, 60)]  # fmt: skip


def main() -> None:
    with run_app() as server, sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport=VIEW, reduced_motion="reduce")
        page.goto(f"{server.address}/{HOVER}")
        wait_until_ready(page)
        box = page.get_by_role("grid", name="The picture").locator("canvas").bounding_box()
        assert box
        hovered = [
            (box["x"] + (column + 0.5) * box["width"] / SIDE, box["y"] + (row + 0.5) * box["height"] / SIDE)
            for row, column in between(ALONG, 3)
        ]
        frames = scene(page, hovered)
        page.goto(f"{server.address}/draw")
        wait_until_ready(page)
        sheet = page.locator("[data-component=drawing_pad] .sheet")
        sheet.wait_for()
        box = sheet.bounding_box()
        assert box
        points = [(box["x"] + x * box["width"] / 280, box["y"] + y * box["height"] / 280) for x, y in between(EIGHT, 3)]
        page.mouse.move(*points[0])
        page.mouse.down()
        frames += scene(page, points)
        page.mouse.up()
        browser.close()
    pictures, durations = zip(*frames, strict=True)
    first, *rest = pictures
    first.save(FILM, save_all=True, append_images=rest, duration=durations, loop=0, quality=70, method=6)


def between(points: list[tuple[int, int]], steps: int) -> list[tuple[float, float]]:
    """Return the points, with others evenly spaced between each two of them."""
    found = [
        (a + (c - a) * step / steps, b + (d - b) * step / steps)
        for (a, b), (c, d) in zip(points, points[1:], strict=False)
        for step in range(steps)
    ]
    return [*found, (float(points[-1][0]), float(points[-1][1]))]


def scene(page: Page, points: list[tuple[float, float]]) -> list[tuple[Image.Image, int]]:
    """Move the pointer through these places of the window; return a frame of each, and how long it stands."""
    frames = []
    for x, y in points:
        page.mouse.move(x, y)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.wait_for_timeout(60)  # the models' answers
        frames.append((pointed(Image.open(BytesIO(page.screenshot())).convert("RGB"), x, y), FRAME))
    return [*frames[:-1], (frames[-1][0], PAUSE)]


def pointed(picture: Image.Image, x: float, y: float) -> Image.Image:
    """Return a screenshot with the pointer that a screenshot leaves out, at the size of the film."""
    arrow = [(0, 0), (0, 22), (5, 17), (9, 26), (13, 24), (9, 16), (16, 16)]
    ImageDraw.Draw(picture).polygon([(x + a, y + b) for a, b in arrow], fill="white", outline="black", width=2)
    return picture.resize(SIZE, Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
