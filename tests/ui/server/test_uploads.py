"""Few files arrive at a time, and few are kept, however many are uploaded."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from attnviz.ui.server.uploads import Uploads


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


async def put(app: Uploads, session: str, file: str, method: str = "PUT") -> int:
    """Upload a file and return the status of the answer."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    path = f"/lab/_stcore/upload_file/{session}/{file}"
    scope: Any = {"type": "http", "method": method, "path": path, "headers": []}
    await app(scope, receive, send)
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
        uploads = [asyncio.create_task(put(app, "session", str(number))) for number in range(20)]
        while server.now < 2:
            await asyncio.sleep(0)
        server.may.set()
        return await asyncio.gather(*uploads)

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
