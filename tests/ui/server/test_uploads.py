"""Few files arrive at a time, and few are kept, however many are uploaded."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from attnviz.ui.server import sockets, uploads
from attnviz.ui.server.uploads import Uploads
from attnviz.ui.shared.visitor import COOKIE


class Server:
    """What lies below: it takes a file when it may, as Streamlit does."""

    def __init__(self) -> None:
        self.files = MemoryUploadedFileManager("/_stcore/upload_file")
        self.may = asyncio.Event()
        self.now = self.most = 0
        self.status = 204

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.may.wait()
        finally:
            self.now -= 1
        session, file = scope["path"].split("/")[-2:]
        if self.status == 204:
            self.files.add_file(session, UploadedFileRec(file, "a.png", "image/png", b"1"))
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=server.files))
    return server


async def put(
    app: Uploads,
    session: str,
    file: str,
    method: str = "PUT",
    who: str = "10.0.0.1",
    parts: Receive | None = None,
    browser: str = "",
) -> int:
    """Upload a file and return the status of the answer."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    path = f"/lab/_stcore/upload_file/{session}/{file}"
    headers = [(b"cookie", f"{COOKIE}={browser}".encode())] if browser else []
    scope: Any = {"type": "http", "method": method, "path": path, "headers": headers, "client": (who, 1)}
    await app(scope, parts or receive, send)
    return int(sent[0]["status"])


def kept(server: Server) -> list[tuple[str, str]]:
    return sorted((session, file) for session, files in server.files.file_storage.items() for file in files)


def test_only_the_latest_files_are_kept_whoever_uploads_them(server: Server) -> None:
    async def upload() -> None:
        server.may.set()
        app = Uploads(server, kept=3)
        for number in range(20):
            assert await put(app, f"session{number % 2}", str(number)) == 204
        await put(app, "session1", "17")  # once more: it is the latest now
        await put(app, "session0", "20")

    asyncio.run(upload())
    assert kept(server) == [("session0", "20"), ("session1", "17"), ("session1", "19")]


def test_what_was_refused_pushes_nothing_out(server: Server) -> None:
    async def upload() -> None:
        server.may.set()
        app = Uploads(server, kept=1)
        await put(app, "session", "good")
        server.status = 413
        assert await put(app, "session", "large") == 413
        assert await put(app, "session", "gone", "DELETE") == 413

    asyncio.run(upload())
    assert kept(server) == [("session", "good")]


def test_few_arrive_at_a_time_and_the_others_wait_their_turn(server: Server) -> None:
    async def upload() -> list[int]:
        app = Uploads(server, at_once=2, kept=50)
        arriving = [asyncio.create_task(put(app, "session", str(n), who=f"10.0.0.{n}")) for n in range(20)]
        while server.now < 2:
            await asyncio.sleep(0)
        server.may.set()
        return await asyncio.gather(*arriving)

    assert asyncio.run(upload()) == [204] * 20
    assert server.most == 2
    assert len(kept(server)) == 20


def test_a_file_that_never_arrives_gives_its_turn_back(server: Server) -> None:
    async def upload() -> tuple[int, int]:
        app = Uploads(server, at_once=1, longest=0.01)
        first = await put(app, "session", "never")
        server.may.set()
        return first, await put(app, "session", "good")

    assert asyncio.run(upload()) == (408, 204)
    assert kept(server) == [("session", "good")]


def test_of_one_visitor_one_file_arrives_after_the_other(server: Server) -> None:
    async def upload() -> int:
        app = Uploads(server, at_once=4, kept=50)
        first = [asyncio.create_task(put(app, "session", str(number))) for number in range(9)]
        while server.now < 1:
            await asyncio.sleep(0)
        other = asyncio.create_task(put(app, "session", "other", who="10.0.0.2"))
        while server.now < 2:
            await asyncio.sleep(0)
        server.may.set()
        await asyncio.gather(*first, other)
        assert not app.own and not app.here
        return server.most

    assert asyncio.run(upload()) == 2


@pytest.mark.parametrize("loaded", [True, False], ids=["that have loaded a page", "made up"])
def test_those_of_one_address_leave_a_seat_to_others(
    server: Server, monkeypatch: pytest.MonkeyPatch, loaded: bool
) -> None:
    browsers = [f"browser {number}" for number in range(9)]
    monkeypatch.setattr(sockets, "_seen", {"10.0.0.1": dict.fromkeys(browsers)} if loaded else {})

    async def upload() -> int:
        app = Uploads(server, kept=50)
        many = [asyncio.create_task(put(app, "session", one, browser=one)) for one in browsers]
        expected = uploads.OF_AN_ADDRESS if loaded else 1
        for _ in range(200):
            await asyncio.sleep(0)
        assert server.now == expected
        other = asyncio.create_task(put(app, "session", "other", who="10.0.0.2"))
        for _ in range(200):
            await asyncio.sleep(0)
        arriving = server.now
        server.may.set()
        await asyncio.gather(*many, other)
        assert not app.own and not app.here
        return arriving - expected

    assert asyncio.run(upload()) == 1


class Reads(Server):
    """It reads a file to its end, as Streamlit does."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            self.now += 1
        self.may.set()
        await super().__call__(scope, receive, send)


@pytest.mark.parametrize("silent", [True, False], ids=["nothing", "a byte now and then"])
def test_whoever_dawdles_gives_the_seat_to_others_soon(server: Server, silent: bool) -> None:
    reads = Reads()
    reads.files = server.files

    async def dawdles() -> Message:
        await asyncio.sleep(1000 if silent else 0.001)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def upload() -> list[int]:
        app = Uploads(reads, at_once=2, piece=0.05)
        slow = [asyncio.create_task(put(app, "session", "a", who=f"10.0.0.{n}", parts=dawdles)) for n in range(4)]
        return [*await asyncio.gather(*slow), await put(app, "session", "good", who="10.0.1.1")]

    assert asyncio.run(upload()) == [408] * 4 + [204]
    assert kept(server) == [("session", "good")]


@pytest.mark.parametrize(("beside", "status"), [(False, 204), (True, 408)])
def test_where_somebody_waits_it_must_be_faster(
    server: Server, beside: bool, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "LEAST", 0)
    monkeypatch.setattr(uploads, "LEAST_BESIDE", 10**12)
    reads = Reads()
    reads.files = server.files

    async def upload() -> int:
        app = Uploads(reads, at_once=1, piece=0.05)
        left = 30

        async def steadily() -> Message:
            nonlocal left
            left -= 1
            await asyncio.sleep(0.01)
            return {"type": "http.request", "body": b"x" * 100, "more_body": left > 0}

        first = asyncio.create_task(put(app, "session", "a", parts=steadily))
        while not reads.now:
            await asyncio.sleep(0)
        other = [asyncio.create_task(put(app, "session", "b", who="10.0.0.2"))] if beside else []
        return (await asyncio.gather(first, *other))[0]

    assert asyncio.run(upload()) == status
