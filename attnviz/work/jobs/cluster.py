"""A client of a Ray cluster through its head's HTTP interface (Ray Jobs). It does not import ray.

    one = Cluster(address("http://127.0.0.1:8265"))
    one.free()                                    # for each node, such as [Room(cpus=2.0, gpus=0.0)]
    one.submit("ID.1", ["python", "-m", ...], {"ATTNVIZ_RUNS": ...}, cpus=1, gpus=0)
    one.look("ID.1")                              # Look("RUNNING", "")

Ray's own client is not used: it imports all of ray, waits without limit for a head that does not answer, and uses
another address than the given one if RAY_ADDRESS is set.

Source: the Ray Jobs REST API, https://docs.ray.io/en/latest/cluster/running-applications/job-submission/rest.html
"""

import ipaddress
import json
import os
import shlex
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attnviz import files
from attnviz.errors import BadInput, RunError

PLACE = "ATTNVIZ_CLUSTER"
"""Environment variable: the cluster that runs the app's trainings."""

_PATIENCE = 3.0  # seconds within which a head must answer
_REST = 10.0  # seconds before a head that did not answer is tried again
_LARGEST = 2**24  # maximum size of an answer in bytes
_silent: dict[str, tuple[float, str]] = {}  # address -> (time of the failure, error message)


class Unreachable(RunError):
    """A cluster does not answer, or not as a Ray cluster does; our trainings on it may still be running."""


@dataclass(frozen=True)
class Room:
    """The free or total resources of a node."""

    cpus: float
    gpus: float


@dataclass(frozen=True)
class Look:
    """The status of a submission in Ray's words, "PENDING", "RUNNING", "STOPPED", "SUCCEEDED" or "FAILED", and the type
    of its error, such as "JOB_SUPERVISOR_ACTOR_DIED", or "".
    """

    status: str
    error: str

    @property
    def lives(self) -> bool:
        """Whether it is waiting or running, according to Ray."""
        return self.status in ("PENDING", "RUNNING")


def address(word: str) -> str:
    """Check and return the address of a cluster's head, such as "http://127.0.0.1:8265", which needs a token if others
    can reach it.
    """
    try:
        parts = urlsplit(word)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or port is None or word.rstrip("/") not in (f"http://{parts.netloc}", f"https://{parts.netloc}"):
        raise BadInput(f"A cluster is named by the address of its head, such as http://127.0.0.1:8265, not {word!r}.")
    if "@" in parts.netloc:
        raise BadInput("The address of a cluster holds no name and no password. Put the token into RAY_AUTH_TOKEN.")
    if not _is_loopback(host) and not token():
        raise BadInput(
            f"The cluster at {host} is not on this machine, and whoever reaches it can run any command there: it needs "
            "a token. Start it with RAY_AUTH_MODE=token, and put its token into RAY_AUTH_TOKEN here."
        )
    return word.rstrip("/")


def token() -> str:
    """Return the token of the cluster, from the places where Ray's own programs look for it, or ""."""
    if found := os.environ.get("RAY_AUTH_TOKEN", "").strip():
        return found
    with suppress(OSError, UnicodeDecodeError, RuntimeError):
        path = Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")
        return files.read(path, 2**12).decode().strip()
    return ""


@dataclass(frozen=True)
class Cluster:
    """The cluster whose head has an address checked by `address`. All methods raise Unreachable if it does not answer
    as a Ray cluster does.
    """

    address: str

    def free(self) -> list[Room]:
        """Return the free resources of each node, which may be some seconds old."""
        return [Room(cpus - used_cpus, gpus - used_gpus) for used_cpus, cpus, used_gpus, gpus in self._usage()]

    def has_gpu(self) -> bool:
        """Return whether any node has a GPU."""
        return any(gpus >= 1 for _, _, _, gpus in self._usage())

    def submit(self, name: str, words: Sequence[str], environment: Mapping[str, str], cpus: int, gpus: int) -> None:
        """Submit a command, which runs on a node with the given numbers of free CPUs and GPUs."""
        asked = {
            "submission_id": name, "entrypoint": shlex.join(words), "entrypoint_num_cpus": cpus,
            "runtime_env": {"env_vars": dict(environment)},
        }  # fmt: skip
        self._ask("/api/jobs/", asked | ({"entrypoint_num_gpus": gpus} if gpus else {}))

    def look(self, name: str) -> Look | None:
        """Return the status of a submission, or None if the cluster has none of that name."""
        found = self._ask(f"/api/jobs/{name}")
        return None if found is None else Look(str(found.get("status")), str(found.get("error_type") or ""))

    def stop(self, name: str) -> None:
        """Stop a submission by SIGTERM; if it has not started, it stops as soon as it starts."""
        self._ask(f"/api/jobs/{name}/stop", {})

    def _usage(self) -> list[tuple[float, float, float, float]]:
        """Return for each node: used CPUs, all CPUs, used GPUs, all GPUs."""
        found = self._ask("/api/cluster_status") or {}
        try:
            nodes = ((found["data"]["clusterStatus"] or {}).get("loadMetricsReport") or {}).get("usageByNode") or {}
            none = (0.0, 0.0)
            return [
                (*map(float, node.get("CPU", none)), *map(float, node.get("GPU", none)))  # type: ignore[misc]
                for node in nodes.values()
            ]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Unreachable(f"{self.address} does not answer as the head of a Ray cluster does.") from error

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Return the answer to a request, or None for status 404."""
        when, sentence = _silent.get(self.address, (0.0, ""))
        if sentence and time.monotonic() - when < _REST:
            raise Unreachable(sentence)
        request = urllib.request.Request(self.address + path, None if body is None else json.dumps(body).encode())
        request.add_header("Content-Type", "application/json")
        if known := token():
            request.add_header("Authorization", f"Bearer {known}")
        try:
            with _OPENER.open(request, timeout=_PATIENCE) as answer:
                found = files.from_json(answer.read(_LARGEST))
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                return None
            why = {401: "It requires a token: see RAY_AUTH_TOKEN", 403: "It refuses the token"}.get(error.code)
            raise Unreachable(f"The cluster {self.address} answers {error.code}. {why or error.reason}.") from error
        except (OSError, HTTPException, ValueError) as error:  # urllib's errors are OSErrors
            reason = getattr(error, "reason", error)
            why = files.reason(reason) if isinstance(reason, OSError) else str(reason) or type(reason).__name__
            sentence = f"The cluster {self.address} does not answer: {why}."
            _silent[self.address] = time.monotonic(), sentence
            raise Unreachable(sentence) from error
        _silent.pop(self.address, None)
        return found if isinstance(found, dict) else {}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects: the token is for one address only."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)  # no proxy receives the token


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
