"""Small messages leave at once: every connection to the server has TCP_NODELAY."""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.sync.client import connect

from attnviz.ui.server.connections import NoDelay

WAIT = 30.0  # seconds after which a test that waits has failed


def delayed(client: tuple[str, int]) -> str:
    """Say whether this process holds small messages to a client back, as its own files tell."""
    for file in Path("/proc/self/fd").iterdir():
        try:
            with socket.socket(fileno=os.dup(int(file.name))) as held:
                if held.getpeername() == client:
                    return "no" if held.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) else "yes"
        except OSError:  # a file, or not connected
            continue
    return "not found"


async def page(request: Request) -> PlainTextResponse:
    return PlainTextResponse(delayed(tuple(request.scope["client"])))


async def channel(visitor: WebSocket) -> None:
    await visitor.accept()
    await visitor.send_text(delayed(tuple(visitor.scope["client"])))
    await visitor.close()


@pytest.fixture(params=[True, False], ids=["with it", "without"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Run a server on a socket that is bound as Streamlit does it; give its address, and what is expected."""
    middleware = [Middleware(NoDelay)] if request.param else []
    app = Starlette(routes=[Route("/page", page), WebSocketRoute("/channel", channel)], middleware=middleware)
    running = uvicorn.Server(uvicorn.Config(app, ws="websockets-sansio", lifespan="off", log_level="warning"))
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        yield f"127.0.0.1:{bound.getsockname()[1]}", "no" if request.param else "yes"
        running.should_exit = True
        thread.join(WAIT)


@pytest.mark.skipif(sys.platform != "linux", reason="the files of a process are listed in /proc on Linux only")
def test_requests_and_sockets_are_answered_without_delay(server: tuple[str, str]) -> None:
    address, expected = server
    with urlopen(f"http://{address}/page", timeout=WAIT) as answer:
        assert answer.read().decode() == expected
    with connect(f"ws://{address}/channel", open_timeout=WAIT) as opened:
        assert opened.recv(timeout=WAIT) == expected


def test_another_server_is_left_alone() -> None:
    passed = []

    async def app(scope: object, receive: object, send: object) -> None:
        passed.append((scope, receive, send))

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: object) -> None:
        raise AssertionError(message)

    asyncio.run(NoDelay(app)({"type": "http"}, receive, send))
    assert passed == [({"type": "http"}, receive, send)]
