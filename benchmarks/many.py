"""Thirty visitors look at pages: how long do these take, and how long does one wait who draws meanwhile?

python -m benchmarks.many [VIEW ...] [--visitors 30] [--seconds 60] [--pages FOLDER --python PYTHON] [--beside 1000]
python -m benchmarks.hundred      # a hundred, who also draw and drag glimpses themselves, beside a training

Without a browser: each of the thirty opens a page over Streamlit's own socket, waits until it is complete, looks at it
for two seconds, and switches to another picture. Somebody else draws, as in `benchmarks.beside`. The bar, on two quiet
cores: who draws is answered within 0.3 s in the median and 1 s at 99 %, no page takes longer than 3 s, and the server
has at most 400 MB more than with one visitor. --pages measures another checkout, installed for another interpreter;
--beside measures again beside one visitor at another address, with as many sockets as the server lets them have, of
which each asks for a page once a second; those that are refused try again as often.
"""

import argparse
import asyncio
import multiprocessing
import os
import statistics
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect as asyncio_connect
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from attnviz import data
from attnviz.ui.shared.visitor import COOKIE
from benchmarks import beside
from benchmarks.clock import amount
from benchmarks.start import memory
from tests.browser.harness import ROOT, run_app

PICTURE = {"data": "strokes", "number": "{}"}
VIEWS: dict[str, tuple[str, dict[str, str]]] = {
    "element-wise, Fashion-MNIST": (
        "element_wise", {"model": "element_wise.fashion-repaired", **PICTURE, "data": "fashion_mnist"}
    ),
    "element-wise, CIFAR-10": (
        "element_wise", {"model": "element_wise.cifar-repaired-augmented", **PICTURE, "data": "cifar10"}
    ),
    "glimpses": ("recurrent_attention", {"model": "recurrent_attention.digits", **PICTURE}),
    "pixel attention": ("pixel_attention", {"model": "pixel_attention.digits", **PICTURE}),
    "blocks": ("cnn_attention", {"model": "cnn_attention.digits", **PICTURE}),
    "gates": ("channel_attention", {"model": "channel_attention.digits", **PICTURE}),
    "spatial transformer": (
        "spatial_transformer", {"model": "spatial_transformer.rotated", **PICTURE, "data": "rotated_strokes"}
    ),
    "sequences": ("sequences", {"model": "encoder_decoder.strips-15", "strip": "strokes.5.{}"}),
    "explorer": ("explorer", {"model": "pixel_attention.digits", **PICTURE}),
}  # fmt: skip
"""What visitors look at: the URL of a page, and its words, with a place for the picture's number."""

PAUSE = amount(2.0, 0.1)  # seconds for which one looks at a page
PATIENCE = 120.0


class Visitor:
    """One who looks at one picture after the other.

    Args:
        address: of the app.
        number: of the visitor, which decides the order of the pictures.
        view: one of `VIEWS`.
    """

    def __init__(self, address: str, number: int, view: str) -> None:
        self.page, self.words = VIEWS[view]
        numbers = data.shown(self.words.get("data", "strokes")).numbers[:200]
        self.numbers: Sequence[int] = np.random.default_rng(number).permutation(numbers).tolist()
        self.seconds: list[float] = []
        self.failed = 0
        self.came = b""  # of the last page
        cookie = {"Cookie": f"{COOKIE}=class{number}"}
        urlopen(Request(f"{address}/{self.page}", headers={**cookie, "Accept": "text/html"})).close()
        url = f"ws://{urlsplit(address).netloc}/_stcore/stream"
        self.opened = ExitStack()  # what `close` closes
        self.socket: ClientConnection = self.opened.enter_context(
            connect(url, origin=address, compression=None, max_size=None, additional_headers=cookie)
        )

    def switch(self, turn: int) -> float:
        """Look at the next picture, and return the seconds until its page is complete."""
        message = BackMsg()
        message.rerun_script.page_name = self.page
        number = str(self.numbers[turn % len(self.numbers)])
        words = {name: word.format(number) for name, word in self.words.items()}
        message.rerun_script.query_string = urlencode({**words, "v": "1"})
        parts: list[bytes] = []
        began = time.perf_counter()
        self.socket.send(message.SerializeToString())
        while True:
            came = ForwardMsg()
            parts.append(self.socket.recv(timeout=PATIENCE, decode=False))
            came.ParseFromString(parts[-1])
            if came.delta.new_element.HasField("exception") or came.delta.new_element.alert.format == 1:
                self.failed += 1
            if came.WhichOneof("type") == "script_finished" and came.script_finished == 0:
                seconds = time.perf_counter() - began
                self.came = b"".join(parts)
                return seconds

    def close(self) -> None:
        """Leave."""
        self.opened.close()

    def look(self, until: float) -> None:
        """Look at pictures, each for a while after its page is complete."""
        turn = 0
        while time.monotonic() < until:
            self.seconds.append(self.switch(turn))
            turn += 1
            time.sleep(PAUSE)


def a_class(address: str, views: Sequence[str], count: int, seconds: float, said: Any) -> None:
    """Be so many visitors at once, in a process of their own.

    Args:
        address: of the app.
        views: of `VIEWS`, dealt out in turn.
        count: of visitors.
        seconds: for which they look.
        said: a queue that gets the seconds that each page took, and how many showed an error.
    """
    visitors = [Visitor(address, number, views[number % len(views)]) for number in range(count)]
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=one.look, args=(until,)) for one in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said.put(([second for one in visitors for second in one.seconds], sum(one.failed for one in visitors)))


def crowd(address: str, sockets: int, seconds: float, said: Any) -> None:
    """Be one visitor with many sockets, in a process of its own.

    Args:
        address: of the app.
        sockets: to open, 32 with the cookie of each browser that has loaded a page.
        seconds: for which each asks for a page once a second.
        said: a queue that gets how many sockets were opened, before they ask.
    """
    url, path = f"ws://{urlsplit(address).netloc}/_stcore/stream", "channel_attention"
    message = BackMsg()
    message.rerun_script.page_name = path

    async def ask(number: int) -> None:
        cookie = {"Cookie": f"{COOKIE}=crowd{number // 32}"}
        while time.monotonic() < until:
            try:
                async with asyncio_connect(
                    url, origin=Origin(address), compression=None, max_size=None, additional_headers=cookie,
                    local_addr=("127.0.0.2", 0),
                ) as socket:  # fmt: skip
                    opened.add(number)
                    while time.monotonic() < until:
                        await socket.send(message.SerializeToString())
                        with suppress(TimeoutError):
                            async with asyncio.timeout(1.0):
                                async for _ in socket:
                                    pass
            except (WebSocketException, TimeoutError, OSError):
                opened.discard(number)
                await asyncio.sleep(1.0)

    async def all_of_them() -> None:
        for browser in range((sockets + 31) // 32):
            headers = {"Cookie": f"{COOKIE}=crowd{browser}", "Accept": "text/html"}
            urlopen(Request(f"{address}/{path}", headers=headers)).close()
        asking = [asyncio.create_task(ask(number)) for number in range(sockets)]
        await asyncio.sleep(min(seconds, 10.0))
        said.put(len(opened))
        await asyncio.gather(*asking)

    opened: set[int] = set()
    until = time.monotonic() + seconds
    asyncio.run(all_of_them())


def high(times: list[float], share: float) -> float:
    """Return what a share of times does not exceed."""
    return sorted(times)[int(share * (len(times) - 1))]


def computed(process: int) -> float:
    """Return how many seconds a process has computed, on all cores; known on Linux only."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("views", nargs="*", metavar="VIEW", help=", ".join(VIEWS))
    parser.add_argument("--visitors", type=int, default=amount(30, 2))
    parser.add_argument("--seconds", type=float, default=amount(60.0, 1.0))
    parser.add_argument("--pages", type=Path, default=ROOT, metavar="FOLDER")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--beside", type=int, default=0, metavar="SOCKETS")
    options = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    every = [options.views] if options.views else amount([*([name] for name in VIEWS), [*VIEWS]], [[*VIEWS]])
    print(
        f"| {options.visitors} look at | drawing: median, s | 99 %, s | longest, s | page: median, s | longest, s | "
        "pages | one page alone computes, s | MB with one | MB more | load |"
    )
    print("| --- " * 11 + "|")
    for views in every:
        with ExitStack() as stack:
            app = stack.enter_context(run_app(folder=options.pages, python=options.python))
            one = stack.enter_context(beside.visit(app.address, "one"))
            beside.waits(one, beside.WARM)
            alone = []
            for view in views:
                first = Visitor(app.address, options.visitors, view)
                first.switch(0)
                before = computed(app.process.pid)
                for turn in range(1, 6):
                    first.switch(turn)
                alone.append((computed(app.process.pid) - before) / 5)
                first.close()
            held = memory(app.process.pid)
            said: Any = spawn.Queue()
            for sockets in (0, options.beside) if options.beside else (0,):
                if sockets:
                    long = 2 * options.seconds + 10
                    others = spawn.Process(target=crowd, args=(app.address, sockets, long, said))
                    others.start()
                    stack.callback(others.kill)
                    print(f"{said.get(timeout=600)} of {sockets} sockets of another visitor ask for pages.", flush=True)
                process = spawn.Process(
                    target=a_class, args=(app.address, views, options.visitors, options.seconds, said)
                )
                process.start()
                stack.callback(process.kill)
                waited = beside.waits(one, options.seconds)
                pages, failed = said.get(timeout=600)
                process.join()
                row = (
                    views[0] if len(views) == 1 else "all of these",
                    *(f"{one:.2f}" for one in (statistics.median(waited), high(waited, 0.99), max(waited))),
                    *(f"{one:.2f}" for one in (statistics.median(pages), max(pages))),
                    len(pages), f"{statistics.mean(alone):.3f}", f"{held:.0f}",
                    f"{memory(app.process.pid) - held:.0f}", f"{os.getloadavg()[0]:.1f}",
                )  # fmt: skip
                print(f"| {' | '.join(map(str, row))} |", flush=True)
                if failed:
                    print(f"{failed} pages showed an error.")


if __name__ == "__main__":
    main()
