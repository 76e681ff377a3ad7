"""How long from a move of the pointer to the painted maps? Against an empty canvas, and against plotly and reruns.

python -m benchmarks.hover

All in one browser, in turn, with the same rest between events: the viewer with 1 and with 24 heads of 784 tokens,
*takes from* and *gives to*; a canvas that is only filled; and 24 heat maps of plotly that a rerun of Streamlit redraws.
"""

import statistics

from playwright.sync_api import Page, WebSocket, sync_playwright

from benchmarks.clock import amount
from tests.browser.harness import launch, run_app, wait_until_ready

EVENTS, REST = amount(60, 4), 100  # of each kind; milliseconds between them
HEADS = amount((1, 24), (24,))

# From the entry of the pointer's handler to a message posted in the next animation frame: by then it is painted.
FRAME = "() => new Promise((done) => requestAnimationFrame(() => { \
  const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); }))"

MOVE = f"""async (canvas, [events, rest]) => {{
  const frame = {FRAME}, sleep = () => new Promise((done) => setTimeout(done, rest));
  const empty = document.body.appendChild(document.createElement("canvas"));
  empty.width = empty.height = 300;
  Object.assign(empty.style, {{ position: "fixed", top: 0, right: 0 }});
  const brush = empty.getContext("2d"), box = canvas.getBoundingClientRect(), times = {{ hover: [], fill: [] }};
  for (let event = 0; event <= events; event++) {{
    await sleep();
    const clientX = box.left + box.width * ((event * 0.618) % 1);
    const clientY = box.top + box.height * ((event * 0.414) % 1);
    let start = performance.now();
    canvas.dispatchEvent(new PointerEvent("pointermove", {{ clientX, clientY, bubbles: true, composed: true,
      pointerType: "mouse", pointerId: 1 }}));
    await frame();
    times.hover.push(performance.now() - start);
    await sleep();
    start = performance.now();
    brush.fillStyle = `hsl(${{event}} 50% 50%)`;
    brush.fillRect(0, 0, 300, 300);
    await frame();
    times.fill.push(performance.now() - start);
  }}
  empty.remove();
  return times;
}}"""

RERUN = f"""async ([events, rest]) => {{
  const frame = {FRAME}, times = [];
  const pixel = () => document.querySelector("#pixel").textContent;
  const button = [...document.querySelectorAll("button")].find((one) => one.textContent.includes("Next pixel"));
  for (let event = 0; event <= events; event++) {{
    await new Promise((done) => setTimeout(done, rest));
    const next = String((Number(pixel()) + 97) % 784), start = performance.now();
    button.click();
    for (let drawn = 0; drawn < 24; await frame()) {{
      drawn = [...document.querySelectorAll(".gtitle")].filter((one) => one.textContent.endsWith(":" + next)).length;
    }}
    times.push(performance.now() - start);
  }}
  return times;
}}"""


def hover(page: Page, address: str, heads: int, direction: str) -> tuple[dict[str, list[float]], int]:
    """Return milliseconds of hovers and of fills, the first of each apart, and the bytes that went to the server."""
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))  # noqa: PLW0108 (Playwright marks the function)
    page.goto(f"{address}?heads={heads}")
    wait_until_ready(page)
    canvas = page.get_by_role("grid", name="The picture").locator("canvas")
    canvas.wait_for()
    page.get_by_role("radio", name=direction).click()
    page.wait_for_timeout(1000)  # the chosen direction goes to the server once, when it has settled
    sent: list[int] = []
    page.on("request", lambda request: sent.append(len(request.url)))
    for socket in sockets:
        socket.on("framesent", lambda frame: sent.append(len(frame)))
    times: dict[str, list[float]] = canvas.evaluate(MOVE, [EVENTS, REST])
    return times, sum(sent)


def line(name: str, times: list[float], fills: list[float], reruns: list[float]) -> str:
    """Return a line of the table; the first event stands apart."""
    first, rest = times[0], sorted(times[1:])
    middle, high = statistics.median(rest), rest[int(0.95 * (len(rest) - 1))]
    fill, rerun = statistics.median(fills[1:]), statistics.median(reruns[1:])
    return f"| {name} | {first:.2f} | {middle:.2f} | {high:.2f} | {middle / fill:.2f} | {rerun / middle:.0f} |"


def main() -> None:
    with (
        run_app("benchmarks/apps/viewer.py") as viewer,
        run_app("benchmarks/apps/plotly_maps.py") as plotly,
        sync_playwright() as playwright,
        launch(playwright) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(plotly.address)
        wait_until_ready(page)
        page.locator(".gtitle").nth(23).wait_for()
        reruns = page.evaluate(RERUN, [EVENTS // 4, REST])
        print("| | first, ms | median, ms | 95 %, ms | times an empty fill | times faster than reruns |")
        print("| --- | --- | --- | --- | --- | --- |")
        sent = 0
        fills: list[float] = []
        for heads in HEADS:
            for direction in ("Takes from", "Gives to"):
                page = browser.new_page(viewport={"width": 1280, "height": 720})
                times, requests = hover(page, viewer.address, heads, direction)
                sent += requests
                fills = times["fill"]
                print(line(f"{heads} heads, {direction.lower()}", times["hover"], fills, reruns))
                page.close()
        print(line("empty canvas fill", fills, fills, reruns))
        print(line("24 plotly maps, rerun", reruns, fills, reruns))
        print(f"\nBytes to the server while hovering: {sent}.")


if __name__ == "__main__":
    main()
