"""Several servers behind nginx, as deploy/nginx.conf has it, for a test and for a benchmark."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from .harness import ROOT, Server, free_port, healthy, run_app

CONFIGURATION = ROOT / "deploy" / "nginx.conf"
PORTS = ("8080", "8501", "8502")  # of nginx and of the replicas, there


@dataclass(frozen=True)
class Replicas:
    """The address of nginx, and the two servers behind it."""

    address: str
    servers: tuple[Server, ...]

    def connected(self) -> Server:
        """Return the one server that is connected with anybody."""
        found = [one for one in self.servers if _connections(one)]
        assert len(found) == 1, "all sockets of a visitor reach one server"
        return found[0]


@contextmanager
def behind_nginx() -> Iterator[Replicas]:
    """Run two servers behind nginx, until the end of the block."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = tuple(stack.enter_context(run_app()) for _ in PORTS[1:])
        port = str(free_port())
        text = CONFIGURATION.read_text()
        for old, new in zip(PORTS, (port, *(one.address.rpartition(":")[2] for one in servers)), strict=True):
            assert f"127.0.0.1:{old}" in text
            text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
        own = folder / "nginx.conf"
        own.write_text(text)
        with (folder / "log").open("wb") as log:
            proxy = subprocess.Popen(["nginx", "-p", folder, "-c", own], stdin=subprocess.DEVNULL, stderr=log)
        stack.callback(proxy.wait, 10)
        stack.callback(proxy.terminate)
        address = f"http://127.0.0.1:{port}"
        assert healthy(proxy, f"{address}/_stcore/health"), (folder / "log").read_text()
        yield Replicas(address, servers)


def _connections(server: Server) -> int:
    """Return how many connections a server has accepted; none once it has ended."""
    if server.process.poll() is not None:
        return 0
    port = int(server.address.rpartition(":")[2])
    found = psutil.Process(server.process.pid).net_connections("tcp")
    return sum(one.status == psutil.CONN_ESTABLISHED and one.laddr.port == port for one in found)
