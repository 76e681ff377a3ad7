"""Old links to experiments that have moved are sent on, with everything they state."""

import asyncio
from urllib.parse import parse_qsl, urlsplit

import pytest

from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.server import moved

STATED = "v=1&model=pixel_attention.1v8&data=strokes&number=23&query=12%2C13&head=2&temperature=0.5"


def ask(path: str, query: str, accept: str = "text/html") -> tuple[int, str]:
    """Return status and location of what is answered; 200 where the request is passed on."""

    async def app(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    headers = [(b"accept", accept.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(moved.Moved(app)(scope, None, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found.get("location", "")


OLD = [(row.url, old, *new) for row in MECHANISMS.values() for old, new in row.moved.items()]


@pytest.mark.parametrize(("page", "old", "url", "name"), OLD)
@pytest.mark.parametrize("base", ["/", "/below/here/"])
def test_every_old_name_is_sent_on_with_all_that_the_link_states(
    base: str, page: str, old: str, url: str, name: str
) -> None:
    status, location = ask(f"{base}{page}", f"{STATED}&experiment={old}")
    assert status == 307
    parts = urlsplit(location)
    assert parts.path == url, "relative to the page, so that any base path is kept"
    assert dict(parse_qsl(parts.query)) == {**dict(parse_qsl(STATED)), "experiment": name}
    assert ask(f"{base}{url}", parts.query)[0] == 200, "and no further"


def test_twelve_experiments_were_on_the_pixel_page() -> None:
    assert {old for page, old, _, _ in OLD if page == "pixel_attention"} == {
        "same", "paper", "qkv", "outputs", "temperature", "parts", "one_token"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "query", "accept"),
    [
        ("/pixel_attention", "experiment=heads", "text/html"),
        ("/pixel_attention", "", "text/html"),
        ("/paper", "experiment=parts", "text/html"),
        ("/pixel_attention", "experiment=parts", "application/json"),
    ],
)
def test_everything_else_is_passed_on(path: str, query: str, accept: str) -> None:
    assert ask(path, query, accept) == (200, "")
