"""Pages of a browser: what goes wrong in them, which stay open between tests, and how they get from place to place."""

from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Response,
    TimeoutError,
    ViewportSize,
    WebSocket,
)

from .harness import wait_until_ready

OWN_HOSTS = {"127.0.0.1", "localhost"}
AWAY = "lessons"  # a page without components, of app.py and of COMPONENTS

# The script runs for another URL, as after *Back*; a title that is not marked shows that it has. It may be the same
# element with other words.
GO = """(words) => {
  for (const title of document.querySelectorAll("h1")) {
    title.setAttribute("data-old", "");
    const changed = new MutationObserver(() => title.removeAttribute("data-old"));
    changed.observe(title, { childList: true, characterData: true, subtree: true });
  }
  history.pushState(null, "", words);
  dispatchEvent(new PopStateEvent("popstate"));
}"""
# Components report once nobody clicks: what they have yet to report would bring the page back that is left.
CLICK_ON = """() => {
  const click = () => dispatchEvent(new Event("click"));
  click();
  window.clicking = setInterval(click, 20);
}"""
ANEW = "h1:not([data-old])"


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


class Contexts:
    """Contexts that are used again, once they are empty: their cache saves every test fetching and compiling the app.

    Only contexts of options that a page cannot change itself are told apart.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[str, list[BrowserContext]] = {}
        self._open: dict[str, list[Page]] = {}  # pages that nobody uses, see `kept_page`
        self._taken: dict[BrowserContext, str] = {}

    def take(self, **options: Any) -> BrowserContext:
        """Return a context that no other page uses; options as of Playwright's `new_context`."""
        free = self._free.setdefault(repr(sorted(options.items())), [])
        context = free.pop() if free else self._browser.new_context(**options)
        self._taken[context] = repr(sorted(options.items()))
        return context

    def take_open(self, **options: Any) -> Page:
        """Return a page that a test has left open, or a new one."""
        pages = self._open.get(repr(sorted(options.items())))
        if not pages:
            return self.take(**options).new_page()
        page = pages.pop()
        self._taken[page.context] = repr(sorted(options.items()))
        return page

    def keep_open(self, page: Page) -> None:
        """Empty a page's context, and keep the page for the next test."""
        if page.url != "about:blank":
            page.evaluate("sessionStorage.clear()")
        self.clear(page)
        self._open.setdefault(self._taken.pop(page.context), []).append(page)

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


def prepare(page: Page, viewport: ViewportSize | None, color_scheme: Literal["light", "dark"]) -> None:
    """Make a page ready for a test."""
    page.set_viewport_size(viewport or {"width": 1280, "height": 720})
    # What moves of itself would be measured while it moves: a page that goes somewhere is there at once.
    page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")


def walk(page: Page, address: str, shown: str = ANEW) -> Page:
    """Show an address, and wait until what a selector names is there.

    A page that is at its server already walks by its URL, as it does after *Back*, which takes a third of loading it.
    On the way it stops at a page without components, so that what is shown begins as it does in a new page.
    """
    parts = urlsplit(address)
    # An experiment that was open before comes without its maps where a page is walked to it.
    if urlsplit(page.url)[:2] != parts[:2] or "experiment=" in parts.query or parts.path.endswith(f"/{AWAY}"):
        page.goto(address)
    else:
        leave(page)
        page.evaluate(GO, parts._replace(scheme="", netloc="", path=parts.path or "/").geturl())
    page.locator(shown).first.wait_for()
    wait_until_ready(page)
    return page


def leave(page: Page) -> None:
    """Leave what an app shows for its page without components."""
    page.mouse.move(0, 0)
    if not page.locator('[data-testid="stApp"]').count():
        page.goto("about:blank")
    elif urlsplit(page.url).path != f"/{AWAY}":
        page.evaluate(CLICK_ON)
        page.evaluate(GO, f"/{AWAY}")
        try:
            page.locator(ANEW).wait_for(timeout=10_000)
        except TimeoutError:  # what a component had reported just before has brought the page back
            page.goto(urljoin(page.url, f"/{AWAY}"))
            page.locator(ANEW).wait_for()
        wait_until_ready(page)
        page.evaluate("clearInterval(window.clicking)")
