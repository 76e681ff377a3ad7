"""A real browser, the real server, and pages that fail their test when they fetch from elsewhere or log an error.

Fixtures: `chromium` (the browser), `serve(path)` (a running app's address), `page` (1280 x 720) and `new_page(...)`
(any other size, colour scheme, touch). Helpers: `from .conftest import find_violations, listen, wait_until_ready`.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
    Response,
    ViewportSize,
    WebSocket,
    expect,
    sync_playwright,
)

from attnviz import data
from tests.ui.mechanisms.pixel_attention.experiments.placed import place

from . import harness
from .harness import open_at as open_at
from .harness import read_state as read_state
from .harness import wait_for_state as wait_for_state
from .harness import wait_until_ready as wait_until_ready

PICTURES = Path(__file__).parent / "pictures"
OWN_HOSTS = {"127.0.0.1", "localhost"}

Serve = Callable[..., str]
NewPage = Callable[..., Page]
Visit = Callable[..., Page]

# Streamlit runs the script again, with the new words.
ANEW = """(words) => {
  document.querySelector("[data-testid=stMain]").scrollTop = 0;
  history.pushState(null, "", words);
  dispatchEvent(new PopStateEvent("popstate"));
}"""

WAIT = 120_000  # milliseconds: a busy machine may take ten times as long as a quiet one
expect.set_options(timeout=WAIT)


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
                started[wanted] = stack.enter_context(harness.run_app(path, env))
            return started[wanted].address

        yield start


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of small checkpoints with drawn weights, see `experiments/placed.py` in tests/ui."""
    return place(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture
def alone(serve: Serve, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of the app with the checkpoints of `folder`, which are all there are in this process too."""
    monkeypatch.setenv("ATTNVIZ_CHECKPOINTS", str(folder))
    return serve(env={"ATTNVIZ_CHECKPOINTS": str(folder)})


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
        for event, listener in self._listeners():
            page.on(event, listener)

    def leave(self, page: Page) -> None:
        """Listen no longer."""
        for event, listener in self._listeners():
            page.remove_listener(event, listener)

    def unexpected(self) -> list[str]:
        """Return what was seen and not expected."""
        return [seen for seen in self.seen if not any(part in seen for part in self.expected)]

    def _listeners(self) -> list[tuple[Any, Callable[[Any], None]]]:
        return [
            ("console", self._console),
            ("pageerror", self._error),
            ("request", self._request),
            ("requestfailed", self._request_failed),
            ("response", self._response),
            ("websocket", self._socket),
        ]

    def _error(self, error: Error) -> None:
        self.seen.append(f"uncaught: {error}")

    def _socket(self, socket: WebSocket) -> None:
        self._address(socket.url)

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


class Contexts:
    """Contexts that are used again, once they are empty: their cache saves every test fetching and compiling the app.

    Only contexts of options that a page cannot change itself are told apart.
    """

    def __init__(self, browser: Browser) -> None:
        self.apps: dict[str, Page] = {}  # address -> the page that stays open, see `visit`
        self.visits = 0
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}
        self._taken: dict[BrowserContext, str] = {}

    def take(self, **options: Any) -> BrowserContext:
        """Return a context that no other page uses; options as of Playwright's `new_context`."""
        free = self._free.setdefault(repr(sorted(options.items())), [])
        context = free.pop() if free else self._browser.new_context(**options)
        self._taken[context] = repr(sorted(options.items()))
        return context

    def clear(self, page: Page) -> None:
        """Empty a page's context of what the page and the test left there."""
        session = page.context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        session.detach()
        page.context.clear_permissions()

    def give_back(self, page: Page) -> None:
        """Close a page, and keep its context."""
        self.clear(page)
        page.close()
        self._free[self._taken.pop(page.context)].append(page.context)


@pytest.fixture(scope="package")
def contexts(chromium: Browser) -> Contexts:
    """Return the contexts of this browser."""
    return Contexts(chromium)


@pytest.fixture
def new_page(contexts: Contexts, problems: Problems, request: pytest.FixtureRequest) -> Iterator[NewPage]:
    """Yield a function that opens a page in a context of its own; options as of Playwright's `new_context`.

    At the end of the test every page that failed is pictured in tests/browser/pictures/, and the test fails if a page
    logged an error, asked another host for anything, or was refused anything.
    """
    pages: list[Page] = []

    def open_page(
        viewport: ViewportSize | None = None, color_scheme: Literal["light", "dark"] = "light", **options: Any
    ) -> Page:
        pages.append(contexts.take(**options).new_page())
        prepare(pages[-1], problems, viewport, color_scheme)
        return pages[-1]

    yield open_page
    unexpected = finish(pages, problems, request)
    for page in pages:
        contexts.give_back(page)
    assert not unexpected, "the browser complained:\n" + "\n".join(unexpected)


def prepare(
    page: Page, problems: Problems, viewport: ViewportSize | None, color_scheme: Literal["light", "dark"]
) -> None:
    """Make a page ready for a test."""
    page.set_default_timeout(WAIT)
    page.set_viewport_size(viewport or {"width": 1280, "height": 720})
    # What moves of itself would be measured while it moves: a page that goes somewhere is there at once.
    page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
    problems.watch(page)


def finish(pages: Sequence[Page], problems: Problems, request: pytest.FixtureRequest) -> list[str]:
    """Return what the pages complained about; if they did, or the test failed, picture them."""
    unexpected = problems.unexpected()
    if unexpected or request.node.stash.get(FAILED, False):
        PICTURES.mkdir(exist_ok=True)
        for number, page in enumerate(pages):
            page.screenshot(path=PICTURES / f"{request.node.name}-{number}.png", full_page=True)
    return unexpected


@pytest.fixture
def visit(
    serve: Serve, contexts: Contexts, new_page: NewPage, problems: Problems, request: pytest.FixtureRequest
) -> Iterator[Visit]:
    """Yield a function that opens an app in which one component is tested: its path, words of the URL, its selector.

    The app's page stays open between tests, and its script runs anew, as it does after *Back*: that takes a tenth of
    loading it. The app gives its component a key with the word `visit` in it, so that it is a new one. Where a test
    wants options that a page cannot change itself, it gets a page of its own.
    """
    visited: list[Page] = []

    def open_app(path: str, words: str, component: str, **options: Any) -> Page:
        address, shown = serve(path), f"{component}[data-drawn]"
        if options.keys() - {"viewport", "color_scheme"}:
            page = new_page(**options)
            page.goto(f"{address}/?{words}")
        else:
            known = address in contexts.apps
            page = contexts.apps[address] if known else contexts.take().new_page()
            contexts.apps[address] = page
            visited.append(page)
            prepare(page, problems, options.get("viewport"), options.get("color_scheme", "light"))
            if known:
                page.mouse.move(0, 0)
                contexts.visits += 1
                page.locator(component).evaluate("(root) => { root.dataset.old = ''; }")
                page.evaluate(ANEW, f"/?{words}&visit={contexts.visits}")
                shown += ":not([data-old])"
            else:
                page.goto(f"{address}/?{words}")
        page.locator(shown).wait_for()
        wait_until_ready(page)
        return page

    yield open_app
    unexpected = finish(visited, problems, request)
    for page in visited:
        problems.leave(page)
        contexts.clear(page)
        if unexpected or request.node.stash.get(FAILED, False):
            contexts.apps = {address: other for address, other in contexts.apps.items() if other is not page}
            contexts.give_back(page)
    assert not unexpected, "the browser complained:\n" + "\n".join(unexpected)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """Return an empty page of 1280 x 720."""
    return new_page()


# The narrow one finds the more, the wide one is the sweep's.
@pytest.fixture(params=[pytest.param("1280-light", marks=pytest.mark.slow), "375-dark"])
def looked(request: pytest.FixtureRequest, new_page: NewPage) -> Page:
    """Return an empty page of each width and colour scheme in which axe looks at pages."""
    width, scheme = request.param.split("-")
    return new_page(viewport={"width": int(width), "height": 720}, color_scheme=scheme)


FAILED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Give browser tests two more tries in `.ci/run`, whose summary lists each one used; elsewhere the first counts.

    A shared machine may stop for seconds in the middle of a gesture, which no wait for an event makes up for.
    """
    for item in items:
        if os.environ.get("CI") and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether a test failed, so that its pages can be pictured before they close."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


# Helpers


def listen(button: Locator) -> Callable[[str], None]:
    """Note all that a button says from now on, as it says what it has done for a moment only.

    Returns:
        a function that waits until it has said some words.
    """
    said = button.evaluate_handle(
        """(button) => {
          const said = [];
          new MutationObserver(() => said.push(button.textContent)).observe(button, { childList: true, subtree: true });
          return said;
        }"""
    )

    def heard(words: str) -> None:
        button.page.wait_for_function("([said, words]) => said.includes(words)", arg=[said, words])

    return heard


# What axe-core would find in Streamlit's own parts, and why it is not ours to mend. Everything else is.
STREAMLITS_OWN = {
    '[data-testid="stSidebarNavItems"]': "the menu on a phone: its sections are divs between the items of a list",
}


def find_violations(page: Page, leave_out: Mapping[str, str] = STREAMLITS_OWN) -> list[str]:
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


def assert_accessible(page: Page) -> None:
    """Assert that axe-core finds nothing, and that nothing is wider than the window."""
    assert find_violations(page) == []
    assert page.viewport_size
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
