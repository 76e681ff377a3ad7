"""Visitors without a browser: they open a page over Streamlit's own socket, and wait until its script has run."""

import threading
import time
from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from attnviz import data
from attnviz.ui.live.channel import COOKIE

VIEWS: dict[str, tuple[str, dict[str, str]]] = {
    "element-wise, Fashion-MNIST": (
        "element_wise", {"model": "element_wise.fashion-repaired", "data": "fashion_mnist"}
    ),
    "element-wise, CIFAR-10": (
        "element_wise", {"model": "element_wise.cifar-repaired-augmented", "data": "cifar10"}
    ),
    "glimpses": ("recurrent_attention", {"model": "recurrent_attention.digits", "data": "strokes"}),
    "pixel attention": ("pixel_attention", {"model": "pixel_attention.digits", "data": "strokes"}),
    "blocks": ("cnn_attention", {"model": "cnn_attention.digits", "data": "strokes"}),
    "explorer": ("explorer", {"model": "pixel_attention.digits", "data": "strokes"}),
}  # fmt: skip
"""What visitors look at: the URL of a page, and its words but for the picture's number."""

WAIT = 120.0


class Visitor:
    """One who looks at one picture after the other.

    Args:
        address: of the app.
        number: of the visitor, which decides the order of the pictures.
        view: one of `VIEWS`.
    """

    def __init__(self, address: str, number: int, view: str) -> None:
        self.page, self.words = VIEWS[view]
        numbers = data.shown(self.words["data"]).numbers[:200]
        self.numbers: Sequence[int] = np.random.default_rng(number).permutation(numbers).tolist()
        self.seconds: list[float] = []
        self.failed = 0
        cookie = {"Cookie": f"{COOKIE}=class{number}"}
        url = f"ws://{urlsplit(address).netloc}/_stcore/stream"
        self.socket: ClientConnection = connect(
            url,
            origin=address,
            compression=None,
            max_size=None,
            additional_headers=cookie,
        )

    def switch(self, turn: int) -> float:
        """Look at the next picture, and return the seconds until its page is complete."""
        message = BackMsg()
        message.rerun_script.page_name = self.page
        number = str(self.numbers[turn % len(self.numbers)])
        message.rerun_script.query_string = urlencode({**self.words, "number": number, "v": "1"})
        began = time.perf_counter()
        self.socket.send(message.SerializeToString())
        while True:
            came = ForwardMsg()
            came.ParseFromString(self.socket.recv(timeout=WAIT))
            if came.delta.new_element.HasField("exception") or came.delta.new_element.alert.format == 1:
                self.failed += 1
            if came.WhichOneof("type") == "script_finished" and came.script_finished == 0:
                return time.perf_counter() - began

    def look(self, until: float, pause: float) -> None:
        """Look at pictures, each for a while after its page is complete."""
        turn = 0
        while time.monotonic() < until:
            self.seconds.append(self.switch(turn))
            turn += 1
            time.sleep(pause)


def a_class(address: str, views: Sequence[str], count: int, seconds: float, pause: float) -> tuple[list[float], int]:
    """Be so many visitors at once, and return the seconds that each page took, and how many showed an error.

    Args:
        address: of the app.
        views: of `VIEWS`, dealt out in turn.
        count: of visitors.
        seconds: for which they look.
        pause: seconds for which one looks at a page.
    """
    visitors = [Visitor(address, number, views[number % len(views)]) for number in range(count)]
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=one.look, args=(until, pause)) for one in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in visitors:
        one.socket.close()
    return [second for one in visitors for second in one.seconds], sum(one.failed for one in visitors)
