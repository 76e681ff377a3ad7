"""What if a class draws at once? Twenty visitors for a minute over the live channel, all cards of the draw page each.

python -m benchmarks.drawing_class [VISITORS] [SECONDS]

Every visitor draws a digit of their own, movement by movement, and asks again as soon as all models have answered, as
the page does. Every answer is looked at: it must be of this request, and of the very canvas that this visitor sent.
Beside them one visitor alone, in the same run; and then as many again who ask for the most that a request may be: all
maps of 64 pictures, of the model with 24 heads.
"""

import statistics
import sys
import threading
import time
from contextlib import ExitStack
from socket import IPPROTO_TCP, TCP_NODELAY
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image, ImageDraw
from websockets.sync.client import ClientConnection, connect

from attnviz.data.inputs.digit import prepare
from attnviz.ui.components.panel import MAP
from attnviz.ui.draw import panels
from attnviz.ui.shared.visitor import COOKIE
from attnviz.views.payload import pack, unpack
from benchmarks.clock import amount
from benchmarks.start import memory
from benchmarks.tracing import written
from tests.browser.harness import run_app

VISITORS, SECONDS, ALONE, WARM = amount((20, 60, 10, 3), (2, 1, 1, 1))
MOST = {
    "number": 0,
    "pictures": [{"data": "strokes", "number": 0}] * 64,
    "asks": [
        {"checkpoint": "pixel_attention.1v8-augmented", "edits": [{"edit": "off", "address": "attention.weights"}]}
    ],
}
WIDTH = 20  # of the pen, in pixels of the canvas


def canvases(visitor: int) -> list[np.ndarray]:
    """Return what is on a visitor's pad after each movement, uint8 (280, 280, 1)."""
    line = written(visitor % 10, 2000 + visitor)[::4]
    low, high = line.min(0), line.max(0)
    way = (line - (low + high) / 2) * (210 / (high - low).max()) + 140
    found = []
    for end in range(2, len(way) + 1):
        sheet = Image.new("L", (280, 280))
        ImageDraw.Draw(sheet).line([tuple(point) for point in way[:end]], 255, WIDTH, "curve")
        found.append(np.asarray(sheet)[:, :, None])
    return found


class Visitor:
    """One who draws: how long every movement waited for its last card, and what went wrong."""

    def __init__(self, socket: ClientConnection, number: int, asks: list[dict[str, Any]]) -> None:
        self.socket, self.canvases, self.asks = socket, canvases(number), asks
        self.seen = [prepare(canvas[:, :, 0]).picture for canvas in self.canvases]
        self.seconds: list[float] = []
        self.wrong = 0

    def draw(self, until: float) -> None:
        """Draw, over and over again."""
        number = 0
        while time.monotonic() < until:
            turn = number % len(self.canvases)
            header = {"number": number, "asks": self.asks, "prepare": {"centred": True}}
            start = time.perf_counter()
            self.socket.send(pack(header, {"pictures": self.canvases[turn]}))
            for place in range(len(self.asks)):
                said, arrays = unpack(self.socket.recv(timeout=120))
                expected = {"number": number, "ask": place, "checkpoint": self.asks[place]["checkpoint"]}
                known = {name: said.get(name) for name in expected} == expected
                if not known or "error" in said or not np.array_equal(arrays["seen"][..., 0], self.seen[turn]):
                    self.wrong += 1
            self.seconds.append(time.perf_counter() - start)
            number += 1


def together(visitors: list[Visitor], seconds: float) -> list[float]:
    """Let visitors draw at once; return the milliseconds of all movements."""
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=visitor.draw, args=(until,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [1000 * one for visitor in visitors for one in visitor.seconds]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else VISITORS
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    models = panels.describe(panels.chosen())
    asks = [{"checkpoint": model["checkpoint"], "wanted": model["wanted"]} for model in models]
    assert any(MAP in ask["wanted"] for ask in asks)
    with ExitStack() as stack:
        app = stack.enter_context(run_app())
        address = f"ws://{urlsplit(app.address).netloc}/live"

        def browser(number: int) -> ClientConnection:
            cookie = {"Cookie": f"{COOKIE}={number}"}
            return connect(address, origin=app.address, compression=None, max_size=None, additional_headers=cookie)

        def visitor(number: int) -> Visitor:
            opened = stack.enter_context(browser(number))
            opened.socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # as browsers do, else a canvas waits for 40 ms
            return Visitor(opened, number, asks)

        alone = visitor(0)
        together([alone], WARM)  # the models are loaded
        alone.seconds.clear()
        single = together([alone], ALONE)
        before = memory(app.process.pid)
        visitors = [visitor(number) for number in range(count)]
        all_of_them = together(visitors, seconds)
        half = memory(app.process.pid)
        together(visitors, seconds / 2)
        after = memory(app.process.pid)
        for other in range(count):
            greedy = stack.enter_context(browser(count + 1 + other))
            greedy.send(pack(MOST, {}))
        for one in visitors:
            one.seconds.clear()
        beside = together(visitors, min(seconds, count))  # so long as the greedy ones are being answered
        wrong = sum(one.wrong for one in [alone, *visitors])
    print(f"{count} visitors, {len(asks)} models, {seconds:.0f} s\n")
    print("| movement to the last card's answer | median, ms | 95 %, ms | longest, ms | movements a second, all |")
    print("| --- | --- | --- | --- | --- |")
    for name, times, long in (
        ("one visitor", single, ALONE),
        (f"{count} visitors", all_of_them, seconds),
        (f"{count} beside {count} who ask for the most", beside, min(seconds, count)),
    ):
        high = sorted(times)[int(0.95 * (len(times) - 1))]
        print(f"| {name} | {statistics.median(times):.1f} | {high:.1f} | {max(times):.1f} | {len(times) / long:.1f} |")
    fewest = min(len(visitor.seconds) for visitor in visitors)
    print(
        f"\nAnswers that were lost, of another request or of another's canvas: {wrong}. Fewest movements of a visitor: "
    )
    print(f"{fewest}. Memory: {before:.0f} MB before, {half:.0f} MB after, {after:.0f} MB after half as long again.")


if __name__ == "__main__":
    main()
