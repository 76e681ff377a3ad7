"""A PostgreSQL of the tests' own, on a Unix socket, without a disk that it would wait for."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_OLD = "/usr/lib/postgresql"  # where Debian puts what is not on the PATH


def _program(name: str) -> str:
    found = shutil.which(name) or next((str(one) for one in sorted(Path(_OLD).glob(f"*/bin/{name}"))[-1:]), None)
    return found or pytest.skip(f"PostgreSQL is not installed here: there is no {name}.")


@contextmanager
def started() -> Iterator[str]:
    """Start a server, and end it afterwards.

    Yields:
        The URL of a database in it, which only this user and the server's can reach.
    """
    pytest.importorskip("psycopg", reason="psycopg, the driver of PostgreSQL, is not installed here.")
    initdb, postgres = _program("initdb"), _program("postgres")
    place = Path(tempfile.mkdtemp(prefix="attnviz-pg-"))  # a socket's path must be short
    other = {}
    if os.geteuid() == 0:  # as root it refuses to run
        other = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        shutil.chown(place, "nobody", "nogroup")
    try:
        words = ["--pgdata", str(place / "data"), "--username", "attnviz", "--auth", "trust", "--no-sync"]
        made = subprocess.run(
            [initdb, *words, "--locale", "C"], check=False, capture_output=True, text=True, cwd=place, **other
        )
        assert made.returncode == 0, made.stderr
        options = {"listen_addresses": "", "fsync": "off", "log_min_messages": "log", "unix_socket_directories": place}
        told = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        server = subprocess.Popen(
            [postgres, "-D", str(place / "data"), *told], stderr=subprocess.PIPE, text=True, cwd=place, **other
        )
        try:
            said = ""
            while "ready to accept connections" not in said:
                line = server.stderr.readline()
                assert line, said
                said += line
            yield f"postgresql://attnviz@/postgres?host={place}"
        finally:
            server.send_signal(signal.SIGINT)  # it ends at once, whoever is connected
            server.communicate()
    finally:
        shutil.rmtree(place)
