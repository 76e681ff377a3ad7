"""A page's answer gets our style and its component's scripts; all other answers stay as they are."""

import asyncio
import re

import pytest

from attnviz.ui import head, warm

PAGE = b"<html><head><title>x</title></head><body></body></html>"


@pytest.fixture(autouse=True)
def nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "begin", lambda: None)


def ask(path: str, accept: str = "text/html,*/*", body: tuple[bytes, ...] = (PAGE,)) -> tuple[dict[str, str], bytes]:
    """Return headers and body of an answer that the app below gives in several parts; it never packs it."""

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        assert ("text/html" in accept) == (b"accept-encoding" not in dict(scope["headers"]))
        raw = [(b"content-length", str(sum(map(len, body))).encode()), (b"etag", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        for number, part in enumerate(body, 1):
            await send({"type": "http.response.body", "body": part, "more_body": number < len(body)})

    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)

    raw = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "path": path, "headers": raw}
    asyncio.run(head.Head(app, components={"pixel_attention": "pixel_viewer"})(scope, None, send))  # type: ignore[arg-type]
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return headers, b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize("body", [(PAGE,), (PAGE[:20], PAGE[20:])])
def test_a_page_gets_the_style_at_the_end_of_its_head_and_its_true_length(body: tuple[bytes, ...]) -> None:
    headers, answer = ask("/", body=body)
    before, style, after = re.split(rb"(<style>.*</style>)", answer, flags=re.S)
    assert before + after == PAGE
    assert after.startswith(b"</head>")
    assert b".st-key-page_head" in style
    assert headers == {"content-length": str(len(answer))}


def test_the_pixel_page_names_its_component_and_all_that_it_imports() -> None:
    _, answer = ask("/below/here/pixel_attention")
    linked = set(
        re.findall(
            r'<link rel="modulepreload" href="_stcore/bidi-components/attnviz.pixel_viewer/(.*?)">', answer.decode()
        )
    )
    assert {"pixel_viewer.js", "attention.js", "export.js", "sheet.js"} <= linked
    assert linked <= {path.name for path in head.FRONTEND.glob("*.js")}
    assert "map_grid.js" not in linked


def test_other_pages_name_no_scripts() -> None:
    assert b"modulepreload" not in ask("/explorer")[1]


@pytest.mark.parametrize(("accept", "body"), [("*/*", (PAGE,)), ("text/html", (b"no head", b" at all"))])
def test_what_is_no_page_stays_as_it_is(accept: str, body: tuple[bytes, ...]) -> None:
    headers, answer = ask("/static/index.js", accept, body)
    assert answer == b"".join(body)
    assert headers == {"content-length": str(len(answer)), "etag": "1"}
