"""Start the app from the command line: for `attnviz app`, `attnviz lessons play`, and commands that need it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import IO
from urllib.request import urlopen

from attnviz import paths
from attnviz.errors import BadInput
from attnviz.files import reason
from attnviz.subjects import own


def app(options: Sequence[str], variables: Mapping[str, str]) -> None:
    """Run the app in this process until it is stopped, as `streamlit run app.py --server.port=8600` does, with
    environment variables.

    BadInput: a package is missing, or there is no such model or address.
    """
    for needed in ("streamlit", "plotly"):
        if find_spec(needed) is None:
            raise BadInput(f'The app needs {needed}, which is missing: pip install "attnviz[app]"')
    os.environ.update(variables)
    own.check()
    streamlit = import_module("streamlit.web.cli")  # by name, as only the app may import Streamlit
    try:
        streamlit.main(["run", str(paths.shipped("app.py")), *options], prog_name="streamlit")
    except OSError as error:
        raise BadInput(f"The app cannot answer there: {reason(error)}.") from error


def answering(variables: Mapping[str, str], port: int | None, ready: Callable[[str], object]) -> int:
    """Run the app on a port, by default 8501 or the next free one, until it is stopped, also by Ctrl-C or SIGTERM. Call
    `ready` with its URL once it answers, and return the exit status.

    BadInput: the port is in use. KeyboardInterrupt: the app was stopped, and has ended.
    """
    from attnviz.training import stopping

    with stopping.terminable(), beside(variables, port) as (address, process):
        if process.poll() is None:
            ready(address)
        return process.wait()


@contextmanager
def beside(
    variables: Mapping[str, str], port: int | None = None, output: IO[bytes] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the app as in `answering`, in a process that ends with the block and that Ctrl-C reaches only through this
    one. Yield its URL and the process; by then the app answers, or has ended already.
    """
    if port is not None and _free(port) != port:
        raise BadInput(f"Port {port} is in use. Choose another one, or none.")
    port = port or _free(8501)
    address = f"http://127.0.0.1:{port}"
    _hold_back_ctrl_c(True)
    try:
        process = subprocess.Popen(
            _command(port), env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        try:
            _hold_back_ctrl_c(False)
            while process.poll() is None and not _answers(address):
                time.sleep(0.2)
            yield address, process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        _hold_back_ctrl_c(False)


def _command(port: int) -> list[str]:
    return [sys.executable, "-m", "attnviz", "app", "--no-browser", f"--port={port}", "--address=127.0.0.1"]


def _hold_back_ctrl_c(whether: bool) -> None:
    """Block or unblock Ctrl-C; a process that is started while it is blocked never receives it."""
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_BLOCK if whether else signal.SIG_UNBLOCK, {signal.SIGINT})


def _free(port: int) -> int:
    """Return the first free port from a number on."""
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
