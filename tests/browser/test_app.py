"""The app as a browser finds it: its headers, its errors, its pages without a network, on a phone, read aloud."""

import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.cnn_attention import experiments as blocks
from attnviz.ui.mechanisms.recurrent_attention import experiments as glimpses
from attnviz.ui.server.security import HEADERS
from attnviz.ui.shared.url_state import VERSION
from attnviz.ui.shared.wording import UNEXPECTED, WORD_JOINER
from tests.sweeps import sweep

from .conftest import COMPONENTS, NewPage, Problems, Serve, assert_accessible, find_violations, wait_until_ready, walk

PAGES = ["draw", "explorer", *(row.url for row in MECHANISMS.values())]
OPEN_EXPERIMENTS = [
    f"{url}?experiment={name}"
    for url, several in (("recurrent_attention", glimpses.EXPERIMENTS), ("cnn_attention", blocks.EXPERIMENTS))
    for name in several
]


# Headers


def fetch(address: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers (names in lower case) and body of whatever the server answers."""
    try:
        response = urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=120)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response.status, {k.lower(): v for k, v in response.headers.items()}, response.read()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/pixel_attention", 200),
        ("/_stcore/health", 200),
        ("/_stcore/bidi-components/attnviz.pixel_viewer/no-such-file.js", 404),
        ("/_stcore/bidi-components/attnviz.pixel_viewer/pixel_viewer/pixel_viewer.js", 200),
        ("/_stcore/bidi-components/attnviz.pixel_viewer/../../../../app.py", 400),
        ("/media/no-such-file.png", 404),
    ],
)
def test_every_answer_carries_the_headers(serve: Serve, path: str, status: int) -> None:
    came, headers, _ = fetch(serve() + path)
    assert came == status
    assert {name: headers.get(name.lower()) for name in HEADERS} == HEADERS


def test_assets_carry_the_headers(serve: Serve) -> None:
    _, _, index = fetch(serve() + "/")
    script = re.search(r'src="\./(static/js/[^"]+)"', index.decode())
    assert script
    for asset in (script[1], "favicon.png"):
        status, headers, _ = fetch(f"{serve()}/{asset}")
        assert status == 200
        assert {name: headers.get(name.lower()) for name in HEADERS} == HEADERS


def test_an_error_of_the_server_is_one_sentence_with_headers(serve: Serve) -> None:
    status, headers, body = fetch(serve(COMPONENTS) + "/fail")
    assert (status, body) == (500, UNEXPECTED.encode())
    assert headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


# Pages


@pytest.mark.parametrize("path", ["", *PAGES])
def test_a_page_loads_with_the_network_cut_logs_no_error_and_axe_finds_nothing(
    serve: Serve, page: Page, path: str
) -> None:
    page.goto(f"{serve()}/{path}")
    wait_until_ready(page)
    title = page.get_by_role("heading", level=1)
    expect(title).to_be_visible()
    expect(page).to_have_title(f"{title.inner_text()} \u00b7 attnviz")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert find_violations(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", *PAGES])
def test_in_the_dark_nothing_is_wider_than_a_phone_and_axe_finds_nothing(
    serve: Serve, kept_page: NewPage, path: str
) -> None:
    page = walk(
        kept_page(color_scheme="dark", viewport={"width": 375, "height": 720}, has_touch=True), f"{serve()}/{path}"
    )
    widths = page.locator('[data-testid="stMain"]').evaluate("(main) => [main.scrollWidth, main.clientWidth]")
    assert widths == [375, 375]
    assert find_violations(page) == []


@pytest.mark.parametrize("path", sweep(OPEN_EXPERIMENTS, lambda path: path == OPEN_EXPERIMENTS[0]))
def test_axe_finds_nothing_in_an_open_experiment(serve: Serve, looked: Page, path: str) -> None:
    walk(looked, f"{serve()}/{path}")
    row = looked.locator(f".st-key-experiment_of_{path.partition('=')[2]}")
    expect(row.get_by_test_id("stExpanderDetails").first).not_to_be_empty()
    wait_until_ready(looked)
    assert_accessible(looked)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_axe_finds_nothing_in_an_error(serve: Serve, kept_page: NewPage, scheme: str, width: int) -> None:
    page = kept_page(color_scheme=scheme, viewport={"width": width, "height": 720})
    walk(page, f"{serve(COMPONENTS)}/broken?how=caught")
    assert find_violations(page) == []


def test_a_picture_on_the_home_page_leads_to_what_it_shows(serve: Serve, page: Page) -> None:
    walk(page, serve())
    picture = page.locator(".st-key-home_mechanisms a", has_text="Pixel attention")
    address = picture.get_attribute("href")
    picture.locator("img").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pixel attention")
    assert page.url == f"{serve()}/{address}"
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("See attention")


# Errors


def test_an_error_is_one_sentence_and_the_words_from_the_url_in_it_are_not_obeyed(serve: Serve, page: Page) -> None:
    broken, alert = f"{serve(COMPONENTS)}/broken", page.get_by_test_id("stAlert")
    for query, sentence in (
        ("how=ours&text=sixty", "'sixty' cannot be used; use 1 to 8."),
        ("how=unexpected", UNEXPECTED),
        ("how=caught", "Sixty is too many; use 1 to 8."),
    ):
        walk(page, f"{broken}?{query}")
        expect(alert).to_have_text(sentence)
        assert not {"Traceback", "RuntimeError", "secret"} & set(re.findall(r"\w+", page.locator("body").inner_text()))
        assert page.get_by_text("The rest of the page stands.").count() == ("caught" in query)
    text = "[a](http://example.org) **b** $c$ :red[d] <i>e</i> http://example.org www.example.org me@example.org"
    walk(page, f"{broken}?how=ours&text={urllib.parse.quote(text)}")
    expect(alert).to_contain_text("cannot be used")
    assert alert.inner_text().replace(WORD_JOINER, "") == f"{text!r} cannot be used; use 1 to 8."
    assert alert.locator("a, strong, i, .katex").count() == 0


def test_an_error_in_a_callback_is_one_sentence_and_a_try_leads_on(serve: Serve, page: Page) -> None:
    broken = f"{serve(COMPONENTS)}/broken"
    walk(page, broken)
    page.get_by_role("button", name="Break").click()
    expect(page.get_by_test_id("stAlert")).to_have_text(UNEXPECTED)
    assert "secret" not in page.locator("body").inner_text()
    walk(page, f"{broken}?how=unexpected&more=1")
    page.get_by_role("button", name="the caught one").click()
    expect(page.get_by_text("The rest of the page stands.")).to_be_visible()
    expect(page).to_have_url(f"{broken}?v={VERSION}&how=caught")


# Other sites


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """Serve an empty folder from another port, which is another origin; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(tmp_path))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """A handler that says nothing of the requests it answers."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_another_site_cannot_frame_the_app(
    serve: Serve, new_page: NewPage, problems: Problems, elsewhere: str, tmp_path: Path
) -> None:
    page = new_page()
    problems.expected += ["frame-ancestors", "ERR_BLOCKED_BY_RESPONSE", "/favicon.ico"]
    (tmp_path / "frame.html").write_text(f'<iframe src="{serve()}"></iframe>')
    with page.expect_event("console", lambda message: "frame-ancestors" in message.text):
        page.goto(f"{elsewhere}/frame.html")
    expect(page.frame_locator("iframe").get_by_role("heading", name="See attention")).to_have_count(0)


def test_the_app_cannot_fetch_from_elsewhere(serve: Serve, new_page: NewPage, problems: Problems) -> None:
    page = new_page()
    problems.expected += ["example.org"]
    walk(page, serve())
    refused = page.evaluate(
        """() => new Promise((done) => {
            const refused = [];
            document.addEventListener("securitypolicyviolation", (event) => {
                refused.push(event.effectiveDirective);
                if (refused.length === 4) done(refused.sort());
            });
            fetch("https://example.org/data").catch(() => {});
            new WebSocket("wss://example.org/stream");
            new Image().src = "https://example.org/picture.png";
            document.head.append(Object.assign(document.createElement("script"), {src: "https://example.org/x.js"}));
        })"""
    )
    assert refused == ["connect-src", "connect-src", "img-src", "script-src-elem"]
