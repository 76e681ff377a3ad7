"""A stand-in for the head of a Ray cluster: it answers as one does, and does what a test wants."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Head:
    """What the stand-in knows: the nodes' resources in use and in all, and what has been submitted.

    Args:
        address: where it answers.
    """

    def __init__(self) -> None:
        self.address = ""
        self.nodes: dict[str, dict[str, tuple[float, float]]] = {"a": {"CPU": (0.0, 2.0)}}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, str | None]] = []  # each path, and its authorization
        self.stopped: list[str] = []
        self.status = 200
        self.location: str | None = None

    def end(self, name: str, status: str, error: str | None = None) -> None:
        """Let a submission have ended."""
        self.jobs[name] |= {"status": status, "error_type": error}

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Return a status and what is answered."""
        if self.status != 200:
            return self.status, {}
        if path == "/api/cluster_status":
            return 200, {"data": {"clusterStatus": {"loadMetricsReport": {"usageByNode": self.nodes}}}}
        name = path.removeprefix("/api/jobs/")
        if method == "POST" and not name:
            self.jobs[body["submission_id"]] = {**body, "status": "RUNNING", "error_type": None}
            return 200, {"submission_id": body["submission_id"]}
        if method == "POST":
            self.stopped.append(name.removesuffix("/stop"))
            return 200, {"stopped": True}
        return (200, self.jobs[name]) if name in self.jobs else (404, {})


@contextmanager
def running() -> Iterator[Head]:
    """Run one on loopback."""
    head = Head()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            head.asked.append((self.path, self.headers["Authorization"]))
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            status, answer = head.answer(self.command, self.path, json.loads(body or "{}"))
            self.send_response(status)
            if head.location:
                self.send_header("Location", head.location)
            content = json.dumps(answer).encode()
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _do

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        head.address = f"http://127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield head
        finally:
            server.shutdown()
