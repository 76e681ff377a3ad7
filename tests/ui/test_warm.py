"""What is slow is loaded once, later, in a thread; a page's answer names the scripts that its component will want."""

import asyncio
from collections.abc import Iterator

import pytest

from attnviz.ui import warm

FRONTEND = {path.name for path in warm.FRONTEND.glob("*.js")}


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the names of what was loaded, and load nothing; nobody waits for the moment."""
    loaded: list[str] = []
    monkeypatch.setattr(warm, "import_module", loaded.append)
    monkeypatch.setattr(warm, "CALM", 0)
    warm.soon.cache_clear()
    yield loaded
    warm.soon.cache_clear()


def headers(path: str, kind: str = "http") -> list[tuple[bytes, bytes]]:
    """Return the headers that an answer to this request gets."""
    sent: list[dict] = []

    async def app(scope: object, receive: object, send) -> None:  # type: ignore[no-untyped-def]
        await send({"type": f"{kind}.response.start", "headers": []})

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": kind, "path": path}
    asyncio.run(warm.Ahead(app, pages={"pixel_attention": "pixel_viewer"})(scope, None, send))  # type: ignore[arg-type]
    return sent[0]["headers"]


def test_models_are_loaded_once_however_many_pages_ask(loads: list[str]) -> None:
    for timer in [warm.soon() for _ in range(3)]:
        timer.join()
    assert loads == ["attnviz.ui.looking"]


def test_without_torch_the_server_lives_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"no {name}")

    monkeypatch.setattr(warm, "import_module", missing)
    warm.load_models()
    assert "no attnviz.ui.looking" in caplog.text


def test_the_pixel_page_names_its_component_and_all_that_it_imports() -> None:
    ((name, value),) = headers("/below/here/pixel_attention")
    assert name == b"link"
    linked = {part.split(">")[0].rpartition("/")[2] for part in value.decode().split(", ")}
    assert {"pixel_viewer.js", "attention.js", "export.js", "sheet.js"} <= linked <= FRONTEND
    assert "map_grid.js" not in linked
    assert all(part.endswith(">; rel=modulepreload") for part in value.decode().split(", "))


@pytest.mark.parametrize(("path", "kind"), [("/", "http"), ("/explorer", "http"), ("/pixel_attention", "websocket")])
def test_other_answers_stay_as_they_are(path: str, kind: str) -> None:
    assert headers(path, kind) == []
