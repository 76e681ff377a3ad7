"""The server connects to nothing outside by itself, and a foreign page cannot make it wait for what is outside."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from attnviz.ui.mechanisms import MECHANISMS

from .outward import WAIT, Watched, watched

HANDSHAKES = 10


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched(tmp_path_factory.mktemp("outward")) as running:
        yield running


def test_foreign_handshakes_freeze_nobody_and_reach_nobody(server: Watched) -> None:
    refused = threading.Semaphore(0)

    def knock() -> None:
        with pytest.raises(InvalidStatus, match="403"):
            connect(f"ws://{server.at}/_stcore/stream", origin="http://evil.example", open_timeout=WAIT)
        refused.release()

    threads = [threading.Thread(target=knock, daemon=True) for _ in range(HANDSHAKES)]
    for thread in threads:
        thread.start()
    for _ in range(3):  # meanwhile
        with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=WAIT) as health:
            assert health.status == 200
    assert all(refused.acquire(timeout=WAIT) for _ in threads)
    # Whoever asks outside waits for it, and so does everybody behind: so nobody has asked.
    assert (server.outside.came, server.outward()) == ([], [])


@pytest.mark.parametrize("route", ["openapi.json", "interact", "mcp"])
def test_routes_for_programs_only_answer_that_they_are_off(server: Watched, route: str) -> None:
    body = None if route == "openapi.json" else b"{}"
    asked = urllib.request.Request(
        f"{server.address}/_stcore/agent/{route}", body, {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=WAIT) as found:
            answer = found.read().decode()
    except urllib.error.HTTPError as error:
        answer = error.read().decode()
    assert "not_available" in answer and "server.enableAgentApi" in answer


@pytest.mark.parametrize("page", ["", "draw", "explorer", *(row.url for row in MECHANISMS.values())])
def test_a_page_connects_to_nothing(server: Watched, page: str) -> None:
    server.run(page)
    assert server.log.exists()  # it is written down
    assert (server.outside.came, server.outward()) == ([], [])
