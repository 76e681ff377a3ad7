"""How long does one who draws wait beside twenty others, whatever they send?

python -m benchmarks.beside [SECONDS]

The one asks for all cards of the draw page, movement by movement, as `benchmarks.drawing_class` does. The others are
browsers of their own, and send one request after the other, each as soon as the last one is answered: the most work
that a request may be; more than it may be; many asks that are each just quick enough; nonsense; and drawings.
"""

import multiprocessing
import statistics
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from websockets.sync.client import ClientConnection, connect

from attnviz.ui.draw import panels
from attnviz.ui.shared.visitor import COOKIE
from attnviz.views.payload import pack, unpack
from benchmarks.clock import amount
from tests.browser.harness import run_app

OTHERS, SECONDS = amount(20, 2), amount(8.0, 0.5)
WARM = amount(2.0, 0.1)  # seconds in which the models are loaded
LARGE = "pixel_attention.1v8-augmented"  # 24 heads, 784 tokens
MAPS = {"checkpoint": LARGE, "edits": [{"edit": "off", "address": "attention.weights"}]}
CANVAS = np.zeros((280, 280, 1), np.uint8)
CANVAS[60:220, 130:150] = 255


def request(number: int, pictures: int, asks: list[dict[str, Any]]) -> bytes:
    """Return a request about a test picture, several times."""
    return pack({"number": number, "pictures": [{"data": "strokes", "number": 0}] * pictures, "asks": asks}, {})


def drawing(number: int) -> bytes:
    """Return what the draw page asks at each movement."""
    shown = panels.describe(panels.chosen())
    asks = [{"checkpoint": panel["checkpoint"], "wanted": panel["wanted"]} for panel in shown]
    return pack({"number": number, "asks": asks, "prepare": {"centred": True}}, {"pictures": CANVAS})


EVERY: dict[str, Callable[[int], bytes]] = {
    "the most that a request may be": lambda number: request(number, 64, [MAPS]),
    "more than it may be": lambda number: request(number, 64, [MAPS] * 32),
    "many asks, each just quick enough": lambda number: request(number, 2, [{"checkpoint": LARGE}] * 32),
    "a megabyte of nonsense": lambda number: b"\xff" * 1_000_000,
    "drawings": drawing,
}
SENT = {what: EVERY[what] for what in amount([*EVERY], ["more than it may be", "drawings"])}


def visit(address: str, browser: str) -> ClientConnection:
    """Open a socket, as a page does in a browser of that name."""
    cookie = {"Cookie": f"{COOKIE}={browser}"}
    url = f"ws://{urlsplit(address).netloc}/live"
    return connect(url, origin=address, compression=None, max_size=None, ping_interval=None, additional_headers=cookie)


def answered(visitor: ClientConnection) -> None:
    """Wait until a request is answered to its end."""
    while not unpack(visitor.recv(timeout=120))[0]["done"]:
        pass


def others(address: str, what: str, began: Any) -> None:
    """Be twenty browsers that keep sending."""

    def send(visitor: ClientConnection) -> None:
        message = SENT[what](1)
        with visitor:
            for number in count():
                visitor.send(message)
                if not number:
                    began.release()
                answered(visitor)

    for other in range(OTHERS):
        threading.Thread(target=send, args=(visit(address, f"other{other}"),)).start()


def waits(visitor: ClientConnection, seconds: float) -> list[float]:
    """Draw for so long; return the seconds from each movement to the last card's answer."""
    found: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        message = drawing(len(found))
        began = time.perf_counter()
        visitor.send(message)
        answered(visitor)
        found.append(time.perf_counter() - began)
    return found


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    spawn = multiprocessing.get_context("spawn")
    print("| twenty others send | median wait, s | longest, s | movements |")
    print("| --- | --- | --- | --- |")
    for what in ("", *SENT):
        with ExitStack() as stack:
            address = stack.enter_context(run_app()).address
            visitor = stack.enter_context(visit(address, "one"))
            waits(visitor, WARM)
            if what:
                began = spawn.Semaphore(0)
                process = spawn.Process(target=others, args=(address, what, began))
                process.start()
                stack.callback(process.kill)
                for _ in range(OTHERS):
                    began.acquire(timeout=120)
            found = waits(visitor, seconds)
        row = f"{statistics.median(found):.2f} | {max(found):.2f} | {len(found)}"
        print(f"| {what or 'nothing'} | {row} |", flush=True)


if __name__ == "__main__":
    main()
