"""A real browser, the real server, and pages that fail their test when they fetch from elsewhere or log an error.

Fixtures: `chromium` (the browser), `serve(path)` (a running app's address), `page` (1280 x 720) and `new_page(...)`
(any other size, colour scheme, touch). Helpers: `from .conftest import axe, ready`.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, sync_playwright

from attnviz import data
from tests.ui.experiments.placed import place

from . import harness
from .harness import ready as ready

PICTURES = Path(__file__).parent / "pictures"
OWN_HOSTS = {"127.0.0.1", "localhost"}

Serve = Callable[..., str]
NewPage = Callable[..., Page]


# For this folder only: while Playwright runs, no other test of the process may start an event loop.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium that can reach this machine and nothing else."""
    with sync_playwright() as playwright:
        try:
            browser = harness.launch(playwright)
        except harness.NotThere as error:
            pytest.fail(str(error), pytrace=False)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """Yield a function that runs an app of the repository and returns its address.

    An app is started once a session for the same path and environment, and stopped at the session's end.
    """
    started: dict[tuple[str, frozenset[tuple[str, str]]], harness.Server] = {}
    with ExitStack() as stack:

        def start(path: str = "app.py", env: Mapping[str, str] | None = None) -> str:
            wanted = (path, frozenset((env or {}).items()))
            if wanted not in started:
                started[wanted] = stack.enter_context(harness.running(path, env))
            return started[wanted].address

        yield start


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of small checkpoints with drawn weights, see tests/ui/experiments/placed.py."""
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture(scope="module")
def eight() -> int:
    """Return the number of a drawn 8."""
    return int(np.flatnonzero(data.load("strokes", "test", count=256).labels == 8)[0])


# Pages


class Problems:
    """What goes wrong in a page without anybody looking; `expected` are parts of messages that a test provokes."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.expected: list[str] = []

    def watch(self, page: Page) -> None:
        """Listen to everything the page says and asks for."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.seen.append(f"uncaught: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._request_failed)
        page.on("response", self._response)
        page.on("websocket", lambda socket: self._address(socket.url))

    def unexpected(self) -> list[str]:
        """Return what was seen and not expected."""
        return [seen for seen in self.seen if not any(part in seen for part in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        # An answer of 400 and more is reported by _response, with its address.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.seen.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        self._address(request.url)

    def _address(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in OWN_HOSTS:
            self.seen.append(f"foreign: {url}")

    def _request_failed(self, request: Request) -> None:
        # Leaving a page aborts what it was still fetching.
        if request.failure != "net::ERR_ABORTED":
            self.seen.append(f"failed: {request.url} {request.failure}")

    def _response(self, response: Response) -> None:
        # Below a deep link Streamlit's page first looks for its server beside itself: two harmless 404s.
        harmless = urlsplit(response.url).path.endswith(("/_stcore/health", "/_stcore/host-config"))
        if response.status >= 400 and not (response.status == 404 and harmless):
            self.seen.append(f"answer {response.status}: {response.url}")


@pytest.fixture
def problems() -> Problems:
    """Return what the pages of this test have to complain about."""
    return Problems()


@pytest.fixture
def new_page(chromium: Browser, problems: Problems, request: pytest.FixtureRequest) -> Iterator[NewPage]:
    """Yield a function that opens a page in a context of its own; options as of Playwright's `new_context`.

    At the end of the test every page that failed is pictured in tests/browser/pictures/, and the test fails if a page
    logged an error, asked another host for anything, or was refused anything.
    """
    pages: list[Page] = []

    def open_page(**options: Any) -> Page:
        # What moves of itself would be measured while it moves: a page that goes somewhere is there at once.
        usual = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"}
        context = chromium.new_context(**{**usual, **options})
        page = context.new_page()
        problems.watch(page)
        pages.append(page)
        return page

    yield open_page
    unexpected = problems.unexpected()
    if unexpected or request.node.stash.get(FAILED, False):
        PICTURES.mkdir(exist_ok=True)
        for number, page in enumerate(pages):
            page.screenshot(path=PICTURES / f"{request.node.name}-{number}.png", full_page=True)
    for page in pages:
        page.context.close()
    assert not unexpected, "the browser complained:\n" + "\n".join(unexpected)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """Return an empty page of 1280 x 720."""
    return new_page()


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test failed, so that its pages can be pictured before they close."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


# Helpers


# What axe-core would find in Streamlit's own parts, and why it is not ours to mend. Everything else is.
STREAMLITS_OWN = {
    '[data-testid="stSidebarNavItems"]': "the menu on a phone: its sections are divs between the items of a list",
}


def axe(page: Page, leave_out: Mapping[str, str] = STREAMLITS_OWN) -> list[str]:
    """Let axe-core look at the page, its shadow trees included.

    Args:
        page: a page that is ready.
        leave_out: selector -> why what it finds there is not ours to mend.

    Returns:
        One line for every element that breaks a rule: the rule, the element, what is wrong. Empty is good.
    """
    # Axe.run evaluates the script's text: the content policy would refuse it as a script tag.
    looked = Axe().run(page, context={"exclude": [[selector] for selector in leave_out]})
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for rule in looked.response["violations"]
        for node in rule["nodes"]
    ]
