"""Jobs on a real Ray cluster of two nodes on loopback, one of which is killed in the middle of a training; then all."""

import hashlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from attnviz.recipes import recipe
from attnviz.recipes.altered import altered
from attnviz.training import runs, seeds
from attnviz.work.jobs import cluster, submissions, table
from attnviz.work.jobs.cluster import Cluster, Unreachable
from attnviz.work.jobs.order import Order
from tests.training import small

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install -e .[cluster] installs it."),
    pytest.mark.skipif(sys.platform != "linux", reason="Whether all keep to loopback is read from Linux's ss."),
]

EPOCHS = 40  # of a third of a second each: the cluster dies twice before the last one
CHANGES = {"data": "strokes", "epochs": str(EPOCHS), "patience": str(EPOCHS)}
PATIENCE = 240  # seconds
# Ray gives up a node after 15 seconds of silence, and a node its head after 60.
SOON = {"RAY_health_check_period_ms": "1000", "RAY_gcs_rpc_server_reconnect_timeout_s": "10"}


def _free(count: int) -> list[int]:
    """Return ports that are free, below those that Ray's own processes take at random."""
    found: list[int] = []
    for port in random.SystemRandom().sample(range(20000, 32000), 1000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            break
    return found


class RayCluster:
    """A cluster whose processes this test has started, and nobody else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gcs, self.port, self.client = _free(3)
        self.address = f"http://127.0.0.1:{self.port}"
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.sessions: set[int] = set()

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a node, each in a session of its own."""
        command = [sys.executable, "-m", "tests.work.jobs.node", "start", "--block", "--disable-usage-stats"]
        command += ["--node-ip-address=127.0.0.1", "--min-worker-port=0", "--max-worker-port=0"]
        command += [f"--dashboard-agent-listen-port={_free(1)[0]}", "--object-store-memory=80000000", *words]
        root = str(Path(__file__).parents[3])
        own = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": root, **SOON}
        with (self.folder / f"node-{len(self.sessions)}.log").open("wb") as log:
            node = subprocess.Popen(
                command, env={**os.environ, **own}, cwd=root, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self.nodes.append(node)
        self.sessions.add(node.pid)
        return node

    def head(self) -> None:
        """Start the head, which trains nothing itself."""
        self.start(
            "--head", f"--port={self.gcs}", "--dashboard-host=127.0.0.1", f"--dashboard-port={self.port}",
            f"--ray-client-server-port={self.client}", "--num-cpus=0", f"--temp-dir={self.folder}",
        )  # fmt: skip
        _await(self._answers, "the head does not answer")

    def cpus(self) -> float:
        """Return how many are free."""
        assert self.nodes[-1].poll() is None, (self.folder / f"node-{len(self.sessions) - 1}.log").read_text()
        return sum(room.cpus for room in Cluster(self.address).free())

    def node(self) -> subprocess.Popen[bytes]:
        """Start a node that trains one job at a time."""
        return self.start(f"--address=127.0.0.1:{self.gcs}", "--num-cpus=1")

    def _answers(self) -> bool:
        assert self.nodes[-1].poll() is None, (self.folder / f"node-{len(self.sessions) - 1}.log").read_text()
        cluster._silent.clear()
        with suppress(Unreachable):
            return bool(Cluster(self.address).free())
        return False

    def processes(self) -> list[psutil.Process]:
        """Return all processes that were started: those of the nodes' sessions, and those below them."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, ProcessLookupError):
                if os.getsid(process.pid) in self.sessions:
                    found += [process, *process.children(recursive=True)]
        return found

    def kill(self, *nodes: subprocess.Popen[bytes]) -> None:
        """Kill nodes with all that belongs to them, but not what they train: Ray must end that itself."""
        for node in nodes:
            for process in psutil.process_iter():
                with suppress(psutil.Error, ProcessLookupError):
                    if os.getsid(process.pid) == node.pid:
                        process.kill()
            node.wait()

    def end(self) -> None:
        """Kill all that is left."""
        for process in self.processes():
            with suppress(psutil.Error):
                process.kill()
        for node in self.nodes:
            node.wait()


@pytest.fixture
def here(tmp_path, monkeypatch) -> Iterator[RayCluster]:
    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for known in (submissions._said, submissions._looked, submissions._signs, cluster._silent):
        known.clear()
    place = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # the paths of sockets may have 107 bytes
    found = RayCluster(place)
    try:
        yield found
    finally:
        trains = [runs.status(run).get("process") for run in runs.ids()]
        found.end()
        for process in {one for one in trains if one} - {os.getpid()}:  # this one trained what they are compared with
            with suppress(ProcessLookupError, psutil.NoSuchProcess):
                if psutil.Process(process).cmdline()[1:4] == ["-m", "attnviz", "train"]:
                    os.kill(process, signal.SIGKILL)
        shutil.rmtree(place)


def _await(condition, otherwise: str) -> None:
    """Wait until something holds of what other processes do; they have nothing that could be waited for."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, otherwise
        time.sleep(0.2)


def _epochs(job: str) -> int:
    return sum(len(runs.curve(run)) for run in table.runs_of(job))


def _weights(home: Path) -> str:
    return hashlib.sha256((home / f"weights-{EPOCHS}.safetensors").read_bytes()).hexdigest()


def test_a_training_survives_the_death_of_its_node_and_of_the_whole_cluster(here, tmp_path, monkeypatch):
    here.head()
    for nodes in (1, 2):  # one after the other: a node gives up where another takes its time
        here.node()
        _await(lambda wanted=nodes: here.cpus() == wanted, "the node did not come")
    ours = {process.pid for process in here.processes()}
    listening = [line for line in _listening() if any(f"pid={pid}," in line for pid in ours)]
    assert len(listening) >= 8
    own = ("127.0.0.1:", "[::1]:", "[::ffff:127.0.0.1]:")
    assert not [line for line in listening if not line.split()[3].startswith(own)]

    order = Order(model="pixel_line", recipe="1v8", changes=CHANGES, cluster=here.address)
    job = table.start(order)
    _await(lambda: _epochs(job) >= 2, "it does not train")
    (run,) = table.runs_of(job)
    trains = psutil.Process(runs.status(run)["process"])
    its = next(node for node in here.nodes if os.getsid(_raylet(trains)) == node.pid)
    here.kill(its)
    _await(lambda: not trains.is_running() or trains.status() == psutil.STATUS_ZOMBIE, "it trains on without a node")
    done = _epochs(job)
    assert done < EPOCHS
    _await(lambda: _tended(job) and _epochs(job) > done, "it was not submitted again")
    assert submissions.read(table.folder() / job).attempt >= 2  # a busy cluster may lose the second one too

    here.kill(*[node for node in here.nodes if node.poll() is None])
    trains = psutil.Process(runs.status(run)["process"])
    _await(lambda: not trains.is_running() or trains.status() == psutil.STATUS_ZOMBIE, "it trains on without a head")
    done = _epochs(job)
    table.tend()
    assert table.state(job).word in ("running", "finished")  # nobody knows better until the head is there again
    here.head()
    here.node()
    _await(lambda: _tended(job) and table.state(job).word == "finished", "it was not found again")

    monkeypatch.setenv("ATTNVIZ_RUNS", str(tmp_path / "undisturbed"))
    chosen = altered(recipe("pixel_line", "1v8"), CHANGES)
    seeds.train_runs(chosen, [0], device="cpu", threads=1, report=small.silent, command="")
    assert _weights(tmp_path / "runs" / run) == _weights(tmp_path / "undisturbed" / run)


def _tended(job: str) -> bool:
    cluster._silent.clear()
    table.tend()
    return True


def _listening() -> list[str]:
    return subprocess.run(["ss", "-ltnp"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]


def _raylet(process: psutil.Process) -> int:
    """Return the process above a training that belongs to its node's session."""
    for above in process.parents():
        with suppress(ProcessLookupError):
            if above.name().startswith("raylet") or "raylet" in " ".join(above.cmdline())[:200]:
                return above.pid
    raise AssertionError("the training has no raylet above it")
