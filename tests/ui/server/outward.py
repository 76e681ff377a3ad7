"""A server whose every connection is written down, in a world that accepts each of them and never answers."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.browser.harness import run_app

WAIT = 120.0

# Runs before anything else in every Python process that finds it on its path.
HOOK = """
import json, os, sys
WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")
def hook(event, args, file=os.open(os.environ["CONNECTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)):
    if event in WATCHED:
        where = args[0] if event.startswith("socket.get") else args[1]
        os.write(file, (json.dumps([event, repr(where)]) + "\\n").encode())
sys.addaudithook(hook)
"""
HERE = ("'127.0.0.1'", "'::1'", "'localhost'", "'0.0.0.0'", "None")


class Outside:
    """A proxy that accepts every connection, counts it, and says nothing."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.came: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self.came.append(self.listener.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        """Hang up."""
        self.listener.close()
        for one in self.came:
            one.close()


class Watched:
    """A running server, what it connected to, and how often it came to the proxy."""

    def __init__(self, address: str, log: Path, outside: Outside) -> None:
        self.address, self.log, self.outside = address, log, outside
        self.at = urlsplit(address).netloc

    def outward(self) -> list[str]:
        """Return the connections that were begun to anywhere else, and the names that were looked up."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if not any(here in json.loads(line)[1] for here in HERE)]

    def run(self, page: str) -> None:
        """Run a page's script to its end, as a browser that opens it does."""
        with connect(f"ws://{self.at}/_stcore/stream", origin=self.address, max_size=None) as stream:
            message = BackMsg()
            message.rerun_script.page_name = page
            stream.send(message.SerializeToString())
            while True:
                came = ForwardMsg()
                came.ParseFromString(stream.recv(timeout=WAIT))
                if came.WhichOneof("type") == "script_finished":
                    return


@contextmanager
def watched(folder: Path, address: str = "0.0.0.0") -> Iterator[Watched]:
    """Run the app, open to a network, until the end of the block.

    Args:
        folder: an empty one.
        address: that it listens on.
    """
    (folder / "sitecustomize.py").write_text(HOOK)
    outside = Outside()
    proxy = f"http://127.0.0.1:{outside.port}"
    env = {
        "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "CONNECTS": str(folder / "connects"),
        "STREAMLIT_SERVER_ADDRESS": address,
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), proxy),
        "no_proxy": "127.0.0.1",
    }
    with ExitStack() as stack:
        stack.callback(outside.close)
        server = stack.enter_context(run_app(env=env))
        yield Watched(server.address, folder / "connects", outside)
