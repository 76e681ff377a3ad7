"""How long from a move of the pointer over the stages to the painted arithmetic? Against an empty canvas.

python -m benchmarks.stages

In one browser, in turn: the stages of a net of two layers and eight heads on 28 x 28 pixels, and of two layers and
three heads on 32 x 32 in colour; and a canvas that is only filled.
"""

import statistics

from playwright.sync_api import WebSocket, sync_playwright

from benchmarks.hover import EVENTS, MOVE, REST
from tests.browser.harness import launch, run_app, wait_until_ready


def main() -> None:
    with (
        run_app("tests/browser/apps/stage_grid.py") as app,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        print("| | first, ms | median, ms | 95 %, ms | times an empty fill |")
        print("| --- | --- | --- | --- | --- |")
        sent: list[int] = []
        for net in ("grey", "colour"):
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            sockets: list[WebSocket] = []
            page.on("websocket", lambda socket, sockets=sockets: sockets.append(socket))
            page.goto(f"{app.address}?net={net}")
            wait_until_ready(page)
            canvas = page.locator(".stage-wall canvas")
            canvas.wait_for()
            page.wait_for_timeout(1000)
            for socket in sockets:
                socket.on("framesent", lambda frame: sent.append(len(frame)))
            times = canvas.evaluate(MOVE, [EVENTS, REST])
            fill = statistics.median(times["fill"][1:])
            for name, measured in (("hover", times["hover"]), ("empty canvas fill", times["fill"])):
                rest = sorted(measured[1:])
                middle, high = statistics.median(rest), rest[int(0.95 * (len(rest) - 1))]
                print(f"| {net}, {name} | {measured[0]:.2f} | {middle:.2f} | {high:.2f} | {middle / fill:.2f} |")
            page.close()
        print(f"\nBytes to the server while hovering: {sum(sent)}.")


if __name__ == "__main__":
    main()
