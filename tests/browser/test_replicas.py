"""Two replicas behind nginx, as deploy/nginx.conf has it: one is killed, and its visitor goes on with the other."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect

from .conftest import NewPage, Problems, read_state, wait_until_ready
from .harness import ROOT, Server, free_port, healthy, run_app

CONFIGURATION = ROOT / "deploy" / "nginx.conf"
PORTS = ("8080", "8501", "8502")  # of nginx and of the replicas, there

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: apt-get install nginx"),
]


@dataclass(frozen=True)
class Replicas:
    """The address of nginx, and the servers behind it."""

    address: str
    servers: tuple[Server, ...]

    def connected(self) -> Server:
        """Return the one server that is connected with anybody."""
        found = [one for one in self.servers if _sockets(one)]
        assert len(found) == 1, "all sockets of a visitor reach one server"
        return found[0]


@pytest.fixture
def replicas(tmp_path: Path) -> Iterator[Replicas]:
    """Yield two servers behind nginx."""
    with ExitStack() as stack:
        servers = tuple(stack.enter_context(run_app()) for _ in range(2))
        port = str(free_port())
        text = CONFIGURATION.read_text()
        for old, new in zip(PORTS, (port, *(one.address.rpartition(":")[2] for one in servers)), strict=True):
            assert f"127.0.0.1:{old}" in text
            text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
        own = tmp_path / "nginx.conf"
        own.write_text(text)
        proxy = subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(own)], stdin=subprocess.DEVNULL)
        stack.callback(proxy.wait, 10)
        stack.callback(proxy.terminate)
        address = f"http://127.0.0.1:{port}"
        assert healthy(proxy, f"{address}/_stcore/health")
        yield Replicas(address, servers)


def test_who_was_with_a_killed_replica_comes_back_to_the_same_view_on_the_other(
    replicas: Replicas, new_page: NewPage, problems: Problems
) -> None:
    problems.expected += ["disconnected from server", "WebSocket", "Connection"]
    page = new_page()
    page.goto(f"{replicas.address}/pixel_attention?model=pixel_attention.1v8&data=strokes&number=23&query=14,15&head=1")
    viewer = page.locator(".viewer")
    viewer.and_(page.locator("[data-drawn]")).wait_for()
    wait_until_ready(page)
    url, shown = page.url, read_state(viewer)
    assert "number=23" in url and shown["query"] == [13, 14]
    first = replicas.connected()
    first.process.kill()
    first.process.wait()
    page.wait_for_function("document.querySelector('[data-test-connection-state=\"CONNECTED\"]') === null")
    page.locator('[data-test-connection-state="CONNECTED"]').wait_for(timeout=60_000)
    wait_until_ready(page)
    assert replicas.connected() is not first
    assert page.url == url
    assert read_state(viewer) == shown
    page.get_by_role("button", name="Next", exact=True).click()  # the new session answers
    expect(page).not_to_have_url(url)


def _sockets(server: Server) -> int:
    """Return how many connections a server has accepted; none once it has ended."""
    if not psutil.pid_exists(server.process.pid) or server.process.poll() is not None:
        return 0
    port = int(server.address.rpartition(":")[2])
    found = psutil.Process(server.process.pid).net_connections("tcp")
    return sum(one.status == psutil.CONN_ESTABLISHED and one.laddr.port == port for one in found)
