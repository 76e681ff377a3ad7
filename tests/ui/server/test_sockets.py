"""How many sockets there may be, and what they make the server keep."""

import logging
import socket
import threading
import urllib.request
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection, connect

from attnviz.ui.server import log, sockets
from attnviz.ui.server.asked import MOST, Asked
from attnviz.ui.server.sockets import FRAGMENTS, LARGEST, PINGS, QUEUED, Sockets, network
from attnviz.ui.shared.visitor import COOKIE

WAIT = 30.0
PATHS = ("/live", "/_stcore/stream", "/lab/_stcore/stream")


class Running:
    """A server that sends back the lengths of what it is sent."""

    def __init__(self, port: int, asked: Asked) -> None:
        self.port = port
        self.left = threading.Semaphore(0)
        self.asked = asked

    def load(self, browser: str) -> None:
        """Load a page, as a browser does before it opens a socket."""
        headers = {"Accept": "text/html", "Cookie": f"{COOKIE}={browser}"}
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}/", headers=headers), timeout=WAIT)

    def open(self, path: str = "/live", browser: str | None = None) -> ClientConnection:
        cookies = {"Cookie": f"{COOKIE}={browser}"} if browser else {}
        return connect(f"ws://127.0.0.1:{self.port}{path}", compression=None, max_size=None, additional_headers=cookies)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    sockets._seen.clear()
    monkeypatch.setattr(sockets, "ASKED", asked := Asked())
    ready = threading.Event()

    async def lengths(visitor: WebSocket) -> None:
        try:
            await visitor.accept()
            while (message := await visitor.receive())["type"] != "websocket.disconnect":
                await visitor.send_text(str(len(message.get("bytes") or b"")))
        finally:
            running.left.release()

    async def page(_: Request) -> HTMLResponse:
        return HTMLResponse("<p>")

    class Uvicorn(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    logging.getLogger("uvicorn.error").addFilter(log.in_one_line)  # as `log.limit` does
    limits = {"of_a_browser": 2, "of_no_browser": 2, "of_unseen": 3, "of_an_address": 4, "in_all": 5}
    limits["pages_of_a_browser"] = 1
    routes = [Route("/", page), *(WebSocketRoute(path, lengths) for path in PATHS)]
    app = Starlette(routes=routes, middleware=[Middleware(Sockets, **limits)])
    # As Streamlit starts it.
    config = uvicorn.Config(app, ws="websockets-sansio", ws_max_size=50_000_000, lifespan="off", log_level="warning")
    runs = Uvicorn(config)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        running = Running(bound.getsockname()[1], asked)
        thread = threading.Thread(target=runs.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        assert ready.wait(WAIT)
        yield running
        runs.should_exit = True
        thread.join(WAIT)


# How many


def test_a_browser_has_so_many_sockets_and_no_more_until_one_closes(server: Running) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(server.open(browser="one"))
        with pytest.raises(InvalidStatus, match="429"):
            server.open(browser="one")
        stack.enter_context(server.open(browser="another"))
    for _ in range(3):
        assert server.left.acquire(timeout=WAIT)
    with server.open(browser="one"), server.open(browser="one"):
        pass


def test_a_browser_has_so_many_pages(server: Running) -> None:
    with server.open(PATHS[1], "one"):
        with pytest.raises(InvalidStatus, match="429"):
            server.open(PATHS[2], "one")
        with server.open("/live", "one"):
            pass
    for _ in range(2):
        assert server.left.acquire(timeout=WAIT)
    with server.open(PATHS[1], "one"):
        pass


def test_who_floods_streamlits_socket_is_heard_slowly_while_somebody_else_is_there(server: Running) -> None:
    for browser in "ab":
        server.load(browser)
    with server.open(PATHS[1], "a") as flood, server.open(PATHS[1], "b") as other:
        now = server.asked.clock()
        server.asked.clock = lambda: now
        for _ in range(int(MOST) + 3):
            flood.send(b"page")
        other.send(b"page")
        assert other.recv(timeout=WAIT) == "4"
        for _ in range(int(MOST)):
            assert flood.recv(timeout=WAIT) == "4"
        assert server.asked.wait(("127.0.0.1", "a")) > 0
        with pytest.raises(TimeoutError):
            flood.recv(timeout=0.3)
        now += 1.0
        assert flood.recv(timeout=WAIT) == "4", "nothing is lost"


def test_who_floods_opens_no_other_page(server: Running) -> None:
    for browser in "ab":
        server.load(browser)
        for _ in range(int(MOST) + 5 if browser == "b" else 1):
            server.asked.note(("127.0.0.1", browser))
    with pytest.raises(InvalidStatus, match="429"):
        server.open(PATHS[1], "b")
    with server.open(PATHS[1], "a"):
        pass
    assert server.asked._refused


def test_an_address_has_so_many_whatever_browser_it_says_to_be(server: Running) -> None:
    with ExitStack() as stack:
        for browser in ("a", "b", "c", "d"):
            server.load(browser)
            stack.enter_context(server.open(browser=browser))
        for other in ("a", "e", None):
            with pytest.raises(InvalidStatus, match="429") as refused:
                server.open(browser=other)
        assert b"too many connections" in (refused.value.response.body or b"")


def test_those_without_a_cookie_are_bounded_together_and_leave_room_for_others(server: Running) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(server.open())
        with pytest.raises(InvalidStatus, match="429"):
            server.open()
        stack.enter_context(server.open(browser="another"))


def test_who_makes_up_browsers_leaves_room_for_those_that_have_loaded_a_page(server: Running) -> None:
    with ExitStack() as stack:
        for browser in "abc":
            stack.enter_context(server.open(browser=browser))
        with pytest.raises(InvalidStatus, match="429"):
            server.open(browser="d")
        server.load("d")
        stack.enter_context(server.open(browser="d"))


def test_who_only_holds_sockets_leaves_room_for_those_whose_pages_have_asked_for_something(server: Running) -> None:
    for browser in "abcd":
        server.load(browser)
    with ExitStack() as stack:
        silent = [stack.enter_context(server.open(PATHS[1], browser)) for browser in "abc"]
        with pytest.raises(InvalidStatus, match="429"):
            server.open(PATHS[1], "d")
        stack.enter_context(server.open("/live", "d")).close()  # of a page that is there
        assert server.left.acquire(timeout=WAIT)
        silent[0].send(b"page")
        assert silent[0].recv(timeout=WAIT) == "4"
        stack.enter_context(server.open(PATHS[1], "d"))


def test_all_together_have_so_many(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = iter("abcdef")
    monkeypatch.setattr(sockets, "network", lambda _: next(addresses))
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(server.open())
        with pytest.raises(InvalidStatus, match="429"):
            server.open()


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.168.1.20", "192.168.1.20"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("::ffff:192.168.1.20", "192.168.1.20"),
        ("testclient", "testclient"),
    ],
)
def test_who_counts_as_one_address(address: str, counted: str) -> None:
    assert network(address) == counted


def test_a_browser_gets_its_cookie_with_its_first_page(server: Running) -> None:
    def cookies(headers: str) -> list[str]:
        with socket.create_connection(("127.0.0.1", server.port), WAIT) as raw:
            raw.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n".encode())
            said = b"".join(iter(lambda: raw.recv(65536), b"")).decode()
        return [line for line in said.splitlines() if line.lower().startswith("set-cookie:")]

    (first,) = cookies("Accept: text/html\r\n")
    (second,) = cookies("Accept: text/html\r\n")
    assert first != second
    assert first.endswith("; Path=/; HttpOnly; SameSite=Lax")
    token = first.split(": ")[1].split(";")[0]
    assert cookies(f"Accept: text/html\r\nCookie: {token}\r\n") == []
    assert cookies("Accept: */*\r\n") == []


# How much


@pytest.mark.parametrize("path", PATHS)
def test_what_is_as_large_as_may_be_arrives(server: Running, path: str) -> None:
    with server.open(path) as visitor:
        visitor.send(bytes(LARGEST))
        assert visitor.recv(timeout=WAIT) == str(LARGEST)
        visitor.send(bytes(LARGEST // FRAGMENTS) for _ in range(FRAGMENTS))
        assert visitor.recv(timeout=WAIT) == str(LARGEST)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("length", [LARGEST + 1, 45_000_000])
def test_a_frame_that_is_too_large_is_refused_by_its_first_bytes(server: Running, path: str, length: int) -> None:
    beginning = Frame(Opcode.BINARY, bytes(length)).serialize(mask=True)[:14]
    with server.open(path) as visitor:
        visitor.socket.sendall(beginning)  # and nothing of the rest: the server need not wait for it
        assert closed(visitor) == 1009


def test_a_large_frame_in_parts_is_refused_as_well(server: Running) -> None:
    with server.open() as visitor:
        parts = [Frame(Opcode.BINARY, bytes(1 << 18), fin=False)] + [Frame(Opcode.CONT, bytes(1 << 18), fin=False)] * 4
        visitor.socket.sendall(b"".join(part.serialize(mask=True) for part in parts)[: (1 << 20) + 100])
        assert closed(visitor) == 1009


def test_empty_parts_without_end_are_refused(server: Running) -> None:
    with server.open() as visitor:
        parts = [Frame(Opcode.BINARY, b"", fin=False)] + [Frame(Opcode.CONT, b"", fin=False)] * FRAGMENTS
        visitor.socket.sendall(b"".join(part.serialize(mask=True) for part in parts))
        assert closed(visitor) == 1002


def test_who_sends_before_the_handshake_is_answered_gains_nothing(server: Running) -> None:
    beginning = Frame(Opcode.BINARY, bytes(45_000_000)).serialize(mask=True)[:14]
    handshake = (
        "GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), WAIT) as raw:
        raw.sendall(handshake.encode() + beginning)
        said = b""
        while b"\r\n\r\n" not in said:
            said += raw.recv(65536)
        raw.sendall(beginning)  # would be the first bytes of that frame, had it been begun
        while message := raw.recv(65536):
            said += message
    assert b"\x03\xf1" in said  # 1009


def test_many_messages_at_once_are_refused(server: Running) -> None:
    with server.open() as visitor:
        visitor.socket.sendall(Frame(Opcode.BINARY, b"").serialize(mask=True) * 3 * QUEUED)
        assert closed(visitor) == 1002


def test_who_loads_pages_as_many_browsers_pushes_out_nobody_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_seen", OrderedDict())
    monkeypatch.setattr(sockets, "MOST_SEEN", 10)
    sockets.note_seen("10.0.0.1", "a pupil")
    for number in range(50):
        sockets.note_seen("10.0.0.2", f"browser {number}")
    assert sockets.known_as("10.0.0.1", "a pupil") == ("10.0.0.1", "a pupil")
    assert sockets.known_as("10.0.0.2", "a pupil") == ("10.0.0.2", "")
    assert sockets.known_as("10.0.0.2", "browser 49")[1] and not sockets.known_as("10.0.0.2", "browser 39")[1]


def test_many_pings_are_refused(server: Running) -> None:
    with server.open() as visitor:
        visitor.socket.sendall(Frame(Opcode.PING, b"").serialize(mask=True) * 3 * PINGS)
        assert closed(visitor) == 1002


def test_pings_of_who_does_not_read_are_left_unanswered(server: Running) -> None:
    class Transport:
        written = 0

        def get_write_buffer_size(self) -> int:
            return self.written

    class Connection:
        max_message_size = 50_000_000

        def __init__(self) -> None:
            self.received: list[Opcode] = []

        def recv_frame(self, frame: Frame) -> None:
            self.received.append(frame.opcode)

    class Protocol:
        def __init__(self) -> None:
            self.transport, self.conn = Transport(), Connection()

        async def receive(self) -> dict[str, str]:
            return {}

    protocol = Protocol()
    sockets.bound(protocol.receive)
    protocol.conn.recv_frame(Frame(Opcode.PING, b""))
    protocol.transport.written = sockets.UNHEARD + 1
    protocol.conn.recv_frame(Frame(Opcode.PING, b""))
    protocol.conn.recv_frame(Frame(Opcode.CLOSE, b""))
    assert protocol.conn.received == [Opcode.PING, Opcode.CLOSE]


# What is no message at all


@pytest.mark.parametrize("path", PATHS[1:])
def test_text_closes_streamlits_socket_with_one_line(
    server: Running, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with server.open(path) as visitor:
        visitor.send("text")
        assert closed(visitor) == 1003
    assert server.left.acquire(timeout=WAIT)
    assert [record.getMessage() for record in caplog.records] == ["Closed a WebSocket that sent text"]


def test_text_that_is_no_text_leaves_one_line(server: Running, caplog: pytest.LogCaptureFixture) -> None:
    with server.open() as visitor:
        visitor.socket.sendall(Frame(Opcode.TEXT, b"\xff").serialize(mask=True))
        assert closed(visitor) == 1007
    assert server.left.acquire(timeout=WAIT)
    (record,) = caplog.records
    assert record.exc_info is None
    assert "\n" not in record.getMessage()
    assert "Invalid UTF-8" in record.getMessage()


def closed(visitor: ClientConnection) -> int | None:
    """Return the code with which the server closes."""
    with pytest.raises(ConnectionClosed) as end:
        visitor.recv(timeout=WAIT)
    return end.value.rcvd.code if end.value.rcvd else None
