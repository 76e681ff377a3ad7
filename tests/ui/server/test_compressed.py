"""What is static comes packed, once, never stale, and scripts without their documentation."""

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from attnviz.ui.server import compressed
from attnviz.ui.server.compressed import Compressed

ROOT = Path(__file__).parents[3]
SCRIPT = b"export const a = 1;\n" * 500
IMMUTABLE = {"cache-control": "public, immutable, max-age=31536000"}


class Files:
    """What lies below: one file, which may be edited, and what it was asked."""

    def __init__(self) -> None:
        self.body, self.status, self.kind = SCRIPT, 200, "application/javascript"
        self.headers: dict[str, str] = {}
        self.asked: list[dict[str, str]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append({name.decode(): value.decode() for name, value in scope["headers"]})
        said = {"content-type": self.kind, "content-length": str(len(self.body)), "etag": '"theirs"', **self.headers}
        raw = [(name.encode(), value.encode()) for name, value in said.items()]
        await send({"type": "http.response.start", "status": self.status, "headers": raw})
        half = len(self.body) // 2
        await send({"type": "http.response.body", "body": self.body[:half], "more_body": True})
        await send({"type": "http.response.body", "body": self.body[half:]})


@pytest.fixture
def files() -> Files:
    return Files()


@pytest.fixture
def app(files: Files) -> Compressed:
    return Compressed(files)


COMPONENT = "/_stcore/bidi-components/attnviz.pixel_viewer/live/live.js"


def get(app: Compressed, path: str = "/static/js/a.js", **asked: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = {"accept-encoding": "gzip, br", **{name.replace("_", "-"): value for name, value in asked.items()}}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope: Any = {"type": "http", "method": "GET", "path": path, "headers": raw}
    asyncio.run(app(scope, None, send))
    found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("path", ["/static/js/a.js", "/lab/static/js/a.js", COMPONENT, f"/lab{COMPONENT}"])
def test_a_script_comes_packed(app: Compressed, path: str) -> None:
    status, headers, body = get(app, path)
    assert gzip.decompress(body) == SCRIPT
    assert (status, headers["content-encoding"], headers["content-length"]) == (200, "gzip", str(len(body)))
    assert headers["vary"] == "Accept-Encoding"


DOCUMENTED = b"""/** One line. */
export function twice(value) {
  /**
   * Several lines.
   * @param {number} value
   */
  const text = `/** of a text */`; // stays
  return 2 * value; /* stays too */
}
/** Has code behind it. */ export const one = 1;
/** Has none. */
"""
WITHOUT = b"""
export function twice(value) {




  const text = `/** of a text */`; // stays
  return 2 * value; /* stays too */
}
/** Has code behind it. */ export const one = 1;

"""


def test_a_script_of_a_component_comes_without_its_documentation_line_by_line(app: Compressed, files: Files) -> None:
    files.body = DOCUMENTED
    assert get(app, COMPONENT)[2] == WITHOUT
    assert get(app)[2] == DOCUMENTED
    assert get(app, COMPONENT.removesuffix("js") + "css")[2] == DOCUMENTED


def test_nothing_but_documentation_is_taken_from_ours() -> None:
    scripts = sorted((ROOT / "attnviz" / "ui" / "frontend").glob("*/*.js"))
    for script in scripts:
        for found in compressed.DOCUMENTATION.findall(script.read_bytes()):
            first, *rest = found.decode().splitlines()
            assert first.lstrip().startswith("/**"), script
            assert all(line.lstrip().startswith("*") for line in rest), script
    assert len(scripts) > 100


def test_it_is_packed_once(app: Compressed, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, first = get(app)
    monkeypatch.setattr(gzip, "compress", None)
    assert get(app)[2] == get(app, COMPONENT)[2] == first


def test_who_does_not_unpack_gets_it_plain(app: Compressed) -> None:
    status, headers, body = get(app, accept_encoding="identity")
    assert (status, body, headers["content-length"]) == (200, SCRIPT, str(len(SCRIPT)))
    assert "content-encoding" not in headers
    assert headers["vary"] == "Accept-Encoding"
    assert headers["etag"] != get(app)[1]["etag"]  # another representation


def test_a_name_that_changes_with_what_it_holds_is_kept_for_a_year(app: Compressed, files: Files) -> None:
    files.headers = IMMUTABLE
    assert get(app)[1]["cache-control"] == IMMUTABLE["cache-control"]


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_component_is_asked_for_again_and_fetched_only_after_an_edit(
    app: Compressed, files: Files, encoding: str
) -> None:
    _, headers, _ = get(app, COMPONENT, accept_encoding=encoding)
    assert headers["cache-control"] == "no-cache"
    etag = headers["etag"]
    for said in (etag, f"W/{etag}", f'"other", {etag}'):
        status, again, body = get(app, COMPONENT, accept_encoding=encoding, if_none_match=said)
        assert (status, body, again["etag"]) == (304, b"", etag)
        assert not {"content-encoding", "content-length"} & set(again)
    files.body = SCRIPT.replace(b"1", b"2")
    status, edited, body = get(app, COMPONENT, accept_encoding=encoding, if_none_match=etag)
    assert status == 200
    assert edited["etag"] != etag
    assert (gzip.decompress(body) if encoding == "gzip" else body) == files.body
    assert all("if-none-match" not in asked for asked in files.asked)  # so it always says what it holds


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/media/a.png", {}),
        ("/_stcore/health", {"accept": "text/html"}),
        ("/_stcore/metrics", {}),
        ("/static/js/a.js", {"range": "bytes=0-9"}),
        ("/", {"accept": "application/json"}),
    ],
)
def test_what_is_not_static_passes_as_it_is(app: Compressed, path: str, asked: dict[str, str]) -> None:
    _, headers, body = get(app, path, **asked)
    assert (headers["etag"], body) == ('"theirs"', SCRIPT)


@pytest.mark.parametrize(("status", "kind"), [(404, "text/plain"), (206, "text/css"), (200, "font/woff2")])
def test_other_answers_pass_as_they_are(app: Compressed, files: Files, status: int, kind: str) -> None:
    files.status, files.kind = status, kind
    assert get(app)[::2] == (status, SCRIPT)


def test_a_page_comes_packed_and_what_is_small_does_not(app: Compressed, files: Files) -> None:
    files.kind = "text/html; charset=utf-8"
    assert get(app, "/pixel_attention", accept="text/html")[1]["content-encoding"] == "gzip"
    files.body = b"<p>"
    assert "content-encoding" not in get(app, "/pixel_attention", accept="text/html")[1]


def test_what_is_kept_is_bounded(app: Compressed, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "MOST", 1000)
    for number in range(50):
        files.body = SCRIPT + b"%d" % number
        get(app)
    assert app.size == sum(map(len, app.kept.values())) <= 1000
    assert app.kept


def test_the_middleware_comes_before_the_one_that_completes_pages() -> None:
    source = (Path(__file__).parents[3] / "app.py").read_text()
    assert source.index("compressed.Compressed") < source.index("head.Head)")
