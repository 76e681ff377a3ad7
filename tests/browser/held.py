"""A socket of a page, whose messages from the server can be held back."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute


class Held:
    """The live channel of a page, or another socket, whose messages from the server can be held back."""

    def __init__(self) -> None:
        self.holding = self.next_at_once = False
        self.waiting: list[Callable[[], None]] = []
        self.messages: list[Any] = []  # that were held back
        self.sockets: list[WebSocketRoute] = []

    def route(self, page: Page, url: str = "**/live") -> None:
        page.route_web_socket(url, self.opened)

    def opened(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)
        server = socket.connect_to_server()

        def back(message: Any) -> None:
            if self.holding:
                self.messages.append(message)
                self.waiting.append(lambda: socket.send(message))
                if self.next_at_once:
                    self.next_at_once = False
                    self.waiting.pop(0)()
            else:
                socket.send(message)

        server.on_message(back)

    def release_one(self) -> None:
        """Let the oldest answer through; where none has come yet, the first to come."""
        if self.waiting:
            self.waiting.pop(0)()
        else:
            self.next_at_once = True

    def release(self) -> None:
        """Let all answers through, those that came and those to come."""
        self.holding = False
        while self.waiting:
            self.waiting.pop(0)()
