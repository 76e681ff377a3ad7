"""Start the app from the command line: `attnviz app`, and `attnviz lessons play`."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from urllib.request import urlopen

from attnviz import paths
from attnviz.errors import BadInput


def app(options: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run the app as `streamlit run app.py --server.port=8600` does, with variables of the environment, until it is
    stopped, and return its exit status; where the system allows it, in place of this process, so that signals reach it.
    """
    command = _command(options)
    environment = {**os.environ, **variables}
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    return subprocess.run(command, env=environment, check=False).returncode


def answering(variables: Mapping[str, str], port: int | None, ready: Callable[[str], object]) -> int:
    """Run the app on a port, by default 8501 or the next one that is free, until it is stopped, by Ctrl-C or SIGTERM
    too; call `ready` with the address once it answers, and return the exit status.

    KeyboardInterrupt: it was stopped, and has ended.
    """
    from attnviz.training import stopping

    port = port or _free(8501)
    address = f"http://127.0.0.1:{port}"
    command = _command([f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"])
    with stopping.terminable(), ended(subprocess.Popen(command, env={**os.environ, **variables})) as process:
        while process.poll() is None and not _answers(address):
            time.sleep(0.2)
        if process.poll() is None:
            ready(address)
        return process.wait()


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """End a process at the end of the block, whatever ends that."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _command(options: Sequence[str]) -> list[str]:
    for needed in ("streamlit", "plotly"):
        if find_spec(needed) is None:
            raise BadInput(f'The app needs {needed}, which is missing: pip install "attnviz[app]"')
    return [sys.executable, "-m", "streamlit", "run", str(paths.shipped("app.py")), *options]


def _free(port: int) -> int:
    """Return a port that nothing listens on, from a number on."""
    while True:
        with socket.socket() as tried, suppress(OSError):
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(("127.0.0.1", port))
            return port
        port += 1


def _answers(address: str) -> bool:
    with suppress(OSError), urlopen(f"{address}/_stcore/health", timeout=2):
        return True
    return False
