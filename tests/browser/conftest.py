"""A real browser, the real server, and pages that fail their test when they fetch from elsewhere or log an error.

Fixtures: `chromium` (the browser), `serve(path)` (a running app's address); pages that stay open between tests: `page`
(1280 x 720), `kept_page(...)` (any other size, colour scheme, touch) and `visit(address, shown)`; `new_page(...)`, of a
test for itself. Helpers: `from .conftest import find_violations, listen, wait_until_ready, walk`.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from attnviz import data

from . import harness
from .harness import open_at as open_at
from .harness import read_state as read_state
from .harness import wait_for_state as wait_for_state
from .harness import wait_until_ready as wait_until_ready
from .open_pages import ANEW, Contexts, leave
from .open_pages import Problems as Problems
from .open_pages import prepare as prepare
from .open_pages import walk as walk
from .small_checkpoints import place

PICTURES = Path(__file__).parent / "pictures"

Serve = Callable[..., str]
NewPage = Callable[..., Page]
Visit = Callable[..., Page]

COMPONENTS = "tests/browser/apps/components.py"

expect.set_options(timeout=harness.WAIT)


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
    """Return the folder of small checkpoints."""
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


@pytest.fixture
def problems() -> Problems:
    """Return what the pages of this test have to complain about."""
    return Problems()


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
        problems.watch(pages[-1])
        prepare(pages[-1], viewport, color_scheme)
        return pages[-1]

    yield open_page
    unexpected = finish(pages, problems, request)
    for page in pages:
        contexts.give_back(page)
    assert not unexpected, "the browser complained:\n" + "\n".join(unexpected)


def finish(pages: Sequence[Page], problems: Problems, request: pytest.FixtureRequest) -> list[str]:
    """Return what the pages complained about; if they did, or the test failed, picture them."""
    unexpected = problems.unexpected()
    if unexpected or request.node.stash.get(FAILED, False):
        PICTURES.mkdir(exist_ok=True)
        for number, page in enumerate(pages):
            page.screenshot(path=PICTURES / f"{request.node.name}-{number}.png", full_page=True)
    return unexpected


@pytest.fixture
def kept_page(contexts: Contexts, problems: Problems, request: pytest.FixtureRequest) -> Iterator[NewPage]:
    """Yield a function that returns a page that stays open between tests: the same one within a test, for its options.

    `walk` takes it to an address. For tests of loading, and for those that change the page itself (its routes, its
    clock, scripts of its own) or leave the app, there is `new_page`. Options as there.
    """
    pages: dict[str, Page] = {}

    def take_page(
        viewport: ViewportSize | None = None, color_scheme: Literal["light", "dark"] = "light", **options: Any
    ) -> Page:
        which = repr(sorted(options.items()))
        if which not in pages:
            pages[which] = contexts.take_open(**options)
            problems.watch(pages[which])
        prepare(pages[which], viewport, color_scheme)
        return pages[which]

    yield take_page
    broken = finish([*pages.values()], problems, request) or request.node.stash.get(FAILED, False)
    for page in pages.values():
        if not broken:
            leave(page)
            contexts.keep_open(page)
        problems.leave(page)
        if broken:
            contexts.give_back(page)
    unexpected = problems.unexpected()
    assert not unexpected, "the browser complained:\n" + "\n".join(unexpected)


@pytest.fixture
def visit(kept_page: NewPage) -> Visit:
    """Return a function that walks to an address with a page that stays open between tests; options as of it."""

    def show(address: str, shown: str = ANEW, **options: Any) -> Page:
        return walk(kept_page(**options), address, shown)

    return show


@pytest.fixture
def page(kept_page: NewPage) -> Page:
    """Return a page of 1280 x 720 that stays open between tests."""
    return kept_page()


# The narrow one finds the more, the wide one is the sweep's.
@pytest.fixture(params=[pytest.param("1280-light", marks=pytest.mark.slow), "375-dark"])
def looked(request: pytest.FixtureRequest, kept_page: NewPage) -> Page:
    """Return a page of each width and colour scheme in which axe looks at pages."""
    width, scheme = request.param.split("-")
    return kept_page(viewport={"width": int(width), "height": 720}, color_scheme=scheme)


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
