"""A visitor without a browser: a session over Streamlit's own socket, for tests of a whole server and for benchmarks.

with session.open_at(server.address, "one") as visitor:
    drawn = visitor.run("train", {"epochs": "1"})
    visitor.run("train", {"epochs": "1"}, press=drawn.button("Train"))
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from attnviz.ui.shared.visitor import COOKIE

PATIENCE = 120.0  # seconds for a page


@dataclass
class Drawn:
    """What came of one run of a page.

    Args:
        elements: all that it drew, in order.
        pages: the URLs of the pages in the navigation.
        seconds: until the page was complete.
    """

    elements: list[Element] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def errors(self) -> list[str]:
        """What the page says in red, and what a traceback would be about."""
        alerts = [one.alert.body for one in self.elements if one.alert.format == Alert.ERROR]
        return alerts + [one.exception.message for one in self.elements if one.HasField("exception")]

    @property
    def words(self) -> str:
        """All that is written as text."""
        found = [one.markdown.body for one in self.elements if one.HasField("markdown")]
        return "\n".join(found + [one.alert.body for one in self.elements if one.HasField("alert")])

    def button(self, label: str) -> str:
        """Return what identifies the first button of that label.

        Raises:
            AssertionError: there is none.
        """
        ids = [one.button.id for one in self.elements if one.HasField("button") and one.button.label == label]
        assert ids, f"there is no button {label!r}"
        return ids[0]


class Session:
    """One visitor, with a browser's cookie.

    Args:
        socket: Streamlit's own, open.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def run(self, page: str, words: Mapping[str, str] | None = None, *, press: str = "") -> Drawn:
        """Open a page, or press a button on it, and wait until it is complete.

        Args:
            page: its URL; "" is the home page.
            words: the URL's fields.
            press: what identifies a button.

        Raises:
            TimeoutError: nothing came for two minutes.
        """
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = urlencode(words or {})
        if press:
            message.rerun_script.widget_states.widgets.add(id=press, trigger_value=True)
        drawn, began = Drawn(), time.perf_counter()
        self.socket.send(message.SerializeToString())
        while True:
            came = ForwardMsg()
            came.ParseFromString(self.socket.recv(timeout=PATIENCE))
            kind = came.WhichOneof("type")
            if kind == "delta" and came.delta.WhichOneof("type") == "new_element":
                drawn.elements.append(came.delta.new_element)
            elif kind == "navigation":
                drawn.pages = [one.url_pathname for one in came.navigation.app_pages]
            elif kind == "script_finished" and came.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                drawn.seconds = time.perf_counter() - began
                return drawn


@contextmanager
def open_at(address: str, browser: str) -> Iterator[Session]:
    """Open a session until the end of the block.

    Args:
        address: of the app.
        browser: its cookie, which tells it from other browsers.
    """
    url = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    cookie = {"Cookie": f"{COOKIE}={browser}"}
    with connect(url, origin=address, compression=None, max_size=None, additional_headers=cookie) as socket:
        yield Session(socket)
