"""A real Chromium and the real server, for the browser tests and for the benchmarks."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, Playwright

ROOT = Path(__file__).parents[2]
WAIT = 120_000  # milliseconds: a busy machine may take ten times as long as a quiet one
INSTALL = "python -m playwright install --with-deps chromium"


class NotThere(Exception):
    """There is no browser, or the server did not start; the message says what to do."""


@dataclass(frozen=True)
class Server:
    """A running app: its address, and its process."""

    address: str
    process: subprocess.Popen[bytes]


def find_browser(playwright: Playwright) -> str:
    """Return the path of a Chromium: CHROMIUM, the PATH, Playwright's own, or one installed now.

    Raises:
        NotThere: there is none, and none could be installed.
    """
    if named := os.environ.get("CHROMIUM"):
        return named
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    own = Path(playwright.chromium.executable_path)
    if own.exists():
        return str(own)
    attempts = [[[sys.executable, "-m", "playwright", "install", "chromium"]]]
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get"):
        attempts.append([["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]])
    for commands in attempts:
        for command in commands:
            subprocess.run(command, check=False, stdin=subprocess.DEVNULL)
        if own.exists():
            return str(own)
        if found := shutil.which("chromium"):
            return found
    raise NotThere(f"There is no Chromium for the browser tests and none could be installed; run: {INSTALL}")


# Chromium 156 opens two pages of its own with every window, for the list below its address bar, which take a third as
# long as a page of ours. The last --disable-features counts, so Playwright's own are repeated.
NO_FEATURES = (
    "AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,"
    "HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,OptimizationHints,PaintHolding,"
    "PreconnectToSearch,ThirdPartyStoragePartitioning,WebUIOmniboxAimPopup,WebUIOmniboxPopup"
)


def launch(playwright: Playwright, *more: str) -> Browser:
    """Start a headless Chromium that can reach this machine and nothing else, whose pages are waited for patiently.

    `more` are arguments of its own.
    """
    elsewhere = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
    arguments = [elsewhere, f"--disable-features={NO_FEATURES}", *more]
    if os.name == "posix" and os.geteuid() == 0:
        arguments.append("--no-sandbox")
    browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=arguments)
    browser.on("context", lambda context: context.set_default_timeout(WAIT))
    return browser


@contextmanager
def run_app(
    path: str = "app.py",
    env: Mapping[str, str] | None = None,
    *,
    folder: Path = ROOT,
    python: str = sys.executable,
    through: Sequence[str] = (),
    port: int | None = None,
) -> Iterator[Server]:
    """Run `streamlit run PATH`, until the end of the block.

    Args:
        path: of the app, in the folder.
        env: variables to set.
        folder: the repository's root, of this checkout or of another one.
        python: the interpreter of the environment that the checkout is installed in.
        through: a command that runs the one after it in its own process, such as `nice`.
        port: that it listens at; None for a free one.

    Raises:
        NotThere: it did not start; the message holds what it said.
    """
    port = port or free_port()
    base = (env or {}).get("STREAMLIT_SERVER_BASE_URL_PATH", "")
    address = f"http://127.0.0.1:{port}/{base}".rstrip("/")
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        process = subprocess.Popen(
            [*through, python, "-m", "streamlit", "run", path, "--server.port", str(port)],
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if not healthy(process, f"{address}/_stcore/health"):
                said = Path(log.name).read_text()[-2000:]
                raise NotThere(f"The server at {address} did not start; it said:\n{said}")
            yield Server(address, process)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until_ready(page: Page) -> None:
    """Wait until the script has run, its fonts are there and the browser has painted twice more.

    After a click, wait for what the click should bring (`expect(...)`): the script may not have started yet.
    """
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.locator('[data-testid="stSkeleton"], [data-testid="stSpinner"]').first.wait_for(state="detached")
    page.evaluate(
        "document.fonts.ready.then(() => new Promise((done) => "
        "requestAnimationFrame(() => requestAnimationFrame(() => done()))))"
    )


def open_at(page: Page, address: str, shown: str) -> Page:
    """Open an address, wait until what a selector names is there and the page is ready, and return the page."""
    page.goto(address)
    page.locator(shown).wait_for()
    wait_until_ready(page)
    return page


def read_state(component: Locator) -> dict[str, Any]:
    """Return what a component says of what it shows; nothing before it shows anything."""
    return dict(json.loads(component.evaluate("(root) => JSON.stringify(root.read?.() ?? {})")))


def wait_for_state(page: Page, selector: str, test: str, arg: Any = None) -> None:
    """Wait until a component says what a test expects.

    Args:
        page: that it is on.
        selector: of the component, also within another one.
        test: a function in JavaScript of what the component says, and of `arg`.
        arg: JSON can say it.
    """
    page.wait_for_function(
        f"""([selector, arg]) => {{
          const roots = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
          const found = roots.map((root) => root.querySelector(selector)).find((one) => one?.read);
          return Boolean(found) && ({test})(JSON.parse(JSON.stringify(found.read())), arg);
        }}""",
        arg=[selector, arg],
    )


def throttle(page: Page) -> None:
    """Make a page that of a new visitor with a slow line: nothing kept, 200 ms there and back, 400 kB a second."""
    line = {"offline": False, "latency": 200, "downloadThroughput": 400_000, "uploadThroughput": 400_000}
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", line)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def healthy(server: subprocess.Popen[bytes], address: str, attempts: int = 1200) -> bool:
    """Ask twenty times a second, for a minute of them, until the server says that it is well."""
    between = threading.Event()
    for _ in range(attempts):
        if server.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(address, timeout=10):
                return True
        except OSError:  # also one that is too busy to answer
            between.wait(0.05)
    return False
